#!/usr/bin/env bash
# `wari engine` while it searches: commands that arrive meanwhile are read at once, and carried out
# when it is their turn. Two or more threads take part, so the thread sanitizer runs this script,
# too. Positions and values come from data/positions.csv and from the rules.
. tests/cli/lib.sh
# shellcheck source=tests/cli/conversing.sh
. tests/cli/conversing.sh

db=$(shared_awari 8) || exit 1
engine=(engine --db "$db")
_share_engine

# ---- stop, ponderhit, isready --------------------------------------------------------------------

an_endless_search_ends_with_stop_and_replies_meanwhile() {
    _ask 'position startpos\ngo infinite\nisready\nstop\nisready\n'
    [ "$(grep -n readyok "$out" | tail -n 1 | cut -d: -f1)" -gt \
        "$(grep -n bestmove "$out" | cut -d: -f1)" ] || fail "expected readyok after bestmove"
    [ "$(grep -c readyok "$out")" -eq 2 ] || fail "expected readyok twice"
    _ask 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo ponder\nponderhit\n'
    [ "$(grep -c bestmove "$out")" -eq 1 ] || fail "expected one move"
}

each_go_gets_one_reply_and_stop_applies_to_earlier_ones() {
    _ask 'position startpos\ngo depth 99\ngo movetime 1000000\nstop\ngo depth 2\n'
    [ "$(grep -c bestmove "$out")" -eq 3 ] || fail "expected three moves"
    [ "$(grep 'info depth' "$out" | tail -n 1 | cut -d' ' -f3)" -eq 2 ] || fail "expected depth 2"
    # The same if "stop" arrives before the first search begins: the searching thread is held.
    _start_held HOLD_CALL=open HOLD_PATH="$WORK/away*"
    _send "setoption name DatabasePath value $WORK/away\n"
    _pass 0
    wait_until_held
    _send 'position startpos\ngo depth 99\ngo movetime 1000000\nstop\ngo depth 2\n'
    _pass 0
    let_run
    for _ in 1 2 3; do _read_until '^bestmove [A-F]'; done
    _send 'quit\n'
    _release
    _wait_for_exit
    expect_code 0
}

# Fixed bugs: a "ponderhit" without a ponder search made it wait for ever, and so did unusual white space.
an_endless_search_ends_when_another_command_needs_it() {
    local said
    for said in 'go infinite\nponderhit\n' 'go depth 1\vinfinite\n' 'go ponder\n'; do
        _ask "position startpos\n${said}position startpos\ngo depth 2\n"
        [ "$(grep -c '^bestmove' "$out")" -eq 2 ] || fail "expected two moves"
    done
}

# Sends "isready" to a held engine that searches: no move may be printed before the answer.
_expect_no_move_yet() {
    _send 'isready\n'
    _pass 0
    _read_until '^(readyok|bestmove)'
    [ "$REPLY" = readyok ] || fail "expected no move yet"
}

# A move is printed a few milliseconds before the time is over.
ponderhit_starts_the_clock() {
    _start_held
    _send 'position startpos\ngo ponder movetime 300\n'
    _pass 0
    _read_until '^info depth 2'
    _pass 1000000
    _expect_no_move_yet
    _send 'ponderhit\n'
    _pass 0
    _pass 280
    _expect_no_move_yet
    _pass 20
    _read_until '^bestmove [A-F]'
    _send 'go ponder depth 2\n' # found long before, and said when it is asked for
    _pass 0
    _read_until 'depth 2'
    _expect_no_move_yet
    _send 'ponderhit\n'
    _pass 0
    _read_until '^bestmove [A-F]'
    _send 'go ponder movetime 100\nponderhit\n' # most likely before it was begun
    _pass 0
    _wait_for_search # or its time might begin after the clock has moved for the last time
    _pass 100
    _read_until '^bestmove [A-F]'
    _send 'go ponder movetime 1000000\nstop\n'
    _pass 0
    _read_until '^bestmove [A-F]'
    _send 'quit\n'
    _release
    _wait_for_exit
    expect_code 0
}

# Fixed bug: "readyok" came before "uciok" if a search was due.
answers_to_uci_and_isready_come_in_order() {
    local text
    for text in 'uci\nisready\n' 'position startpos\ngo depth 5\nuci\nisready\n' \
        'position startpos\ngo infinite\nuci\nisready\n' 'uci\nposition startpos\ngo depth 5\nisready\n'; do
        _ask "$text"
        [ "$(grep -xE 'uciok|readyok' "$out")" = $'uciok\nreadyok' ] || fail "expected uciok, then readyok"
    done
}

# ---- What waits for its turn ---------------------------------------------------------------------

commands_after_a_position_are_read_while_it_searches() {
    _start
    _send 'position startpos\ngo depth 99\n'
    _read_until '^info depth 3'
    _send 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\nisready\n'
    _read_until '^(readyok|bestmove)'
    [ "$REPLY" = readyok ] || fail "expected readyok first"
    _send 'setoption name Hash value 1\nucinewgame\nstop\n'
    _read_until '^bestmove [A-F]'
    _send 'go\n' # the position that waited, published: +3 by B and by E
    _read_until '^bestmove [BE]'
    _send 'position startpos\ngo depth 99\nposition startpos\nquit\n'
    _wait_for_exit
}

# At most 10,000 lines are kept.
only_commands_that_are_ignored_are_reported_as_ignored() {
    local ignored=0
    _start
    _send 'position startpos\ngo depth 99\n'
    _read_until '^info depth 2'
    _send "$(printf 'position startpos\\n%.0s' {1..10003})isready\nponderhit\nstop\n"
    until _read_until '^(readyok|info string ignored, because 10000 commands)' && [ "$REPLY" = readyok ]; do
        ignored=$((ignored + 1))
    done
    [ $ignored -eq 3 ] || fail "expected 3, not $ignored"
    _send 'quit\n'
    _wait_for_exit
}

# A game with the lines that Aualé's client sends, at several strengths, and the answers that its
# parser accepts. The parser would stop at an empty line.
commands_of_auale_are_answered_in_its_own_format() {
    _ask 'uci\nsetoption name OwnBook value true\nucinewgame\nisready\nposition startpos\ngo depth 2 movetime 600\nposition startpos moves Ff\ngo ponder\nstop\nposition startpos moves Ff\ngo movetime 50\nposition fen 4-4-4-4-4-4-0-0-0-2-2-2-10-8-S moves Fc\ngo depth 6 movetime 1200\n'
    [ "$(grep -c '^bestmove' "$out")" -eq 4 ] || fail "expected four moves"
    ! grep -vxE '(id (name|author)|info string) .+|uciok|readyok|option name [^ ]+ type (check|spin|combo|string)( (default|min|max|var) [^ ]+)+|info depth [0-9]+ score cp -?[0-9]+ nodes [0-9]+ nps [0-9]+ hashfull [0-9]+ tbhits [0-9]+ time [0-9]+ pv [A-Fa-f]+|bestmove [A-F]( ponder [a-f])?' "$out" ||
        fail "expected nothing else"
    ! grep -q "no such option" "$out" || fail "expected no remark on OwnBook"
}

# ---- The end of the input ------------------------------------------------------------------------

the_end_of_the_input_ends_any_search() {
    local go
    for go in 'go depth 99' 'go infinite' 'go movetime 1000000' 'go ponder' 'go nodes 999999999999'; do
        _run_engine "position startpos\n$go\nposition startpos\n" "${engine[@]}"
        expect_code 0
        grep -qxE 'bestmove [A-F]( ponder [a-f])?' "$out" || fail "expected a move"
        _start
        _send "position startpos\n$go\n"
        _read_until '^info depth 2'
        _close_input
        _read_until '^bestmove [A-F]'
        _wait_for_exit
        expect_code 0
    done
    _run_engine 'position startpos\ngo infinite\n' "${engine[@]}" # which nothing else ends
    expect_code 0
    grep -q bestmove "$out" || fail "expected a move"
}

# Opening these tables takes for ever, because the thread is held. After "quit" the engine has a
# second. If only the input ends it has five seconds, since a program that closes its end of the pipe
# may still want all answers.
the_end_of_the_input_is_noticed_during_a_long_command() {
    local last
    for last in 'quit\n' ''; do
        _start_held HOLD_CALL=open HOLD_PATH="$WORK/away*"
        _send "setoption name DatabasePath value $WORK/away\nisready\n$last"
        _close_input
        _pass 0
        wait_until_held
        if [ -n "$last" ]; then
            _pass 999
            _pass_to_end 1
            expect_code 0
        else
            _pass 0
            _pass 4999
            _pass_to_end 1
            expect_code 4
        fi
    done
}

# ---- Several threads -----------------------------------------------------------------------------

threads_find_what_one_finds() { # published: 0, by F alone
    _ask_alone 'setoption name Threads value 2\nposition fen 1-1-1-1-1-1-1-1-1-1-1-1-18-18-S\ngo depth 20\n' \
        "${engine[@]}"
    expect_code 0
    grep -qxE 'bestmove F( ponder [a-f])?' "$out" || fail "expected F"
}

# After its first search, the engine decodes blocks in a separate thread. The test holds this thread at its first read().
blocks_that_are_decoded_ahead_delay_no_command() {
    local engine=(engine --db "$db")
    _start_held HOLD_OTHERS=1 HOLD_CALL=read HOLD_PATH="$db/*"
    _send 'position startpos\ngo depth 2\n'
    _pass 0
    _read_until '^bestmove [A-F]'
    wait_until_held
    _send 'isready\n'
    _pass 0
    _read_until '^readyok'
    _send 'go depth 2\n'
    _pass 0
    _read_until '^bestmove [A-F]'
    _send 'quit\n'
    _release
    _wait_for_exit
    expect_code 0
}

run_tests
