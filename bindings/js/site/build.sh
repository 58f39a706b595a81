#!/bin/sh
# Builds the page as a folder of static files for any web host.
#
#   bindings/js/site/build.sh BOOK WARI.WASM FOLDER [PUZZLES]
#
# PUZZLES is a file that `wari puzzles --json` wrote; without it the page has no puzzles.
set -eu
book=$1 wasm=$2 folder=$3 puzzles=${4:-/dev/null}

rm -rf "$folder"
mkdir -p "$folder/messages"
cp serve/page/*.js serve/page/*.css serve/page/*.svg serve/page/index.html "$folder"
cp serve/page/messages/*.json "$folder/messages"
cp bindings/js/wari.js bindings/js/source.js bindings/js/site/ask.js bindings/js/site/worker.js bindings/js/site/answers.js bindings/js/site/judge.js LICENSE "$folder"
cp "$wasm" "$folder/wari.wasm"
cp "$book" "$folder/oware.book"
{ echo "["; sed '$!s/$/,/' "$puzzles"; echo "]"; } >"$folder/puzzles.json"

# The page and the worker become one script each. The modules of the page are then removed, because nothing loads them;
# wari.js stays, because other programs and pages may load it.
serve/bundle.sh "$folder/main.js"
serve/bundle.sh "$folder/worker.js"
if ! grep -q "^import" "$folder/main.js"; then
    for module in serve/page/*.js; do
        [ "$module" = serve/page/main.js ] || rm "$folder/${module##*/}"
    done
fi

version=$(cd "$folder" && find . -type f | sort | xargs cksum | cksum | tr ' ' '-')
files=$(cd "$folder" && find . -type f ! -name LICENSE | sort | sed 's|.*|"&"|' | tr '\n' ',')
sed -e "s/@VERSION@ is/The number is/" -e "s/@VERSION@/$version/" -e "s|@FILES@|\"./\",$files|" bindings/js/site/offline.js >"$folder/offline.js"
