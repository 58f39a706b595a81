#!/bin/sh
# `make site`: tables and a book of `tournament` with 12 seeds, and the page with it. build.sh takes any book.
#
#   js/site/site.sh PROGRAM WARI.WASM FOLDER
set -eu
program=$1 wasm=$2 folder=$3
tables=$folder.tables

"$program" build --db "$tables" --rules tournament --seeds 12 2>/dev/null
"$program" book --db "$tables" --output "$tables/oware.book"
js/site/build.sh "$tables/oware.book" "$wasm" "$folder"
du -sh "$folder"
