# Functions that convert text to mdoc(7), for the other files in this folder. Characters with a meaning in roff are
# escaped, each sentence starts on a new line, and paragraph macros are printed only where they have an effect,
# so that linters of manual pages do not complain.

# Escapes any text. The backslash must be replaced first.
function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text
}

# Escapes literal text, which readers copy: each "-" is a minus sign.
function escape_literal(text) {
    text = escape(text)
    gsub(/-/, "\\-", text)
    return text
}

# Escapes prose: "-" is a minus sign in options, exponents and negative numbers, otherwise a hyphen.
function escape_prose(text) {
    text = " " escape(text)
    gsub(/--/, "\\-\\-", text)
    gsub(/ -/, " \\-", text)
    gsub(/\(-/, "(\\-", text)
    return substr(text, 2)
}

# Replaces each pair of marks in escaped text by bold type.
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

# Starts a new section. The next paragraph needs no paragraph macro.
function section(macro, title) {
    print macro " " title
    above = 0
}

function blank_line() {
    if (above)
        print ".Pp"
    above = 1
}

# Prints escaped prose. Each sentence starts on a new line, and long lines are broken.
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
