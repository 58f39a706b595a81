#!/usr/bin/env bash
# Runs the parts of `make test-long`, one after the other, and prints the time of each; all of them
# run even if one fails. Ends with the sum: "N passed, N failed".
#
#   tests/long.sh MAKE BUILD_FOLDER GROUP...    GROUP: the groups of unit tests of the part "large"
#
# JOBS: programs at a time (2). ONLY: a pattern for the names of parts: large, scripts, figures, books, kills,
# checks, hashes. SCRIPTS: a pattern for the names of the scripts of the part "scripts".
set -u
make=$1 build=$2
shift 2
groups=("$@")
export LIMIT=36000
pick=${ONLY:-*}
unset ONLY
passed=0 failed=0

part() { # NAME COMMAND...
    local name=$1 began=$SECONDS good bad
    shift
    # shellcheck disable=SC2053 # a pattern on purpose
    [[ $name == $pick ]] || return 0
    echo "==== $name"
    "$@" | tee "$build/log/long.$name"
    read -r good _ bad _ < <(tail -n 1 "$build/log/long.$name")
    case $good$bad in
    "" | *[!0-9]*) good=0 bad=1 ;; # it broke before it counted anything
    esac
    passed=$((passed + good)) failed=$((failed + bad))
    echo "$name took $((SECONDS - began)) s"
}

mkdir -p "$build/log" || exit 1
WARI_TEST_SCALE=long part large tests/run-unit.sh "$build/log/large" "$build/unit-long" "${groups[@]}"
ONLY=$SCRIPTS part scripts tests/run-cli.sh "$build/log/scripts" "$build/wari"
WARI_TEST_SCALE=long ONLY=figures part figures tests/run-cli.sh "$build/log/figures" "$build/wari"
WARI_TEST_SCALE=long ONLY=amalgamation part books tests/run-cli.sh "$build/log/books" "$build/wari"
KILLS=200 ONLY=kill part kills tests/run-cli.sh "$build/log/kill" "$build/wari"
# Runs `make test-asan` with the checks that it usually skips (SKIPPED_CHECKS in tests.mk). MAKEFLAGS is removed, because it
# contains the ONLY that selects parts of this script.
SKIPPED_CHECKS='' part checks env -u MAKEFLAGS tests/all.sh "$make" "$build" test-asan
part hashes tests/long-hashes.sh "$build/wari"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
