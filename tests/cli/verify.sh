#!/usr/bin/env bash
# `wari verify`: what it proves, and what it says about that. Wrong tables with valid hashes are made
# and fed to it by the unit tests, damaged ones by errors.sh.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

rule_sets=(awari wari abapa warri ware slam-ends slam-gives slam-wins)
seeds=9
! is_small || seeds=7
all=$WORK/all
for rules in "${rule_sets[@]}"; do
    build "$all" $seeds --rules "$rules" || exit 1
    build "$all" $seeds --rules "$rules" --cycle own || exit 1
done
# C(n+11,11) - C(n+5,11) for 0..n seeds, added up.
positions=293,475
levels=10
[ $seeds -eq 9 ] || { positions=50,375 levels=8; }

every_rule_set_is_proved_with_both_cycle_rules() {
    local rules cycle
    for rules in "${rule_sets[@]}"; do
        for cycle in even own; do
            accepted verify --db "$all" --rules "$rules" --cycle $cycle
            expect_output_has "$rules $cycle in $all: $levels levels, $positions positions checked"
            expect_output_has "proved (a)"
            expect_output_has "proved (b)"
            ! grep -q "not proved" "$out" || fail "expected a whole proof"
        done
    done
}

# (Sixteen, under every rule set, in `make test-long`.)
if ! is_small; then
    thirteen_seeds_are_proved() {
        build "$WORK/thirteen" 13 || exit 1
        accepted verify --db "$WORK/thirteen"
        # The sum of C(n+11,11) - C(n+5,11) for 0..13 seeds.
        expect_output_has "awari even in $WORK/thirteen: 14 levels, 5,149,912 positions checked"
        expect_output_has "these are the exact values"
    }
fi

local_says_that_it_proves_less() {
    accepted verify --db "$all" --rules awari --cycle even --local
    expect_output_has "proved (a)"
    expect_output_has "not proved (b)"
}

a_sample_says_what_it_looked_at() {
    accepted verify --db "$all" --rules awari --cycle even --sample 50 --seed 7
    expect_output_has "50 random positions a level (--seed 7)"
    expect_output_has "not proved"
}

json_says_the_same() {
    local numbers=${positions//,/}
    accepted verify --db "$all" --rules tournament --format json
    expect_output "{\"rules\":\"abapa\",\"cycle\":\"own\",\"mode\":\"full\",\"ok\":true,\"proved_local\":true,\"proved_grounded\":true,\"levels\":$levels,\"positions\":$numbers,\"differences\":0,\"first\":[],\"text\":\"\"}"
    accepted verify --db "$all" --rules tournament --local --format json
    expect_output_has '"mode":"local","ok":true,"proved_local":true,"proved_grounded":false,'
    accepted verify --db "$all" --rules tournament --sample 5 --format json
    expect_output_has '"mode":"sample","ok":true,"proved_local":false,"proved_grounded":false,'
}

json_has_a_short_name() {
    accepted verify --db "$all" --rules tournament --sample 5 --json
    expect_output_has '"mode":"sample","ok":true,'
}

threads_do_not_matter() {
    accepted verify --db "$all" --rules awari --cycle even --threads 1
    cp "$out" "$WORK/one"
    accepted verify --db "$all" --rules awari --cycle even --threads 3
    same_file "$WORK/one" "$out"
}

progress_goes_to_standard_error() {
    accepted verify --db "$all" --rules awari --cycle even
    expect_message "verifying level $seeds"
    ! grep -q "verifying" "$out" || fail "expected no progress on standard output"
}

several_databases_need_a_choice() {
    refused 2 "awari even, awari own, wari even" verify --db "$all"
    refused 2 "abapa even, abapa own" verify --db "$all" --rules abapa
}

bad_use_is_refused() {
    refused 2 "--sample" verify --db "$all" --rules awari --cycle even --local --sample 5
    refused 2 "--sample" verify --db "$all" --rules awari --cycle even --seed 5
    refused 2 "--sample" verify --db "$all" --rules awari --cycle even --sample 0
    refused 2 "--sample" verify --db "$all" --rules awari --cycle even --sample many
    refused 2 "--threads" verify --db "$all" --rules awari --cycle even --threads 0
    refused 2 "takes no value" verify --db "$all" --local=yes
    refused 2 "text, json" verify --db "$all" --rules awari --cycle even --format csv
    refused 2 "no place" verify --db "$all" --rules awari --cycle even 5
}

run_tests
