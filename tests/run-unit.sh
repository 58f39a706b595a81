#!/usr/bin/env bash
# Runs unit test programs side by side, prints what they print, one after the other, and ends with
# the line "N passed, N failed". A crash, a time-out, a skipped test and a program without a
# single test count as failures.
#
#   tests/run-unit.sh FOLDER_FOR_LOGS PROGRAM...
#
# JOBS: programs at a time (2). ONLY: a pattern for program names. LIMIT: seconds for one (300).
# EMULATOR: what runs programs that are for another processor.
set -u
# shellcheck source=tests/runner.sh
. tests/runner.sh

logs=$1
shift
programs=()
for program in "$@"; do
    # shellcheck disable=SC2053 # a pattern on purpose
    [[ ${program##*/} == ${ONLY:-*} ]] && programs+=("$program")
done

make_work_folder || exit 1

takes_long='test_@(solver_@(bits*|bounded|bytes|checkpoint|faults|interruption|lower|peak|plan|ranks|sums)|pack*|db_@(line|player)|book|crash|reference)'

run_one() { # PROGRAM LOG
    timeout --kill-after=10 "${LIMIT:-300}" ${EMULATOR:-} "$1" >"$2" 2>&1 </dev/null
    echo "$?" >"$2.status"
}

count_one() { # PROGRAM LOG ; sets good, bad, note
    local status
    status=$(cat "$2.status")
    good=$(grep -c '^\[       OK \]' "$2")
    bad=$(awk -v good="$good" '/^\[=+\] Running [0-9]+ test/ { all += $3 } END { print all - good }' "$2")
    note=
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        note="took more than ${LIMIT:-300} seconds"
    elif [ "$status" -ge 128 ]; then
        note="killed by signal $((status - 128))"
    elif [ "$status" -ne 0 ]; then
        note="ended with status $status"
    elif [ "$good" -eq 0 ]; then
        note="ran no test"
    fi
    [ -z "$note" ] || [ "$bad" -gt 0 ] || bad=1
}

run_all "$logs" "${programs[@]}"
