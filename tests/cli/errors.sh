#!/usr/bin/env bash
# Damaged databases, files from another database, names that are not valid text. The exit codes are
# those of the design: 3 damaged, 4 I/O, 6 another rule set or processor. (For other faults in the
# environment of the program see environment.sh.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=9 # several chunks in the last level
! is_small || seeds=7
db=$WORK/awari
build "$db" $seeds || exit 1
build "$WORK/abapa" $seeds --rules abapa || exit 1
level=awari-even-$seeds.wari
position="0 1 0 0 1 0 / 0 0 0 0 1 $((seeds - 3))" # in the last level
game=$WORK/game.txt
echo "0-1-0-0-1-0-0-0-0-0-1-$((seeds - 3))-$((39 - seeds))-9-S B *" >"$game"

# ---- Damage -------------------------------------------------------------------------------------

_refused_as_damaged() {
    refused 3 "" "$@"
    expect_message "$damaged"
}

# At small size only two commands are run, because damage is found in the same way in all of them.
# (All of them are tried with a damaged header.)
_reads_nothing_of() { # FOLDER
    _refused_as_damaged query --db "$1" "$position"
    run build --db "$1" --seeds $((seeds + 1))
    expect_code 3
    expect_no_output
    expect_message "$damaged"
    expect_message "wari build: to solve" # a damaged level, or all levels, again
    [ ! -e "$1/awari-even-$((seeds + 1)).wari" ] || fail "expected no level built on damage"
    is_small || _no_reader_reads "$1"
}

_no_reader_reads() { # FOLDER
    _refused_as_damaged stats --db "$1"
    _refused_as_damaged query --db "$1" --format value "$position"
    _refused_as_damaged verify --db "$1"
    _refused_as_damaged export --db "$1" --seeds $seeds
    _refused_as_damaged bench-probe --db "$1"
    _refused_as_damaged judge --db "$1" "$game"
}

# All places at which a file is damaged, or one of them at small size. That damage is found is
# tested bit by bit, also with sanitizers, in unit/db/format/test_db_damage.c and
# unit/db/catalogue/; this script tests the messages of the commands.
_places() { # PLACE...
    if is_small; then echo "$1"; else echo "$@"; fi
}

a_changed_byte_in_a_header_is_found_at_once() {
    local copy offset
    damaged=$level
    for offset in $(_places 20 0 40 100); do
        copy=$(copy_of "$db")
        flip_byte "$copy/$level" $offset
        _reads_nothing_of "$copy"
        ! is_small || _no_reader_reads "$copy"
    done
}

a_changed_byte_among_the_values_is_found_when_they_are_read() {
    local copy offset size
    size=$(stat -c %s "$db/$level")
    damaged=$level
    for offset in $(_places $((size / 2)) $((size / 4)) $((size * 3 / 4)) -1); do
        copy=$(copy_of "$db")
        flip_byte "$copy/$level" "$offset"
        _refused_as_damaged verify --db "$copy"
        _refused_as_damaged verify --db "$copy" --local
        # A capture takes at least two seeds, so the first level whose build reads this one is the
        # level after the next.
        run build --db "$copy" --seeds $((seeds + 2))
        expect_code 3
        expect_message "$level"
    done
}

no_value_comes_from_a_damaged_block() {
    local copy size
    copy=$(copy_of "$db")
    size=$(stat -c %s "$copy/$level")
    # Changes one byte in every 500, so that every block is damaged.
    # shellcheck disable=SC2046 # numbers
    flip_byte "$copy/$level" $(seq $((size / 5)) 500 $((size * 9 / 10)))
    damaged=$level
    _refused_as_damaged query --db "$copy" "$position"
    _refused_as_damaged query --db "$copy" --format json "$position"
    run_with_input "$position\n" query --db "$copy" --format value
    expect_code 3
    expect_no_output
    # Positions of other levels are still answered.
    accepted query --db "$copy" --format value "0 1 0 0 1 0 / 0 0 0 0 0 1"
    expect_output 3
}

a_truncated_or_lengthened_file_is_found_at_once() {
    local copy size
    damaged=$level
    for size in $(_places 1000 0 1 50 -1); do
        copy=$(copy_of "$db")
        truncate -s "$size" "$copy/$level"
        _reads_nothing_of "$copy"
    done
    copy=$(copy_of "$db")
    echo >>"$copy/$level"
    _reads_nothing_of "$copy"
}

a_damaged_catalogue_is_found_at_once() {
    local copy size
    damaged=awari-even.catalogue
    size=$(stat -c %s "$db/$damaged")
    for offset in $(_places $((size / 2)) $((size / 3)) -2); do
        copy=$(copy_of "$db")
        flip_byte "$copy/$damaged" "$offset"
        _reads_nothing_of "$copy"
    done
    for at in $(_places $((size / 2)) 0 $((size - 1))); do
        copy=$(copy_of "$db")
        truncate -s "$at" "$copy/$damaged"
        _reads_nothing_of "$copy"
    done
}

a_level_whose_file_is_missing_is_not_used() {
    local copy
    copy=$(copy_of "$db")
    rm "$copy/$level"
    accepted stats --db "$copy"
    expect_message "listed but missing"
    refused 1 "the database goes up to" query --db "$copy" "$position"
}

a_level_that_the_catalogue_does_not_list_is_ignored() {
    local copy
    copy=$(copy_of "$db")
    rm "$copy/awari-even.catalogue"
    refused 4 "run the same build again" query --db "$copy" "$position"
    accepted build --db "$copy" --seeds $seeds
    same_database "$db" "$copy"
}

# Opening a pipe waits until somebody opens it for writing: the program once hung here for ever.
a_pipe_in_place_of_a_file_is_an_error_and_does_not_hang() {
    local copy file command
    for file in "$level" awari-even.catalogue; do
        copy=$(copy_of "$db")
        rm "$copy/$file"
        mkfifo "$copy/$file"
        for command in "query" "build --seeds $((seeds + 1))" "stats" "verify" "export --seeds 1"; do
            # shellcheck disable=SC2086 # words on purpose
            refused 4 "$file: cannot" $command --db "$copy" --rules awari
            expect_message "this is not a regular file"
        done
    done
    copy=$(copy_of "$db")
    mkfifo "$copy/ware-own.catalogue" # which nobody asked for
    refused 2 "ware own" stats --db "$copy"
}

# ---- The wrong file -----------------------------------------------------------------------------

a_file_of_another_rule_set_is_refused() {
    local copy
    copy=$(copy_of "$db")
    cp "$WORK/abapa/abapa-even-$seeds.wari" "$copy/$level"
    refused 6 "$level" stats --db "$copy"
    refused 6 "$level" query --db "$copy" "$position"
    refused 6 "abapa" verify --db "$copy"
    run build --db "$copy" --seeds $((seeds + 1))
    expect_code 6
    expect_no_output
}

a_file_of_the_other_cycle_rule_is_refused() {
    local copy
    build "$WORK/own" 5 --cycle own || exit 1
    copy=$(copy_of "$db")
    cp "$WORK/own/awari-own-5.wari" "$copy/awari-even-5.wari"
    refused 6 "awari-even-5.wari" query --db "$copy" "$position"
}

a_file_of_another_level_is_refused() {
    local copy
    copy=$(copy_of "$db")
    cp "$copy/awari-even-5.wari" "$copy/awari-even-6.wari"
    refused 6 "awari-even-6.wari" query --db "$copy" "$position"
}

a_catalogue_of_another_rule_set_is_refused() {
    local copy
    copy=$(copy_of "$db")
    cp "$WORK/abapa/abapa-even.catalogue" "$copy/awari-even.catalogue"
    refused 6 "awari-even.catalogue" query --db "$copy" "$position"
    refused 6 "awari-even.catalogue" build --db "$copy" --seeds $((seeds + 1))
}

a_database_under_another_name_is_refused() {
    local copy file
    copy=$(copy_of "$WORK/abapa")
    for file in "$copy"/abapa-*; do
        mv "$file" "${file/abapa-even/awari-even}"
    done
    refused 6 "awari-even" query --db "$copy" "$position"
}

# ---- Names --------------------------------------------------------------------------------------

# A folder may have any name; it also appears on standard output and in JSON.
names_that_are_not_text_do_no_harm() {
    local folder=$WORK/$'\xff\e[31m\xc2\x9b' command number=0
    cp -r "$db" "$folder"
    accepted book --db "$folder" --seeds 5 --output "$folder/own.book"
    for command in "check --json --db" "verify --sample 5 --json --db" "check --db" "stats --db" \
        "verify --sample 5 --db" "query 1-0-0-0-0-0-0-0-0-0-1-0-23-23-S --detail --db" \
        "query 1-0-0-0-0-0-0-0-0-0-1-0-23-23-S --json --detail --db" "check --book" \
        "query 1-0-0-0-0-0-0-0-0-0-1-0-23-23-S --json --detail --book"; do
        [[ $command = *--book ]] && set -- own.book || set --
        # shellcheck disable=SC2086 # words on purpose
        accepted $command "$folder${1:+/$1}"
        _expect_no_control
        [[ $command != *--json* ]] || cp "$out" "$WORK/json.$((number += 1))"
    done
    flip_byte "$folder/$level" -20
    flip_byte "$folder/own.book" -20
    for command in "check --json --db" "verify --json --db" "check --json --book"; do
        [[ $command = *--book ]] && set -- own.book || set --
        # shellcheck disable=SC2086 # words on purpose
        run $command "$folder${1:+/$1}"
        expect_code 3
        _expect_no_control
        [[ $command = verify* ]] || cp "$out" "$WORK/json.$((number += 1))"
    done
    run $'\e[1m' # no command
    expect_code 2
    _expect_no_control
    run --version $'\xc2\x9b1m'
    expect_code 2
    _expect_no_control
    [ $number -eq 6 ] || fail "expected six texts of JSON"
    python3 -I -S -c 'import json, sys
for path in sys.argv[1:]:
    json.load(open(path, encoding="utf-8"))' "$WORK"/json.* >"$out" 2>"$err" || fail "expected JSON"
}

_expect_no_control() {
    local _text
    for _text in "$out" "$err"; do
        ! LC_ALL=C grep -q $'[\e\x9b]' "$_text" || fail "expected no characters of control"
    done
}

run_tests
