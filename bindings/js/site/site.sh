#!/bin/sh
# `make site`: builds tables and a book of `tournament` with 12 seeds, 500 puzzles, and the page with the book, the
# puzzles and the search.
# build.sh works with any book.
#
#   bindings/js/site/site.sh PROGRAM FOLDER_OF_THE_TWO_FILES FOLDER
set -eu
program=$1 two=$2 folder=$3
tables=$folder.tables

"$program" build --db "$tables" --rules tournament --seeds 12 2>/dev/null
"$program" book --db "$tables" --output "$tables/oware.book"
# Most positions are easy, so a number of puzzles is made for each range of difficulties.
for range in "1 130" "2-4 130" "5-8 120" "9-13 120"; do
    "$program" puzzles --db "$tables" --seeds 4-12 --difficulty "${range% *}" --count "${range#* }" --json
done >"$tables/puzzles"
bindings/js/build.sh "$two" "$tables/wari.wasm" search
bindings/js/site/build.sh "$tables/oware.book" "$tables/wari.wasm" "$folder" "$tables/puzzles"
du -sh "$folder"
