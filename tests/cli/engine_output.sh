#!/usr/bin/env bash
# `wari engine` and readers of its output that are slow, go away or never read.
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

# For /dev/full, poll() reports that the output can be written to, although every write fails.
an_output_that_loses_what_is_written_ends_it() {
    local output=/dev/full
    _start
    _send 'position startpos\ngo infinite\n'
    _wait_for_exit
    expect_code 4
    # An engine that does not search ends at one of the next lines after the reader has gone.
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

# Fixed bug: after the end of the input, a slow reader lost most answers, some with exit code 0. Bash
# reads a pipe byte by byte, so this pipe is full nearly all the time.
who_takes_answers_slowly_gets_them_all() {
    local count question answer line
    while read -r count question answer; do
        _start
        { printf 'position startpos\ngo infinite\n' && yes "$question" | head -n "$count"; } >&"$to" &
        _close_input
        while read -r -t $safety line <&"$from"; do echo "$line"; done >"$WORK/answers"
        _wait_for_exit
        expect_code 0
        [ "$(grep -cx "$answer" "$WORK/answers")" -eq "$count" ] || fail "expected $count $answer"
    done <<'READERS'
20000 isready readyok
400 uci uciok
READERS
}

# After "quit" the engine waits one second for a reader that takes nothing, and after the end of the
# input five. (The exit code is tested only in the second case, because only there it is certain that a reply had been begun.)
who_takes_nothing_is_cut() {
    local last patience=1000
    for last in 'quit\n' ''; do
        _start_held
        _send "$(printf 'uci\\n%.0s' {1..300})$last"
        _close_input
        until [[ $REPLY = "held $patience" ]]; do _pass 0; done
        _pass $((patience - 1))
        _pass_to_end 1
        [ -n "$last" ] || expect_code 4
        patience=5000
    done
}

# Sends COUNT times "uci" and then "quit" to an engine, and writes its replies to $WORK/replies. A
# pipe has room for some hundred replies.
_replies_to_uci() { # COUNT
    _start_held
    _send "$(yes 'uci\n' | head -n "$1" | tr -d '\n')quit\n"
    _pass 0
    _read_until '^id name'
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
        _replies_to_uci $count
        [ "$(grep -c uciok "$WORK/replies")" -eq $count ] || fail "expected $count replies"
    done
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
# one. Here the searching thread is held when it first reads the database, so that the other thread
# answers in its place.
answers_come_in_the_order_of_what_was_asked() {
    _start_held HOLD_OTHERS=1 HOLD_CALL=read HOLD_PATH="$db/*"
    _send 'position fen 0-1-1-1-1-1-1-1-1-1-1-1-20-17-S\ngo infinite\n'
    _pass 0
    wait_until_held
    _send 'stop\n'
    _pass 0
    _pass 80
    _send 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n'
    _pass 0
    let_run
    _read_until '^(bestmove|info string database)'
    [[ $REPLY = bestmove* ]] || fail "expected the first answer first"
    _read_until '^bestmove [BE]'
    _send 'quit\n'
    _release
    _wait_for_exit
}

run_tests
