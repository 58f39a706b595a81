# Text to mdoc(7), shared by the other files here: what roff would take for its own is
# escaped, sentences start on lines of their own, and a paragraph macro stands only where one has an
# effect, so that linters of manual pages find nothing.

# Text of any kind. The backslash comes first.
function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text
}

# In what people copy, each minus is one.
function escape_literal(text) {
    text = escape(text)
    gsub(/-/, "\\-", text)
    return text
}

# In prose, those of options, exponents and negative numbers are; the others are hyphens.
function escape_prose(text) {
    text = " " escape(text)
    gsub(/--/, "\\-\\-", text)
    gsub(/ -/, " \\-", text)
    gsub(/\(-/, "(\\-", text)
    return substr(text, 2)
}

# Replaces each pair of marks in escaped text by a change of font.
function marked(text, mark, size,    from, before, inside, result) {
    result = ""
    while ((from = index(text, mark)) > 0) {
        before = substr(text, 1, from - 1)
        inside = substr(text, from + size)
        if (!index(inside, mark))
            break
        text = substr(inside, index(inside, mark) + size)
        inside = substr(inside, 1, index(inside, mark) - 1)
        result = result before "\\fB" inside "\\fP"
    }
    return result text
}

function print_line(line) {
    print (line ~ /^[.]/ ? "\\&" : "") line
}

# Starts a new section: nothing stands above the next paragraph.
function section(macro, title) {
    print macro " " title
    above = 0
}

function blank_line() {
    if (above)
        print ".Pp"
    above = 1
}

# Escaped prose, a sentence after the other, in lines that are not too long.
function print_filled(text,    words, count, i, line, word) {
    count = split(text, words, /[ \t]+/)
    line = ""
    for (i = 1; i <= count; i++) {
        word = words[i]
        if (line != "" && length(line) + 1 + length(word) > 78) {
            print_line(line)
            line = ""
        }
        line = line (line == "" ? "" : " ") word
        if (word ~ /[^.][.!?][)"]*$/ && words[i + 1] ~ /^[("]?[A-Z]/) {
            print_line(line)
            line = ""
        }
    }
    if (line != "")
        print_line(line)
}

function open_literal() {
    print ".Bd -literal -offset indent"
    above = 1
}

function print_literal(line) {
    print_line(line == "" ? "" : escape_literal(line))
}

function close_literal() {
    print ".Ed"
}
