#!/bin/sh
# Prints serve/page/index.html with the texts of a language in it, so that a reader sees the texts before the scripts
# have been loaded; messages.js later writes the same texts. Each element with the attribute data-t="KEY" gets the text
# of the line "KEY": "TEXT" in the language's file in messages/. In index.html, such an element must be on one line.
#
#   serve/fill_in.sh LANGUAGE
set -eu
language=$1

awk -v language="$language" '
# Returns a text as HTML, in which [words in brackets] become <kbd> elements.
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
