# What tests of `wari match` share: engines that are small scripts, and may fail.
# shellcheck shell=bash

# Milliseconds: no program that the tests start takes so long.
patient=(--grace 600000 --start-time 600000)

# ---- Matches in which no time goes by -------------------------------------------------------------
# However slow the machine is, the program sees no time go by, except what an engine lets pass with
# `pass_time MILLISECONDS`. (The clock is a file: CLOCK_FILE in tests/calls/calls.c.)

# With these limits, a move is too late after 120 milliseconds, and not before.
short=(--movetime 20 --grace 100 --start-time 600000)

mkfifo "$WORK/never" "$WORK/told" "$WORK/up"
exec {never}<>"$WORK/never" {told}<>"$WORK/told"

# Runs `wari match ARGUMENT...`; leaves $out, $err and $code.
_match() {
    out=$WORK/out err=$WORK/err
    : >"$WORK/clock"
    (with_calls CLOCK_FILE="$WORK/clock" "$WARI" match "$@") >"$out" 2>"$err" </dev/null {never}>&-
    code=$?
}

# Starts it in the background, with standard error to $err, which may be a pipe with a name: then
# $messages reads it. Leaves $match, and a descriptor $living, which is at its end when the match and
# its engines have ended, with all that these started.
_start_match() {
    : >"$WORK/clock"
    rm -f "$WORK/living"
    mkfifo "$WORK/living"
    (with_calls CLOCK_FILE="$WORK/clock" "$WARI" match "$@") \
        >"$out" 2>"$err" </dev/null 9>"$WORK/living" {never}>&- &
    match=$!
    [ ! -p "$err" ] || exec {messages}<"$err"
    exec {living}<"$WORK/living"
}

# Waits until an engine has called `tell` so often.
_wait_until_told() { # TIMES
    local _text i
    for ((i = 0; i < $1; i++)); do
        read -r -t $safety -u "$told" _text || fail "timed out: the engines did not come so far"
    done
}

_end_match() { # leaves $code
    wait "$match" 2>/dev/null
    code=$?
}

# Nobody holds $living open. The match has ended, so it is too late to kill somebody.
_expect_nobody() {
    read -r -t 0 -u "$living" || fail "a process was left"
}

# ---- Engines ------------------------------------------------------------------------------------

# Makes an engine that is sane up to a point: what it does at each "go" is the script's argument. It
# may use the functions below.
_engine() { # NAME ACTION [ACTION-AT-uci]
    cat >"$WORK/$1" <<END
#!/bin/sh
pass_time() { # MILLISECONDS
    printf "%\$1s" '' >>"$WORK/clock"
}

# As long as the test runs.
wait_for_ever() {
    read -r _ <"$WORK/never"
}

# Wakes up the test, in _wait_until_told.
tell() {
    echo told >"$WORK/told"
}

# \`nap &\` is a child that never ends; \`setsid "\$0" nap &\` is one in a session of its own.
nap() {
    echo up >&8
    wait_for_ever
}

# Waits until so many of them have come up.
wait_for_naps() { # COUNT
    count=0
    while [ \$count -lt "\$1" ]; do
        read -r _ <&8
        count=\$((count + 1))
    done
}

exec 8<>"$WORK/up"
case \${1:-} in
nap) nap ;;
two_naps) nap & nap ;;
esac

while read -r word rest; do
    case \$word in
    uci) ${3:-echo "id name $1"; echo uciok} ;;
    isready) echo readyok ;;
    go) $2 ;;
    quit) exit 0 ;;
    esac
done
END
    chmod +x "$WORK/$1"
}

# Four games of a failing engine against perfect play: it loses all of them, for this reason.
_fails() { # NAME FAULT MESSAGE
    local time=("${patient[@]}")
    [ "$2" != time-out ] || time=("${short[@]}")
    _match --db "$WORK/db" --engine "$WORK/$1" --games 4 --json "${time[@]}"
    _expect_lost 4 "$2" "$3"
}

_expect_lost() { # GAMES FAULT MESSAGE
    expect_code 1
    expect_message "$3"
    expect_output_has "\"games\":$1"
    expect_output_has "\"lost\":$1,\"forfeited\":$1"
    expect_output_has "\"$2\":$1"
}
