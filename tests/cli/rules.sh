#!/usr/bin/env bash
# `wari rules`, `wari help`, `wari --version`: information about the program and the game.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

rule_sets=(awari wari abapa warri ware slam-ends slam-gives slam-wins)
subcommands=(build query stats verify compare perft rules)

# Saves the output of these commands, once for all tests.
"$WARI" --help >"$WORK/overview" || exit 1
"$WARI" rules >"$WORK/rules" || exit 1
for subcommand in "${subcommands[@]}"; do
    "$WARI" help "$subcommand" >"$WORK/help.$subcommand" || exit 1
done

# Checks that a line of the output begins with two blanks and this word.
_expect_entry() { # WORD
    local _text
    _read_text "$out"
    [[ $'\n'$_text =~ $'\n  '"$1"[^a-z-] ]] || fail "expected a paragraph about $1"
}

every_rule_set_cycle_rule_and_preset_is_explained() {
    local name
    accepted rules
    expect_no_message
    for name in "${rule_sets[@]}" even own tournament oware spanish english dutch walker italian academic; do
        _expect_entry "$name"
    done
}

tournament_rules_and_sources_are_named() {
    out=$WORK/rules err=/dev/null code=0
    grep -q "tournaments.*--rules oware" "$out" || fail "expected tournaments"
    grep -q "published tables.*--rules academic" "$out" || fail "expected published tables"
    expect_output_has "--rules english, dutch, walker"
    expect_output_has "Lincke"
    expect_output_has "Oware Society"
    expect_output_has "Walker"
    expect_output_has "Italian"
}

one_rule_set_is_explained_alone() {
    accepted rules warri
    expect_output_has "warri"
    expect_output_has "moves again"
    ! _has "$out" "slam-gives" || fail "expected nothing about other rule sets"
}

a_preset_is_explained_with_its_rule_set_and_cycle_rule() {
    accepted rules tournament
    expect_output_has "tournament = --rules abapa --cycle own"
    expect_output_has "captures nothing"
    expect_output_has "surplus"
}

json_lists_all_rule_sets() {
    local name
    accepted rules --json
    cp "$out" "$WORK/short"
    accepted rules --format json
    same_file "$WORK/short" "$out"
    [ "$(wc -l <"$out")" -eq 1 ] || fail "expected one line"
    for name in "${rule_sets[@]}"; do
        expect_output_has "{\"name\":\"$name\",\"slam\":"
    done
    expect_output_has '{"name":"tournament","rules":"abapa","cycle":"own"'
}

lines_fit_a_terminal() {
    out=$WORK/rules err=/dev/null code=0
    [ "$(cat "$WORK/rules" "$WORK"/help.* | wc -L)" -le 92 ] || fail "expected lines of at most 92 columns"
}

_build_sheets() { # in $WORK/sheets, whichever test comes first
    local name
    [ ! -e "$WORK/sheets" ] || return 0
    for name in awari "abapa --cycle own" "wari --cycle own" "warri --cycle own"; do
        # shellcheck disable=SC2086 # two words on purpose
        "$WARI" build --db "$WORK/sheets" --seeds 6 --rules $name >/dev/null || fail "expected a build of $name"
    done
}

# The values in data/RULES.md were worked out by hand.
every_sheets_example_has_the_value_of_the_guide() {
    local name value rows=0
    _build_sheets
    while read -r name value; do
        accepted query --db "$WORK/sheets" --rules "$name" --format value "0 0 0 3 2 0 / 1 0 0 0 0 0"
        [ "$(<"$out")" = "$value" ] || fail "expected $value under $name"
        rows=$((rows + 1))
    done < <(sed -n '/^## Your rule sheet/,/^## Fine/p' data/RULES.md |
        awk -F'|' 'NF > 5 && $4 ~ /^ -?[0-9]+ $/ { n = split($2, names, ","); for (i = 1; i <= n; i++) print names[i], $4 }' | tr -d '`')
    [ "$rows" -eq 11 ] || fail "expected 11 names in the guide, seen $rows"
}

# The lines about differences of a rule sheet: `name` | ... | `position` | value
every_difference_of_a_sheet_has_the_value_of_the_guide() {
    local name position value rows=0
    _build_sheets
    while IFS='|' read -r name position value; do
        accepted query --db "$WORK/sheets" --rules "$name" --format value "$position"
        [ "$(<"$out")" = "$value" ] || fail "expected $value of $position under $name"
        rows=$((rows + 1))
    done < <(sed -n '/^In some cases a sheet says/,/^## Fine/p' data/RULES.md |
        awk -F' *[|] *' '$6 ~ /^-?[0-9]+$/ { print $2 "|" $5 "|" $6 }' | tr -d '`')
    [ "$rows" -eq 9 ] || fail "expected 9 differences, seen $rows"
    # The Dutch "may": E without its capture, followed by best play, is worth 4 to the mover.
    accepted query --db "$WORK/sheets" --rules dutch --format value "2 0 0 0 0 1 / 0 0 0 0 0 3"
    expect_output "-4"
}

unknown_names_are_refused_with_a_list() {
    refused 2 "slam-wins" rules frisian
    refused 2 "text, json" rules --format xml
    refused 2 "unexpected argument" rules awari wari
}

help_is_a_command_as_well() {
    accepted help help
    same_file "$WORK/overview" "$out"
    refused 2 "unexpected argument" help help rules
}

every_subcommand_has_help_with_example_and_exit_codes() {
    local name
    for name in "${subcommands[@]}"; do
        accepted "$name" --help
        expect_output_has "usage: wari $name"
        expect_output_has "exit codes:"
        grep -q "^examples\?$" "$out" || fail "expected an example"
        same_file "$WORK/help.$name" "$out"
        out=$WORK/overview
        _expect_entry "$name"
    done
}

# Runs the lines after "example" in the help of a command; their folder `tables` exists or is made.
_examples_work() { # FOLDER COMMAND...
    local folder=$1 name example
    shift
    mkdir -p "$folder/bin" && ln -sf "$WARI" "$folder/bin/wari"
    echo "0 1 0 0 1 0 / 0 0 0 0 0 1" >"$folder/positions.txt"
    out=$WORK/out err=$WORK/err
    for name in "$@"; do
        sed -n '/^examples\?$/,/^$/s/^  \(wari .*\)/\1/p' "$WORK/help.$name" >"$WORK/examples"
        [ -s "$WORK/examples" ] || fail "expected an example of $name"
        while IFS= read -r example; do
            (cd "$folder" && PATH=$PWD/bin:$PATH && eval "$example") >"$out" 2>"$err" </dev/null
            code=$?
            [ "$code" -eq 0 ] || fail "expected that this works: $example"
        done <"$WORK/examples"
    done
}

examples_of_the_help_work() {
    mkdir "$WORK/two"
    build "$WORK/two/tables" 5 || exit 1
    build "$WORK/two/tables" 5 --rules tournament || exit 1
    _examples_work "$WORK/two" verify compare perft rules
    is_small && return
    mkdir "$WORK/one"
    _examples_work "$WORK/one" build query stats
}

the_version_is_printed() {
    accepted --version
    grep -qx "wari [0-9]\+\.[0-9]\+\.[0-9]\+" "$out" || fail "expected name and version"
}

# The list includes the kernel that a build selects by itself, and the portable one.
the_version_lists_the_kernels() {
    local kernel
    accepted build --db "$WORK/kernel" --seeds 0
    kernel=$(sed -n 's/.*kernel \([a-z0-9]*\),.*/\1/p' "$err")
    accepted --version
    grep -qx "kernels: portable.*; auto is $kernel" "$out" || fail "expected that auto is $kernel"
    grep -qE "^kernels:.* $kernel(;| )" "$out" || fail "expected $kernel to be named"
}

help_explains_itself_with_the_overview() {
    local option
    for option in "" --help -h; do
        accepted help $option
        same_file "$WORK/overview" "$out"
    done
}

superfluous_words_are_refused() {
    refused 2 'unexpected argument "2"' --version 2
    refused 2 'unexpected argument "query"' help build query
}

other_unknown_names_are_answered_with_a_suggestion_too() {
    refused 2 'no rule set is called "awri"; the rule sets are awari, ' rules awri
    expect_message '; did you mean "awari"?'
    refused 2 '; did you mean "tournament"?' build --db "$WORK/none" --seeds 3 --rules turnament
    refused 2 'the cycle rules are even, own; did you mean "own"?' build --db "$WORK/none" --seeds 3 --cycle onw
    refused 2 'no cycle rule is called "wn"' build --db "$WORK/none" --seeds 3 --rules "abapa wn"
    expect_message 'the cycle rules are even, own'
    refused 2 'abapa own means the cycle rule own, which contradicts even' build --db "$WORK/none" --seeds 3 --rules "abapa own" --cycle even
    ! grep -q "did you mean" "$err" || fail "expected no suggestion: all names are right"
    refused 2 "option --sedes; did you mean --seeds?" build --sedes
    refused 2 "option --rulse=3; did you mean --rules?" build --rulse=3
    refused 2 "option --frobnicate; see 'wari build --help'" build --frobnicate
    refused 2 'choose one of text, json, value; did you mean "json"?' query --db "$WORK/none" --format jsno
    refused 2 ', avx512 and neon; did you mean "portable"?' build --db "$WORK/none" --seeds 3 --kernel protable
    run query --db "$WORK/none" --format "?" # as the completion for bash does
    [[ $(<"$err") == *"choose one of text, json, value" ]] || fail "expected nothing after the list"
}

no_command_prints_the_overview_and_fails() {
    run
    expect_code 2
    expect_no_output
    expect_message "usage: wari"
}

an_unknown_command_is_answered_with_a_suggestion() {
    refused 2 "did you mean 'build'" bild
    refused 2 "did you mean 'query'" qeury
    refused 2 "did you mean 'help'" hlep
    refused 2 "--help" frobnicate
    refused 2 "there is no command" help frobnicate
    refused 2 "there is no command" --frobnicate
    refused 2 "there is no command" ""
    refused 2 "there is no command '?[31m'" $'\e[31m'
    refused 2 "there is no command" a_name_longer_than_that_of_any_command_there_is
}

run_tests
