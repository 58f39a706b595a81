#!/usr/bin/env bash
# The part of `make bench` that plays. It measures how often a search finds a move without loss for
# positions with more seeds than the database has, how long a move of perfect play inside the
# database takes, how often a search proves who wins, how many positions it examines in a second with
# tables of several sizes, and how late moves are. It has no pass or fail.
#
#   tests/bench/search.sh PROGRAM BENCH [SMALL] [LARGE]        seeds of the two databases
#   BENCH_TABLES="12 20 24" make bench        sizes of the tables, in seeds; 24 needs some 20 s and 270 MB more
set -eu
wari=$(realpath "$1")
bench=$(realpath "$2")
times=$(realpath tests/bench/times.py)
folder=$(mktemp -d "${TMPDIR:-/tmp}/wari-search-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$wari" build --db small --rules tournament --seeds "${3:-10}" 2>build.log &&
    "$wari" build --db large --rules tournament --seeds "${4:-14}" 2>build.log ||
    { cat build.log >&2; exit 4; }
"$bench" --search small large
"$bench" --prove large "$((${4:-14} + 4))" 100 200 # folder, seeds, positions, milliseconds
folders=()
for seeds in ${BENCH_TABLES:-12 20}; do
    "$wari" build --db "tables$seeds" --rules tournament --seeds "$seeds" 2>build.log ||
        { cat build.log >&2; exit 4; }
    folders+=("tables$seeds")
done
"$bench" --tables 300000 1 "${folders[@]}" # nodes, positions for each number of seeds
python3 "$times" "$wari"
