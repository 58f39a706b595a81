# Converts the Markdown of db/FORMAT.md to the body of a manual page. It supports what that file uses: headings,
# paragraphs, bulleted and numbered lists (one level), blocks of code (indented or fenced), tables; `code`,
# *italics*, **bold** and [links](...) inside text. The first heading, the title, is omitted.

BEGIN {
    section(".Sh", "DESCRIPTION")
    WIDEST = 24 # a column with a longer cell is set as filled text
    after_blank = 1
}

# ---- Inside a line ----

function inline(text,    link) {
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        link = substr(text, RSTART + 1, RLENGTH - 2)
        sub(/\]\(.*/, "", link)
        text = substr(text, 1, RSTART - 1) link substr(text, RSTART + RLENGTH)
    }
    text = escape_prose(text)
    text = marked(text, "**", 2)
    text = marked(text, "\\(ga", 4)
    while (match(text, /\*[A-Za-z][^*]*\*/))
        text = substr(text, 1, RSTART - 1) "\\fI" substr(text, RSTART + 1, RLENGTH - 2) \
            "\\fP" substr(text, RSTART + RLENGTH)
    return text
}

# ---- Blocks ----

function flush() {
    if (text != "") {
        if (!in_item)
            blank_line()
        print_filled(inline(text))
    }
    text = ""
    in_item = 0
}

function close_list() {
    flush()
    if (list)
        print ".El"
    list = ""
}

function open_list(kind) {
    flush()
    if (list != kind) {
        close_list()
        print ".Bl -" kind " -compact"
    }
    list = kind
    above = 1
    print ".It"
    in_item = 1
}

function close_code() {
    if (code)
        close_literal()
    code = 0
    held = 0
}

function split_row(line, cells,    count) {
    gsub(/^\||\|$/, "", line)
    gsub(/\\\|/, "\001", line)
    count = split(line, cells, "|")
    return count
}

function trimmed(cell) {
    gsub(/^ +| +$/, "", cell)
    gsub(/\001/, "|", cell)
    return cell
}

# Prints the table in row[1..rows]; row[2] is the alignment.
function print_table(    i, j, columns, cells, format, wide, cell, line, align) {
    columns = split_row(row[1], cells)
    split("", wide)
    for (i = 1; i <= rows; i++) {
        split_row(row[i], cells)
        for (j = 1; j <= columns; j++)
            if (i != 2 && length(trimmed(cells[j])) > WIDEST)
                wide[j] = 1
    }
    split_row(row[2], align)
    format = ""
    for (j = 1; j <= columns; j++)
        format = format (j > 1 ? " " : "") (align[j] ~ /-: *$/ ? "r" : "l") (wide[j] ? "x" : "")
    print ".TS"
    gsub(/x/, "b", format)
    line = format
    gsub(/[lr]b?/, "lb", line)
    print line
    gsub(/b/, "x", format)
    print format "."
    for (i = 1; i <= rows; i++) {
        if (i == 2)
            continue
        split_row(row[i], cells)
        line = ""
        for (j = 1; j <= columns; j++) {
            cell = inline(trimmed(cells[j]))
            if (wide[j] && i > 2 && cell != "")
                cell = "T{\n" cell "\nT}"
            line = line (j > 1 ? "\t" : "") cell
        }
        print_line(line)
    }
    print ".TE"
    above = 1
}

function flush_table() {
    if (rows > 0) {
        if (above)
            print ".Pp"
        print_table()
    }
    rows = 0
}

# ---- Lines ----

fenced {
    if (/^```/) {
        fenced = 0
        close_literal()
    } else {
        print_literal($0)
    }
    next
}

/^```/ {
    close_code()
    close_list()
    flush_table()
    open_literal()
    fenced = 1
    next
}

/^\|/ {
    close_code()
    close_list()
    row[++rows] = $0
    next
}

/^#/ {
    close_code()
    close_list()
    flush_table()
    title = $0
    sub(/^#+ */, "", title)
    if (/^## /)
        section(".Sh", toupper(inline(title)))
    else if (/^###+ /)
        section(".Ss", inline(title))
    after_blank = 1
    next
}

/^ *$/ {
    if (code)
        held++
    else
        flush()
    flush_table()
    after_blank = 1
    next
}

# Blank lines inside a block of code are kept; those after its last line are not.
(code || after_blank) && !in_item && /^    / {
    if (!code) {
        close_list()
        open_literal()
    }
    for (; held > 0; held--)
        print_literal("")
    code = 1
    print_literal(substr($0, 5))
    after_blank = 0
    next
}

/^- / {
    close_code()
    open_list("bullet")
    text = substr($0, 3)
    after_blank = 0
    next
}

/^[0-9]+\. / {
    close_code()
    open_list("enum")
    text = $0
    sub(/^[0-9]+\. +/, "", text)
    after_blank = 0
    next
}

{
    close_code()
    if (after_blank && !in_item)
        close_list()
    line = $0
    sub(/^ +/, "", line)
    text = text (text == "" ? "" : " ") line
    after_blank = 0
}

END {
    close_code()
    close_list()
    flush_table()
}
