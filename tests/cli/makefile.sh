#!/usr/bin/env bash
# The variables of the Makefile that packagers set. Most tests use `make -n`, which prints commands and runs none.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

code=0

# Calls make without the variables of the make that runs the tests.
_run_make() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS -u CPPFLAGS -u LDFLAGS -u BATCHED make --no-print-directory "$@"
}

_make() {
    _run_make -n "$@"
}

_commands() { # ARGUMENT... ; leaves the compilers' commands in $out
    out=$WORK/out err=$WORK/err
    _make BUILD="$WORK/fresh" "$@" 2>"$err" |
        grep -E -- ' -c -o ' >"$out"
    [ -s "$out" ] || fail "no commands: $(cat "$err")"
}

# Prints the last level of optimisation, which is the one that counts, for one source.
_level() { # SOURCE
    grep -F -- " $1" "$out" | grep -oE -- ' -O[a-z0-9]*' | tail -n 1
}

inner_loops_keep_their_optimisation_whatever_flags_are_added() {
    local flags
    for flags in "" "CFLAGS=-O2 -g" "CFLAGS=-g -O2 -fstack-protector-strong -flto=auto" "CFLAGS=-march=native"; do
        # shellcheck disable=SC2086 # an empty argument is none
        _commands ${flags:+"$flags"} all
        for source in db/book/block.c db/format/decoder.c solver/kernel/*.c verify/verify_kernel_portable.c play/search/search.c; do
            [ "$(_level "$source")" = " -O3" ] || fail "$flags: $(grep -F -- " $source" "$out")"
        done
        [[ $flags != *-O2* ]] || [ "$(_level tools/query/query.c)" = " -O2" ] || fail "$flags: query.c"
    done
}

who_asks_for_less_optimisation_gets_it_everywhere() {
    local flags
    for flags in "-O0 -g" -Og -O1 "-O2 -fsanitize=address"; do
        _commands CFLAGS="$flags" all
        ! grep -e -O3 "$out" || fail "$flags: -O3"
    done
}

preprocessor_flags_reach_every_compilation() {
    _commands CPPFLAGS="-DOF_A_PACKAGER -D_FORTIFY_SOURCE=2" all
    ! grep -v -e "-DOF_A_PACKAGER -D_FORTIFY_SOURCE=2" "$out" || fail "compiled without CPPFLAGS"
}

clean_removes_no_folder_of_the_user() {
    mkdir "$WORK/own"
    touch "$WORK/own/letter"
    ! _run_make BUILD="$WORK/own" clean >"$WORK/out" 2>"$WORK/err" || fail "expected that it is refused"
    grep -qF "holds nothing that this Makefile made" "$WORK/err" || fail "$(cat "$WORK/err")"
    [ -e "$WORK/own/letter" ] || fail "expected that the file of the user is kept"
}

a_build_folder_with_blanks_is_refused_in_one_sentence() {
    local folder
    for folder in "my build" ""; do
        ! _make BUILD="$folder" lib >"$WORK/out" 2>"$WORK/err" || fail "accepted: \"$folder\""
        [ "$(wc -l <"$WORK/err")" -eq 1 ] || fail "expected one line: $(cat "$WORK/err")"
        grep -qF "BUILD: \"$folder\" must be one path without blanks" "$WORK/err" || fail "$(cat "$WORK/err")"
    done
}

run_tests
