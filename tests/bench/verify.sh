#!/usr/bin/env bash
# The part of `make bench` that verifies a database. It measures how long that takes with one thread
# and with all threads, alternately, and how many chunks of lower levels are read with enough memory
# and with the least memory. It has no pass or fail.
#
#   tests/bench/verify.sh PROGRAM [SEEDS]
set -eu
wari=$(realpath "$1")
seeds=${2:-20}
threads=$(nproc)
folder=$(mktemp -d "${TMPDIR:-/tmp}/wari-verify-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

run() { # NAME [OPTION...]; sets $chunks to the number of chunks read
    local name=$1 start end
    shift
    start=$(date +%s%N)
    "$wari" verify --db db --anew --verbose "$@" >verdict 2>messages || { cat messages >&2; exit 4; }
    end=$(date +%s%N)
    chunks=$(sed -n 's/^read \([0-9,]*\) chunks.*/\1/p' messages)
    echo "$name $(((end - start) / 1000000))" >>times
}

"$wari" build --db db --seeds "$seeds" 2>build.log || { cat build.log >&2; exit 4; }
least=$("$wari" plan --verify --seeds "$seeds" --threads "$threads" --json |
    sed 's/.*"memory_least":\([0-9]*\).*/\1/')
for _ in 1 2 3; do
    run one --threads 1
    run all --threads "$threads"
done
much=$chunks
run least --threads "$threads" --memory "$least"
printf '\nproof, awari, even, 0..%d seeds\n' "$seeds"
sort -k1,1 -k2,2n times | awk -v threads="$threads" -v much="$much" -v few="$chunks" '
    { time[$1, ++count[$1]] = $2 / 1000 }
    END {
        one = time["one", 2]; all = time["all", 2]
        printf "  whole run          %7.2f s with 1 thread, %.2f s with %d (medians of 3 in turn): " \
            "%.2f times as fast\n", one, all, threads, one / all
        printf "  chunks read        %s; %s and %.2f s with the least memory\n", much, few, time["least", 1]
    }'
