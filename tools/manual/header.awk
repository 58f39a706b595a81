# Converts a public header to a section of libwari(3). Each comment at the left margin becomes prose. The
# declarations below it are printed before the prose, without attributes that only a compiler needs. In
# comments, lines that are indented further than " * " are kept as they are.
# The variable `title` is the title of the section.

BEGIN {
    section(".Sh", title)
}

function print_block(block, count,    i) {
    if (!count)
        return
    print ".Bd -literal"
    for (i = 1; i <= count; i++)
        print_literal(block[i])
    print ".Ed"
    above = 1
}

function flush_text() {
    if (text != "") {
        blank_line()
        text = marked(marked(escape_prose(text), "**", 2), "\\(ga", 4)
        gsub(/wari_[a-z_]+\(\)/, "\\fB&\\fP", text)
        gsub(/\(\)\\fP/, "\\fP()", text)
        print_filled(text)
    }
    text = ""
}

# Prints the current comment.
function print_comment(    i, line) {
    kept = 0
    for (i = 1; i <= comments; i++) {
        line = comment[i]
        if (line ~ /^   *[^ ]/) {
            flush_text()
            as_it_is[++kept] = line
            continue
        }
        if (line == "" && kept && comment[i + 1] ~ /^  /) {
            as_it_is[++kept] = ""
            continue
        }
        print_block(as_it_is, kept)
        kept = 0
        if (line == "")
            flush_text()
        else
            text = text (text == "" ? "" : " ") line
    }
    flush_text()
    print_block(as_it_is, kept)
    comments = 0
}

# Prints the collected declarations, then their comment.
function flush_all() {
    print_block(code, codes)
    codes = 0
    if (comments)
        print_comment()
    comments = 0
}

function add_comment(line) {
    sub(/^ \*/, "", line)
    sub(/^ /, "", line)
    comment[++comments] = line
}

# Adds a line of a declaration. Continuation lines are joined if they fit.
function add_code(line) {
    gsub(/WARI_MUST_CHECK |WARI_API /, "", line)
    gsub(/ __attribute__\(\(format\(printf, [0-9], [0-9]\)\)\)/, "", line)
    sub(/^ +$/, "", line)
    if (line ~ /^(WARI_MUST_CHECK|WARI_API)? *$/)
        return
    if (depth == 0 && line ~ /^ / && codes) {
        sub(/^ +/, "", line)
        glue = code[codes] ~ /\($/ ? "" : " "
        if (length(code[codes]) + 1 + length(line) <= 76) {
            code[codes] = code[codes] glue line
            return
        }
        line = "    " line
    }
    code[++codes] = line
}

in_comment {
    last = /\*\//
    line = $0
    sub(/ *\*\/ *$/, "", line)
    if (line !~ /^ *\*? *$/ || !last)
        add_comment(line)
    in_comment = !last
    next
}

# Preprocessor lines and extern "C" are omitted.
/^#/ || /^extern "C" \{/ || (/^}$/ && depth == 0) {
    flush_all()
    continued = /\\$/
    next
}

continued {
    continued = /\\$/
    next
}

/^\/\* ---- / {
    flush_all()
    line = $0
    sub(/^\/\* -+ /, "", line)
    sub(/ -+ \*\/$/, "", line)
    section(".Ss", line)
    next
}

depth == 0 && /^\/\*/ {
    flush_all()
    line = substr($0, 3)
    in_comment = line !~ /\*\//
    sub(/ *\*\/ *$/, "", line)
    sub(/^ /, "", line)
    comment[++comments] = line
    next
}

/^$/ && depth == 0 {
    if (codes)
        flush_all()
    next
}

{
    add_code($0)
    line = $0
    gsub(/\/\*[^*]*\*\//, "", line)
    depth += gsub(/\{/, "", line) - gsub(/\}/, "", line)
}

END {
    flush_all()
}
