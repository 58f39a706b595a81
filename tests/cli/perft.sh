#!/usr/bin/env bash
# `wari perft`: its output and refusals. All counts of data/perft.csv, under every rule set and from
# three positions, are compared by figures.sh.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

from_the_start=(6 36 190 1014 5219 27332 139157 711414 3592872 18137964)

# Prints the lines "DEPTH COUNT" for these counts, from depth 1.
_lines() {
    local depth=0 count
    for count in "$@"; do
        depth=$((depth + 1))
        echo "$depth $count"
    done
}

many_sowings_from_the_start_in_abapa() {
    local depth=10
    ! is_small || depth=9
    accepted perft --rules abapa --depth $depth
    expect_output "$(_lines "${from_the_start[@]:0:depth}")"
    expect_no_message
}

depth_zero_counts_one_position() {
    accepted perft --depth 0
    expect_output "0 1"
}

awari_is_the_default() {
    accepted perft --depth 7 "0 0 2 1 0 6 / 1 1 1 2 1 2"
    expect_output "$(_lines 2 12 40 190 585 2715 8661)"
}

a_preset_names_its_rule_set() {
    accepted perft --rules tournament --depth 3 "0 0 2 1 0 6 / 1 1 1 2 1 2"
    expect_output "$(_lines 3 18 55)"
}

a_diagram_is_counted_for_the_side_to_move() {
    # The position of the first table with the sides exchanged, and the other 31 seeds in the
    # stores.
    accepted perft --rules abapa --depth 3 1-1-1-2-1-2-0-0-2-1-0-6-16-15-N
    expect_output "$(_lines 3 18 55)"
}

bad_depths_are_refused() {
    refused 2 "--depth" perft
    refused 2 "0 to 20" perft --depth 21
    refused 2 "0 to 20" perft --depth -1
    refused 2 "0 to 20" perft --depth 1.5
    refused 2 '"five"' perft --depth five
    refused 2 "needs a value" perft --depth
}

bad_positions_and_names_are_refused() {
    refused 2 "column" perft --depth 1 "1 1 1"
    refused 2 "column" perft --depth 1 "a b c d e f g h i j k l"
    refused 2 "slam-gives" perft --depth 1 --rules frisian
    refused 2 "unexpected argument" perft --depth 1 "1 1 1 1 1 1 1 1 1 1 1 1" "1 1 1 1 1 1 1 1 1 1 1 1"
    refused 2 "--help" perft --depth 1 --cycle own
}

run_tests
