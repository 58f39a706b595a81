# What the tests of `wari engine` share: starting an engine, speaking to it and hearing it. Holds no
# tests; sourced after lib.sh. $engine is the command to start.
#
# No engine here has the clock of the machine. Either time goes by when the engine looks at the clock
# (`_start`, `_ask`, `_converse`), a tenth of a millisecond each time, about as it does on an idle
# machine; or only when the test says so (`_start_held`, `_pass`).
# shellcheck shell=bash

readonly engine_clock=(CLOCK_FROZEN=1 CLOCK_STEP=100000)

# ---- An engine that is asked something and then told to end ---------------------------------------

# Runs `wari ARGUMENT...` with TEXT as its whole input.
_converse() { # TEXT ARGUMENT...
    local text=$1
    shift
    out=$WORK/out err=$WORK/err
    printf '%b' "$text" | (with_calls "${engine_clock[@]}" "$WARI" "$@") >"$out" 2>"$err"
    code=$?
}

# ---- An engine that the test talks to line by line ------------------------------------------------

# Starts an engine with its input at descriptor ${to} and its output at ${from}, or in the file $output if
# there is one.
_start() {
    _start_with "${engine_clock[@]}"
}

# The same for an engine whose listening thread is held whenever it would wait (POLL_GO in
# tests/calls/calls.c), and whose clock moves by `_pass` only. The other thread can be held, too, at a
# call, as lib.sh describes: `_start_held HOLD_CALL=... HOLD_PATH=...`, and then `wait_until_held`,
# `let_go`, `let_run`.
_start_held() { # [VARIABLE=VALUE...]
    _start_with POLL_TELL=9 POLL_GO=8 HOLD_TELL=7 HOLD_GO=6 "$@"
    _wait_for_poll
}

_start_with() { # VARIABLE=VALUE...
    local pipes=("$WORK"/{in,out,poll_told,poll_go,hold_told,hold_go}.pipe)
    [ -z "${poll_go:-}" ] || exec {to}>&- {from}<&- {poll_told}<&- {poll_go}>&- {hold_told}<&- {hold_go}>&-
    rm -f "${pipes[@]}"
    mkfifo "${pipes[@]}"
    out=/dev/null err=$WORK/engine.err code=-
    exec {poll_go}<>"$WORK/poll_go.pipe" {hold_go}<>"$WORK/hold_go.pipe"
    (with_calls "$@" "$WARI" "${engine[@]}") <"$WORK/in.pipe" >"${output:-$WORK/out.pipe}" 2>"$err" \
        9>"$WORK/poll_told.pipe" 8<"$WORK/poll_go.pipe" 7>"$WORK/hold_told.pipe" 6<"$WORK/hold_go.pipe" \
        {poll_go}>&- {hold_go}>&- &
    pid=$!
    exec {to}>"$WORK/in.pipe"
    if [ -z "${output:-}" ]; then exec {from}<"$WORK/out.pipe"; else exec {from}</dev/null; fi
    exec {poll_told}<"$WORK/poll_told.pipe" {hold_told}<"$WORK/hold_told.pipe"
}

# Waits until the listening thread is held; ends the test if the engine ends before. $REPLY is then
# "held" and the milliseconds that the thread would wait; -1 means for ever.
_wait_for_poll() {
    local status
    read -r -t $safety -u "$poll_told"
    status=$?
    [ $status -ne 0 ] || return 0
    [ $status -le 128 ] || _timed_out "the engine does not listen"
    wait "$pid"
    code=$?
    fail "expected the engine not to end yet"
}

# Moves the clock of a held engine, and waits until its listening thread has done everything that is due
# by then, has read what was said (a page of it at most), and is held again.
_pass() { # MILLISECONDS
    echo "$1" >&"$poll_go"
    _wait_for_poll
}

# Waits until a held engine has begun to think. Only then does its listening thread look at the clock now
# and then; before it would wait for ever.
_wait_for_thought() {
    until [[ $REPLY != "held -1" ]]; do _pass 0; done
}

# Moves the clock of a held engine for the last time: the engine ends by then. Leaves $code.
_pass_to_end() { # MILLISECONDS
    echo "$1" >&"$poll_go"
    _is_gone
}

# Holds the engine no more. Its clock still stands.
_release() {
    echo free >&"$poll_go"
}

_say() {
    printf '%b' "$1" >&"$to"
}

# Ends the input of the engine.
_say_no_more() {
    exec {to}>&-
    exec {to}>/dev/null # so that it can be closed again
}

# Closes the output of the engine: nobody reads it any more.
_hear_no_more() {
    exec {from}<&-
    exec {from}</dev/null # so that it can be closed again
}

# Waits for a line that matches, which is then in $REPLY.
_hear() { # PATTERN
    local status
    while read -r -t $safety <&"$from"; status=$?; [ $status -eq 0 ]; do
        [[ ! $REPLY =~ $1 ]] || return 0
    done
    [ $status -le 128 ] || _timed_out "$1 was not said"
    fail "expected $1 before the end of the output"
}

# Waits until the engine has ended. Leaves $code.
_is_gone() {
    local status
    while read -r -t $safety -u "$poll_told"; status=$?; [ $status -eq 0 ]; do :; done
    [ $status -le 128 ] || _timed_out "the engine did not end"
    wait "$pid"
    code=$?
}

_timed_out() {
    kill -s KILL "$pid"
    fail "timed out: $1"
}

# ---- Questions ------------------------------------------------------------------------------------
# Most tests need no engine of their own: `_share_engine` starts one for the whole script. For each
# `_ask` it begins a new game with one line (MultiPV 1). A test to which its other options matter uses
# `_ask_alone`.

_share_engine() {
    mkfifo "$WORK/asked" "$WORK/answered"
    (with_calls "${engine_clock[@]}" "$WARI" "${engine[@]}") \
        <"$WORK/asked" >"$WORK/answered" 2>"$WORK/shared.err" &
    exec {asked}>"$WORK/asked" {answered}<"$WORK/answered"
}

# Says TEXT to the shared engine, and leaves what it answers in $out.
_ask() { # TEXT
    out=$WORK/out err=$WORK/shared.err code=-
    _listen "ucinewgame\nsetoption name MultiPV value 1\n$1" "$asked" "$answered"
}

# Starts `wari ARGUMENT...` for the questions of TEXT, and ends it; leaves $out, $err and $code.
_ask_alone() { # TEXT ARGUMENT...
    local text=$1 engine
    shift
    engine=("$@")
    _start
    out=$WORK/out
    _listen "$text" "$to" "$from"
    _say_no_more
    _is_gone
}

# Says TEXT and then a command that does not exist. The remark on it ends the answers: unlike "readyok",
# which is said while a search still runs, the remark is made when everything before is done.
_listen() { # TEXT TO FROM
    local status mark=end-$RANDOM-$RANDOM
    printf '%b%s\n' "$1" "$mark" >&"$2"
    while read -r -t $safety <&"$3"; status=$?; [ $status -eq 0 ]; do
        [[ $REPLY != "info string unknown command: $mark" ]] || return 0
        printf '%s\n' "$REPLY"
    done >"$out"
    [ $status -le 128 ] || fail "timed out: not all was answered"
    fail "expected more answers before the end of the output"
}
