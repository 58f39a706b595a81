#!/usr/bin/env bash
# `wari puzzles`. Its puzzles are checked by tests/support/check_puzzles.py, which knows the rules by itself and
# shares no code with the program.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

db=$(shared_awari 8) || exit 1

# Writes the values of the levels 0 to 8 to $WORK/RULES-N.csv, and sets $levels to the files.
_export_levels() { # FOLDER RULES
    local n
    levels=()
    for n in {0..8}; do
        "$WARI" export --db "$1" --rules "$2" --seeds "$n" --format csv --output "$WORK/$2-$n.csv" || fail "no export"
        levels+=("$WORK/$2-$n.csv")
    done
}

every_puzzle_has_one_solution() {
    local levels rules goal count=150
    ! is_sanitized || count=40
    build "$WORK/abapa" 8 --rules tournament || fail "no database"
    for rules in awari abapa; do
        [ $rules = abapa ] || cp -r "$db" "$WORK/awari"
        _export_levels "$WORK/$rules" $rules
        accepted puzzles --db "$WORK/$rules" --rules $rules --seeds 2-8 --count $count --seed 3 --depth 6 --json
        cp "$out" "$WORK/puzzles"
        found=$(tests/support/check_puzzles.py $rules "$WORK/puzzles" "${levels[@]}" 2>&1)
        [ "$found" = $count ] || fail "expected $count puzzles: $found"
        for goal in win draw all; do
            grep -q "\"goal\":\"$goal\"" "$WORK/puzzles" || fail "expected the goal $goal"
        done
    done
}

equal_options_make_equal_puzzles() {
    accepted puzzles --db "$db" --count 20 --seed 5
    cp "$out" "$WORK/once"
    accepted puzzles --db "$db" --count 20 --seed 5
    same_file "$WORK/once" "$out"
    accepted puzzles --db "$db" --count 20 --seed 6
    ! cmp -s "$WORK/once" "$out" || fail "expected other puzzles"
    accepted book --db "$db" --output "$WORK/book"
    accepted puzzles --book "$WORK/book" --count 20 --seed 5
    same_file "$WORK/once" "$out"
}

difficulties_can_be_chosen() {
    accepted puzzles --db "$db" --seeds 8 --count 20 --depth 5 --difficulty 3-6 --json
    [ "$(grep -cE '"difficulty":[3-6],' "$out")" -eq 20 ] || fail "expected difficulties from 3 to 6"
    grep -q '"seeds":8,' "$out" || fail "expected 8 seeds"
}

too_few_positions_are_an_answer() {
    run puzzles --db "$db" --seeds 3 --count 1000
    expect_code 1
    expect_message "of 1000 puzzles were found"
    [ -s "$out" ] || fail "expected the puzzles that were found"
}

bad_usage_is_refused() {
    refused 2 "--seeds: " puzzles --db "$db" --seeds x
    refused 2 "the range 8-6 is empty" puzzles --db "$db" --seeds 8-6
    refused 2 "whole number from 1 to 100000" puzzles --db "$db" --count 0
    refused 2 "no puzzle is harder than 5" puzzles --db "$db" --depth 4 --difficulty 6-7
    refused 1 "the database goes up to 8 seeds" puzzles --db "$db" --seeds 6-9
    build "$WORK/ware" 4 --rules ware || fail "no database"
    refused 2 "a grand slam decides" puzzles --db "$WORK/ware"
}

run_tests
