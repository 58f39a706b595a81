#!/usr/bin/env bash
# The two files of `make amalgamation`, and the third one, which reads level files: every compiler
# accepts them. Whatever compiler and machine they are compiled with and for, they give the library's
# answer for each position, and no wrong answer for a damaged book.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

two=$WORK/two seeds=9
warnings="-Wall -Wextra -Wpedantic -Wconversion -Werror"
packaging/amalgamation.sh 1.2.3 "$two" || exit 1
build "$WORK/db" "$seeds" --rules tournament || exit 1
"$WARI" book --db "$WORK/db" -o "$WORK/o.book" >/dev/null || exit 1
"$WARI" export --db "$WORK/db" --seeds 5 --format csv >"$WORK/values" || exit 1

# Most of the time goes into compilers. Optimised files are tested with gcc here, and with clang in
# js.sh.
optimise=-O1
! is_small || optimise=-O0

# Compiles tests/amalgamation/two_files.c into $program.
_compile() { # COMPILER [OPTION...]
    program=$WORK/${1##*/} out=$WORK/out err=$WORK/err
    # shellcheck disable=SC2086 # several options
    "$@" $warnings -I"$two" -o "$program" "$two/wari_probe.c" tests/amalgamation/two_files.c >"$out" 2>"$err"
    code=$?
    expect_code 0
    expect_no_message
}

_says() { # WORDS COMMAND... ; standard input is handed on
    local words=$1
    shift
    "$@" >"$out" 2>"$err"
    code=$?
    expect_code 0
    expect_output "$words"
}

_compile gcc -std=c99 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all && mv "$program" "$WORK/sanitized" || exit 1
# shellcheck disable=SC2086 # several options
gcc -std=c99 -O2 $warnings -c -o "$WORK/probe.o" "$two/wari_probe.c" || { echo "not ok - set-up: gcc -O2"; exit 1; }

# Checks what a program prints for a book of `tournament` against the exported values of level 5.
_agrees() { # COMMAND...
    local count
    count=$(($(wc -l <"$WORK/values") - 1))
    [ "$count" -gt 4000 ] || fail "too few values"
    _says "$count values" "$@" values "$WORK/o.book" <"$WORK/values"
    "$@" refusals "$WORK/o.book" >"$out" 2>"$err" || fail "refusals: $(cat "$out")"
}

gcc_and_clang_and_cplusplus_agree_with_the_library() {
    local dialect dialects=("clang -std=c99" "g++ -x c++" "clang++ -x c++")
    ! is_small || unset 'dialects[2]'
    for dialect in "${dialects[@]}"; do
        # shellcheck disable=SC2086
        _compile $dialect $optimise
        _agrees "$program"
    done
    gcc -std=c99 $optimise $warnings -I"$two" -o "$program" "$WORK/probe.o" tests/amalgamation/two_files.c || fail "not compiled"
    _agrees "$program"
}

tcc_agrees_with_the_library() {
    _compile tcc -std=c99
    _agrees "$program"
}

# PowerPC is both big-endian and 32 bits wide.
a_32_bit_big_endian_machine_agrees_with_the_library() {
    _compile powerpc-linux-gnu-gcc -std=c99 -O1 -static
    _agrees qemu-ppc "$program"
}

every_rule_set_and_cycle_rule_agrees_with_the_library() { # in small every fifth variant, and a fifth of level 5
    local rules cycle level count i=0 out=$WORK/out err=$WORK/err values=$WORK/values.all
    program=$WORK/sanitized
    for rules in awari wari abapa warri ware slam-ends slam-gives slam-wins; do
        for cycle in even own; do
            ! is_small || ((i++ % 5 == 0)) || continue
            "$WARI" build --db "$WORK/all" --rules "$rules" --cycle "$cycle" --seeds 5 2>/dev/null
            "$WARI" book --db "$WORK/all" --rules "$rules" --cycle "$cycle" -o "$WORK/one.book" >/dev/null ||
                fail "no book of $rules $cycle"
            for level in 0 1 2 3 4 5; do
                "$WARI" export --db "$WORK/all" --rules "$rules" --cycle "$cycle" --seeds "$level" --format csv
            done | awk -v step="$(is_small && echo 5 || echo 1)" 'NR < 2000 || NR % step == 0' >"$values"
            count=$(grep -vc position "$values")
            _says "$count values" "$program" values "$WORK/one.book" <"$values"
        done
    done
}

a_damaged_book_gives_no_wrong_value() {
    local smaller=$WORK/smaller.book most=7
    [ "${WARI_TEST_SCALE:-}" = long ] && most=12
    program=$WORK/sanitized
    "$WARI" build --db "$WORK/db" --rules tournament --seeds "$most" 2>/dev/null
    "$WARI" book --db "$WORK/db" --seeds "$most" -o "$smaller" >/dev/null || fail "no book of $most seeds"
    _says "$(stat -c %s "$smaller") bytes" "$program" damage "$smaller"
    "$program" refusals "$smaller" >"$out" 2>"$err" || fail "refusals: $(cat "$out")"
}

# 3 by B, by hand: A would keep only 1.
the_example_finds_the_best_move() {
    _run_book() {
        "$WORK/book" "$@" >"$out" 2>"$err"
        code=$?
    }
    out=$WORK/out err=$WORK/err
    gcc -I"$two" -o "$WORK/book" tools/examples/book.c "$two/wari_probe.c" || fail "not compiled"
    _run_book "$WORK/o.book" "1 1 0 0 0 0 / 1 0 0 0 0 0"
    expect_code 0
    expect_output "value 3, best move B"
    _run_book "$WORK/o.book" "1 1 0 0"
    expect_code 1
    expect_message "12 counts"
    _run_book "$two/wari_probe.c" "1 1 0 0 0 0 / 1 0 0 0 0 0"
    expect_code 1
    expect_message "does not begin as a book of 'wari book' does"
}

# Compiles a program with the given compiler, which may not warn, and runs it.
_runs() { # COMMAND...
    "$@" $warnings -I"$two" -o "$WORK/runs" >"$WORK/out" 2>&1 || fail "$*: $(cat "$WORK/out")"
    "$WORK/runs" "$WORK/o.book" >"$WORK/out" 2>&1 || fail "$*: $(cat "$WORK/out")"
}

# Prints the functions that are declared in a header or in files that it includes.
_declared() { # [HEADER]
    gcc -E -P "$two/${1:-wari_probe.h}" | tr '\n;' ' \n' | grep -v '^ *typedef' | grep -oE '\bwari_[a-z_]+ *\(' | tr -d ' (' | sort -u
}

a_program_calls_every_function_that_they_declare() {
    local program=tests/amalgamation/every_function.c name names
    names=$(_declared)
    [ "$(wc -w <<<"$names")" -ge 30 ] || fail "too few functions: $names"
    for name in $names; do
        grep -qE "\\b$name\(" "$program" || fail "$program does not call $name()"
    done
    # shellcheck disable=SC2086 # several options
    {
        _runs gcc -std=c99 "$program" "$two/wari_probe.c"
        _runs clang -std=c99 -DINCLUDED_AS_STATIC "$program"
        _runs tcc -std=c99 -DINCLUDED_AS_STATIC "$program"
        _runs g++ -x c++ "$program" "$two/wari_probe.c"
        _runs g++ -x c++ -DINCLUDED_AS_STATIC "$program"
    }
}

a_program_may_include_them_as_static_and_call_nothing() {
    local compiler
    cat >"$WORK/nothing.c" <<'END'
#define WARI_API static
#include "wari_probe.c"

int main(void)
{
    return 0;
}
END
    sed 's/^#include.*/#define WARI_LEVELS_IMPLEMENTATION\n#include "wari_levels.h"/' "$WORK/nothing.c" >"$WORK/nothing_more.c"
    for compiler in "gcc -std=c99" "clang -std=c99" tcc "g++ -x c++"; do
        # shellcheck disable=SC2086 # several options
        _runs $compiler "$WORK/nothing.c"
    done
    _runs clang -std=c99 "$WORK/nothing_more.c"
}

# In a program of several files, this one contains the functions.
cat >"$WORK/levels.c" <<'END'
#define WARI_LEVELS_IMPLEMENTATION
#include "wari_levels.h"
END
# shellcheck disable=SC2086 # several options
gcc -std=c99 $warnings -I"$two" -c -o "$WORK/levels.o" "$WORK/levels.c" || { echo "not ok - set-up: wari_levels.h"; exit 1; }

# Compiles a program with zstd. The compiler must not print a warning.
_compiles() { # COMMAND...
    # shellcheck disable=SC2086 # several options
    "$@" $warnings -I"$two" -o "$WORK/runs" -lzstd >"$WORK/out" 2>&1 || fail "$*: $(cat "$WORK/out")"
}

# Runs a program that prints the values of the positions, for the folder as built and the packed folder.
_prints_values_of_levels() { # COMMAND...
    local folder
    for folder in "$WORK/db" "$WORK/packed"; do
        "$@" "$folder" tournament 9 <"$WORK/positions" >"$WORK/got" 2>"$err" || fail "$* $folder: $(cat "$err")"
        same_file "$WORK/values.query" "$WORK/got"
    done
}

# The positions have 0 to 9 seeds; the last two have no empty pit on the opponent's side.
the_third_file_has_the_values_of_a_built_and_a_packed_folder() {
    local program=tests/amalgamation/level_files.c level step=1 out=$WORK/out err=$WORK/err
    ! is_small || step=5
    cp -r "$WORK/db" "$WORK/packed" && "$WARI" pack --db "$WORK/packed" >/dev/null 2>&1 || fail "not packed"
    {
        for level in 0 1 2 3 4 5 6 7 8 9; do
            "$WARI" export --db "$WORK/db" --seeds "$level" --format csv | sed '1d; s/,.*//' | awk "NR % $((1 + step * level * level * level)) == 1"
        done
        echo "1 0 0 0 0 0 / 1 1 1 1 1 1"
        echo "0 0 1 0 0 1 / 1 1 1 1 1 2"
    } >"$WORK/positions"
    [ "$(wc -l <"$WORK/positions")" -gt $((500 / step)) ] || fail "too few positions"
    "$WARI" query --db "$WORK/db" --format value <"$WORK/positions" >"$WORK/values.query" || fail "no values"

    _compiles gcc -std=c99 "$program" "$WORK/levels.o"
    _prints_values_of_levels "$WORK/runs"
    _compiles g++ -x c++ -DINCLUDED_AS_STATIC "$program"
    _prints_values_of_levels "$WORK/runs"
    _compiles tcc -DINCLUDED_AS_STATIC "$program"
    _prints_values_of_levels "$WORK/runs"
    _compiles clang tools/examples/level_files.c
    _prints_values_of_levels "$WORK/runs"
    "$WORK/runs" "$WORK/db" "tournament" 10 <"$WORK/positions" >"$out" 2>"$err" && fail "there is no level 10"
    grep -q "abapa-own-10.wari: cannot open this file" "$err" || fail "$(cat "$err")"
}

they_mention_no_function_and_no_header_that_is_not_there() {
    local name names
    names=$(_declared wari_levels.h)
    for name in $(grep -ohE '\bwari_[a-z_]+\(\)' "$two"/* | tr -d '()' | sort -u); do
        grep -qx "$name" <<<"$names" || grep -qE "^(static )?[a-z].*\\b$name\(" "$two/wari_probe.c" || fail "$name() is mentioned"
    done
    ! grep -nE 'wari(_game|_book|_host)?\.h' "$two"/wari_probe.h | grep -v -- '---- ' || fail "a header that is not there"
}

# Checks that an object file refers only to functions of the C library, that its public names are the functions of a
# header, and that it has no data that can change.
_check_names() { # OBJECT HEADER
    nm --undefined-only "$1" | awk '{ print $2 }' |
        grep -vE '^(mem(cmp|cpy|set)|str(cmp|len)|v?snprintf|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$' >"$WORK/needed"
    [ ! -s "$WORK/needed" ] || fail "needed: $(xargs <"$WORK/needed")"
    nm --defined-only "$1" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort >"$WORK/shown"
    _declared "$2" >"$WORK/declared"
    cmp -s "$WORK/shown" "$WORK/declared" || fail "shown and declared: $(diff "$WORK/shown" "$WORK/declared")"
    [ "$(nm "$1" | grep -c ' [BbC] ')" -eq 0 ] || fail "there is data that changes"
}

they_need_the_c_library_alone_and_show_nothing_but_public_names() {
    _check_names "$WORK/probe.o" wari_probe.h
    _check_names "$WORK/levels.o" wari_levels.h
}

they_have_at_most_2500_lines_and_the_third_900_and_say_licence_and_version() {
    local text line
    [ "$(cat "$two"/wari_probe.[ch] | wc -l)" -le 2500 ] || fail "$(wc -l "$two"/*)"
    [ "$(wc -l <"$two/wari_levels.h")" -le 900 ] || fail "$(wc -l "$two"/*)"
    grep -q 'Wari 1\.2\.3' "$two/wari_levels.h" || fail "no version"
    grep -q 'Wari 1\.2\.3' "$two/wari_probe.h" || fail "no version"
    text=$(<"$two/wari_probe.h")
    while read -r line; do
        [[ $text == *"$line"* ]] || fail "no licence: $line"
    done <LICENSE
}

run_tests
