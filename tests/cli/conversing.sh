# Functions shared by the tests of `wari engine`: starting an engine, sending lines to it and
# reading its answers. Holds no tests; sourced after lib.sh. $engine is the command to start.
#
# No engine here uses the clock of the machine. Either the clock advances by a tenth of a
# millisecond whenever the engine reads it, about as on an idle machine (`_start`, `_ask`,
# `_run_engine`), or it advances only when the test moves it (`_start_held`, `_pass`).
# shellcheck shell=bash

readonly engine_clock=(CLOCK_FROZEN=1 CLOCK_STEP=100000)

# ---- An engine that is asked something and then told to end ---------------------------------------

# Runs `wari ARGUMENT...` with TEXT as its complete input.
_run_engine() { # TEXT ARGUMENT...
    local text=$1
    shift
    out=$WORK/out err=$WORK/err
    printf '%b' "$text" | (with_calls "${engine_clock[@]}" "$WARI" "$@") >"$out" 2>"$err"
    code=$?
}

# ---- An engine that the test talks to line by line ------------------------------------------------

# Starts an engine. Its input is connected to descriptor ${to}; its output to ${from}, or to the
# file $output if that is set.
_start() {
    _start_with "${engine_clock[@]}"
}

# Starts an engine like _start, but one whose listening thread is held whenever it would wait (POLL_GO in
# tests/calls/calls.c), and whose clock is moved only by `_pass`. The other thread can also be held
# at a call, as described in lib.sh: `_start_held HOLD_CALL=... HOLD_PATH=...`, and then
# `wait_until_held`, `let_go`, `let_run`.
_start_held() { # [VARIABLE=VALUE...]
    _start_with POLL_LEAST=2 POLL_REPORT=9 POLL_GO=8 HOLD_REPORT=7 HOLD_GO=6 "$@"
    _wait_for_poll
}

_start_with() { # VARIABLE=VALUE...
    local pipes=("$WORK"/{in,out,poll_reports,poll_go,hold_reports,hold_go}.pipe)
    [ -z "${poll_go:-}" ] || exec {to}>&- {from}<&- {poll_reports}<&- {poll_go}>&- {hold_reports}<&- {hold_go}>&-
    rm -f "${pipes[@]}"
    mkfifo "${pipes[@]}"
    out=/dev/null err=$WORK/engine.err code=-
    exec {poll_go}<>"$WORK/poll_go.pipe" {hold_go}<>"$WORK/hold_go.pipe"
    (with_calls "$@" "$WARI" "${engine[@]}") <"$WORK/in.pipe" >"${output:-$WORK/out.pipe}" 2>"$err" \
        9>"$WORK/poll_reports.pipe" 8<"$WORK/poll_go.pipe" 7>"$WORK/hold_reports.pipe" 6<"$WORK/hold_go.pipe" \
        {poll_go}>&- {hold_go}>&- &
    pid=$!
    exec {to}>"$WORK/in.pipe"
    if [ -z "${output:-}" ]; then exec {from}<"$WORK/out.pipe"; else exec {from}</dev/null; fi
    exec {poll_reports}<"$WORK/poll_reports.pipe" {hold_reports}<"$WORK/hold_reports.pipe"
}

# Waits until the listening thread is held; the test fails if the engine ends before. Sets $REPLY to
# "held" and the number of milliseconds that the thread would wait; -1 means for ever.
_wait_for_poll() {
    local status
    read -r -t $safety -u "$poll_reports"
    status=$?
    [ $status -ne 0 ] || return 0
    [ $status -le 128 ] || _timed_out "the engine does not listen"
    wait "$pid"
    code=$?
    fail "expected the engine not to end yet"
}

# Moves the clock of a held engine. Waits until its listening thread has done everything that is due
# by then, has read its input (one page at most), and is held again.
_pass() { # MILLISECONDS
    echo "$1" >&"$poll_go"
    _wait_for_poll
}

# Waits until a held engine has begun a search with a time limit. Before that its listening thread
# would wait for ever.
_wait_for_search() {
    until [[ $REPLY != "held -1" ]]; do _pass 0; done
}

# Moves the clock of a held engine for the last time: the engine must end by then. Sets $code.
_pass_to_end() { # MILLISECONDS
    echo "$1" >&"$poll_go"
    _wait_for_exit
}

# Stops holding the engine. Its clock still does not move by itself.
_release() {
    echo free >&"$poll_go"
}

_send() {
    printf '%b' "$1" >&"$to"
}

# Closes the input of the engine.
_close_input() {
    exec {to}>&-
    exec {to}>/dev/null # so that it can be closed again
}

# Closes the output of the engine: nobody reads it any more.
_close_output() {
    exec {from}<&-
    exec {from}</dev/null # so that it can be closed again
}

# Waits for a line that matches the pattern. Sets $REPLY to the line.
_read_until() { # PATTERN
    local status
    while read -r -t $safety <&"$from"; status=$?; [ $status -eq 0 ]; do
        [[ ! $REPLY =~ $1 ]] || return 0
    done
    [ $status -le 128 ] || _timed_out "$1 was not said"
    fail "expected $1 before the end of the output"
}

# Waits until the engine has ended. Sets $code.
_wait_for_exit() {
    local status
    while read -r -t $safety -u "$poll_reports"; status=$?; [ $status -eq 0 ]; do :; done
    [ $status -le 128 ] || _timed_out "the engine did not end"
    wait "$pid"
    code=$?
}

_timed_out() {
    kill -s KILL "$pid"
    fail "timed out: $1"
}

# ---- Questions ------------------------------------------------------------------------------------
# Most tests need no engine of their own: `_share_engine` starts one for the whole script. `_ask`
# begins a new game in it, with MultiPV 1. A test that depends on other options uses `_ask_alone`.

_share_engine() {
    mkfifo "$WORK/asked" "$WORK/answered"
    (with_calls "${engine_clock[@]}" "$WARI" "${engine[@]}") \
        <"$WORK/asked" >"$WORK/answered" 2>"$WORK/shared.err" &
    exec {asked}>"$WORK/asked" {answered}<"$WORK/answered"
}

# Sends TEXT to the shared engine, and sets $out to its answers.
_ask() { # TEXT
    out=$WORK/out err=$WORK/shared.err code=-
    _collect_replies "ucinewgame\nsetoption name MultiPV value 1\n$1" "$asked" "$answered"
}

# Starts `wari ARGUMENT...`, sends TEXT to it, and ends it; sets $out, $err and $code.
_ask_alone() { # TEXT ARGUMENT...
    local text=$1 engine
    shift
    engine=("$@")
    _start
    out=$WORK/out
    _collect_replies "$text" "$to" "$from"
    _close_input
    _wait_for_exit
}

# Sends TEXT and then an unknown command. The message about it marks the end of the answers:
# "readyok" may be printed while a search still runs, but this message is printed only after
# everything before it is done.
_collect_replies() { # TEXT TO FROM
    local status mark=end-$RANDOM-$RANDOM
    printf '%b%s\n' "$1" "$mark" >&"$2"
    while read -r -t $safety <&"$3"; status=$?; [ $status -eq 0 ]; do
        [[ $REPLY != "info string unknown command: $mark" ]] || return 0
        printf '%s\n' "$REPLY"
    done >"$out"
    [ $status -le 128 ] || fail "timed out: not all was answered"
    fail "expected more answers before the end of the output"
}
