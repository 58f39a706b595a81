#!/usr/bin/env bash
# `wari perft`: the counts of the rules page, published for `abapa` and computed by independent
# programs for the rest.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

from_the_start=(6 36 190 1014 5219 27332 139157 711414 3592872 18137964)

# The lines "DEPTH COUNT" from depth 1 for these counts.
_lines() {
    local depth=0 count
    for count in "$@"; do
        depth=$((depth + 1))
        echo "$depth $count"
    done
}

_counts() { # RULES POSITION COUNT...
    local rules=$1 position=$2
    shift 2
    accepted perft --rules "$rules" --depth $# "$position"
    expect_output "$(_lines "$@")"
}

ten_sowings_from_the_start_in_abapa() {
    accepted perft --rules abapa --depth 10
    expect_output "$(_lines "${from_the_start[@]}")"
    expect_no_message
}

every_rule_set_agrees_for_seven_sowings_from_the_start() {
    local rules
    for rules in awari wari abapa warri ware slam-ends slam-gives slam-wins; do
        accepted perft --rules "$rules" --depth 7
        expect_output "$(_lines "${from_the_start[@]:0:7}")"
    done
}

slams_part_the_rule_sets() {
    local position="0 0 2 1 0 6 / 1 1 1 2 1 2" rules
    for rules in awari wari; do
        _counts "$rules" "$position" 2 12 40 190 585 2715 8661
    done
    _counts abapa "$position" 3 18 55 265 806 3661 11790
    _counts warri "$position" 3 12 40 190 585 2716 8662
    for rules in ware slam-ends slam-gives slam-wins; do
        _counts "$rules" "$position" 3 12 40 190 585 2716 8661
    done
}

seventeen_seeds_slam_an_empty_row() {
    local position="0 0 0 0 1 17 / 0 0 0 0 0 0" rules
    for rules in awari wari; do
        _counts "$rules" "$position" 0 0 0 0 0 0
    done
    _counts abapa "$position" 1 6 27 131 464 1936
    _counts warri "$position" 1 1 1 5 6 25
    for rules in ware slam-ends slam-gives slam-wins; do
        _counts "$rules" "$position" 1 0 0 0 0 0
    done
}

depth_zero_counts_the_position_itself() {
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
    # The position of the first table with its sides exchanged, and the other 31 seeds in stores.
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
    refused 2 "no place" perft --depth 1 "1 1 1 1 1 1 1 1 1 1 1 1" "1 1 1 1 1 1 1 1 1 1 1 1"
    refused 2 "--help" perft --depth 1 --cycle own
}

run_tests
