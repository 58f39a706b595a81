#!/usr/bin/env bash
# `wari engine`: the protocol, as Aualé and Aalina have it. Positions and values are those of
# data/positions.csv and of the rules.
. tests/cli/lib.sh
# shellcheck source=tests/cli/conversing.sh
. tests/cli/conversing.sh

build "$WORK/db" 8 || exit 1
build "$WORK/warri" 6 --rules warri || exit 1
engine=(engine --db "$WORK/db")

# Runs the program with TEXT as input, which stays open until so many lines of output hold WORD: the
# end of the input would stop it. Half a minute is for ever.
_until() { # COUNT WORD TEXT ARGUMENT...
    local count=$1 word=$2 text=$3
    shift 3
    out=$WORK/out err=$WORK/err
    : >"$out"
    {
        printf '%b' "$text"
        for _ in {1..600}; do
            [ "$(grep -c "$word" "$out")" -lt "$count" ] || break
            sleep 0.05
        done
    } | "$WARI" "$@" >"$out" 2>"$err"
    code=${PIPESTATUS[1]}
}

_answers() { # COUNT TEXT ARGUMENT...
    local count=$1
    shift
    _until "$count" bestmove "$@"
}

it_says_who_it_is_and_that_it_is_ready() {
    run_with_input 'uci\nisready\n' "${engine[@]}"
    expect_code 0
    expect_output_has "id name Wari"
    for option in "Hash type spin" "Threads type spin" "MultiPV type spin" "Ponder type check" \
        "UCI_AnalyseMode type check" "DatabasePath type string" "Rules type combo"; do
        expect_output_has "option name $option"
    done
    tail -n 2 "$out" | head -n 1 | grep -qx uciok || fail "expected uciok behind the options"
    tail -n 1 "$out" | grep -qx readyok || fail "expected readyok"
}

a_published_position_gets_a_best_move() { # +3 by B and by E
    _answers 1 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' "${engine[@]}"
    expect_code 0
    expect_output_has "score cp 300"
    grep -qxE 'bestmove [BE]' "$out" || fail "expected B or E"
}

north_moves_in_small_letters() {
    run_with_input 'position fen 0-0-0-0-0-1-0-1-0-0-1-0-22-23-N\ngo movetime 10\n' "${engine[@]}"
    grep -qxE 'bestmove [be]' "$out" || fail "expected b or e"
}

moves_behind_a_diagram_are_played() { # south E, then the mover is North with a seed in f
    run_with_input 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S moves E\ngo\n' "${engine[@]}"
    grep -qx 'bestmove f' "$out" || fail "expected the only move, f"
    run_with_input 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S moves Ef\ngo\n' "${engine[@]}"
    grep -qxE 'bestmove [A-F]|bestmove 0000' "$out" || fail "expected a move of South"
}

an_extra_move_is_one_more_letter_of_the_same_side() {
    # By hand: E takes both seeds of North's row, a grand slam; South moves again, with what is in F.
    run_with_input 'position fen 0-0-0-0-2-1-1-0-0-0-0-0-22-22-S moves E\ngo\n' \
        engine --db "$WORK/warri"
    grep -qx 'bestmove F' "$out" || fail "expected F"
    run_with_input 'position fen 0-0-0-0-2-1-1-0-0-0-0-0-22-22-S moves EF\ngo\n' \
        engine --db "$WORK/warri"
    grep -qx 'bestmove 0000' "$out" || fail "North cannot feed: expected the end"
}

a_game_that_is_over_gets_0000() {
    run_with_input 'position fen 0-0-0-3-2-0-1-0-0-0-0-0-20-22-S\ngo\n' "${engine[@]}"
    grep -qx 'bestmove 0000' "$out" || fail "expected bestmove 0000"
}

it_searches_above_the_database_from_the_start_position() {
    _answers 1 'position startpos moves Ff\ngo depth 6\n' "${engine[@]}"
    expect_output_has "info depth 6 score cp"
    grep -qxE 'bestmove [A-F] ponder [a-f]' "$out" || fail "expected moves of South and North"
}

the_best_move_above_the_database_is_found() { # published: 0, by F alone
    _answers 1 'position fen 1-1-1-1-1-1-1-1-1-1-1-1-18-18-S\ngo depth 20\n' "${engine[@]}"
    expect_code 0
    grep -qxE 'bestmove F( ponder [a-f])?' "$out" || fail "expected F"
}

# 10 seeds, by the database of 16: all of them will be North's.
a_value_above_the_database_that_is_proven_is_told() {
    _answers 1 'position fen 0-0-0-0-0-1-0-1-2-2-2-2-19-19-S\ngo depth 20\n' "${engine[@]}"
    expect_code 0
    expect_output_has "info string proven: the exact value is -10"
    grep -qxE 'bestmove F( ponder [a-f])?' "$out" || fail "expected F"
}

an_endless_search_ends_with_stop_and_answers_meanwhile() {
    run_with_input 'position startpos\ngo infinite\nisready\nstop\nisready\n' "${engine[@]}"
    expect_code 0
    [ "$(grep -n readyok "$out" | tail -n 1 | cut -d: -f1)" -gt \
        "$(grep -n bestmove "$out" | cut -d: -f1)" ] || fail "expected readyok behind bestmove"
    [ "$(grep -c readyok "$out")" -eq 2 ] || fail "expected readyok twice"
    run_with_input 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo ponder\nponderhit\n' \
        "${engine[@]}"
    [ "$(grep -c bestmove "$out")" -eq 1 ] || fail "expected one move"
}

the_end_of_the_input_ends_an_endless_search() {
    run_with_input 'position startpos\ngo infinite\n' "${engine[@]}"
    expect_code 0
    grep -q bestmove "$out" || fail "expected a move"
}

what_it_does_not_understand_costs_a_remark() {
    run_with_input 'hello\nposition\nposition fen 1-2-3\nposition startpos moves z\nposition startpos Aa\nsetoption name Hash value x\nsetoption name Foo value 1\nsetoption\n' "${engine[@]}"
    expect_code 0
    [ "$(grep -c '^info string' "$out")" -eq 8 ] || fail "expected eight remarks"
    run_with_input "$(printf '%05000d' 0)\nuci\n" "${engine[@]}"
    expect_code 0
    expect_output_has "info string 1 passed over: a line that is too long"
    expect_output_has "uciok"
    run_with_input 'quit\nuci\n' "${engine[@]}"
    expect_code 0
    expect_no_output
}

after_a_bad_position_no_move_is_given() { # neither of the one before, nor of the start
    local bad
    for bad in 'fen 1' 'startpos moves AA' 'fen 4-4-4-4-4-4-4-4-4-4-4-4-0-1-S' ''; do
        _answers 2 "position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\nposition $bad\ngo movetime 10\n" \
            "${engine[@]}"
        grep -qxE 'bestmove [BE]' "$out" || fail "expected B or E for the first"
        expect_output_has "info string position: "
        expect_output_has "info string go: the last position was refused"
        [ "$(tail -n 1 "$out")" = "bestmove 0000" ] || fail "expected bestmove 0000"
    done
    _answers 2 'position fen 1\ngo\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' "${engine[@]}"
    [[ $(tail -n 1 "$out") =~ ^bestmove\ [BE]$ ]] || fail "expected a move of the next position"
}

options_are_known_in_any_letters_and_blanks() {
    run_with_input 'setoption name hash value 2\nsetoption  NAME  HASH   value  3\nuci\n' \
        "${engine[@]}"
    expect_output_has "option name Hash type spin default 3 "
    ! grep -q "info string" "$out" || fail "expected no remark"
}

# Lines end as on other systems, and values are known in any letters, too.
values_are_known_in_any_letters_before_any_line_end() {
    run_with_input "setoption name Hash value 3 \r\nsetoption name Rules value AWARI\r\nsetoption name Ponder value TRUE\t\r\nsetoption name DatabasePath value $WORK/db\r\nuci\r\n" \
        "${engine[@]}"
    expect_output_has "option name Hash type spin default 3 "
    ! grep -q "info string" "$out" || fail "expected no remark"
    run_with_input 'setoption name UCI_AnalyseMode value trueish\n' "${engine[@]}"
    expect_output_has "info string UCI_AnalyseMode: true or false is expected"
}

memory_that_is_not_there_is_refused() {
    local megabytes=65536 # the most that the option takes
    # Sanitizers set aside more than any limit, so there it is the machine that must have less.
    is_sanitized && [ "$(awk '/^MemAvailable/ {print int($2 / 1000)}' /proc/meminfo)" -gt 60000 ] && return
    (
        is_sanitized || ulimit -v 3000000
        run_with_input "setoption name Hash value $megabytes\nuci\n" "${engine[@]}"
        expect_code 0
        expect_output_has "info string Hash: $megabytes MB are more than the "
        expect_output_has "option name Hash type spin default 16 "
        refused 5 "Hash: $megabytes MB are more" "${engine[@]}" --hash "$megabytes"
    )
}

# A bug: whatever was set, a second table was made beside the first.
a_table_makes_room_for_the_next() {
    (
        is_sanitized || ulimit -v 900000
        _until 1 uciok "setoption name MultiPV value 2\nsetoption name Hash value 390\nuci\n" "${engine[@]}" --hash 400
        expect_code 0
        ! grep -q "info string Hash" "$out" || fail "$(cat "$out")"
        expect_output_has "option name MultiPV type spin default 2 "
        expect_output_has "option name Hash type spin default 390 "
    )
}

nodes_are_a_limit() { # the first iteration is never cut short
    local nodes
    _answers 1 'position startpos\ngo nodes 3000\n' "${engine[@]}"
    nodes=$(sed -n 's/.* nodes \([0-9]*\) .*/\1/p' "$out" | tail -n 1)
    [ "$nodes" -gt 300 ] && [ "$nodes" -le 3000 ] || fail "expected up to 3000 nodes, not $nodes"
    _answers 1 'position startpos\ngo nodes 1\n' "${engine[@]}"
    [ "$(grep -c ' depth ' "$out")" -eq 1 ] || fail "expected one iteration"
}

a_limit_without_its_number_is_an_error() {
    local go
    for go in 'movetime' 'depth x' 'nodes' 'wtime 1000 winc'; do
        _answers 1 "position startpos\ngo $go\n" "${engine[@]}"
        expect_output_has "info string go: a number is expected behind"
        [ "$(tail -n 1 "$out")" = "bestmove 0000" ] || fail "expected bestmove 0000"
    done
}

clocks_without_end_do_not_overflow() {
    _answers 1 'position startpos\ngo wtime 100 winc 9223372036854775807\n' "${engine[@]}"
    grep -qxE 'bestmove [A-F]( ponder [a-f])?' "$out" || fail "expected a move of South"
    expect_no_message
}

ponderhit_starts_the_clock() {
    _start
    _say 'position startpos\ngo ponder movetime 300\nisready\n'
    _hear '^readyok'
    _say 'isready\n'
    _hear '^(readyok|bestmove)'
    [ "$REPLY" = readyok ] || fail "expected no move while it ponders"
    _say 'ponderhit\n'
    _hear '^bestmove [A-F]'
    _say 'go ponder depth 2\n' # found long before, and said when it is asked for
    _hear 'depth 2'
    _say 'isready\n'
    _hear '^(readyok|bestmove)'
    [ "$REPLY" = readyok ] || fail "expected no move while it ponders"
    _say 'ponderhit\n'
    _hear '^bestmove [A-F]'
    _say 'go ponder movetime 100\nponderhit\n' # most likely before it was begun
    _hear '^bestmove [A-F]'
    _say 'go ponder movetime 1000000\nstop\n'
    _hear '^bestmove [A-F]'
    _say 'quit\n'
    _is_gone
}

# ---- Heard at all times ----

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

# 10,000 lines are kept.
only_what_is_passed_over_is_told_to_be() {
    local told=0
    _start
    _say 'position startpos\ngo depth 99\n'
    _hear '^info depth 2'
    _say "$(printf 'position startpos\\n%.0s' {1..10003})isready\nponderhit\nstop\n"
    while read -r -t 30 <&"$from" && [[ $REPLY != readyok ]]; do
        [[ ! $REPLY =~ ^info\ string\ ([0-9]+)\ passed\ over ]] || told=$((told + BASH_REMATCH[1]))
    done
    [ $told -eq 3 ] || fail "expected 3, not $told"
    _say 'quit\n'
    _is_gone
}

each_go_is_answered_once_and_stop_holds_for_those_before_it() {
    _answers 3 'position startpos\ngo depth 99\ngo movetime 1000000\nstop\ngo depth 2\n' \
        "${engine[@]}"
    [ "$(grep -c bestmove "$out")" -eq 3 ] || fail "expected three moves"
    [ "$(grep 'info depth' "$out" | tail -n 1 | cut -d' ' -f3)" -eq 2 ] || fail "expected depth 2"
}

# Bugs: a "ponderhit" for nobody made it wait for ever, and so did a blank of another kind.
an_endless_search_ends_where_something_else_is_wanted() {
    local said
    for said in 'go infinite\nponderhit\n' 'go depth 1\vinfinite\n' 'go ponder\n'; do
        _start
        _say "position startpos\n${said}position startpos\ngo depth 2\n"
        _hear '^bestmove'
        _hear '^bestmove'
        _say 'quit\n'
        _is_gone
    done
}

the_end_of_the_input_ends_any_search() {
    local go
    for go in 'go depth 99' 'go infinite' 'go movetime 1000000' 'go ponder' 'go nodes 999999999999'; do
        run_with_input "position startpos\n$go\nposition startpos\n" "${engine[@]}"
        expect_code 0
        grep -qxE 'bestmove [A-F]( ponder [a-f])?' "$out" || fail "expected a move"
        _start
        _say "position startpos\n$go\n"
        _hear '^info depth 2'
        eval "exec $to>&-"
        _is_gone
    done
}

# Each of them clears 400 MB; all of them take most of a minute. Behind the end of the input alone five
# seconds are left to them: who only closes it may want all answers.
the_end_of_the_input_is_heard_behind_what_takes_long() {
    local last
    for last in 'quit\n' ''; do
        _start
        _say "setoption name Hash value 400\n$(printf 'ucinewgame\\n%.0s' {1..9000})isready\n$last"
        eval "exec $to>&-"
        _is_gone
        wait "$pid"
        code=$?
        expect_code $((${#last} > 0 ? 0 : 4))
    done
}

# A game as Aualé's client says it, at several strengths, and the lines that its parser knows. A line
# without a word would end it.
what_auale_says_is_answered_in_words_that_it_knows() {
    _answers 4 'uci\nsetoption name OwnBook value true\nucinewgame\nisready\nposition startpos\ngo depth 2 movetime 600\nposition startpos moves Ff\ngo ponder\nstop\nposition startpos moves Ff\ngo movetime 50\nposition fen 4-4-4-4-4-4-0-0-0-2-2-2-10-8-S moves Fc\ngo depth 6 movetime 1200\n' \
        "${engine[@]}"
    expect_code 0
    ! grep -vxE '(id (name|author)|info string) .+|uciok|readyok|option name [^ ]+ type (check|spin|combo|string)( (default|min|max|var) [^ ]+)+|info depth [0-9]+ score cp -?[0-9]+ nodes [0-9]+ nps [0-9]+ hashfull [0-9]+ tbhits [0-9]+ time [0-9]+ pv [A-Fa-f]+|bestmove [A-F]( ponder [a-f])?' "$out" ||
        fail "expected nothing else"
    grep -q "no such option" "$out" || fail "expected a remark on OwnBook"
}

random_moves_are_legal_and_follow_the_seed() {
    local number=0 seed
    for seed in 1 1 2; do
        run_with_input 'position startpos\ngo\nposition startpos moves A\ngo\ngo\ngo\ngo\ngo\n' \
            engine --random --seed $seed
        expect_code 0
        [ "$(grep -cxE 'bestmove [a-f]' "$out")" -eq 5 ] || fail "expected moves of North"
        cp "$out" "$WORK/random$((++number))"
    done
    same_file "$WORK/random1" "$WORK/random2"
    ! cmp -s "$WORK/random2" "$WORK/random3" || fail "expected other moves"
}

bad_usage_is_refused() {
    refused 2 "--db" engine
    refused 2 "--random" engine --random --db "$WORK/db"
    refused 2 "--hash" engine --db "$WORK/db" --hash 0
    refused 6 "abapa" engine --db "$WORK/db" --rules abapa
    refused 4 "" engine --db "$WORK/none"
}

a_damaged_database_is_told_and_done_without() {
    local copy
    copy=$(copy_of "$WORK/db")
    flip_byte "$copy/awari-even-3.wari" -20
    _answers 2 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo depth 20\ngo depth 3\n' \
        engine --db "$copy"
    expect_code 0
    expect_output_has "info string the database fails: "
    [ "$(grep -c 'info string the database fails' "$out")" -eq 1 ] || fail "expected it once"
    ! grep -q "info string database: the exact" "$out" || fail "expected nothing of the database"
    # Both are +3.
    [ "$(grep -cxE 'bestmove [BE]( ponder [a-f])?' "$out")" -eq 2 ] || fail "expected B or E twice"
}

rules_without_tables_are_searched() {
    _answers 2 'setoption name Rules value tournament\nposition startpos\ngo depth 3\nsetoption name Rules value awari\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' \
        "${engine[@]}"
    expect_output_has "playing by search alone"
    expect_output_has "info depth 3 "
    expect_output_has "info string database: the exact value is +3"
}

the_folder_of_tables_can_be_set() {
    _answers 2 "setoption name DatabasePath value $WORK/none\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo depth 4\nsetoption name databasepath value $WORK/db\ngo\n" \
        "${engine[@]}"
    expect_output_has "playing by search alone"
    expect_output_has "info string database: the exact value is +3"
}

# A bug: where the rules came first, the cycle rule stayed that of the folder before.
rules_and_folder_can_be_set_in_any_order() {
    local one two text
    build "$WORK/own" 4 --rules abapa --cycle own || fail "no database"
    one="setoption name Rules value awari\n" two="setoption name DatabasePath value $WORK/db\n"
    for text in "$one$two" "$two$one"; do
        _answers 1 "${text}position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo depth 4\n" engine --db "$WORK/own"
        expect_output_has "info string database: the exact value is +3"
    done
    # Who asks for a cycle rule gets no other: by a preset, or when it was started.
    for text in "--cycle own" "--rules oware"; do
        # shellcheck disable=SC2086 # words on purpose
        run_with_input "setoption name DatabasePath value $WORK/db\n" engine --db "$WORK/own" $text
        expect_output_has "has no database of abapa own"
    done
    run_with_input "setoption name Rules value oware\n$two" engine --db "$WORK/own" --rules abapa
    expect_output_has "has no database of abapa own"
}

# A bug: the book that is the default was taken for a folder when another one had been set.
a_book_can_be_set_again() {
    accepted book --db "$WORK/db" --output "$WORK/a.book"
    _answers 1 "setoption name DatabasePath value $WORK/none\nsetoption name DatabasePath value $WORK/a.book\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo depth 4\n" \
        engine --book "$WORK/a.book"
    [ "$(grep -c 'playing by search alone' "$out")" -eq 1 ] || fail "expected that of the folder alone"
    expect_output_has "info string database: the exact value is +3"
}

several_moves_are_shown_in_the_database_too() { # published: +3 by B and by E, and no other move
    local number='[0-9]+'
    _answers 1 'setoption name MultiPV value 6\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' \
        "${engine[@]}"
    [ "$(grep -cE "^info depth 1 multipv [12] score cp 300 nodes $number nps $number hashfull $number tbhits 2 time $number pv [BE]$" "$out")" -eq 2 ] ||
        fail "expected a line for each move"
    [ "$(grep -c '^info depth' "$out")" -eq 2 ] || fail "expected no other line"
}

several_moves_are_shown_where_asked_for() {
    _answers 1 'setoption name MultiPV value 3\nposition startpos\ngo depth 4\n' "${engine[@]}"
    [ "$(grep -c '^info depth 4 multipv [123] score cp' "$out")" -eq 3 ] || fail "expected 3 lines"
    [ "$(sed -n 's/^info depth 4 .* pv \([A-F]\).*/\1/p' "$out" | sort -u | wc -l)" -eq 3 ] ||
        fail "expected three different moves"
}

threads_find_what_one_finds() { # published: 0, by F alone
    _answers 1 'setoption name Threads value 2\nposition fen 1-1-1-1-1-1-1-1-1-1-1-1-18-18-S\ngo depth 20\n' "${engine[@]}"
    expect_code 0
    grep -qxE 'bestmove F( ponder [a-f])?' "$out" || fail "expected F"
}

who_wins_is_proven_where_asked_for() { # 10 seeds, by the database of 16: all of them are North's
    _answers 1 'position fen 0-0-0-0-0-1-0-1-2-2-2-2-19-19-S\ngo prove depth 20\n' "${engine[@]}"
    grep -qE 'proven: (-10 to -[0-9]+|the exact value is -10)' "$out" || fail "expected a loss"
    _answers 1 'position startpos\ngo prove depth 3\n' "${engine[@]}"
    grep -qx 'info string proven: -48 to +48' "$out" || fail "expected nothing proven"
    _answers 1 'position startpos\ngo depth 3\n' "${engine[@]}"
    grep -qE 'info string estimate: about [-+][0-9.]+, give or take [0-9.]+; proven: -48 to \+48' \
        "$out" || fail "expected an estimate with its error"
}

# Bugs: it told about how much the value was, by the bound of a question, and as the score, too.
a_proof_tells_no_estimate() {
    _answers 1 'setoption name MultiPV value 3\nposition startpos\ngo prove depth 3\n' "${engine[@]}"
    ! grep -qE 'score|estimate' "$out" || fail "expected no estimate"
    grep -q '^info depth 3 multipv 3 nodes ' "$out" || fail "expected lines without a score"
    # Under these rules it is the value that is looked for.
    _answers 1 'setoption name Rules value ware\nposition startpos\ngo prove depth 3\n' "${engine[@]}"
    expect_output_has "info string estimate: about "
    expect_output_has "info depth 3 score cp "
}

# The 10 seeds of above: North gets all of them.
a_proof_says_who_wins() {
    local stores said
    for stores in '19-19 North wins' '24-14 a draw' '14-24 North wins' '29-9 South wins'; do
        said=${stores#* }
        _answers 1 "position fen 0-0-0-0-0-1-0-1-2-2-2-2-${stores%% *}-S\ngo prove depth 20\n" \
            "${engine[@]}"
        grep -qE "info string proven: .*; $said\$" "$out" || fail "expected: $said"
    done
}

# A bug: it proved a draw, and played B, which loses. By the reference solver F is worth +4, which is
# what North is ahead, B -6 and D -2.
the_move_that_proves_a_draw_is_played() {
    build "$WORK/four" 4 --rules abapa --cycle even || fail "no database"
    _answers 1 'position fen 0-1-0-2-0-1-1-1-0-0-0-0-19-23-S\ngo prove depth 6\n' \
        engine --db "$WORK/four"
    expect_output_has "info string proven: +4 to +6; South does not lose"
    grep -qx "bestmove F" "$out" || fail "expected F"
}

# B and E are the moves of the published position, and both get its value.
moves_to_choose_from_can_be_named() {
    local published='position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\n' move
    for move in B E; do
        _answers 1 "${published}go searchmoves A $move C\n" "${engine[@]}"
        expect_output_has "score cp 300"
        grep -qx "bestmove $move" "$out" || fail "expected $move"
    done
    _answers 1 "${published}go searchmoves AF depth 3\n" "${engine[@]}"
    expect_output_has 'info string go: of the moves behind "searchmoves" none is legal'
    grep -qx "bestmove 0000" "$out" || fail "expected no move"
    _answers 1 'setoption name MultiPV value 6\nposition startpos moves A\ngo depth 4 searchmoves bd\n' \
        "${engine[@]}"
    expect_output_has "multipv 2 "
    ! grep -qE 'multipv 3| pv [acef]' "$out" || fail "expected b and d alone"
    grep -qE '^bestmove [bd] ' "$out" || fail "expected b or d"
    run_with_input 'position startpos\ngo searchmoves C\n' engine --random
    grep -qx 'bestmove C' "$out" || fail "expected C"
}

the_only_move_is_made_at_once() { # by hand: South has nothing but A
    _answers 1 'position fen 1-0-0-0-0-0-4-4-4-4-4-4-12-11-S\ngo movetime 100000\n' "${engine[@]}"
    grep -qxE 'bestmove A( ponder [a-f])?' "$out" || fail "expected A"
    [ "$(grep -c ' depth ' "$out")" -eq 1 ] || fail "expected one iteration"
}

run_tests
