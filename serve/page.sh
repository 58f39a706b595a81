#!/bin/sh
# Writes the files of the page, and the description of the API, as the server sends them: main.js with all its modules in
# it, and each file also compressed. serve/page.c embeds them in the program.
#
#   serve/page.sh FOLDER
set -eu
folder=$1

rm -rf "$folder"
mkdir -p "$folder/messages" "$folder/api/v1"
cp serve/page/*.js serve/page/*.css serve/page/*.svg serve/page/*.html "$folder"
cp serve/page/messages/*.json "$folder/messages"
cp serve/openapi.json "$folder/api/v1"
serve/bundle.sh "$folder/main.js"
gzip -9 -n -k "$folder"/*.* "$folder"/messages/* "$folder"/api/v1/*
