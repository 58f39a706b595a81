#!/usr/bin/env bash
# `wari engine`: the protocol, as Aualé and Aalina have it. Positions and values are those of
# data/positions.csv and of the rules.
. tests/cli/lib.sh

build "$WORK/db" 8 || exit 1
build "$WORK/warri" 6 --rules warri || exit 1
engine=(engine --db "$WORK/db")

it_says_who_it_is_and_that_it_is_ready() {
    run_with_input 'uci\nisready\n' "${engine[@]}"
    expect_code 0
    expect_output_has "id name Wari"
    expect_output_has "option name Hash type spin"
    tail -n 2 "$out" | head -n 1 | grep -qx uciok || fail "expected uciok behind the options"
    tail -n 1 "$out" | grep -qx readyok || fail "expected readyok"
}

a_published_position_gets_a_best_move() { # +3 by B and by E
    run_with_input 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' "${engine[@]}"
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
    run_with_input 'position startpos moves Ff\ngo depth 6\n' "${engine[@]}"
    expect_output_has "info depth 6 score cp"
    grep -qxE 'bestmove [A-F]' "$out" || fail "expected a move of South"
}

the_best_move_above_the_database_is_found() { # published: 0, by F alone
    run_with_input 'position fen 1-1-1-1-1-1-1-1-1-1-1-1-18-18-S\ngo depth 20\n' "${engine[@]}"
    expect_code 0
    grep -qx 'bestmove F' "$out" || fail "expected F"
}

# 10 seeds, by the database of 16: all of them will be North's.
a_value_above_the_database_that_is_proven_is_told() {
    run_with_input 'position fen 0-0-0-0-0-1-0-1-2-2-2-2-19-19-S\ngo depth 20\n' "${engine[@]}"
    expect_code 0
    expect_output_has "info string proven: the exact value is -10"
    grep -qx 'bestmove F' "$out" || fail "expected F"
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
    run_with_input 'hello\nposition\nposition fen 1-2-3\nposition startpos moves z\nposition startpos Aa\nsetoption name Hash value x\nsetoption name Foo value 1\nsetoption\nquit\nuci\n' "${engine[@]}"
    expect_code 0
    [ "$(grep -c '^info string' "$out")" -eq 8 ] || fail "expected eight remarks"
    ! grep -q uciok "$out" || fail "expected nothing behind quit"
}

a_bad_position_leaves_the_one_before() {
    run_with_input 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\nposition fen 1\ngo\n' \
        "${engine[@]}"
    grep -qxE 'bestmove [BE]' "$out" || fail "expected B or E"
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

damage_is_never_played() {
    local copy
    copy=$(copy_of "$WORK/db")
    flip_byte "$copy/awari-even-3.wari" -20
    run_with_input 'position fen 0-1-0-0-1-0-0-0-0-0-0-1-23-22-S\ngo\n' engine --db "$copy"
    expect_code 3
    ! grep -qE 'bestmove [A-F]' "$out" || fail "expected no move"
}

run_tests
