#!/bin/sh
# Writes the files of the page, and the description of the API, as the server sends them: index.html once for each
# language, with everything that a first view needs (serve/fill_in.sh); main.js together with all modules that it imports; and
# each file also compressed. `policy` is the value of the header Content-Security-Policy. serve/page.c embeds the files in the
# program.
#
#   serve/page.sh FOLDER
set -eu
folder=$1

# Prints the source by which the policy allows an element of index.html that contains a file: the SHA-256 hash of the file, in
# base64.
source_of() { # FILE
    if command -v sha256sum >/dev/null; then
        hash=$(sha256sum "$1")
    else
        hash=$(shasum -a 256 "$1")
    fi
    echo "$hash" | awk '{
        symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        digits = $1 "00" # 32 bytes are padded to 33, whose base64 has 44 symbols
        for (i = 1; i <= 66; i += 3) {
            bits = 0
            for (j = 0; j < 3; j++)
                bits = 16 * bits + index("123456789abcdef", substr(digits, i + j, 1))
            text = text substr(symbols, int(bits / 64) + 1, 1) substr(symbols, bits % 64 + 1, 1)
        }
        print "\047sha256-" substr(text, 1, 43) "=\047"
    }'
}

rm -rf "$folder"
mkdir -p "$folder/messages" "$folder/api/v1"
cp serve/page/*.html serve/page/*.js serve/page/*.css serve/page/*.svg "$folder"
cp serve/page/messages/*.json "$folder/messages"
cp serve/openapi.json "$folder/api/v1"
serve/bundle.sh "$folder/main.js"
for texts in serve/page/messages/*.json; do
    language=${texts##*/}
    language=${language%.json}
    serve/fill_in.sh "$language" "$folder" >"$folder/index.$language.html"
done
rm "$folder/index.html"
gzip -9 -n -k "$folder"/*.* "$folder"/messages/* "$folder"/api/v1/*

# The page consists of files from this server alone, and must not be shown in a frame of another page.
script=$(source_of "$folder/main.js")
style=$(source_of "$folder/style.css")
printf '%s' "default-src 'none'; script-src 'self' $script; style-src 'self' $style; img-src 'self'; connect-src 'self'; " \
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" >"$folder/policy"
