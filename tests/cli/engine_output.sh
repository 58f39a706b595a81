#!/usr/bin/env bash
# `wari engine` and readers that are slow, go away or never read.
. tests/cli/lib.sh
# shellcheck source=tests/cli/conversing.sh
. tests/cli/conversing.sh

db=$(shared_awari 8) || exit 1
engine=(engine --db "$db")

# ---- Readers that go away ------------------------------------------------------------------------

an_output_that_nobody_reads_ends_it() {
    local go
    for go in 'go depth 99' 'go infinite'; do
        _start
        _send "position startpos\n$go\n"
        _read_until '^info depth 2'
        _close_output
        _wait_for_exit
    done
}

# poll() reports that the output can be written to.
an_output_that_loses_what_is_written_ends_it() {
    local output=/dev/full
    _start
    _send 'position startpos\ngo infinite\n'
    _wait_for_exit
    expect_code 4
    # If it does not search, it ends at one of the next lines after the reader has gone.
    trap '' PIPE
    _start
    _send 'uci\n'
    while _send 'isready\n'; do :; done
    _wait_for_exit
    expect_code 4
}

# Fixed bug: the engine reported that nobody read its output, although no answer was lost.
a_reader_that_has_all_answers_may_go() {
    local before
    for before in true false; do # "quit" is heard
        _start_held
        _send 'isready\n'
        _pass 0
        _read_until '^readyok'
        _send 'quit\n'
        $before || _pass 0
        _close_output
        _release
        _wait_for_exit
        expect_code 0
    done
}

# Fixed bug: answers that it printed before it noticed that the reader had gone were lost, with exit
# code 0.
what_is_answered_to_nobody_ends_with_4() {
    local engine=(engine --random)
    _start_held
    _send "$(printf 'position startpos moves A\\n%.0s' {1..2000})go\n"
    _close_output
    _release
    _wait_for_exit
    expect_code 4
}

# ---- Readers that are slow -----------------------------------------------------------------------

_read_slowly() { # pipe|socket BYTES MILLISECONDS ; the input is in $WORK/input
    CALLS=$CALLS python3 tests/support/slow_reader.py "$@" "$WARI" "${engine[@]}" <"$WORK/input" >"$out" 2>"$err"
    code=$?
}

# Fixed bugs: after the end of the input, a slow reader lost most answers, some with exit code 0. A reader
# that took less than a page in 80 ms, or any reader of a full socket, was treated as one that reads
# nothing. Each of these readers has all answers within five seconds.
who_takes_answers_slowly_gets_them_all() {
    local count question answer kind size pause
    out=$WORK/out err=$WORK/err
    while read -r count question answer kind size pause; do
        printf 'position startpos\ngo infinite\n' >"$WORK/input"
        yes "$question" | head -n "$count" >>"$WORK/input"
        _read_slowly "$kind" "$size" "$pause"
        expect_code 0
        [ "$(grep -cx "$answer" "$out")" -eq "$count" ] || fail "expected $count $answer, $size bytes at a time"
    done <<'READERS'
9000 isready readyok pipe 256 1
120 uci uciok pipe 256 1
9000 isready readyok pipe 1024 30
20000 isready readyok pipe 4096 20
400 uci uciok socket 4096 20
14000 isready readyok socket 400 5
READERS
}

who_takes_nothing_or_too_little_is_cut_with_4() {
    local kind
    out=$WORK/out err=$WORK/err
    for kind in pipe socket; do
        { printf 'position startpos\ngo infinite\n' && yes isready | head -n 12000; } >"$WORK/input"
        _read_slowly $kind full 80
        expect_code 4
    done
    yes uci | head -n 300 >"$WORK/input"
    _read_slowly pipe 100 50 # some 10,000 bytes in five seconds
    expect_code 4
}

# Sends COUNT times "uci" and then "quit" to an engine, moves its clock while it is printing a
# reply, and writes its replies to $WORK/replies. A pipe has room for some hundred replies.
_replies_to_uci() { # COUNT MILLISECONDS
    _start_held
    _send "$(yes 'uci\n' | head -n "$1" | tr -d '\n')quit\n"
    _pass 0
    _read_until '^id name'
    [ "$2" -eq 0 ] || _pass "$2"
    _release
    cat <&"$from" >"$WORK/replies"
    _wait_for_exit
    expect_code 0
    [ "$(tail -n 1 "$WORK/replies")" = uciok ] || fail "expected a whole reply at the end"
}

# Fixed bug: the reply was cut, with exit code 0.
a_reply_in_hand_is_whole_behind_quit() {
    local count
    for count in 1 20 600; do
        _replies_to_uci $count 0
        [ "$(grep -c uciok "$WORK/replies")" -eq $count ] || fail "expected $count replies"
    done
    _replies_to_uci 600 60 # then what waits is waived
    [ "$(grep -c uciok "$WORK/replies")" -lt 600 ] || fail "expected fewer replies"
}

# ---- Readers that do not read at all -------------------------------------------------------------

an_output_that_is_full_does_not_keep_it_from_hearing() {
    _start
    _send "$(printf 'uci\\n%.0s' {1..4000})quit\n"
    _wait_for_exit
}

# Fills the pipe that the engine prints to; `_empty_output` removes these bytes again.
_fill_output() {
    filled=$(yes 123456789abcdef | LC_ALL=C dd of="$WORK/out.pipe" oflag=nonblock iflag=fullblock bs=4096 2>&1 |
        sed -n 's/^\([0-9]*\)+0 records out$/\1/p')
    [ "${filled:-0}" -gt 0 ] || fail "expected a pipe to fill"
}

_empty_output() {
    dd iflag=fullblock bs=4096 count="$filled" status=none of=/dev/null <&"$from"
}

# Fixed bug: the engine gave up its reader although nothing had to be printed. Opening these tables takes
# almost five seconds.
a_full_output_is_no_matter_while_nothing_is_to_be_printed() {
    local filled
    _start_held HOLD_CALL=open HOLD_PATH="$WORK/away*"
    _fill_output
    _send "setoption name DatabasePath value $WORK/away\nisready\n"
    _close_input
    _pass 0
    wait_until_held
    _pass 0
    _pass 100
    _pass 4800
    let_run
    _release
    _empty_output
    _read_until '^readyok'
    _wait_for_exit
    expect_code 0
}

# Fixed bug: the listening thread had not printed its answer yet when the other thread printed a later
# one.
answers_come_in_the_order_of_what_was_asked() {
    local filled
    _start_held
    _fill_output
    _send 'position startpos\ngo infinite\n'
    _pass 0
    _wait_for_search # which then waits to print its first line
    _send 'stop\n'
    _pass 0
    _pass 80 # so that the other thread answers in its place
    _send 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n'
    _pass 0
    _empty_output
    _read_until '^(bestmove|info string database)'
    [[ $REPLY = bestmove* ]] || fail "expected the first answer first"
    _read_until '^bestmove [BE]'
    _send 'quit\n'
    _release
    _wait_for_exit
}

# Fixed bug: the searching thread printed its answer before most of the answers that were still pending.
all_that_is_owed_comes_first() {
    local filled ready=0
    _start_held
    _fill_output
    _send 'position startpos\ngo infinite\n'
    _pass 0
    _wait_for_search
    _send "$(printf 'isready\\n%.0s' {1..3000})stop\nuci\n"
    for _ in {1..10}; do _pass 0; done # it has heard all before anything is taken
    _empty_output
    until _read_until '^(readyok|id name)' && [ "$REPLY" != readyok ]; do ready=$((ready + 1)); done
    [ $ready -eq 3000 ] || fail "expected the reply to uci after 3000 readyok, not $ready"
    _send 'quit\n'
    _release
    _wait_for_exit
}

run_tests
