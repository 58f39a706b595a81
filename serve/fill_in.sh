#!/bin/sh
# Prints serve/page/index.html with the texts of a language in the elements that have `data-t`, so that they can be read
# before the scripts have been loaded. messages.js writes the same texts again. A text is a line "KEY": "TEXT" of the
# language's file in messages/. The element that has it begins and ends on one line of index.html.
#
#   serve/fill_in.sh LANGUAGE
set -eu
language=$1

awk -v language="$language" '
# Returns a text as HTML: its [keys] are <kbd> elements.
function html(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    while (match(text, /\[[^]]+\]/))
        text = substr(text, 1, RSTART - 1) "<kbd>" substr(text, RSTART + 1, RLENGTH - 2) "</kbd>" substr(text, RSTART + RLENGTH)
    return text
}
NR == FNR {
    if (match($0, /^ *"[a-z]+\.[a-z-]+": "/)) {
        text = substr($0, RLENGTH + 1)
        key = substr($0, 1, RLENGTH)
        gsub(/[ ":]/, "", key)
        sub(/",? *$/, "", text)
        texts[key] = html(text)
    }
    next
}
{
    sub(/<html lang="[a-z]*">/, "<html lang=\"" language "\">")
    rest = $0
    line = ""
    while (match(rest, /data-t="[^"]*"[^>]*><\//)) {
        key = substr(rest, RSTART + length("data-t=\""))
        sub(/".*/, "", key)
        if (!(key in texts)) {
            print "index.html: " language ".json has no text " key >"/dev/stderr"
            exit 1
        }
        line = line substr(rest, 1, RSTART + RLENGTH - 3) texts[key]
        rest = substr(rest, RSTART + RLENGTH - 2)
    }
    print line rest
}' "serve/page/messages/$language.json" serve/page/index.html
