#!/usr/bin/env bash
# Runs fuzzers one after the other. Each begins with the corpus in the repository and with the
# inputs that earlier runs found. Prints how often each ran its target. A finding ends the fuzzer
# and is saved as a file.
#
#   tests/fuzz/run.sh SECONDS FOLDER TARGET...      FOLDER: where fuzz_TARGET is
#
# ONLY: a pattern for targets. FUZZ_SEED: the seed for random numbers (0: a random seed).
set -u
seconds=$1
folder=$2
shift 2
failed=0 ran=0
# Freed memory is soon used again, so that it stays in the caches.
reuse=quarantine_size_mb=4:thread_local_quarantine_size_kb=64:allocator_release_to_os_interval_ms=-1
export ASAN_OPTIONS=${ASAN_OPTIONS:-$reuse}
for target in "$@"; do
    # shellcheck disable=SC2053 # a pattern on purpose
    [[ $target == ${ONLY:-*} ]] || continue
    found=$folder/found/$target log=$folder/$target.log
    mkdir -p "$found" || exit 1
    "$folder/fuzz_$target" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -timeout=60 -print_final_stats=1 \
        -artifact_prefix="$folder/finding-$target-" "$found" "tests/fuzz/corpus/$target" \
        >"$log" 2>&1 </dev/null
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    ran=$((ran + 1))
    if [ $status -eq 0 ]; then
        echo "fuzz_$target: ${runs:-0} executions in $seconds s, no finding"
    else
        echo "fuzz_$target: a FINDING after ${runs:-an unknown number of} executions; see $log:"
        grep -E 'does not hold|ERROR|runtime error|Test unit written' "$log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
done
echo "$((ran - failed)) passed, $failed failed"
[ $failed -eq 0 ] && [ $ran -gt 0 ]
