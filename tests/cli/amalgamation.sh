#!/usr/bin/env bash
# The two files of `make amalgamation`: every compiler takes them, and whatever they are compiled by and for,
# they say of each position what the library says, and nothing wrong of a damaged book.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

two=$WORK/two seeds=9
warnings="-Wall -Wextra -Wpedantic -Wconversion -Werror"
tools/amalgamation.sh 1.2.3 "$two" || exit 1
build "$WORK/db" "$seeds" --rules tournament || exit 1
"$WARI" book --db "$WORK/db" -o "$WORK/o.book" >/dev/null || exit 1

# Compiles tests/amalgamation/two_files.c; $program is what comes of it.
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

# Everything about a book of `tournament` with 9 seeds, 5 to be quick.
_agrees() { # LEVEL COMMAND...
    local level=$1 count
    shift
    "$WARI" export --db "$WORK/db" --seeds "$level" --format csv >"$WORK/values"
    count=$(($(wc -l <"$WORK/values") - 1))
    [ "$count" -gt 4000 ] || fail "too few values"
    _says "$count values" "$@" values "$WORK/o.book" <"$WORK/values"
    "$@" refusals "$WORK/o.book" >"$out" 2>"$err" || fail "refusals: $(cat "$out")"
}

gcc_and_clang_and_cplusplus_agree_with_the_library() {
    local dialect
    for dialect in "gcc -std=c99" "clang -std=c99" "g++ -x c++" "clang++ -x c++"; do
        # shellcheck disable=SC2086
        _compile $dialect -O1
        _agrees 5 "$program"
    done
}

tcc_agrees_with_the_library() {
    _compile tcc -std=c99
    _agrees 5 "$program"
}

# PowerPC has both.
a_machine_of_32_bits_with_the_high_byte_first_agrees_with_the_library() {
    _compile powerpc-linux-gnu-gcc -std=c99 -O1 -static
    _agrees 5 qemu-ppc "$program"
}

every_rule_set_and_cycle_rule_agrees_with_the_library() { # in small every third variant
    local rules cycle level count i=0
    program=$WORK/sanitized
    for rules in awari wari abapa warri ware slam-ends slam-gives slam-wins; do
        for cycle in even own; do
            ! is_small || ((i++ % 3 == 0)) || continue
            "$WARI" build --db "$WORK/all" --rules "$rules" --cycle "$cycle" --seeds 5 2>/dev/null
            "$WARI" book --db "$WORK/all" --rules "$rules" --cycle "$cycle" -o "$WORK/one.book" >/dev/null ||
                fail "no book of $rules $cycle"
            for level in 0 1 2 3 4 5; do
                "$WARI" export --db "$WORK/all" --rules "$rules" --cycle "$cycle" --seeds "$level" --format csv
            done >"$WORK/values"
            count=$(grep -vc position "$WORK/values")
            _says "$count values" "$program" values "$WORK/one.book" <"$WORK/values"
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
    _built_and_run() {
        gcc -I"$two" -o "$WORK/book" tools/examples/book.c "$two/wari_probe.c" && "$WORK/book" "$@" >"$out" 2>"$err"
        code=$?
    }
    out=$WORK/out err=$WORK/err
    _built_and_run "$WORK/o.book" "1 1 0 0 0 0 / 1 0 0 0 0 0"
    expect_code 0
    expect_output "value 3, best move B"
    _built_and_run "$WORK/o.book" "1 1 0 0"
    expect_code 1
    expect_message "12 counts"
    _built_and_run "$two/wari_probe.c" "1 1 0 0 0 0 / 1 0 0 0 0 0"
    expect_code 1
    expect_message "does not begin like a book"
}

they_need_the_c_library_alone_and_show_nothing_but_public_names() {
    gcc -std=c99 -O2 $warnings -c -o "$WORK/probe.o" "$two/wari_probe.c" || fail "not compiled"
    nm --undefined-only "$WORK/probe.o" | awk '{ print $2 }' |
        grep -vE '^(mem(cmp|cpy|set)|str(cmp|len)|v?snprintf|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$' >"$WORK/needed"
    [ ! -s "$WORK/needed" ] || fail "needed: $(xargs <"$WORK/needed")"
    nm --defined-only "$WORK/probe.o" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort >"$WORK/shown"
    grep -oE 'wari_[a-z_]*\(' "$two/wari_probe.h" | tr -d '(' | sort -u >"$WORK/declared"
    [ -z "$(comm -23 "$WORK/shown" "$WORK/declared")" ] || fail "shown: $(xargs <"$WORK/shown")"
    [ "$(nm "$WORK/probe.o" | grep -c ' [BbC] ')" -eq 0 ] || fail "there is data that changes"
}

they_have_at_most_2000_lines_and_say_licence_and_version() {
    [ "$(cat "$two"/* | wc -l)" -le 2000 ] || fail "$(wc -l "$two"/*)"
    grep -q 'Wari 1\.2\.3' "$two/wari_probe.h" || fail "no version"
    while read -r line; do
        grep -qF -e "$line" "$two/wari_probe.h" || fail "no licence: $line"
    done <LICENSE
}

run_tests
