# Converts the output of `wari help COMMAND` to the body of its manual page. All help texts have the same
# structure (tools/README.md), which is recognized paragraph by paragraph:
#
#     usage: ...                    the synopsis; its lines are kept
#       --option VALUE   text      a list; lines with a larger indent continue the text
#       (a) text
#     exit codes: ...               a list; the page has it before the examples
#     example                       the indented lines below it are kept
#     anything else                 prose
#
# A line inside the text of an option that starts with a word and a colon, such as "csv: ...", describes a
# choice and starts a new line. The variable `more` names a file with additional sections.

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

# Prints the text of the current item so far. Each choice starts a new line.
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

# Prints "--rules R, --cycle C" as macros. An argument of two letters is escaped, because it could be the name of a macro.
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

# Prints exit codes given as "0 done; 2 bad usage; 129, 130 or 143 stopped".
function print_exit_codes(text,    count, codes, i) {
    section(".Sh", "EXIT STATUS")
    sub(/^exit codes: +/, "", text)
    count = split(text, codes, /; +/)
    if (count < 2) {
        print_filled(escape_prose(text))
        return
    }
    print ".Bl -tag -width Ds"
    for (i = 1; i <= count; i++) {
        if (codes[i] ~ /^[0-9]/) {
            match(codes[i], /^[0-9]+((,| or) [0-9]+)*/)
            print ".It " substr(codes[i], 1, RLENGTH)
            codes[i] = substr(codes[i], RLENGTH + 2)
        }
        print_filled(escape_prose(codes[i] (codes[i + 1] ~ /^[a-z]/ ? ";" : "")))
    }
    print ".El"
}

function flush_prose() {
    if (prose ~ /^exit codes: /) {
        exits = prose
    } else if (prose != "") {
        close_list()
        blank_line()
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
    section(".Sh", "SYNOPSIS")
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

in_usage {
    in_usage = 0
    leave_literal()
    section(".Sh", "DESCRIPTION")
    next
}

/^examples?$/ {
    flush_prose()
    close_list()
    in_examples = 1
    next
}

in_examples && /^ / {
    example[++examples] = substr($0, 3)
    next
}

/^$/ {
    in_examples = 0
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

# Other indented lines are printed as they are.
/^ / {
    if (!literal) {
        flush_prose()
        close_list()
        open_literal()
    }
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
    if (more)
        while ((getline line < more) > 0)
            print line
    if (exits)
        print_exit_codes(exits)
    if (examples) {
        section(".Sh", "EXAMPLES")
        open_literal()
        for (i = 1; i <= examples; i++)
            print_literal(example[i])
        close_literal()
    }
}
