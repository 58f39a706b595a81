#!/usr/bin/env bash
# Runs groups of unit tests side by side, each in a process of its own, prints what they print, one
# after the other, and ends with the line "N passed, N failed". A crash, a time-out, a skipped test and
# a group without a single test count as failures.
#
#   tests/run-unit.sh FOLDER_FOR_LOGS PROGRAM GROUP...
#
# JOBS: groups at a time (2). ONLY: a pattern for their names. LIMIT: seconds for one, which only end
# what would never end (6000). EMULATOR: what runs programs that are for another processor. AGAIN: the
# target of make that runs these tests.
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
