#!/usr/bin/env bash
# Tests one in ten of the wrong solvers of tests/mutants/, and invalid ones. (.ci/run tests all.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

readonly built=$(dirname "$WARI")
out=$WORK/out err=$WORK/err

# The command that `make mutants` runs; make would need as long to find it as to build a mutant.
# Half of the time of a mutant was spent in ld; lld takes a third of that.
make --no-print-directory -n BUILD="${built#"$PWD"/}" JOBS=1 ONLY= STEP=@STEP@ LIST=@LIST@ mutants >"$out" 2>"$err"
code=$?
command=$(sed -n '/^JOBS=/,$p' "$out" | sed 's/ -fopenmp -pthread / -fuse-ld=lld -Wl,--strip-debug&/')
[[ $code -eq 0 && $command == *mutants/run.py*-fuse-ld* ]] || { echo "not ok - set-up: make mutants"; cat "$err"; exit 1; }

_mutants() { # STEP LIST ; leaves $out, $err and $code
    local run=${command/@STEP@/$1}
    eval "${run/@LIST@/$2}" >"$out" 2>"$err"
    code=$?
}

wrong_solvers_are_refused() {
    _mutants 10 ''
    expect_code 0
    expect_output_has "5 of 5 refused"
}

there_are_fifty_of_them_each_with_a_name_of_its_own() {
    local count
    count=$(sed '/^#/d; s/ :: .*//' tests/mutants/mutants.txt | sort -u | wc -l)
    [ "$count" -eq 50 ] || { code=0; out=/dev/null err=/dev/null; fail "expected 50, not $count"; }
}

# Mutants that change nothing, whose place is not found, or that cannot be compiled.
an_invalid_mutant_fails() {
    local file=solver/rows/sow.c
    cat >"$WORK/list" <<END
no change :: $file :: awari even 3 :: landing.captured += left[pit]; :: landing.captured += left[pit] + 0;
no place :: $file :: awari even 3 :: nowhere to be found :: at all
no program :: $file :: awari even 3 :: landing.captured += left[pit]; :: landing.captured +
END
    _mutants '' "$WORK/list"
    expect_code 1
    expect_output_has "NO MUTANT: its values are right: no change"
    expect_output_has "NO MUTANT: 0 places of $file read nowhere to be found: no place"
    expect_output_has "error: "
    expect_output_has "0 of 3 refused"
}

run_tests
