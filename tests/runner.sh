# Sourced by run-unit.sh and run-cli.sh: runs things side by side and counts.
#
# The caller defines
#   run_one ITEM LOG      runs one item; writes its output to LOG, its exit code to LOG.status
#   count_one ITEM LOG    sets good, bad (numbers) and note (what went wrong, or nothing)

# Threads that wait in a busy loop would starve the other programs.
export OMP_WAIT_POLICY=passive

report_one() { # ITEM LOG ; prints and adds to passed and failed
    count_one "$1" "$2"
    passed=$((passed + good))
    failed=$((failed + bad))
    echo "== ${1##*/}: $good passed, $bad failed${note:+ ($note)}"
    sed 's/^/   /' "$2"
}

# Runs the items, prints what each one printed, and ends with the total line, which it also leaves
# in LOGS/total. Fails if anything failed or nothing ran.
run_all() { # LOGS ITEM...
    local logs=$1 passed=0 failed=0 good bad note item next=0 jobs=${JOBS:-2}
    shift
    rm -rf "$logs"
    mkdir -p "$logs" || return 1
    local items=("$@")
    for item in "${items[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
            wait -n
        done
        run_one "$item" "$logs/${item##*/}.log" &
        # What has ended is printed in order, so that logs can be compared.
        while [ "$next" -lt "${#items[@]}" ] &&
            [ -e "$logs/${items[$next]##*/}.log.status" ]; do
            report_one "${items[$next]}" "$logs/${items[$next]##*/}.log"
            next=$((next + 1))
        done
    done
    wait
    for item in "${items[@]:$next}"; do
        report_one "$item" "$logs/${item##*/}.log"
    done
    if [ $((passed + failed)) -eq 0 ]; then
        echo "No test ran." >&2
        failed=1
    fi
    echo "$passed passed, $failed failed" | tee "$logs/total"
    [ "$failed" -eq 0 ]
}
