#!/usr/bin/env bash
# The behaviour of other interfaces and engines: they start the engine before they name its tables,
# end lines as on other systems, fail to start, resign early, and request features that do not exist
# in Oware. Positions and values are those of data/positions.csv and of the rules.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/conversing.sh
. tests/cli/conversing.sh
# shellcheck source=tests/cli/engines.sh
. tests/cli/engines.sh

db=$(shared_awari 8) || exit 1
build "$WORK/db" 4 --rules tournament || exit 1
engine=(engine)
random="'$builder' engine --random" # the plain program: engine.sh tests `wari engine` with sanitizers
published='position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\n' # +3 by B and by E

# ---- An engine without tables --------------------------------------------------------------------

an_engine_without_tables_searches_and_says_so_once() {
    _run_engine 'uci\nposition startpos\ngo movetime 200\nquit\n' engine
    expect_code 0
    expect_no_message
    expect_output_has "uciok"
    expect_output_has "option name DatabasePath type string default <empty>"
    grep -qxE 'bestmove [A-F]( ponder [a-f])?' "$out" || fail "expected a move"
    _ask_alone 'position startpos\ngo depth 2\nposition startpos moves Ff\ngo depth 2\n' engine
    expect_output_has "info depth 2 "
    [ "$(grep -c '^info string there are no tables' "$out")" -eq 1 ] || fail "expected one remark on tables"
    [ "$(grep -c '^bestmove [A-F]' "$out")" -eq 2 ] || fail "expected two moves"
}

tables_can_be_named_after_the_start() {
    local path
    accepted book --db "$db" --output "$WORK/awari.book"
    for path in "$db" "$WORK/awari.book"; do
        _ask_alone "setoption name DatabasePath value $path\n${published}go\n" engine
        expect_output_has "info string database: the exact value is +3"
        ! grep -qE 'no tables|search alone' "$out" || fail "expected no remark on missing tables"
    done
}

tables_that_cannot_be_opened_cost_a_remark() {
    cp "$WORK/awari.book" "$WORK/damaged.book" 2>/dev/null || accepted book --db "$db" --output "$WORK/damaged.book"
    flip_byte "$WORK/damaged.book" 0
    for path in "$WORK/none" "$WORK/damaged.book"; do
        _ask_alone "setoption name DatabasePath value $path\n${published}go depth 4\n" engine
        expect_code 0
        expect_no_message
        [ "$(grep -c '^info string .*playing by search alone$' "$out")" -eq 1 ] || fail "expected one remark"
        ! grep -q 'there are no tables' "$out" || fail "expected no second remark"
        grep -q '^bestmove [BE]' "$out" || fail "expected B or E"
    done
}

an_empty_path_closes_the_tables() {
    local value
    for value in '<empty>' ''; do
        _ask_alone "setoption name DatabasePath value $db\nsetoption name DatabasePath value $value\n${published}go depth 4\nuci\n" engine
        expect_output_has "info string there are no tables"
        ! grep -q 'info string database' "$out" || fail "expected a search"
        expect_output_has "DatabasePath type string default <empty>"
    done
}

# The folder has only tables of abapa own. Under these rules A, the only move, is worth 3, as in
# RULES.md: A keeps 1 seed, B gets 3.
rules_that_nobody_chose_are_those_of_the_tables() {
    local position='position fen 1-1-0-0-0-0-1-0-0-0-0-0-23-22-S\n'
    _ask_alone "setoption name DatabasePath value $WORK/db\n${position}go\n" engine
    expect_output_has "info string DatabasePath: the rules are now those of the tables, abapa own"
    expect_output_has "info string database: the exact value is +3"
    # Rules that the user has chosen do not change.
    _ask_alone "setoption name Rules value awari\nsetoption name DatabasePath value $WORK/db\n${position}go depth 1\n" engine
    expect_output_has "playing by search alone"
    _ask_alone "setoption name DatabasePath value $WORK/db\n${position}go depth 1\n" engine --rules awari
    expect_output_has "playing by search alone"
}

# Fixed bug: the first folder decided for good, even if the engine did not take over its rules, and a rule set with both
# cycle rules counted as two rule sets.
rules_that_nobody_chose_are_those_of_the_first_tables_with_one_rule_set() {
    local both=$WORK/both two=$WORK/two position='position fen 1-1-0-0-0-0-1-0-0-0-0-0-23-22-S\n'
    build "$both" 3 --rules abapa --cycle own && build "$both" 3 --rules abapa --cycle even &&
        build "$two" 3 --rules warri && build "$two" 3 --rules ware || exit 1
    _ask_alone "setoption name DatabasePath value $two\nsetoption name DatabasePath value $both\n${position}go\n" engine
    expect_output_has "has no database of awari even"
    expect_output_has "info string DatabasePath: the rules are now those of the tables, abapa even"
    expect_output_has "info string database: the exact value is +3"
}

tables_on_the_command_line_must_exist() {
    refused 4 "" engine --db "$WORK/none"
    refused 2 "--db" engine --db ''
}

the_first_line_may_begin_with_a_mark_and_lines_may_end_with_cr_alone() {
    run_with_input '\0357\0273\0277uci\risready\r\n\nposition startpos\rgo depth 1\rquit\r' engine
    expect_code 0
    [ "$(grep -cxE 'uciok|readyok|bestmove [A-F].*' "$out")" -eq 3 ] || fail "expected three answers"
    ! _has "$out" "unknown command" || fail "expected that all lines are understood"
}

# ---- go ------------------------------------------------------------------------------------------

what_go_lacks_in_oware_is_answered_before_the_move() {
    local go
    for go in 'go mate 3' 'go depth 2 mate 3' 'go mate'; do
        _ask_alone "position startpos\n$go\n" engine
        grep -nE 'mate.* has no effect|^bestmove [A-F]' "$out" | cut -d: -f2 >"$WORK/order"
        [ "$(cut -c 1-8 "$WORK/order")" = $'info str\nbestmove' ] || fail "expected a remark and then a move"
    done
}

only_the_moves_to_choose_from_are_searched() {
    local tables
    for tables in '' "setoption name DatabasePath value $db\n"; do
        _ask_alone "${tables}setoption name MultiPV value 6\n${published}go depth 4 searchmoves B\nposition startpos\ngo searchmoves C F depth 3\n" engine
        grep '^bestmove' "$out" | cut -c 1-10 >"$WORK/moves"
        grep -qxE 'bestmove [CF]' "$WORK/moves" || fail "expected C or F"
        [ "$(head -n 1 "$WORK/moves")" = 'bestmove B' ] || fail "expected B"
        ! grep -qE ' pv [ADE]' "$out" || fail "expected no other move"
    done
}

# Fixed bug: the input thread printed the move, because the thread that searches was delayed. Then the
# delayed thread printed its older results after the move. Here it is held when it first reads the
# database.
no_info_follows_the_move() {
    local text engine=(engine --db "$db")
    _start_held HOLD_OTHERS=1 HOLD_CALL=read HOLD_PATH="$db/*"
    _send 'position fen 0-1-1-1-1-1-1-1-1-1-1-1-20-17-S\ngo infinite\n'
    _pass 0
    wait_until_held
    _send 'stop\n'
    _pass 0
    _pass 80 # so that the other thread answers in its place
    _send 'uci\n'
    _pass 0
    let_run
    _read_until '^bestmove [A-F]'
    read -r -t $safety -u "$from" text || fail "timed out: the engine said no more"
    [[ $text == "id name "* ]] || fail "expected no line of the search after its move, but: $text"
    _send 'quit\n'
    _release
    _wait_for_exit
}

# ---- Engines in a match --------------------------------------------------------------------------

lines_may_end_as_on_other_systems() {
    _engine crlf 'printf "bestmove 0000\r\n"' 'printf "id name Far away \r\noption name Rules type combo\r\nuciok\r\n"'
    sed -i 's/isready) echo readyok/isready) printf "readyok\\r\\n"/' "$WORK/crlf"
    _match --db "$WORK/db" --engine "$WORK/crlf" --games 1 --json "${patient[@]}"
    _expect_lost 1 "gave up" "the engine Far away failed and loses: gave up (bestmove 0000 while the game goes on)"
    expect_output_has '"name":"Far away"'
    expect_output_has '"lines_not_understood":0'
}

an_engine_that_does_not_start_ends_the_match_without_a_result() {
    local number
    for number in 1 3; do
        run match --db "$WORK/db" --engine "$WORK/nowhere" --engine "$random" --start --games 10 --depth 1 \
            --concurrency $number --ogn "$WORK/none.ogn"
        expect_code 4
        expect_no_output
        expect_message "nowhere did not start in 3 attempts"
        expect_message "No such file or directory"
        [ ! -e "$WORK/none.ogn" ] || fail "expected no record of games"
    done
    run match --db "$WORK/db" --engine "false" --engine "$random" --games 4 --json
    expect_code 4
    expect_no_output
    expect_message "false did not start in 3 attempts: it ended before it sent uciok: exit code 1"
}

# The engine exits when it is first asked for "uciok".
a_start_that_fails_once_costs_no_game() {
    # shellcheck disable=SC2016 # for the engine's shell
    _engine second 'echo "bestmove 0000"' '[ -e "$0.once" ] || { : >"$0.once"; exit 5; }; echo uciok'
    _match --db "$WORK/db" --engine "$WORK/second" --games 2 --json "${patient[@]}"
    expect_code 1
    expect_output_has '"games":2,"strength":null'
    expect_output_has '"failed start":1,'
    expect_output_has '"gave up":2}'
    expect_output_has '"starts":2'
}

# The engine plays one game, and then never starts again.
games_before_an_engine_that_does_not_start_any_more_are_reported() {
    # shellcheck disable=SC2016 # for the engine's shell
    _engine once 'exit 3' '[ ! -e "$0.once" ] || exit 5; : >"$0.once"; echo uciok'
    _match --db "$WORK/db" --engine "$WORK/once" --games 8 --json "${patient[@]}"
    expect_code 4
    expect_message "once did not start in 3 attempts: it ended before it sent uciok: exit code 5"
    expect_output_has '"games":1,'
    expect_output_has '"crash":1,'
    expect_output_has '"failed start":3,'
}

# The engine takes 60 of 110 milliseconds and resigns, is asked again, and takes another 60
# milliseconds, so it is too late.
both_questions_of_a_move_have_its_time_together() {
    local limit go
    for limit in '--movetime 100' '--tc 0.1'; do
        rm -f "$WORK/twice.go"
        # shellcheck disable=SC2016 # for the engine's shell
        _engine twice 'echo "$rest" >>"$0.go"; pass_time 60; [ -z "${asked:-}" ] || wait_for_ever; asked=1; echo "bestmove 0000"'
        # shellcheck disable=SC2086 # words on purpose
        _match --db "$WORK/db" --engine "$WORK/twice" --games 1 --json $limit --grace 10 --start-time 600000
        _expect_lost 1 time-out "it did not send its move in time"
        mapfile -t go <"$WORK/twice.go"
        case $limit in
        --m*) [ "${go[*]}" = 'movetime 100 movetime 40' ] || fail "expected 40 ms the second time, not: ${go[*]}" ;;
        *) [ "${go[*]}" = 'wtime 100 winc 0 btime 0 binc 0 wtime 40 winc 0 btime 0 binc 0' ] ||
            fail "expected 40 ms the second time, not: ${go[*]}" ;;
        esac
    done
}

run_tests
