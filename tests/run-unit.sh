#!/usr/bin/env bash
# Runs groups of unit tests in parallel, each in its own process, prints their output, one after the
# other, and ends with the line "N passed, N failed". A crash, a time-out, a skipped test and a
# group without tests count as failures.
#
#   tests/run-unit.sh FOLDER_FOR_LOGS PROGRAM GROUP...
#
# JOBS: number of groups at a time (2). ONLY: a pattern for their names. LIMIT: time limit for a
# group, in seconds; it ends only groups that hang (6000). EMULATOR: the command that runs programs
# for another processor. AGAIN: the make target that runs these tests.
set -u
# shellcheck source=tests/runner.sh
. tests/runner.sh

logs=$1 program=$2
shift 2
groups=()
for group in "$@"; do
    # shellcheck disable=SC2053 # a pattern on purpose
    [[ $group == ${ONLY:-*} ]] && groups+=("$group")
done

make_work_folder || exit 1

takes_long='test_@(solver_@(bits*|bounded|bytes|checkpoint|faults|interruption|lower|peak|plan|ranks|sums)|pack*|db_@(line|player)|book|crash|reference)'

run_one() { # GROUP LOG
    timeout --kill-after=10 "$limit" ${EMULATOR:-} "$program" "$1" >"$2" 2>&1 </dev/null
    echo "$?" >"$2.status"
}

count_one() { # GROUP LOG ; sets good, bad, note
    local status
    status=$(cat "$2.status")
    good=$(grep -c '^\[       OK \]' "$2")
    bad=$(awk -v good="$good" '/^\[=+\] Running [0-9]+ test/ { all += $3 } END { print all - good }' "$2")
    note=
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        note="timed out after $limit seconds"
    elif [ "$status" -ge 128 ]; then
        note="killed by signal $((status - 128))"
    elif [ "$status" -ne 0 ]; then
        note="ended with status $status"
    elif [ "$good" -eq 0 ]; then
        note="ran no test"
    fi
    [ -z "$note" ] || [ "$bad" -gt 0 ] || bad=1
}

run_all "$logs" "${groups[@]}"
