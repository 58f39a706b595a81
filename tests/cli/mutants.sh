#!/usr/bin/env bash
# One in five of the wrong solvers of tests/mutants/, and one that is none. (All in .ci/run.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

readonly built=$(dirname "$WARI")

_mutants() { # ARGUMENT... ; leaves $out, $err and $code
    out=$WORK/out err=$WORK/err
    make --no-print-directory BUILD="${built#"$PWD"/}" JOBS=1 "$@" mutants >"$out" 2>"$err"
    code=$?
}

wrong_solvers_are_refused() {
    _mutants STEP=5 ONLY=
    expect_code 0
    expect_output_has "10 of 10 refused"
}

there_are_fifty_of_them_each_with_a_name_of_its_own() {
    local count
    count=$(sed '/^#/d; s/ :: .*//' tests/mutants/mutants.txt | sort -u | wc -l)
    [ "$count" -eq 50 ] || { code=0; out=/dev/null err=/dev/null; fail "expected 50, not $count"; }
}

# What changes nothing, what is not there, and what cannot be built.
what_is_no_mutant_fails() {
    local file=solver/rows/sow.c
    cat >"$WORK/list" <<END
no change :: $file :: awari even 3 :: landing.captured += left[pit]; :: landing.captured += left[pit] + 0;
no place :: $file :: awari even 3 :: nowhere to be found :: at all
no program :: $file :: awari even 3 :: landing.captured += left[pit]; :: landing.captured +
END
    _mutants LIST="$WORK/list" ONLY= STEP=
    expect_code 2
    expect_output_has "NO MUTANT: its values are right: no change"
    expect_output_has "NO MUTANT: 0 places of $file read nowhere to be found: no place"
    expect_output_has "error: "
    expect_output_has "0 of 3 refused"
}

run_tests
