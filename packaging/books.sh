#!/usr/bin/env bash
# `make books`: builds the databases of three variants, and writes books with 12, 15 and 18 seeds of each. Existing
# levels are not solved again. Sizes and hashes go to standard output.
#
#   packaging/books.sh PROGRAM FOLDER
set -eu

program=$1 folder=$2
mkdir -p "$folder"

for rules in "tournament" "awari --cycle even" "wari --cycle own"; do
    name=${rules%% *}
    # shellcheck disable=SC2086 # an option and its value
    "$program" build --db "$folder/tables" --rules $rules --seeds 18
    for seeds in 12 15 18; do
        book=$folder/$name-$seeds.book
        # shellcheck disable=SC2086
        "$program" book --db "$folder/tables" --rules $rules --seeds $seeds --output "$book"
    done
done
