# Functions shared by the tests of `wari match`: engines that are small scripts, and may fail.
# shellcheck shell=bash

# In milliseconds: longer than any program takes that the tests start.
patient=(--grace 600000 --start-time 600000)

# ---- Matches in which no time goes by -------------------------------------------------------------
# However slow the machine is, for the program the clock stands still, except that an engine can
# move it with `pass_time MILLISECONDS`. (The clock is a file: CLOCK_FILE in tests/calls/calls.c.)

# With these limits, a move is late after 120 milliseconds.
short=(--movetime 20 --grace 100 --start-time 600000)

mkfifo "$WORK/never" "$WORK/reports" "$WORK/up"
exec {never}<>"$WORK/never" {reports}<>"$WORK/reports"

# Runs `wari match ARGUMENT...`; sets $out, $err and $code.
_match() {
    out=$WORK/out err=$WORK/err
    : >"$WORK/clock"
    (with_calls CLOCK_FILE="$WORK/clock" "$WARI" match "$@") >"$out" 2>"$err" </dev/null {never}>&-
    code=$?
}

# Starts a match in the background, with standard error to $err. If $err is a named pipe, descriptor
# $messages reads from it. Sets $match, and $living, a descriptor that reaches its end when the
# match, its engines and all processes that these started have ended.
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

# Waits until engines have called `report` this many times.
_wait_for_reports() { # TIMES
    local _text i
    for ((i = 0; i < $1; i++)); do
        read -r -t $safety -u "$reports" _text || fail "timed out: the engines did not come so far"
    done
}

_end_match() { # leaves $code
    wait "$match" 2>/dev/null
    code=$?
}

# Checks that nobody holds $living open. The match has ended, so no process will be killed any more.
_expect_nobody() {
    read -r -t 0 -u "$living" || fail "a process was left"
}

# ---- Engines ------------------------------------------------------------------------------------

# Makes an engine that is correct except for its reply to "go": there it runs ACTION, a piece of a
# shell script, which may use the functions below.
_engine() { # NAME ACTION [ACTION-AT-uci]
    cat >"$WORK/$1" <<END
#!/bin/sh
pass_time() { # MILLISECONDS
    printf "%\$1s" '' >>"$WORK/clock"
}

# Waits for as long as the test runs.
wait_for_ever() {
    read -r _ <"$WORK/never"
}

# Wakes the test, which waits in _wait_for_reports.
report() {
    echo report >"$WORK/reports"
}

# \`nap &\` is a child process that never ends; \`setsid "\$0" nap &\` is one in its own session.
nap() {
    echo up >&8
    wait_for_ever
}

# Waits until this many \`nap\` processes have started.
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

# Plays four games of a failing engine against perfect play. It must lose all of them for this
# reason.
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
