#!/bin/sh
# `make site`: builds tables and a book of `tournament` with 12 seeds, and the page with the book and the search.
# build.sh works with any book.
#
#   bindings/js/site/site.sh PROGRAM FOLDER_OF_THE_TWO_FILES FOLDER
set -eu
program=$1 two=$2 folder=$3
tables=$folder.tables

"$program" build --db "$tables" --rules tournament --seeds 12 2>/dev/null
"$program" book --db "$tables" --output "$tables/oware.book"
bindings/js/build.sh "$two" "$tables/wari.wasm" search
bindings/js/site/build.sh "$tables/oware.book" "$tables/wari.wasm" "$folder"
du -sh "$folder"
