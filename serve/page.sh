#!/bin/sh
# Writes the files of the page, and the description of the API, as the server sends them: index.html once for each
# language, with the texts of the language; main.js together with all modules that it imports; and each file also
# compressed. serve/page.c embeds the files in the program.
#
#   serve/page.sh FOLDER
set -eu
folder=$1

rm -rf "$folder"
mkdir -p "$folder/messages" "$folder/api/v1"
cp serve/page/*.js serve/page/*.css serve/page/*.svg "$folder"
cp serve/page/messages/*.json "$folder/messages"
cp serve/openapi.json "$folder/api/v1"
for texts in serve/page/messages/*.json; do
    language=${texts##*/}
    language=${language%.json}
    serve/fill_in.sh "$language" >"$folder/index.$language.html"
done
serve/bundle.sh "$folder/main.js"
gzip -9 -n -k "$folder"/*.* "$folder"/messages/* "$folder"/api/v1/*
