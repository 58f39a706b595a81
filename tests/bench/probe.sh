#!/usr/bin/env bash
# The part of `make bench` that looks up values: runs `wari bench-probe`, and measures how long
# `wari query` takes for many positions, in index order and in random order. It has no pass or fail.
#
#   tests/bench/probe.sh PROGRAM [SEEDS]
set -eu
wari=$(realpath "$1")
seeds=${2:-20}
folder=$(mktemp -d "${TMPDIR:-/tmp}/wari-probe-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$wari" build --db db --seeds "$seeds" 2>build.log || { cat build.log >&2; exit 4; }
printf '\n'
"$wari" bench-probe --db db

# About two million positions in index order, and the same positions in random order.
lines=$("$wari" export --db db --seeds "$seeds" | wc -c)
step=$((lines / 2000000 + 1))
"$wari" export --db db --seeds "$seeds" --format csv |
    awk -F, -v step=$step 'NR > 1 && NR % step == 0 { print $1 }' >sorted
shuf sorted >random

printf '\nwari query --format value, %d seeds, %d positions (reading and printing included)\n' \
    "$seeds" "$(wc -l <sorted)"
for input in sorted random; do
    start=$(date +%s%N)
    "$wari" query --db db --format value <$input >values
    end=$(date +%s%N)
    awk -v name=$input -v count="$(wc -l <values)" -v time=$((end - start)) \
        'BEGIN { printf "  %-28s %14d positions a second\n", name, count / time * 1e9 }'
done
