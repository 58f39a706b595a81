#!/usr/bin/env bash
# `wari pack`: smaller files, the same values for every command; locks, signals, errors. What a kill
# at any call leaves is for unit/test_pack.c.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=9
db=$WORK/db packed=$WORK/packed
build "$db" $seeds || exit 1
cp -r "$db" "$packed"
"$WARI" pack --db "$packed" >"$WORK/report" || exit 1

_bytes() {
    cat "$1"/*.wari | wc -c
}

packing_saves_at_least_a_third() {
    [ $((3 * $(_bytes "$packed"))) -lt $((2 * $(_bytes "$db"))) ] || fail "$(_bytes "$packed") bytes"
    grep -q "awari even in $packed: 9 levels packed, 1 already: " "$WORK/report" || exit 1
}

packing_again_changes_nothing() {
    local copy
    copy=$(copy_of "$packed")
    accepted pack --db "$copy"
    expect_output_has "0 levels packed, 10 already"
    diff -r -x build.lock "$packed" "$copy" || fail "expected the same files"
}

all_commands_see_the_same_values() {
    local n
    for n in 0 1 5 $seeds; do
        "$WARI" export --db "$db" --seeds $n >"$WORK/one" || exit 1
        "$WARI" export --db "$packed" --seeds $n >"$WORK/other" || exit 1
        cmp "$WORK/one" "$WORK/other" || fail "expected the same values with $n seeds"
    done
    accepted check --db "$packed"
    accepted verify --db "$packed"
    accepted bench-probe --db "$packed" --seconds 0.002
    "$WARI" stats --db "$db" | grep hash >"$WORK/one"
    "$WARI" stats --db "$packed" | grep hash >"$WORK/other"
    same_file "$WORK/one" "$WORK/other"
    accepted query --db "$packed" "0 0 0 0 0 1 / 2 2 2 1 1 0"
    cp "$out" "$WORK/other"
    accepted query --db "$db" "0 0 0 0 0 1 / 2 2 2 1 1 0"
    same_file "$WORK/other" "$out"
}

a_packed_database_can_be_built_on() {
    local copy
    copy=$(copy_of "$packed")
    accepted build --db "$copy" --seeds $((seeds + 1))
    accepted verify --db "$copy"
    accepted pack --db "$copy"
    expect_output_has "1 level packed, 10 already"
}

damage_is_found_and_nothing_replaced() {
    local copy
    copy=$(copy_of "$db")
    flip_byte "$copy/awari-even-7.wari" -1
    cp "$copy/awari-even-8.wari" "$WORK/eight"
    refused 3 awari-even-7.wari pack --db "$copy"
    same_file "$WORK/eight" "$copy/awari-even-8.wari"
}

a_full_disk_leaves_the_old_files() {
    local copy
    copy=$(copy_of "$db")
    (ulimit -f 20 && exec "$WARI" pack --db "$copy") >"$out" 2>"$err"
    [ $? -eq 4 ] || fail "expected exit code 4"
    accepted check --db "$copy"
    accepted verify --db "$copy"
}

a_folder_without_a_database_is_refused() {
    mkdir "$WORK/empty"
    refused 6 "$WORK/empty" pack --db "$WORK/empty"
    refused 6 "warri" pack --db "$db" --rules warri
    refused 2 "--db" pack
    [ ! -e "$WORK/empty/build.lock" ] || fail "expected no lock"
}

run_tests
