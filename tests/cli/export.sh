#!/usr/bin/env bash
# `wari export`: compares every value with the reference solver, and tests the orders of the
# formats, and that output arrives either complete or not at all.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

seeds=7 several=9                # full opponent halves from 6 on; several blocks
last=9 positions=167596 kept=8   # C(20,11) - C(14,11) positions, more bytes than a pipe takes
! is_small || seeds=6 several=7 last=8 positions=75504 kept=7
db=$WORK/awari
own=$WORK/abapa
build "$db" $last || exit 1
build "$own" $seeds --rules tournament || exit 1

# Writes all stored positions of each level with the values of the reference solver, in the three
# formats and in their orders: FOLDER/LEVEL.csv and so on.
cat >"$WORK/levels.c" <<'END'
#include "reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    unsigned char pits[REF_PITS]; /* A..F, a..f */
    signed char value;
};

static int seeds_of_opponent(const struct line *line)
{
    int seeds = 0;
    for (int pit = 6; pit < REF_PITS; pit++)
        seeds += line->pits[pit];
    return seeds;
}

/* The order of db/FORMAT.md: seeds of the opponent, its pits a..f, the mover's A..F. */
static int as_in_files(const void *one, const void *other)
{
    const struct line *a = one, *b = other;
    int difference = seeds_of_opponent(a) - seeds_of_opponent(b);
    if (difference == 0)
        difference = memcmp(a->pits + 6, b->pits + 6, 6);
    return difference != 0 ? difference : memcmp(a->pits, b->pits, 6);
}

/* The order of the Amsterdam score files: pits f..a, then F..A. */
static int as_in_score_files(const void *one, const void *other)
{
    const struct line *a = one, *b = other;
    int difference = 0;
    for (int pit = REF_PITS - 1; pit >= 0 && difference == 0; pit--)
        difference = a->pits[pit] - b->pits[pit];
    return difference;
}

static FILE *create(const char *folder, int seeds, const char *format)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.%s", folder, seeds, format);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(1);
    return file;
}

static void write_values(const char *folder, int seeds, const char *format,
                         const struct line *lines, size_t count)
{
    FILE *file = create(folder, seeds, format);
    for (size_t i = 0; i < count; i++)
        putc(lines[i].value, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    int most = argc == 5 ? atoi(argv[4]) : -1;
    struct ref_table *table = most < 0 ? NULL : ref_solve(atoi(argv[2]), atoi(argv[3]), most);
    struct line *lines = calloc(1000000, sizeof *lines), *line;
    if (!table || !lines)
        return 1;
    for (int seeds = 0; seeds <= most; seeds++) {
        unsigned char *p, pits[REF_PITS];
        size_t count = 0;
        ref_first(seeds, pits);
        do {
            if (pits[6] && pits[7] && pits[8] && pits[9] && pits[10] && pits[11])
                continue; /* not stored */
            memcpy(lines[count].pits, pits, REF_PITS);
            lines[count++].value = (signed char)ref_value(table, pits);
        } while (ref_next(pits));
        qsort(lines, count, sizeof *lines, as_in_files);
        FILE *csv = create(argv[1], seeds, "csv");
        fputs("position,value\n", csv);
        for (line = lines; line < lines + count; line++) {
            p = line->pits;
            fprintf(csv, "%d %d %d %d %d %d / %d %d %d %d %d %d,%d\n", p[0], p[1], p[2], p[3], p[4],
                    p[5], p[6], p[7], p[8], p[9], p[10], p[11], line->value);
        }
        fclose(csv);
        write_values(argv[1], seeds, "raw", lines, count);
        qsort(lines, count, sizeof *lines, as_in_score_files);
        write_values(argv[1], seeds, "vu", lines, count);
    }
    free(lines);
    ref_free(table);
    return 0;
}
END
# shellcheck disable=SC2086 # flags are lists of words
${CC:-cc} -O1 -I. -Itests/reference -o "$WORK/levels" "$WORK/levels.c" \
    tests/reference/reference_*.c ${LDFLAGS:-} || { echo "not ok - the reference compiles"; exit 1; }

_bytes_as_numbers() { # FILE
    od -An -v -w1 -td1 "$1" | tr -d ' '
}

# The formats that use another order are tested with some levels only at small size.
_formats() { # LEVEL
    if ! is_small || [ "$1" -eq 1 ] || [ "$1" -ge 5 ]; then echo csv raw vu; else echo csv; fi
}

_check_levels() { # FOLDER RULES CYCLE: numbers as in tests/reference/reference.h
    local folder=$1 n format
    expected=$WORK/expected.$2.$3
    mkdir "$expected"
    "$WORK/levels" "$expected" "$2" "$3" $seeds || fail "expected levels of the reference"
    for ((n = 0; n <= seeds; n++)); do
        for format in $(_formats $n); do
            accepted export --db "$folder" --seeds "$n" --format "$format"
            same_file "$expected/$n.$format" "$out"
        done
    done
}

values_are_those_of_the_reference_in_the_documented_order() {
    local expected
    _check_levels "$db" 0 0
    _check_levels "$own" 2 1
    # C(n+11,11) - C(n+5,11) positions
    [ "$(wc -c <"$expected/6.vu")" -eq 12375 ] || fail "expected 12375 positions"
    is_small || [ "$(wc -c <"$expected/7.vu")" -eq 31812 ] || fail "expected 31812 positions"
}

# Two positions with which the access code published with the score files (doi:10.48338/VU01-11WJKE)
# tests itself, and the numbers that it gives them. There are C(n+p-1, p-1) ways to place n seeds in
# p pits; the terms are 1716 + 792 for two seeds in c, then 210 for one in b or 126 for one in a,
# then 4 + 3 and 1.
positions_are_where_the_published_numbering_puts_them() {
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
    local expected=167596
    ! is_small || expected=31812 # C(18,11) - C(12,11)
    accepted export --db "$db" --seeds $several --format csv
    sed '1d; s/,.*//' "$out" >"$WORK/positions"
    sed '1d; s/.*,//' "$out" >"$WORK/values"
    [ "$(wc -l <"$WORK/positions")" -eq $expected ] || fail "expected $expected positions"
    [ "$(sort -u "$WORK/positions" | wc -l)" -eq $expected ] || fail "expected each of them once"
    "$WARI" query --db "$db" --format value <"$WORK/positions" >"$WORK/queried"
    same_file "$WORK/queried" "$WORK/values"
    accepted export --db "$db" --seeds $several
    _bytes_as_numbers "$out" | cmp - "$WORK/values" || fail "expected the same values as bytes"
}

# ---- Files --------------------------------------------------------------------------------------

_no_temporary_file() {
    compgen -G "$WORK/*.tmp" >/dev/null && fail "expected no temporary file"
    return 0
}

a_file_contains_the_same_as_standard_output() {
    local format
    for format in raw csv vu; do
        accepted export --db "$db" --seeds $kept --format $format
        cp "$out" "$WORK/expected"
        accepted export --db "$db" --seeds $kept --format $format --output "$WORK/exported"
        expect_no_output
        expect_no_message
        same_file "$WORK/expected" "$WORK/exported"
        _no_temporary_file
    done
    (cd "$WORK" && "$WARI" export --db "$db" --seeds $kept --format vu --output here) ||
        fail "expected a file in the current folder"
    same_file "$WORK/expected" "$WORK/here"
}

o_is_short_for_output() {
    accepted export --db "$db" --seeds 1 --output "$WORK/one"
    accepted export --db "$db" --seeds 1 -o "$WORK/other"
    same_file "$WORK/one" "$WORK/other"
    refused 2 "option -o needs a value" export --db "$db" --seeds 1 -o
    refused 2 "unknown or ambiguous option -o" stats --db "$db" -o "$WORK/other"
}

# Fixed bug: mode 600 became 644.
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
        (ulimit -f 60 && exec "$WARI" export --db "$db" --seeds $last --format $format \
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
    (ulimit -f 60 && exec "$WARI" export --db "$db" --seeds $last --output "$WORK/exported") >"$out" 2>"$err"
    code=$?
    expect_code 4
    [ ! -e "$WORK/exported" ] || fail "expected no file"
    _no_temporary_file
}

after_damage_no_file_is_left() {
    local copy format
    copy=$(copy_of "$db")
    flip_byte "$copy/awari-even-$last.wari" -1
    for format in raw csv vu; do
        refused 3 "awari-even-$last.wari" export --db "$copy" --seeds $last --format $format \
            --output "$WORK/undamaged"
        [ ! -e "$WORK/undamaged" ] || fail "expected no file"
        _no_temporary_file
    done
    # Other levels are not affected.
    accepted export --db "$copy" --seeds $kept --output "$WORK/undamaged"
}

only_regular_files_are_replaced() {
    mkdir "$WORK/folder"
    mkfifo "$WORK/pipe"
    ln -s "$WORK/out" "$WORK/link"
    refused 4 "$WORK/folder" export --db "$db" --seeds 3 --output "$WORK/folder"
    refused 4 "$WORK/pipe" export --db "$db" --seeds 3 --output "$WORK/pipe"
    refused 4 "$WORK/link" export --db "$db" --seeds 3 --output "$WORK/link"
    refused 4 /dev/null export --db "$db" --seeds 3 --output /dev/null
    [ -c /dev/null ] || fail "expected /dev/null"
    refused 4 "$WORK/nowhere" export --db "$db" --seeds 3 --output "$WORK/nowhere/file"
    refused 2 "--output: the name of the file is empty" export --db "$db" --seeds 3 --output ""
    refused 2 "longer than" export --db "$db" --seeds 3 --output "$WORK/$(printf '%01100d' 0)"
}

# ---- Standard output ----------------------------------------------------------------------------

bytes_are_not_written_to_a_terminal() {
    script -qec "\"$WARI\" export --db \"$db\" --seeds 3" /dev/null </dev/null >"$WORK/typescript"
    code=$? out=$WORK/typescript err=/dev/null
    expect_code 2
    expect_output_has "use --output FILE"
    script -qec "\"$WARI\" export --db \"$db\" --seeds 1 --format csv" /dev/null </dev/null \
        >"$WORK/typescript"
    code=$?
    expect_code 0
    expect_output_has "0 0 0 0 0 1 / 0 0 0 0 0 0,-1" # 1 seed in F cannot feed: awari, value -1
}

a_closed_pipe_ends_the_export_quietly() {
    local format
    for format in raw csv vu; do
        {
            "$WARI" export --db "$db" --seeds $last --format $format 2>"$WORK/err"
            echo $? >"$WORK/code"
        } | head -c 1 >"$WORK/out"
        out=/dev/null err=$WORK/err code=$(cat "$WORK/code")
        expect_code 4
        expect_no_message
    done
}

# A signal arrives while the export waits for its reader, who then reads the rest.
an_interrupted_export_says_so() {
    local signal pid
    mkfifo "$WORK/slow"
    for signal in HUP:129 INT:130 TERM:143; do
        "$WARI" export --db "$db" --seeds $last --format csv >"$WORK/slow" 2>"$WORK/err" &
        pid=$!
        exec {from}<"$WORK/slow"
        head -c 1 <&"$from" >"$WORK/out"
        kill -s "${signal%:*}" "$pid"
        cat <&"$from" >"$WORK/rest"
        exec {from}<&-
        wait "$pid"
        code=$? out=$WORK/out err=$WORK/err
        expect_code "${signal#*:}"
        expect_message "stopped; the output is incomplete"
        [ "$(wc -l <"$WORK/rest")" -lt $positions ] || fail "expected less than the whole level"
    done
}

an_export_that_is_not_read_can_be_stopped() {
    local signal pid
    for signal in HUP:129 INT:130 TERM:143; do
        mkfifo "$WORK/unread.${signal%:*}"
        exec {both}<>"$WORK/unread.${signal%:*}"
        "$WARI" export --db "$db" --seeds $last --format csv >&"$both" 2>"$WORK/err" {both}>&- &
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

missing_levels_are_refused() {
    refused 1 "no level $((last + 1))" export --db "$db" --seeds $((last + 1))
    refused 1 "no level $((last + 1))" export --db "$db" --seeds $((last + 1)) --output "$WORK/missing"
    [ ! -e "$WORK/missing" ] || fail "expected no file"
    refused 2 "47" export --db "$db" --seeds 47
    refused 2 "--seeds" export --db "$db" --seeds 49
    refused 2 "--seeds N is missing" export --db "$db"
}

wrong_options_are_refused() {
    refused 2 "raw, csv, vu" export --db "$db" --seeds 3 --format numpy
    refused 2 "unexpected argument" export --db "$db" --seeds 3 file
    refused 2 "--db DIR is missing" export --seeds 3
    refused 6 "awari even" export --db "$db" --seeds 3 --rules abapa
    refused 4 "$WORK/nowhere" export --db "$WORK/nowhere" --seeds 3
}

run_tests
