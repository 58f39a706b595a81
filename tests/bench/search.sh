#!/usr/bin/env bash
# The part of `make bench` that plays: how often the search above a database finds a move without
# loss, and what a move of perfect play inside it costs. Figures, never a pass or a fail.
#
#   tests/bench/search.sh PROGRAM BENCH [SMALL] [LARGE]        seeds of the two databases
set -eu
wari=$(realpath "$1")
bench=$(realpath "$2")
folder=$(mktemp -d "${TMPDIR:-/tmp}/wari-search-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$wari" build --db small --rules tournament --seeds "${3:-10}" 2>build.log &&
    "$wari" build --db large --rules tournament --seeds "${4:-14}" 2>build.log ||
    { cat build.log >&2; exit 4; }
"$bench" --search small large
