#!/usr/bin/env bash
# `wari compare`: the effect of another rule in small databases whose differences are known.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

all=$WORK/all
build "$all" 6 || exit 1
build "$all" 5 --rules abapa || exit 1
build "$all" 6 --rules tournament || exit 1

_compare() {
    accepted compare --db "$all" "$@"
}

# By hand: with 2 seeds, a slam takes both or is illegal. Of the 78 positions only one differs.
# There the mover has one seed and no other move, and it makes 2 of the opponent's 1: in `awari` the
# move takes both (2); in `abapa` it takes nothing, and the mover's row is empty (-2).
two_seeds_differ_in_one_position() {
    _compare --rules awari --with tournament --seeds 2
    expect_output_has "awari even compared with abapa own"
    grep -q "^ *2  *78  *1  *1.282 %  *0.0513  *4  *1  *1.282 %$" "$out" ||
        fail "expected one position of level 2 to differ by 4"
    expect_output_has "0 0 0 0 0 1 / 1 0 0 0 0 0               +2   -2"
    expect_no_message
}

the_name_of_a_folder_cannot_control_a_terminal() {
    local odd
    odd=$WORK/$(printf 'a\033[2Jb')
    mkdir "$odd" && cp "$all"/* "$odd" || fail "no folder"
    accepted compare --db "$odd" --rules awari --with tournament --seeds 2
    ! _has "$out" $'\033' || fail "an escape"
}

json_holds_the_same_figures() {
    _compare --rules awari --with tournament --seeds 2 --format json
    expect_output_has '{"rules":"awari","cycle":"even","with":{"rules":"abapa","cycle":"own"},"levels":[{"seeds":0,"positions":1,"differ":0,'
    expect_output_has '{"seeds":2,"positions":78,"differ":1,'
    expect_output_has '"max":4,"outcome_differs":1,"outcomes":{"loss_loss":40,'
    expect_output_has '"win_loss":1,'
    expect_output_has '"first":[{"position":[0,0,0,0,0,1,1,0,0,0,0,0],"values":[2,-2]}]}'
}

exchanging_the_databases_exchanges_the_values() {
    _compare --rules tournament --with awari --seeds 2
    expect_output_has "0 0 0 0 0 1 / 1 0 0 0 0 0               -2   +2"
}

# Counts from the histograms: those of the rules page for `abapa` with `own`, the published ones for
# `awari`.
outcome_counts_add_up_to_both_histograms() {
    _compare --rules tournament --with awari --seeds 3 --format json
    # 3 seeds, abapa own: 208 lost, 156 won; awari: 178 lost, 63 drawn, 123 won.
    tr '{' '\n' <"$out" | grep '^"loss_loss"' | tail -1 | tr -c '0-9\n' ' ' >"$WORK/counts"
    # shellcheck disable=SC2034 # named for the reader
    read -r ll ld lw dl dd dw wl wd ww _ <"$WORK/counts"
    [ $((ll + ld + lw)) -eq 208 ] && [ $((dl + dd + dw)) -eq 0 ] && [ $((wl + wd + ww)) -eq 156 ] ||
        fail "expected 208 lost and 156 won by abapa own"
    [ $((ll + dl + wl)) -eq 178 ] && [ $((ld + dd + wd)) -eq 63 ] && [ $((lw + dw + ww)) -eq 123 ] ||
        fail "expected 178 lost, 63 drawn and 123 won by awari"
}

only_levels_that_both_have_are_compared() {
    _compare --rules awari --with abapa --cycle even
    grep -q "^ *5  *4,368 " "$out" || fail "expected level 5"
    ! _has "$out" " 12,375 " || fail "expected no level 6"
}

# `own` never takes from a side what `even` gives it; with 4 seeds there is no difference.
cycle_belongs_to_the_rule_set_named_before_it() {
    _compare --rules abapa --cycle even --with abapa --cycle own --seeds 4
    cp "$out" "$WORK/expected"
    expect_output_has "abapa even compared with abapa own"
    _compare --with abapa --cycle own --rules abapa --cycle even --seeds 4
    same_file "$WORK/expected" "$out"
    _compare --cycle even --rules abapa --with tournament --seeds 4
    same_file "$WORK/expected" "$out"
    _compare --rules abapa --cycle even --with abapa --with-cycle own --seeds 4
    same_file "$WORK/expected" "$out"
}

missing_levels_give_exit_code_1() {
    refused 1 "up to 5 seeds" compare --db "$all" --rules awari --with abapa --cycle even --seeds 6
}

bad_use_is_refused() {
    refused 2 "--with" compare --db "$all" --rules awari
    refused 2 "--rules" compare --db "$all" --with awari
    refused 2 "both variants are awari even" compare --db "$all" --rules awari --with awari
    refused 2 "abapa even, abapa own" compare --db "$all" --rules awari --with abapa
    refused 2 "contradicts" compare --db "$all" --rules awari --with tournament --cycle even
    refused 2 "47" compare --db "$all" --rules awari --with tournament --seeds 47
    refused 2 "text, json" compare --db "$all" --rules awari --with tournament --format csv
    refused 2 "slam-wins" compare --db "$all" --rules awari --with frisian
    refused 6 "abapa own" compare --db "$all" --rules awari --with warri
    refused 6 "awari even" compare --db "$all" --rules awari --cycle own --with abapa
}

damage_is_found_while_comparing() {
    local copy
    copy=$(copy_of "$all")
    flip_byte "$copy/abapa-own-5.wari" -300
    run compare --db "$copy" --rules awari --with tournament
    expect_code 3
    expect_message "abapa-own-5.wari"
}

run_tests
