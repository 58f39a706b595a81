#!/bin/sh
# Writes the files of the page as the server sends them: main.js with all its modules in it, and each file also
# compressed. serve/page.c embeds them in the program.
#
#   serve/page.sh FOLDER
set -eu
folder=$1

rm -rf "$folder"
mkdir -p "$folder/messages"
cp serve/page/*.js serve/page/*.css serve/page/*.svg serve/page/*.html "$folder"
cp serve/page/messages/*.json "$folder/messages"
serve/bundle.sh "$folder/main.js"
gzip -9 -n -k "$folder"/*.* "$folder"/messages/*
