# What `wari help COMMAND` prints, as a part of wari(1). Follows the shape that all of these texts
# have (tools/README.md), paragraph by paragraph:
#
#     usage: ...                    lines as they are
#       --option VALUE   text      a list; lines further in go on with the text
#       (a) text
#     example                       what is indented below it, as it is
#     anything else                 prose
#
# A line inside an option's text that starts with a word and a colon, such as "csv: ...", is a
# choice and starts a line of its own.
# Variable: name, that of the command.

BEGIN {
    section(".Ss", "wari " name)
}

function indent_of(line) {
    match(line, /^ */)
    return RLENGTH
}

# ---- A list of options ----

function open_list() {
    if (!listing)
        print ".Bl -tag -width Ds"
    listing = 1
    above = 1
}

function close_list() {
    flush_item()
    if (listing)
        print ".El"
    listing = 0
}

# The text of an item so far, with choices on lines of their own.
function flush_item() {
    if (item != "")
        print_filled(escape_prose(item))
    item = ""
}

function add_to_item(text) {
    if (item != "" && text ~ /^[a-z0-9-]+( \([^)]*\))?: /) {
        flush_item()
        print ".br"
    }
    item = item (item == "" ? "" : " ") text
}

# "--rules R, --cycle C" as macros. An argument of two letters could be taken for a macro.
function print_tag(tag,    words, count, i, word, line, comma) {
    count = split(tag, words, / +/)
    line = ".It"
    for (i = 1; i <= count; i++) {
        word = words[i]
        comma = sub(/,$/, "", word)
        if (word ~ /^--/)
            line = line " Fl " substr(word, 2)
        else
            line = line (tag ~ /^--/ ? " Ar " : " ") (length(word) == 2 ? "\\&" : "") escape_prose(word)
        if (comma)
            line = line " ,"
    }
    print line
}

function start_item(line,    tag, gap) {
    sub(/^ +/, "", line)
    flush_item()
    open_list()
    gap = index(line, "  ")
    if (line ~ /^\([a-z]\) /)
        gap = 4
    tag = gap ? substr(line, 1, gap - 1) : line
    print_tag(tag)
    if (gap) {
        line = substr(line, gap)
        sub(/^ +/, "", line)
        add_to_item(line)
    }
}

# ---- Paragraphs ----

function flush_prose() {
    if (prose != "") {
        close_list()
        blank_line()
        sub(/^exit codes:/, "Exit codes:", prose)
        print_filled(escape_prose(prose))
    }
    prose = ""
}

function leave_literal() {
    if (literal)
        close_literal()
    literal = 0
}

/^usage: / {
    open_literal()
    literal = 1
    in_usage = 1
    print_literal(substr($0, 8))
    next
}

in_usage && /^ / {
    print_literal(substr($0, 8))
    next
}

/^examples?$/ {
    flush_prose()
    close_list()
    blank_line()
    print ($0 == "example" ? "Example:" : "Examples:")
    open_literal()
    literal = 1
    next
}

literal && /^ / {
    print_literal(substr($0, 3))
    next
}

/^$/ {
    in_usage = 0
    leave_literal()
    flush_prose()
    close_list()
    next
}

indent_of($0) == 2 && /^  (--|\([a-z]\) )/ {
    flush_prose()
    start_item($0)
    next
}

listing && indent_of($0) > 2 {
    line = $0
    sub(/^ +/, "", line)
    add_to_item(line)
    next
}

# Indented, but none of the above: kept as it is.
/^ / {
    flush_prose()
    close_list()
    open_literal()
    literal = 1
    print_literal(substr($0, 3))
    next
}

{
    leave_literal()
    prose = prose (prose == "" ? "" : " ") $0
}

END {
    leave_literal()
    flush_prose()
    close_list()
}
