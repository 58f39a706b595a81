#!/bin/sh
# The page as a folder of files that any web host can show.
#
#   js/site/build.sh BOOK WARI.WASM FOLDER
set -eu
book=$1 wasm=$2 folder=$3

rm -rf "$folder"
mkdir -p "$folder/messages"
cp serve/page/*.js serve/page/*.css serve/page/*.svg serve/page/index.html "$folder"
cp serve/page/messages/*.json "$folder/messages"
cp js/wari.js js/source.js js/site/ask.js js/site/worker.js js/site/answers.js LICENSE "$folder"
cp "$wasm" "$folder/wari.wasm"
cp "$book" "$folder/oware.book"

version=$(cd "$folder" && find . -type f | sort | xargs cksum | cksum | tr ' ' '-')
files=$(cd "$folder" && find . -type f ! -name LICENSE | sort | sed 's|.*|"&"|' | tr '\n' ',')
sed -e "s/@VERSION@ is/The number is/" -e "s/@VERSION@/$version/" -e "s|@FILES@|\"./\",$files|" js/site/offline.js >"$folder/offline.js"
