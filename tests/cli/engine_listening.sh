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

an_endless_search_ends_with_stop_and_answers_meanwhile() {
    _ask 'position startpos\ngo infinite\nisready\nstop\nisready\n'
    [ "$(grep -n readyok "$out" | tail -n 1 | cut -d: -f1)" -gt \
        "$(grep -n bestmove "$out" | cut -d: -f1)" ] || fail "expected readyok after bestmove"
    [ "$(grep -c readyok "$out")" -eq 2 ] || fail "expected readyok twice"
    _ask 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo ponder\nponderhit\n'
    [ "$(grep -c bestmove "$out")" -eq 1 ] || fail "expected one move"
}

each_go_is_answered_once_and_stop_holds_for_those_before_it() {
    _ask 'position startpos\ngo depth 99\ngo movetime 1000000\nstop\ngo depth 2\n'
    [ "$(grep -c bestmove "$out")" -eq 3 ] || fail "expected three moves"
    [ "$(grep 'info depth' "$out" | tail -n 1 | cut -d' ' -f3)" -eq 2 ] || fail "expected depth 2"
    # The same if "stop" arrives before the first search begins: the searching thread is held.
    _start_held HOLD_CALL=open HOLD_PATH="$WORK/away*"
    _say "setoption name DatabasePath value $WORK/away\n"
    _pass 0
    wait_until_held
    _say 'position startpos\ngo depth 99\ngo movetime 1000000\nstop\ngo depth 2\n'
    _pass 0
    let_run
    for _ in 1 2 3; do _hear '^bestmove [A-F]'; done
    _say 'quit\n'
    _release
    _is_gone
    expect_code 0
}

# Bugs: a "ponderhit" without a ponder search made it wait for ever, and so did unusual white space.
an_endless_search_ends_where_something_else_is_wanted() {
    local said
    for said in 'go infinite\nponderhit\n' 'go depth 1\vinfinite\n' 'go ponder\n'; do
        _ask "position startpos\n${said}position startpos\ngo depth 2\n"
        [ "$(grep -c '^bestmove' "$out")" -eq 2 ] || fail "expected two moves"
    done
}

# Sends "isready" to a held engine that searches: no move may be printed before the answer.
_expect_no_move_yet() {
    _say 'isready\n'
    _pass 0
    _hear '^(readyok|bestmove)'
    [ "$REPLY" = readyok ] || fail "expected no move yet"
}

# A move is printed a few milliseconds before the time is over.
ponderhit_starts_the_clock() {
    _start_held
    _say 'position startpos\ngo ponder movetime 300\n'
    _pass 0
    _hear '^info depth 2'
    _pass 1000000
    _expect_no_move_yet
    _say 'ponderhit\n'
    _pass 0
    _pass 280
    _expect_no_move_yet
    _pass 20
    _hear '^bestmove [A-F]'
    _say 'go ponder depth 2\n' # found long before, and said when it is asked for
    _pass 0
    _hear 'depth 2'
    _expect_no_move_yet
    _say 'ponderhit\n'
    _pass 0
    _hear '^bestmove [A-F]'
    _say 'go ponder movetime 100\nponderhit\n' # most likely before it was begun
    _pass 0
    _wait_for_thought # or its time might begin after the clock has moved for the last time
    _pass 100
    _hear '^bestmove [A-F]'
    _say 'go ponder movetime 1000000\nstop\n'
    _pass 0
    _hear '^bestmove [A-F]'
    _say 'quit\n'
    _release
    _is_gone
    expect_code 0
}

# ---- What waits for its turn ---------------------------------------------------------------------

what_waits_behind_a_position_is_heard_while_it_thinks() {
    _start
    _say 'position startpos\ngo depth 99\n'
    _hear '^info depth 3'
    _say 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\nisready\n'
    _hear '^(readyok|bestmove)'
    [ "$REPLY" = readyok ] || fail "expected readyok first"
    _say 'setoption name Hash value 1\nucinewgame\nstop\n'
    _hear '^bestmove [A-F]'
    _say 'go\n' # the position that waited, published: +3 by B and by E
    _hear '^bestmove [BE]'
    _say 'position startpos\ngo depth 99\nposition startpos\nquit\n'
    _is_gone
}

# At most 10,000 lines are kept.
only_what_is_passed_over_is_told_to_be() {
    local passed=0
    _start
    _say 'position startpos\ngo depth 99\n'
    _hear '^info depth 2'
    _say "$(printf 'position startpos\\n%.0s' {1..10003})isready\nponderhit\nstop\n"
    until _hear '^(readyok|info string [0-9]+ ignored)' && [ "$REPLY" = readyok ]; do
        passed=$((passed + $(cut -d' ' -f3 <<<"$REPLY")))
    done
    [ $passed -eq 3 ] || fail "expected 3, not $passed"
    _say 'quit\n'
    _is_gone
}

# A game with the lines that Aualé's client sends, at several strengths, and the answers that its
# parser accepts. The parser would stop at an empty line.
what_auale_says_is_answered_in_words_that_it_knows() {
    _ask 'uci\nsetoption name OwnBook value true\nucinewgame\nisready\nposition startpos\ngo depth 2 movetime 600\nposition startpos moves Ff\ngo ponder\nstop\nposition startpos moves Ff\ngo movetime 50\nposition fen 4-4-4-4-4-4-0-0-0-2-2-2-10-8-S moves Fc\ngo depth 6 movetime 1200\n'
    [ "$(grep -c '^bestmove' "$out")" -eq 4 ] || fail "expected four moves"
    ! grep -vxE '(id (name|author)|info string) .+|uciok|readyok|option name [^ ]+ type (check|spin|combo|string)( (default|min|max|var) [^ ]+)+|info depth [0-9]+ score cp -?[0-9]+ nodes [0-9]+ nps [0-9]+ hashfull [0-9]+ tbhits [0-9]+ time [0-9]+ pv [A-Fa-f]+|bestmove [A-F]( ponder [a-f])?' "$out" ||
        fail "expected nothing else"
    grep -q "no such option" "$out" || fail "expected a remark on OwnBook"
}

# ---- The end of the input ------------------------------------------------------------------------

the_end_of_the_input_ends_any_search() {
    local go
    for go in 'go depth 99' 'go infinite' 'go movetime 1000000' 'go ponder' 'go nodes 999999999999'; do
        _converse "position startpos\n$go\nposition startpos\n" "${engine[@]}"
        expect_code 0
        grep -qxE 'bestmove [A-F]( ponder [a-f])?' "$out" || fail "expected a move"
        _start
        _say "position startpos\n$go\n"
        _hear '^info depth 2'
        _say_no_more
        _hear '^bestmove [A-F]'
        _is_gone
        expect_code 0
    done
    _converse 'position startpos\ngo infinite\n' "${engine[@]}" # which nothing else ends
    expect_code 0
    grep -q bestmove "$out" || fail "expected a move"
}

# Opening these tables takes for ever, because the thread is held. After "quit" the engine has 85
# milliseconds. If only the input ends it has five seconds, since a program that closes its end of
# the pipe may still want all answers.
the_end_of_the_input_is_heard_behind_what_takes_long() {
    local last
    for last in 'quit\n' ''; do
        _start_held HOLD_CALL=open HOLD_PATH="$WORK/away*"
        _say "setoption name DatabasePath value $WORK/away\nisready\n$last"
        _say_no_more
        _pass 0
        wait_until_held
        if [ -n "$last" ]; then
            _pass 84
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

run_tests
