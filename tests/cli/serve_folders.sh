#!/usr/bin/env bash
# `wari serve` with several folders, and without any tables.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

build "$WORK/warri" 5 --rules warri || exit 1
build "$WORK/abapa" 6 --rules tournament || exit 1
build "$WORK/other" 4 --rules tournament || exit 1

# By hand: F takes 3 of the 4 seeds, all that can be taken for a while.
three="0-0-0-0-0-1-2-0-0-0-0-1-22-22-S"

_ends() {
    _stop
    [ "$stopped" -eq 143 ] || fail "expected the server to stop as it was asked to, not with $stopped"
}

all_folders_are_served() {
    _start --db "$WORK/warri" --db "$WORK/abapa" || exit 1
    trap _end_server EXIT
    _ask /api/info
    expect_code 200
    [[ $(<"$out") == *'"rules":"abapa"'*'"seeds_max":6'*'"rules":"warri"'*'"seeds_max":5'* ]] || fail "expected both, in their order"
    for rules in abapa warri; do
        _ask "/api/position?rules=$rules&p=$three"
        expect_code 200
        expect_output_has "\"rules\":\"$rules\""
    done
    _ends
}

folders_with_the_same_rules_are_refused() {
    refused 2 "$WORK/abapa and $WORK/other both contain abapa own" serve --port 0 --db "$WORK/abapa" --db "$WORK/other"
    refused 2 "use --db or --book, not both" serve --port 0 --db "$WORK/abapa" --book "$WORK/none.book"
    refused 2 "--db DIR is missing" serve --port 0 --db "$WORK/abapa" --db ""
}

a_command_that_reads_one_folder_refuses_a_second() {
    local command
    for command in query stats check judge; do
        refused 2 "--db is given twice, as $WORK/abapa and $WORK/warri" $command --db "$WORK/abapa" --db "$WORK/warri"
    done
    refused 2 "--book is given twice" query --book a.book --book b.book 1
}

without_tables_the_server_searches_under_all_rules() {
    _start || exit 1
    trap _end_server EXIT
    _ask /api/info
    [ "$(grep -o '"seeds_max":-1' "$out" | wc -l)" -eq 16 ] || fail "expected all 16 variants"
    for rules in oware warri slam-ends; do
        _ask_until '"state":"done"' "/api/analysis?rules=$rules&cycle=own&p=$three"
        expect_output_has '"line":["F"'
        _ask "/api/move?rules=$rules&cycle=own&level=first-steps&p=$three"
        expect_output_has '"move":"F"'
    done
    for path in api/position api/puzzle api/stats; do
        _ask "/$path?rules=oware$([ $path != api/position ] || echo "&p=$three")$([ $path != api/puzzle ] || echo "&seed=1")"
        expect_code 404
        expect_output_has "this server has no tables"
    done
    echo "C" >"$WORK/game"
    _post "/api/game?rules=oware" text/plain "$WORK/game"
    expect_code 200
    expect_output_has '"move":"C"'
    _ends
}

# Sends a game of one move, in a position of three seeds, until it is reviewed.
_review() { # TAGS [ARGUMENTS]
    echo "$1[FEN \"$three\"] F *" >"$WORK/game"
    _ask_until '"plies"' "/api/review${2:+?$2}" -H "Content-Type: text/plain" --data-binary "@$WORK/game"
    expect_code 200
}

without_tables_a_review_says_so() {
    _start || exit 1
    trap _end_server EXIT
    _review '' "rules=abapa&cycle=even"
    expect_output_has '{"rules":"abapa","cycle":"even","tables":false,'
    _ends
}

# data/RULES.md names the cycle rule of each preset.
without_tables_a_record_that_names_only_a_rule_set_is_reviewed() {
    _start || exit 1
    trap _end_server EXIT
    _review '[Variant "Oware Abapa"]'
    expect_output_has '{"rules":"abapa","cycle":"own","tables":false,'
    _review '[Variant "Ware"]'
    expect_output_has '{"rules":"ware","cycle":"even","tables":false,'
    _ends
}

only_the_chosen_rules_are_searched() {
    _start --rules abapa --cycle even || exit 1
    trap _end_server EXIT
    _ask /api/info
    [ "$(grep -o '"seeds_max":-1' "$out" | wc -l)" -eq 1 ] || fail "expected one variant"
    _review '[Variant "Oware Abapa"]'
    expect_output_has '{"rules":"abapa","cycle":"even","tables":false,'
    _ends
    refused 2 "every answer comes from a search" serve --port 0 --no-analysis
}

run_tests
