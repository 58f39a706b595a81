#!/usr/bin/env bash
# Runs the parts of `make attack` one after the other, and continues after a failure. Prints the counts and the time of
# each part. The last line is "N passed, N failed", the number of parts.
#
#   tests/attack/run.sh MAKE BUILD_FOLDER
#
# Variables, with their defaults:
#   ATTACK_SECONDS   time for each fuzzer (20)
#   ATTACK_SEED      seed of all random choices (1)
#   ATTACK_RUNS      failing calls of each kind for each command (12)
#   ATTACK_COMMANDS  pattern for the commands of `faults`
#   ATTACK_KILLS     number of kills (20)
#   ATTACK_REQUESTS  requests of `soak` (500000)
#   ONLY             pattern for parts: faults, kills, fuzz, engine, http, races, soak
set -u
make=$1
build=$(realpath "$2")
pick=${ONLY:-*}
unset ONLY
seconds=${ATTACK_SECONDS:-20} seed=${ATTACK_SEED:-1}
left=$build/attack/left # findings and logs, which are kept
passed=0 failed=0

part() { # NAME COMMAND...
    local name=$1 began=$SECONDS
    shift
    # shellcheck disable=SC2053 # $pick is a pattern
    [[ $name == $pick ]] || return 0
    echo "==== $name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name FAILED"
    fi
    echo "$name took $((SECONDS - began)) s"
}

fuzz() {
    "$make" --no-print-directory fuzz ONLY='*' FUZZ_SECONDS="$seconds" FUZZ_SEED="$seed"
}

# With the address and undefined-behaviour sanitizers; the server also with the thread sanitizer.
sessions() { # engine|http
    tests/attack/protocols.py "$1" "$build/asan/wari" "$build/attack/db" "$left" "$seconds" "$seed"
}

requests() {
    local failed=0
    sessions http || failed=1
    echo "with the thread sanitizer:"
    tests/tsan.sh tests/attack/protocols.py http "$build/tsan/wari" "$build/attack/db" "$left" \
        "$seconds" "$seed" || failed=1
    return $failed
}

# A handle that many threads share, its cache, and the readers during `wari pack`.
races() {
    "$make" --no-print-directory test-tsan ONLY='test_db_c*' &&
        "$make" --no-print-directory test-tsan ONLY='test_pack_readers'
}

mkdir -p "$left" && rm -rf "$build/attack/db" "$build/attack/faults" &&
    "$build/wari" build --db "$build/attack/db" --seeds 8 2>"$left/build.log" || exit 1
part faults python3 tests/attack/faults.py "$build/wari" "$build/calls.so" \
    "$build/attack/faults" "${ATTACK_RUNS:-12}" "$seed"
KILLS=${ATTACK_KILLS:-20} ONLY=kill part kills tests/run-cli.sh "$build/log/kill" "$build/wari"
part fuzz fuzz
part engine sessions engine
part http requests
part races races
part soak tests/attack/soak.sh "$build/wari" "${ATTACK_REQUESTS:-500000}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
