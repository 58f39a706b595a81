#!/usr/bin/env bash
# `wari export`: every value against the reference solver, the orders of the formats, and output
# that arrives whole or not at all.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=7 # from 6 on, opponent halves can be full
db=$WORK/awari
own=$WORK/abapa
build "$db" 9 || exit 1 # several blocks in the last level
build "$own" $seeds --rules tournament || exit 1

# Prints all stored positions of a level with the values of the reference solver, unsorted: a line
# of thirteen numbers each.
cat >"$WORK/level.c" <<'END'
#include "reference.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int seeds = argc == 4 ? atoi(argv[3]) : 0;
    unsigned char pits[REF_PITS];
    struct ref_table *table = argc == 4 ? ref_solve(atoi(argv[1]), atoi(argv[2]), seeds) : NULL;
    if (!table)
        return 1;
    ref_first(seeds, pits);
    do {
        if (pits[6] && pits[7] && pits[8] && pits[9] && pits[10] && pits[11])
            continue; /* not stored */
        for (int pit = 0; pit < REF_PITS; pit++)
            printf("%d ", pits[pit]);
        printf("%d\n", ref_value(table, pits));
    } while (ref_next(pits));
    ref_free(table);
    return 0;
}
END
# shellcheck disable=SC2086 # flags are lists of words
${CC:-cc} ${CFLAGS:--O2} -Itests/reference -o "$WORK/level" "$WORK/level.c" \
    tests/reference/reference_*.c ${LDFLAGS:-} || { echo "not ok - the reference compiles"; exit 1; }

_reference() { # RULES CYCLE SEEDS: numbers as in tests/reference/reference.h
    "$WORK/level" "$@" || fail "expected a level of the reference"
}

# The order of db/FORMAT.md: seeds of the opponent, its pits a..f, the mover's A..F.
_in_order_of_the_files() {
    awk '{ print $7 + $8 + $9 + $10 + $11 + $12, $0 }' |
        sort -n -k1,1 -k8,8 -k9,9 -k10,10 -k11,11 -k12,12 -k13,13 \
            -k2,2 -k3,3 -k4,4 -k5,5 -k6,6 -k7,7 | cut -d' ' -f2-
}

# The order of the Amsterdam score files: pits f..a, then F..A.
_in_order_of_the_score_files() {
    sort -n -k12,12 -k11,11 -k10,10 -k9,9 -k8,8 -k7,7 -k6,6 -k5,5 -k4,4 -k3,3 -k2,2 -k1,1
}

_as_csv() {
    echo position,value
    sed -E 's,^(([0-9]+ ){5}[0-9]+) (([0-9]+ ){5}[0-9]+) (.*)$,\1 / \3\,\5,'
}

_bytes_as_numbers() { # FILE
    od -An -v -w1 -td1 "$1" | tr -d ' '
}

_check_level() { # FOLDER RULES CYCLE SEEDS
    local folder=$1 n=$4
    shift
    _reference "$@" | _in_order_of_the_files >"$WORK/expected"
    accepted export --db "$folder" --seeds "$n" --format csv
    _as_csv <"$WORK/expected" | cmp - "$out" || fail "expected the values of the reference"
    accepted export --db "$folder" --seeds "$n" --format raw
    cut -d' ' -f13 "$WORK/expected" >"$WORK/values"
    _bytes_as_numbers "$out" | cmp - "$WORK/values" || fail "expected a byte for each of them"
    accepted export --db "$folder" --seeds "$n" --format vu
    _in_order_of_the_score_files <"$WORK/expected" | cut -d' ' -f13 >"$WORK/values"
    _bytes_as_numbers "$out" | cmp - "$WORK/values" || fail "expected them in the other order"
}

every_value_is_the_references_in_the_documented_order() {
    local n
    for ((n = 0; n <= seeds; n++)); do
        _check_level "$db" 0 0 "$n"
        _check_level "$own" 2 1 "$n"
    done
    # C(18,11) - C(12,11) positions with 7 seeds
    [ "$(wc -l <"$WORK/values")" -eq 31812 ] || fail "expected 31812 positions"
}

# Two positions that the access code published with the score files (doi:10.48338/VU01-11WJKE) tests
# itself with, and the numbers it gives them: with C(n+p-1, p-1) placements of n seeds in p pits,
# 1716 + 792 for two seeds in c, then 210 for one in b or 126 for one in a, then 4 + 3 and 1.
positions_stand_where_the_published_numbering_puts_them() {
    accepted query --db "$db" --format value "0 1 2 0 0 0 / 0 1 2 0 0 0" "0 1 2 0 0 0 / 1 0 2 0 0 0"
    cp "$out" "$WORK/queried"
    accepted export --db "$db" --seeds 6 --format vu
    _bytes_as_numbers "$out" >"$WORK/values"
    [ "$(wc -l <"$WORK/values")" -eq 12375 ] || fail "expected C(17,11) - 1 bytes"
    sed -n "$((2726 + 1))p" "$WORK/values" >"$WORK/two"
    sed -n "$((2642 + 1))p" "$WORK/values" >>"$WORK/two"
    same_file "$WORK/queried" "$WORK/two"
}

exports_of_levels_with_several_blocks_agree() {
    accepted export --db "$db" --seeds 9 --format csv
    sed 1d "$out" | sed 's/,.*//' >"$WORK/positions"
    sed 1d "$out" | sed 's/.*,//' >"$WORK/values"
    # C(20,11) - C(14,11) positions with 9 seeds
    [ "$(wc -l <"$WORK/positions")" -eq 167596 ] || fail "expected 167596 positions"
    [ "$(sort -u "$WORK/positions" | wc -l)" -eq 167596 ] || fail "expected each of them once"
    "$WARI" query --db "$db" --format value <"$WORK/positions" >"$WORK/queried"
    same_file "$WORK/queried" "$WORK/values"
    accepted export --db "$db" --seeds 9
    _bytes_as_numbers "$out" | cmp - "$WORK/values" || fail "expected the same values as bytes"
}

# ---- Files --------------------------------------------------------------------------------------

_no_temporary_file() {
    compgen -G "$WORK/*.tmp" >/dev/null && fail "expected no temporary file"
    return 0
}

a_file_holds_what_standard_output_would() {
    local format
    for format in raw csv vu; do
        accepted export --db "$db" --seeds 8 --format $format
        cp "$out" "$WORK/expected"
        accepted export --db "$db" --seeds 8 --format $format --output "$WORK/exported"
        expect_no_output
        expect_no_message
        same_file "$WORK/expected" "$WORK/exported"
        _no_temporary_file
    done
    (cd "$WORK" && "$WARI" export --db "$db" --seeds 8 --format vu --output here) ||
        fail "expected a file in the current folder"
    same_file "$WORK/expected" "$WORK/here"
}

# 600 became 644.
a_replaced_file_keeps_its_mode() {
    local file=$WORK/private
    : >"$file"
    chmod 600 "$file"
    accepted export --db "$db" --seeds 5 --output "$file"
    [ -s "$file" ] && [ "$(stat -c %a "$file")" = 600 ] || fail "expected mode 600: $(stat "$file")"
}

a_failed_export_leaves_an_old_file_alone() {
    out=$WORK/out err=$WORK/err
    local format
    for format in raw csv vu; do
        echo old >"$WORK/exported"
        (ulimit -f 60 && exec "$WARI" export --db "$db" --seeds 9 --format $format \
            --output "$WORK/exported") >"$out" 2>"$err"
        code=$?
        expect_code 4
        expect_no_output
        expect_message "$WORK/exported"
        expect_message "File too large"
        [ "$(cat "$WORK/exported")" = old ] || fail "expected the old file"
        _no_temporary_file
    done
    rm "$WORK/exported"
    (ulimit -f 60 && exec "$WARI" export --db "$db" --seeds 9 --output "$WORK/exported") >"$out" 2>"$err"
    code=$?
    expect_code 4
    [ ! -e "$WORK/exported" ] || fail "expected no file"
    _no_temporary_file
}

damage_leaves_no_file() {
    local copy format
    copy=$(copy_of "$db")
    flip_byte "$copy/awari-even-9.wari" -1
    for format in raw csv vu; do
        refused 3 awari-even-9.wari export --db "$copy" --seeds 9 --format $format \
            --output "$WORK/undamaged"
        [ ! -e "$WORK/undamaged" ] || fail "expected no file"
        _no_temporary_file
    done
    # Other levels are not concerned.
    accepted export --db "$copy" --seeds 8 --output "$WORK/undamaged"
}

what_is_no_file_is_not_replaced() {
    mkdir "$WORK/folder"
    mkfifo "$WORK/pipe"
    ln -s "$WORK/out" "$WORK/link"
    refused 4 "$WORK/folder" export --db "$db" --seeds 3 --output "$WORK/folder"
    refused 4 "$WORK/pipe" export --db "$db" --seeds 3 --output "$WORK/pipe"
    refused 4 "$WORK/link" export --db "$db" --seeds 3 --output "$WORK/link"
    refused 4 /dev/null export --db "$db" --seeds 3 --output /dev/null
    [ -c /dev/null ] || fail "expected /dev/null"
    refused 4 "$WORK/nowhere" export --db "$db" --seeds 3 --output "$WORK/nowhere/file"
    refused 2 "--output" export --db "$db" --seeds 3 --output ""
    refused 2 "longer than" export --db "$db" --seeds 3 --output "$WORK/$(printf '%01100d' 0)"
}

# ---- Standard output ----------------------------------------------------------------------------

bytes_are_not_written_to_a_terminal() {
    script -qec "\"$WARI\" export --db \"$db\" --seeds 3" /dev/null </dev/null >"$WORK/typescript"
    code=$? out=$WORK/typescript err=/dev/null
    expect_code 2
    expect_output_has "give --output FILE"
    script -qec "\"$WARI\" export --db \"$db\" --seeds 1 --format csv" /dev/null </dev/null \
        >"$WORK/typescript"
    code=$?
    expect_code 0
    expect_output_has "0 0 0 0 0 1 / 0 0 0 0 0 0,-1" # 1 seed in F cannot feed: awari, value -1
}

a_reader_who_goes_away_ends_the_export_quietly() {
    local format
    for format in raw csv vu; do
        {
            timeout 60 "$WARI" export --db "$db" --seeds 9 --format $format 2>"$WORK/err"
            echo $? >"$WORK/code"
        } | head -c 1 >"$WORK/out"
        out=/dev/null err=$WORK/err code=$(cat "$WORK/code")
        expect_code 4
        expect_no_message
    done
}

# A signal while it waits for its reader, who then takes what comes.
an_interrupted_export_says_so() {
    local signal pid
    mkfifo "$WORK/slow"
    for signal in HUP:129 INT:130 TERM:143; do
        "$WARI" export --db "$db" --seeds 9 --format csv >"$WORK/slow" 2>"$WORK/err" &
        pid=$!
        exec {from}<"$WORK/slow"
        head -c 1 <&"$from" >"$WORK/out"
        kill -s "${signal%:*}" "$pid"
        cat <&"$from" >"$WORK/rest"
        exec {from}<&-
        wait "$pid"
        code=$? out=$WORK/out err=$WORK/err
        expect_code "${signal#*:}"
        expect_message "stopped; what was written is not all of the level"
        [ "$(wc -l <"$WORK/rest")" -lt 167596 ] || fail "expected less than the whole level"
    done
}

an_export_that_nobody_reads_ends_when_asked_to() {
    local signal pid
    for signal in HUP:129 INT:130 TERM:143; do
        mkfifo "$WORK/unread.${signal%:*}"
        exec {both}<>"$WORK/unread.${signal%:*}"
        "$WARI" export --db "$db" --seeds 9 --format csv >&"$both" 2>"$WORK/err" {both}>&- &
        pid=$!
        head -c 1 <&"$both" >"$WORK/out" # then it has asked for signals
        kill -s "${signal%:*}" "$pid"
        wait "$pid"
        code=$? out=/dev/null err=$WORK/err
        exec {both}>&-
        expect_code "${signal#*:}"
        expect_message "stopped"
    done
}

# ---- What is refused ----------------------------------------------------------------------------

levels_that_are_not_there_are_refused() {
    refused 1 "no level 10" export --db "$db" --seeds 10
    refused 1 "no level 10" export --db "$db" --seeds 10 --output "$WORK/missing"
    [ ! -e "$WORK/missing" ] || fail "expected no file"
    refused 2 "47" export --db "$db" --seeds 47
    refused 2 "--seeds" export --db "$db" --seeds 49
    refused 2 "--seeds N is missing" export --db "$db"
}

wrong_options_are_refused() {
    refused 2 "raw, csv, vu" export --db "$db" --seeds 3 --format numpy
    refused 2 "no place" export --db "$db" --seeds 3 file
    refused 2 "--db DIR is missing" export --seeds 3
    refused 6 "awari even" export --db "$db" --seeds 3 --rules abapa
    refused 4 "$WORK/nowhere" export --db "$WORK/nowhere" --seeds 3
}

run_tests
