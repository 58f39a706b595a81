#!/usr/bin/env bash
# `GET /api/puzzle`: the puzzle of a number. The puzzles are checked by tests/support/check_puzzles.py, which knows
# the rules by itself and shares no code with the program.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

db=$WORK/db
build "$db" 8 --rules tournament || exit 1
build "$db" 8 --rules ware || exit 1
build "$db" 0 || exit 1
_begin_client
_start --db "$db" --no-analysis || exit 1
trap _end_server EXIT

_puzzle() { # ARGUMENTS
    _ask "/api/puzzle?rules=abapa&$1"
}

each_number_has_a_puzzle_with_one_solution() {
    local seed n levels=() _text
    for n in {0..8}; do
        "$WARI" export --db "$db" --rules abapa --seeds "$n" --format csv --output "$WORK/$n.csv" || fail "no export"
        levels+=("$WORK/$n.csv")
    done
    for seed in {1..40} 20261128 2147483647; do
        _puzzle "seed=$seed"
        expect_code 200
        _read_text "$out" && printf %s "$_text" >>"$WORK/puzzles"
    done
    found=$(tests/support/check_puzzles.py abapa "$WORK/puzzles" "${levels[@]}" 2>&1)
    [[ $found =~ ^[0-9]+$ && $found -ge 40 ]] || fail "expected more than 40 different puzzles: $found"
}

a_number_always_has_the_same_puzzle() {
    _puzzle "seed=5"
    cp "$out" "$WORK/once"
    _puzzle "seed=5"
    same_file "$WORK/once" "$out"
    _puzzle "seed=6"
    ! cmp -s "$WORK/once" "$out" || fail "expected another puzzle"
}

difficulties_can_be_chosen() {
    local seed _text
    for seed in {1..20}; do
        _puzzle "seed=$seed&easiest=2&hardest=4"
        _read_text "$out"
        [[ $_text =~ \"difficulty\":[2-4], ]] || fail "expected a difficulty from 2 to 4"
    done
}

bad_requests_and_missing_puzzles_are_told_apart() {
    local code_expected arguments message
    while IFS='|' read -r code_expected arguments message; do
        _ask "/api/puzzle?$arguments"
        expect_code "$code_expected"
        expect_output_has "$message"
    done <<'END'
400|rules=abapa|the argument seed is missing
400|rules=abapa&seed=0|whole number from 1 to 2147483647
400|rules=abapa&seed=2147483648|whole number from 1 to 2147483647
400|rules=abapa&seed=1&easiest=x|easiest: \"x\" is not a whole number from 1 to 13
400|rules=abapa&seed=1&hardest=14|hardest: \"14\" is not
400|rules=abapa&seed=1&easiest=5&hardest=4|easiest: 5 is greater than hardest, which is 4
400|rules=abapa&seed=1&p=1|\"p\" is unknown here
404|rules=awari&seed=1|the database goes up to 0 seeds, and puzzles need at least 2
404|rules=ware&seed=1|a grand slam decides
END
}

# With 2 seeds no puzzle is that difficult.
nothing_found_is_an_answer() {
    build "$WORK/tiny" 2 --rules tournament || fail "no database"
    _stop
    _start --db "$WORK/tiny" --no-analysis || fail "no server"
    trap _end_server EXIT
    _puzzle "seed=1&easiest=13"
    expect_code 404
    expect_output_has "no puzzle was found among 4000 positions"
    _still_serves
}

run_tests
