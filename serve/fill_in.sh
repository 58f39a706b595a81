#!/bin/sh
# Prints index.html as the server sends it, with everything that a first view needs, so that a browser gets it in one response:
# - The texts of a language, so that a reader sees them before the script runs; messages.js later writes the same texts. Each
#   element with the attribute data-t="KEY" gets the text of the line "KEY": "TEXT" in the language's file in messages/. In
#   index.html, such an element must be on one line.
# - A <style> with style.css, and a <script> with main.js, in place of the lines of index.html that refer to these files. Each
#   element contains exactly the bytes of its file, because serve/page.sh allows it by the hash of the file.
# - A <script> with the language's file, which messages.js reads.
#
#   serve/fill_in.sh LANGUAGE FOLDER      FOLDER contains index.html, style.css, main.js and messages/
set -eu
language=$1 folder=$2
messages=$folder/messages/$language.json

awk -v language="$language" -v folder="$folder" -v messages="$messages" '
# Prints what is wrong and ends the script.
function refuse(problem) {
    print "serve/fill_in.sh: " problem >"/dev/stderr"
    exit 1
}
# Returns the text of a JSON string: resolves its escapes.
function decoded(key, string,    text) {
    text = ""
    while (match(string, /\\./)) {
        if (substr(string, RSTART, 2) !~ /["\/\\]$/)
            refuse(messages ": " key ": write the character itself in place of the escape " substr(string, RSTART, 2))
        text = text substr(string, 1, RSTART - 1) substr(string, RSTART + 1, 1)
        string = substr(string, RSTART + 2)
    }
    return text string
}
# Returns a text as HTML, in which [words in brackets] become <kbd> elements.
function html(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    while (match(text, /\[[^]]+\]/))
        text = substr(text, 1, RSTART - 1) "<kbd>" substr(text, RSTART + 1, RLENGTH - 2) "</kbd>" substr(text, RSTART + RLENGTH)
    return text
}
# Prints an element that contains a file. Refuses characters that would end the element or begin a comment.
function embed(start, file, end,    line, result) {
    printf "%s", start
    while ((result = (getline line <file)) > 0) {
        if (match(tolower(line), /<\/s(cript|tyle)|<!--/))
            refuse(file ": " substr(line, RSTART, RLENGTH) " cannot be inside an element of a page; write it in another way")
        print line
    }
    if (result < 0)
        refuse(file ": it cannot be read")
    close(file)
    print end
}
NR == FNR {
    if (match($0, /^ *"[a-z]+\.[a-z-]+": "/)) {
        text = substr($0, RLENGTH + 1)
        key = substr($0, 1, RLENGTH)
        gsub(/[ ":]/, "", key)
        sub(/",? *$/, "", text)
        texts[key] = text
    }
    next
}
$0 == "<link rel=\"stylesheet\" href=\"style.css\">" {
    embed("<style>", folder "/style.css", "</style>")
    next
}
$0 == "<script type=\"module\" src=\"main.js\"></script>" {
    embed("<script type=\"application/json\" id=\"texts\" lang=\"" language "\">", messages, "</script>")
    embed("<script type=\"module\">", folder "/main.js", "</script>")
    next
}
{
    sub(/<html lang="[a-z]*">/, "<html lang=\"" language "\">")
    rest = $0
    line = ""
    while (match(rest, /data-t="[^"]*"[^>]*><\//)) {
        key = substr(rest, RSTART + length("data-t=\""))
        sub(/".*/, "", key)
        line = line substr(rest, 1, RSTART + RLENGTH - 3)
        rest = substr(rest, RSTART + RLENGTH - 2)
        if (!(key in texts))
            refuse(messages ": there is no line with the text " key ", which index.html needs")
        line = line html(decoded(key, texts[key]))
    }
    print line rest
}' "$messages" "$folder/index.html"
