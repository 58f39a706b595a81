#!/usr/bin/env bash
# `wari engine`: its answers to the commands of the protocol, as used by Aualé and Aalina. Positions
# and values come from data/positions.csv and from the rules. Commands that arrive during a search
# are tested in engine_listening.sh, and its output in engine_output.sh.
. tests/cli/lib.sh
# shellcheck source=tests/cli/conversing.sh
. tests/cli/conversing.sh

db=$(shared_awari 8) || exit 1
engine=(engine --db "$db")
_share_engine

uci_and_isready_are_answered() {
    _ask 'uci\nisready\n'
    expect_output_has "id name Wari"
    for option in "Hash type spin" "TableCache type spin" \
        "TableAhead type check default true" "TableProbing type combo default auto var auto var always var cheap" "Threads type spin" "MultiPV type spin" "Ponder type check" \
        "UCI_AnalyseMode type check" "DatabasePath type string" "Rules type combo" \
        "Repetition type combo default second var ideal var second var third" \
        "RepetitionScore type combo default cycle var rows var cycle" "ScoreWithStores type check default false"; do
        expect_output_has "option name $option"
    done
    tail -n 2 "$out" | head -n 1 | grep -qx uciok || fail "expected uciok behind the options"
    tail -n 1 "$out" | grep -qx readyok || fail "expected readyok"
}

a_published_position_gets_a_best_move() { # +3 by B and by E
    _ask 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n'
    expect_output_has "score cp 300"
    grep -qxE 'bestmove [BE]' "$out" || fail "expected B or E"
}

north_moves_in_small_letters() {
    _ask 'position fen 0-0-0-0-0-1-0-1-0-0-1-0-22-23-N\ngo\n'
    grep -qxE 'bestmove [be]' "$out" || fail "expected b or e"
}

moves_after_a_diagram_are_played() { # south E, then the mover is North with a seed in f
    _ask 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S moves E\ngo\n'
    grep -qx 'bestmove f' "$out" || fail "expected the only move, f"
    _ask 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S moves Ef\ngo\n'
    grep -qxE 'bestmove [A-F]|bestmove 0000' "$out" || fail "expected a move of South"
}

an_extra_move_is_another_letter_of_the_same_side() {
    # By hand: E captures both seeds of North's row, a grand slam; South moves again, with the seeds
    # in F. North then cannot feed, and the game is over.
    local position='position fen 0-0-0-0-2-1-1-0-0-0-0-0-22-22-S moves'
    build "$WORK/warri" 4 --rules warri || fail "no database"
    _ask_alone "$position E\ngo\n$position EF\ngo\n" engine --db "$WORK/warri"
    [ "$(grep '^bestmove' "$out")" = $'bestmove F\nbestmove 0000' ] || fail "expected F, and then the end"
}

a_game_that_is_over_gets_0000() {
    _ask 'position fen 0-0-0-3-2-0-1-0-0-0-0-0-20-22-S\ngo\n'
    grep -qx 'bestmove 0000' "$out" || fail "expected bestmove 0000"
}

it_searches_above_the_database_from_the_start_position() {
    _ask 'position startpos moves Ff\ngo depth 6\n'
    expect_output_has "info depth 6 score cp"
    grep -qxE 'bestmove [A-F] ponder [a-f]' "$out" || fail "expected moves of South and North"
}

the_best_move_above_the_database_is_found() { # published: 0, by F alone
    _ask 'position fen 1-1-1-1-1-1-1-1-1-1-1-1-18-18-S\ngo depth 20\n'
    grep -qxE 'bestmove F( ponder [a-f])?' "$out" || fail "expected F"
}

# 10 seeds, with the database up to 16: North will get all of them.
a_value_proven_above_the_database_is_printed() {
    _ask 'position fen 0-0-0-0-0-1-0-1-2-2-2-2-19-19-S\ngo depth 20\n'
    expect_output_has "info string proven: the exact value is -10"
    grep -qxE 'bestmove F( ponder [a-f])?' "$out" || fail "expected F"
}

unknown_commands_get_a_remark() {
    _ask 'hello\nposition\nposition fen 1-2-3\nposition startpos moves z\nposition startpos Aa\nsetoption name Hash value x\nsetoption name Foo value 1\nsetoption\n'
    [ "$(grep -c '^info string' "$out")" -eq 8 ] || fail "expected eight remarks"
    _ask "$(printf '%05000d' 0)\nuci\n"
    expect_output_has "info string a line was ignored: it has more than 4096 bytes"
    expect_output_has "uciok"
    _run_engine 'quit\nuci\n' "${engine[@]}"
    expect_code 0
    expect_no_output
}

an_unknown_option_is_named() {
    _ask 'setoption name Colour value 1\n'
    expect_output_has "info string setoption: there is no such option: name Colour value 1"
}

a_game_that_is_over_is_reported() {
    local over
    for over in 0-0-0-0-0-0-0-0-0-0-0-0-24-24-S 1-0-0-0-0-0-0-0-0-0-0-0-24-23-S; do
        _ask "position fen $over\ngo depth 3\n"
        expect_output_has "info string go: the game is over"
        [ "$(tail -n 1 "$out")" = "bestmove 0000" ] || fail "expected bestmove 0000"
    done
}

after_a_bad_position_no_move_is_given() { # neither of the one before, nor of the start
    local bad
    for bad in 'fen 1' 'startpos moves AA' 'fen 4-4-4-4-4-4-4-4-4-4-4-4-0-1-S' ''; do
        _ask "position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\nposition $bad\ngo depth 1\n"
        grep -qxE 'bestmove [BE]' "$out" || fail "expected B or E for the first"
        expect_output_has "info string position: "
        expect_output_has "info string go: the last position was rejected"
        [ "$(tail -n 1 "$out")" = "bestmove 0000" ] || fail "expected bestmove 0000"
    done
    # Fixed bug: after a "position" that is too long, "go" searched the previous position.
    _ask "position startpos\nposition startpos moves $(printf 'Aa%.0s' {1..2500})\ngo depth 1\n"
    expect_output_has "info string a line was ignored: it has more than 4096 bytes"
    [ "$(tail -n 1 "$out")" = "bestmove 0000" ] || fail "expected bestmove 0000"
    _ask 'position fen 1\ngo\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n'
    [[ $(tail -n 1 "$out") =~ ^bestmove\ [BE]$ ]] || fail "expected a move of the next position"
}

options_are_recognised_in_any_case_and_with_any_blanks() {
    _ask 'setoption name hash value 2\nsetoption  NAME  HASH   value  3\nuci\n'
    expect_output_has "option name Hash type spin default 3 "
    ! grep -q "info string" "$out" || fail "expected no remark"
}

# Lines may end as on other systems, and values may be in upper or lower case.
values_are_recognised_in_any_case_before_any_line_end() {
    _ask "setoption name Hash value 3 \r\nsetoption name Rules value AWARI\r\nsetoption name Ponder value TRUE\t\r\nsetoption name DatabasePath value $db\r\nuci\r\n"
    expect_output_has "option name Hash type spin default 3 "
    ! grep -q "info string" "$out" || fail "expected no remark"
    _ask 'setoption name UCI_AnalyseMode value trueish\n'
    expect_output_has "info string UCI_AnalyseMode: true or false is expected"
}

more_memory_than_the_machine_has_is_refused() {
    local megabytes=65536 # the most that the option takes
    # Sanitizers reserve more than any limit, so with them the machine itself must have less memory.
    is_sanitized && [ "$(awk '/^MemAvailable/ {print int($2 / 1000)}' /proc/meminfo)" -gt 60000 ] && return
    (
        is_sanitized || ulimit -v 3000000
        _ask_alone "setoption name Hash value $megabytes\nuci\n" "${engine[@]}"
        expect_code 0
        expect_output_has "info string Hash: $megabytes MB is more than the "
        expect_output_has "option name Hash type spin default 16 "
        refused 5 "Hash: $megabytes MB is more" "${engine[@]}" --hash "$megabytes"
    )
}

# Fixed bug: whatever was set, a second table was allocated before the first one was freed. The limit
# suffices for the program and one table, but not for two tables. (The C library would reserve 64 MB
# of addresses for each thread that allocates memory.)
a_table_makes_room_for_the_next() {
    local large=100 next=97
    ! is_sanitized || large=10 next=9 # sanitizers set aside more than any limit
    (
        is_sanitized || ulimit -v 175000
        export MALLOC_ARENA_MAX=1
        _ask_alone "setoption name MultiPV value 2\nsetoption name Hash value $next\nuci\n" \
            "${engine[@]}" --hash $large
        expect_code 0
        ! grep -q "info string Hash" "$out" || fail "expected no remark"
        expect_output_has "option name MultiPV type spin default 2 "
        expect_output_has "option name Hash type spin default $next "
    )
}

nodes_are_a_limit() { # the first iteration is never cut short
    local nodes
    _ask 'position startpos\ngo nodes 3000\n'
    nodes=$(sed -n 's/.* nodes \([0-9]*\) .*/\1/p' "$out" | tail -n 1)
    [ "$nodes" -gt 300 ] && [ "$nodes" -le 3000 ] || fail "expected up to 3000 nodes, not $nodes"
    _ask 'position startpos\ngo nodes 1\n'
    [ "$(grep -c ' depth ' "$out")" -eq 1 ] || fail "expected one iteration"
}

a_limit_without_its_number_is_refused_and_a_move_is_made() {
    local go
    for go in 'movetime' 'depth x' 'nodes' 'wtime 1000 winc'; do
        _ask "position startpos\ngo $go\n"
        expect_output_has "info string go: a number is expected after"
        [[ $(tail -n 1 "$out") =~ ^bestmove\ [A-F]( ponder [a-f])?$ ]] || fail "expected a move of South"
    done
    _ask 'position startpos\ngo depth 3 nodes x\n' # what is understood counts
    [ "$(grep -c ' depth ' "$out")" -eq 3 ] || fail "expected depth 3"
}

unlimited_clocks_do_not_overflow() {
    _ask 'position startpos\ngo wtime 100 winc 9223372036854775807\n'
    grep -qxE 'bestmove [A-F]( ponder [a-f])?' "$out" || fail "expected a move of South"
    expect_no_message
}

random_moves_are_legal_and_follow_the_seed() {
    local number=0 seed
    for seed in 1 1 2; do
        _ask_alone 'position startpos\ngo\nposition startpos moves A\ngo\ngo\ngo\ngo\ngo\n' \
            engine --random --seed $seed
        expect_code 0
        [ "$(grep -cxE 'bestmove [a-f]' "$out")" -eq 5 ] || fail "expected moves of North"
        cp "$out" "$WORK/random$((++number))"
    done
    same_file "$WORK/random1" "$WORK/random2"
    ! cmp -s "$WORK/random2" "$WORK/random3" || fail "expected other moves"
}

bad_usage_is_refused() {
    refused 2 "--random" engine --random --db "$db"
    refused 2 "--hash" engine --db "$db" --hash 0
    refused 6 "abapa" engine --db "$db" --rules abapa
    refused 4 "" engine --db "$WORK/none"
}

a_damaged_database_is_reported_and_not_used() {
    local copy
    copy=$(copy_of "$db")
    flip_byte "$copy/awari-even-3.wari" -20
    _ask_alone 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo depth 20\ngo depth 3\n' \
        engine --db "$copy"
    expect_code 0
    expect_output_has "info string the database fails: "
    [ "$(grep -c 'info string the database fails' "$out")" -eq 1 ] || fail "expected it once"
    ! grep -q "info string database: the exact" "$out" || fail "expected nothing of the database"
    # Both are +3.
    [ "$(grep -cxE 'bestmove [BE]( ponder [a-f])?' "$out")" -eq 2 ] || fail "expected B or E twice"
}

rules_without_tables_are_searched() {
    _ask_alone 'setoption name Rules value tournament\nposition startpos\ngo depth 3\nsetoption name Rules value awari\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' \
        "${engine[@]}"
    expect_output_has "playing by search alone"
    expect_output_has "info depth 3 "
    expect_output_has "info string database: the exact value is +3"
}

# South's only move takes everything that North has: a grand slam, which ends the game under `awari`.
# Fixed bug: after other rules, the engine gave no move, or said that the moves after "searchmoves"
# were illegal.
other_rules_apply_to_the_position_on_the_board() {
    local slam='position fen 0-0-0-0-0-1-1-0-0-0-0-0-23-23-S\n'
    _ask_alone "setoption name Rules value awari\n${slam}go depth 1\nsetoption name Rules value slam-ends\ngo depth 1\n" engine
    [ "$(grep '^bestmove' "$out" | tr '\n' ' ')" = "bestmove 0000 bestmove F " ] || fail "expected 0000, then F"
    _ask_alone "setoption name Rules value slam-ends\n${slam}setoption name Rules value awari\ngo depth 1\n" engine
    [ "$(tail -n 1 "$out")" = "bestmove 0000" ] || fail "expected the end of the game"
    ! grep -q searchmoves "$out" || fail "expected no remark on searchmoves"
}

the_folder_of_tables_can_be_set() {
    _ask_alone "setoption name DatabasePath value $WORK/none\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo depth 4\nsetoption name databasepath value $db\ngo\n" \
        "${engine[@]}"
    expect_output_has "playing by search alone"
    expect_output_has "info string database: the exact value is +3"
}

# Fixed bug: if the rules were set first, the cycle rule of the previous folder remained.
rules_and_folder_can_be_set_in_any_order() {
    local one two text
    build "$WORK/own" 4 --rules abapa --cycle own || fail "no database"
    one="setoption name Rules value awari\n" two="setoption name DatabasePath value $db\n"
    for text in "$one$two" "$two$one"; do
        _ask_alone "${text}position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo depth 4\n" engine --db "$WORK/own"
        expect_output_has "info string database: the exact value is +3"
    done
    # A cycle rule that is requested by a preset or at the start is not replaced by another one.
    for text in "--cycle own" "--rules oware"; do
        # shellcheck disable=SC2086 # words on purpose
        _ask_alone "setoption name DatabasePath value $db\n" engine --db "$WORK/own" $text
        expect_output_has "has no database of abapa own"
    done
    _ask_alone "setoption name Rules value oware\n$two" engine --db "$WORK/own" --rules abapa
    expect_output_has "has no database of abapa own"
}

# Fixed bug: after another book had been set, the default book was treated as a folder.
a_book_can_be_set_again() {
    accepted book --db "$db" --output "$WORK/a.book"
    _ask_alone "setoption name DatabasePath value $WORK/none\nsetoption name DatabasePath value $WORK/a.book\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo depth 4\n" \
        engine --book "$WORK/a.book"
    [ "$(grep -c 'playing by search alone' "$out")" -eq 1 ] || fail "expected that of the folder alone"
    expect_output_has "info string database: the exact value is +3"
}

several_moves_are_shown_in_the_database_too() { # published: +3 by B and by E, and no other move
    local number='[0-9]+'
    _ask 'setoption name MultiPV value 6\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n'
    [ "$(grep -cE "^info depth 1 multipv [12] score cp 300 nodes $number nps $number hashfull $number tbhits 2 time $number pv [BE]$" "$out")" -eq 2 ] ||
        fail "expected a line for each move"
    [ "$(grep -c '^info depth' "$out")" -eq 2 ] || fail "expected no other line"
}

several_moves_are_shown_on_request() {
    _ask 'setoption name MultiPV value 3\nposition startpos\ngo depth 4\n'
    [ "$(grep -c '^info depth 4 multipv [123] score cp' "$out")" -eq 3 ] || fail "expected 3 lines"
    [ "$(sed -n 's/^info depth 4 .* pv \([A-F]\).*/\1/p' "$out" | sort -u | wc -l)" -eq 3 ] ||
        fail "expected three different moves"
}

# Fixed bug: a search of the second move that found a higher score than that of the first did not change their order.
several_moves_are_in_the_order_of_their_scores() {
    _ask 'setoption name MultiPV value 6\nposition startpos moves Ff\ngo depth 17\n'
    [ "$(grep -c '^info depth 17 multipv' "$out")" -gt 1 ] || fail "expected several moves"
    awk '/ multipv /{if ($5 > 1 && $8 > last) bad = 1; last = $8} END {exit bad}' "$out" ||
        fail "expected scores in descending order"
}

the_winner_is_proven_on_request() { # 10 seeds, by the database of 16: all of them are North's
    _ask 'position fen 0-0-0-0-0-1-0-1-2-2-2-2-19-19-S\ngo prove depth 20\n'
    grep -qE 'proven: (-10 to -[0-9]+|the exact value is -10)' "$out" || fail "expected a loss"
    _ask 'position startpos\ngo prove depth 3\n'
    grep -qx 'info string proven: -48 to +48' "$out" || fail "expected nothing proven"
    _ask 'position startpos\ngo depth 3\n'
    grep -qE 'info string estimate: about [-+][0-9.]+, give or take [0-9.]+; proven: -48 to \+48' \
        "$out" || fail "expected an estimate with its error"
}

# Fixed bugs: "go prove" only searches who wins, but the engine reported the bound that it had found as the value, and also as
# the score.
a_proof_tells_no_estimate() {
    _ask 'setoption name MultiPV value 3\nposition startpos\ngo prove depth 3\n'
    ! grep -qE 'score|estimate' "$out" || fail "expected no estimate"
    grep -q '^info depth 3 multipv 3 nodes ' "$out" || fail "expected lines without a score"
    # Under these rules a search for a proof searches the value, so it has an estimate and scores.
    _ask_alone 'setoption name Rules value ware\nposition startpos\ngo prove depth 3\n' "${engine[@]}"
    expect_output_has "info string estimate: about "
    expect_output_has "info depth 3 score cp "
}

# The 10 seeds from above: North gets all of them.
a_proof_says_who_wins() {
    local stores said
    for stores in '19-19 North wins' '24-14 a draw' '14-24 North wins' '29-9 South wins'; do
        said=${stores#* }
        _ask "position fen 0-0-0-0-0-1-0-1-2-2-2-2-${stores%% *}-S\ngo prove depth 20\n"
        grep -qE "info string proven: .*; $said\$" "$out" || fail "expected: $said"
    done
}

# Fixed bug: it proved a draw, but played B, which loses. According to the reference solver, F is worth
# +4, which is North's lead, B -6 and D -2.
the_move_that_proves_a_draw_is_played() {
    build "$WORK/four" 4 --rules abapa --cycle even || fail "no database"
    _ask_alone 'position fen 0-1-0-2-0-1-1-1-0-0-0-0-19-23-S\ngo prove depth 6\n' \
        engine --db "$WORK/four"
    expect_output_has "info string proven: +4 to +6; South does not lose"
    grep -qx "bestmove F" "$out" || fail "expected F"
}

# B and E are the best moves of the published position, and both have its value.
the_candidate_moves_can_be_given() {
    local published='position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\n' move
    for move in B E; do
        _ask "${published}go searchmoves A $move C\n"
        expect_output_has "score cp 300"
        grep -qx "bestmove $move" "$out" || fail "expected $move"
    done
    _ask "${published}go searchmoves AF depth 3\n"
    expect_output_has 'info string go: none of the moves after "searchmoves" is legal'
    grep -qx "bestmove 0000" "$out" || fail "expected no move"
    _ask 'setoption name MultiPV value 6\nposition startpos moves A\ngo depth 4 searchmoves bd\n'
    expect_output_has "multipv 2 "
    ! grep -qE 'multipv 3| pv [acef]' "$out" || fail "expected b and d alone"
    grep -qE '^bestmove [bd] ' "$out" || fail "expected b or d"
    _ask_alone 'position startpos\ngo searchmoves C\n' engine --random
    grep -qx 'bestmove C' "$out" || fail "expected C"
}

the_only_move_gets_the_score_of_a_short_search() { # by hand: South has nothing but A
    local position='position fen 1-0-0-0-0-0-4-4-4-4-4-4-12-11-S'
    _ask "$position\ngo movetime 1000000\n"
    grep -qxE 'bestmove A( ponder [a-f])?' "$out" || fail "expected A"
    [ "$(grep 'info depth' "$out" | tail -n 1 | cut -d' ' -f3)" -eq 10 ] || fail "expected ten iterations"
    _ask "$position\ngo movetime 20\n" # the clock of the test passes 0.1 ms whenever it is read
    grep -qxE 'bestmove A( ponder [a-f])?' "$out" || fail "expected A"
}

# South has 23 seeds, North 22, and the value is +3.
scores_with_stores_are_given_on_request() {
    local published='position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' above
    _ask_alone "setoption name ScoreWithStores value true\n$published" "${engine[@]}"
    expect_output_has "score cp 400"
    # From South's side, before and after a store of ten more seeds
    above='position fen 1-1-1-1-1-1-1-1-1-1-1-1'
    _ask_alone "$above-18-18-S\ngo depth 1\nucinewgame\nsetoption name ScoreWithStores value true\n$above-23-13-S\ngo depth 1\n" "${engine[@]}"
    mapfile -t found < <(sed -n 's/^info depth 1 score cp \([-0-9]*\) .*/\1/p' "$out")
    [ "$((found[0] + 1000))" = "${found[1]}" ] || fail "expected 1000 more"
}

options_that_do_not_concern_it_are_accepted() {
    _ask 'setoption name OwnBook value true\nsetoption name UCI_Opponent value none none computer X\nsetoption name UCI_LimitStrength value false\nsetoption name NalimovPath value /a b\n'
    expect_no_output
    _ask_alone 'setoption name OwnBook value true\n' engine --random
    expect_no_output
}

a_path_may_have_blanks() {
    local path="$WORK/two  blanks, and more"
    mkdir "$path" && cp "$db"/* "$path" || fail "no copy"
    _ask_alone "setoption name DatabasePath value $path\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n" engine
    expect_output_has "info string database: the exact value is +3"
    _ask_alone 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' engine --db "$path"
    expect_output_has "info string database: the exact value is +3"
}

the_cache_of_the_tables_is_an_option() {
    _ask_alone 'setoption name TableCache value 3\nposition fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\nsetoption name TableCache value 0\nuci\n' "${engine[@]}"
    expect_output_has "info string database: the exact value is +3"
    expect_output_has "info string TableCache: \"0\" is not a whole number from 1 to 65536"
    expect_output_has "option name TableCache type spin default 3 min 1 max 65536"
}

# The position with 10 seeds from above, which can only be proved with values of the tables.
the_use_of_the_tables_is_an_option() {
    local probing
    for probing in auto ALWAYS cheap; do
        _ask_alone "setoption name TableProbing value $probing\nposition fen 0-0-0-0-0-1-0-1-2-2-2-2-19-19-S\ngo depth 20\ngo movetime 1000\nuci\n" "${engine[@]}"
        [ "$(grep -c 'info string proven: the exact value is -10' "$out")" -eq 2 ] || fail "expected a proof twice"
        expect_output_has "option name TableProbing type combo default ${probing,,} "
    done
    _ask_alone 'setoption name TableProbing value x\nsetoption name TableAhead value x\nsetoption name TableAhead value false\nuci\n' "${engine[@]}"
    expect_output_has 'info string TableProbing: auto, always or cheap is expected, not "x"'
    expect_output_has 'info string TableAhead: true or false is expected, not "x"'
    expect_output_has "option name TableAhead type check default false"
}

repetition_is_an_option() {
    _ask_alone 'setoption name repetition value THIRD\nsetoption name RepetitionScore value rows\nuci\n' "${engine[@]}"
    expect_output_has "option name Repetition type combo default third "
    expect_output_has "option name RepetitionScore type combo default rows "
    ! grep -q "info string" "$out" || fail "expected no remark"
    _ask 'setoption name Repetition value fourth\nsetoption name RepetitionScore value x\n'
    expect_output_has "info string Repetition: second, third or ideal is expected, not \"fourth\""
    expect_output_has "info string RepetitionScore: rows or cycle is expected, not \"x\""
    # Each side takes its row under rules that let it keep its surplus.
    _ask_alone 'uci\n' engine --rules tournament
    expect_output_has "option name RepetitionScore type combo default rows "
}

run_tests
