#!/usr/bin/env bash
# The manual pages and the completion for bash: made from what the program says of itself, so what
# has to hold is that nothing is lost on the way and that both say what the program does.
. tests/cli/lib.sh

readonly built=$(dirname "$WARI")
out=/dev/null err=/dev/null code=0 # where a test runs something else
readonly pages=$(ls "$built"/*.[135])

_commands() {
    "$WARI" --help | sed -n '/^commands$/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

# The options of a command: what its usage and its list of options speak of. (Prose and examples may
# name those of other commands.)
_options() { # COMMAND
    "$WARI" help "$1" | awk '/^usage:/ || /^  --/ { on = 1 } /^$/ || /^  [^ -]/ { on = 0 } on' |
        grep -oE -e '--[a-z][a-z-]*' | sort -u
}

# A page as people read it, without line breaks in paragraphs.
_read() { # PAGE
    mandoc -T ascii -O width=1000 "$1" | sed 's/.\x08//g'
}

# Those of the lines that a page does not have, as part of a line of its own.
_lacking() { # PAGE ; stdin: lines
    awk -v page="$1" 'BEGIN { while ((getline line <page) > 0) text = text line "\n" } !index(text, $0)'
}

# ---- The pages --------------------------------------------------------------------------------------

linters_find_nothing_in_the_pages() {
    # Whether a page that another one refers to is installed is no matter of the page.
    # shellcheck disable=SC2086 # a list of words
    mandoc -T lint -W all $pages | grep -v 'referenced manual not found' >"$WORK/doubts"
    [ ! -s "$WORK/doubts" ] || fail "mandoc: $(cat "$WORK/doubts")"
    for page in $pages; do
        groff -t -mdoc -ww -T utf8 "$page" 2>"$WORK/doubts" >"$WORK/text" || fail "groff fails on $page"
        [ ! -s "$WORK/doubts" ] || fail "groff: $(cat "$WORK/doubts")"
        LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings=w -l "$page" 2>"$WORK/doubts" >"$WORK/text" ||
            fail "man fails on $page"
        [ ! -s "$WORK/doubts" ] || fail "man: $(cat "$WORK/doubts")"
        [ "$(wc -l <"$WORK/text")" -gt 20 ] || fail "$page is too short"
    done
}

the_linters_would_find_a_fault() {
    printf '.Dd November 21, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd y\n.Zz\n.El\n' >"$WORK/faulty"
    [ -n "$(mandoc -T lint -W all "$WORK/faulty")" ] || fail "mandoc finds nothing"
    [ -n "$(groff -t -mdoc -ww -T utf8 "$WORK/faulty" 2>&1 >/dev/null)" ] || fail "groff finds nothing"
}

every_command_has_a_page_with_all_that_its_help_says() {
    local command program
    _read "$built/wari.1" >"$WORK/page"
    [ "$(_commands | wc -l)" -ge 10 ] || fail "expected ten commands or more in wari --help"
    for command in $(_commands) $([ ! -e "$built/wari-mpi" ] || echo mpi); do
        [ "$command" = mpi ] || grep -qE "^ +wari-$command\(1\) +[a-z]" "$WORK/page" || fail "no summary of $command"
        [ -s "$built/wari-$command.1" ] || fail "no page on $command"
        # Each word of the help: exit codes come before examples, and one code a line.
        program=$WARI
        [ "$command" != mpi ] || program=$built/wari-mpi
        "$program" help "${command#mpi}" 2>/dev/null | _words >"$WORK/expected"
        _read "$built/wari-$command.1" | sed '1,/^SYNOPSIS/d; /^\(THE PROTOCOL\|REQUESTS AND ANSWERS\|RECORDS OF GAMES\|RULE SETS\)$/,/^EXIT STATUS/d; /^SEE ALSO/,$d' |
            grep -vE '^[A-Z ]+$' | _words >"$WORK/words"
        cmp -s "$WORK/expected" "$WORK/words" ||
            fail "$command: $(diff "$WORK/expected" "$WORK/words" | head -5)"
    done
}

# The words of a help text or page, in the order of the alphabet, without titles.
_words() {
    sed 's/^usage: //; /^examples*$/d; s/^exit codes: //' | tr -s ' \n' '\n\n' | sed 's/;$//' | grep . | sort
}

the_manual_has_every_exit_code() {
    local code
    _read "$built/wari.1" | sed -n '/^EXIT STATUS/,/^EXAMPLES/p' >"$WORK/part"
    for code in 0 1 2 3 4 5 6 "129, 130, 143"; do
        grep -qE "^ +$code +[a-z]" "$WORK/part" || fail "no word on exit code $code"
    done
}

examples_of_the_manual_do_what_it_says() {
    local line command='' expected='' count=0
    mkdir -p "$WORK/examples" "$WORK/bin"
    ln -sf "$WARI" "$WORK/bin/wari"
    _check_example() {
        [ -n "$command" ] || return 0
        out=$WORK/out err=$WORK/err
        (cd "$WORK/examples" && PATH=$WORK/bin:$PATH && eval "$command") >"$out" 2>"$err"
        code=$?
        [ "$(cat "$out")" = "${expected%$'\n'}" ] || fail "$command: expected $expected"
        count=$((count + 1))
    }
    while IFS= read -r line; do
        case $line in
        .Ed) _check_example; command='' ;;
        '$ '*) _check_example; command=${line#??} expected='' ;;
        *) expected+=$line$'\n' ;;
        esac
    done < <(awk '/^.Sh / { part = $2 } /^.Bd/ { on = part == "EXAMPLES"; next } /^.Ed/ && on
                  /^.Ed/ { on = 0 } on { gsub(/\\-/, "-"); print }' "$built/wari.1")
    [ "$count" -ge 5 ] || fail "expected five examples or more, not $count"
}

# What each page's examples need: a folder of tables of the rules that they name, and files.
_prepare() { # COMMAND EXAMPLE
    local tables=awari
    case $2 in *--with*) tables=both ;; *tournament*) tables=tournament ;; esac
    rm -rf "$WORK/place" && mkdir "$WORK/place" && cp -r "$WORK/$tables" "$WORK/place/tables"
    cp data/games/village.ogn "$WORK/place/game.ogn"
    echo "1 1 1 1 1 1 / 1 1 1 1 1 1" >"$WORK/place/positions.txt"
}

examples_of_the_commands_run() {
    local command example count=0
    mkdir -p "$WORK/bin" "$WORK/both"
    ln -sf "$WARI" "$built/wari-mpi" "$WORK/bin" 2>/dev/null
    cp -r "$(shared_awari 12)" "$WORK/awari"
    build "$WORK/tournament" 12 --rules tournament
    cp "$WORK"/awari/* "$WORK/both" && cp "$WORK"/tournament/* "$WORK/both"
    for command in $(_commands) mpi; do
        [ -s "$built/wari-$command.1" ] || continue
        while IFS= read -r example; do
            case $example in
            mpirun*) continue ;; # more processes than some machines start
            *serve*) example="timeout -s TERM 2 $example --port 0" ;;
            esac
            _prepare "$command" "$example"
            out=$WORK/out err=$WORK/err
            (cd "$WORK/place" && PATH=$WORK/bin:$PATH && eval "$example") >"$out" 2>"$err" </dev/null
            code=$?
            case $command:$code in
            *:0 | judge:1 | serve:124) ;;
            *) fail "$example: ended with $code" ;;
            esac
            count=$((count + 1))
        done < <(_read "$built/wari-$command.1" | sed '1,/^EXAMPLES/d; /^SEE ALSO/,$d' |
            sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' -e 's/^ *//' | grep .)
    done
    [ "$count" -ge 17 ] || fail "expected an example of each command, not $count"
}

the_page_on_the_library_has_every_function_and_its_contract() {
    local name
    _read "$built/libwari.3" >"$WORK/page"
    nm -D --defined-only "$built/libwari.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' >"$WORK/names"
    [ "$(wc -l <"$WORK/names")" -ge 20 ] || fail "expected twenty functions or more"
    while read -r name; do
        grep -qE "[ *]$name\\(" "$WORK/page" || fail "no word on $name"
    done <"$WORK/names"
    # All that the headers say, but for the compiler's part: each comment's first words are there.
    tr -s ' \n' '  ' <"$WORK/page" | tr -d '\`*' >"$WORK/words"
    sed -n 's|^/\* \([^-].*[a-z]\) *\(\*/\)*$|\1|p' db/wari.h db/book/wari_book.h db/host/wari_host.h \
        game/wari_game.h | tr -d '\`*' | cut -d' ' -f1-4 | _lacking "$WORK/words" >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "missing: $(head -3 "$WORK/missing")"
}

the_page_on_files_has_what_the_document_has() {
    local heading
    _read "$built/wari-format.5" >"$WORK/page"
    sed -n 's/^##* //p' db/FORMAT.md | sed 1d | while IFS= read -r heading; do
        grep -qixE " *$heading" "$WORK/page" || echo "$heading"
    done >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "headings: $(cat "$WORK/missing")"

    # Code and drawings, line by line; rows of tables, by their first words.
    awk '/^```/ { on = !on; next } on || /^    / && !list { print } { list = /^[0-9-]/ || (list && /^ /) }' \
        db/FORMAT.md | sed 's/^ *//' | grep . | _lacking "$WORK/page" >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "code: $(head -3 "$WORK/missing")"
    sed -n 's/^| *\([A-Za-z0-9 ]*[A-Za-z0-9]\) .*/\1/p' db/FORMAT.md | _lacking "$WORK/page" >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "tables: $(head -3 "$WORK/missing")"
    ! grep -qE '\*\*[A-Za-z ]+\*\*|```|\|--|\]\(' "$WORK/page" || fail "marks of Markdown are left"
}

# ---- Options and help -------------------------------------------------------------------------------

every_option_that_the_program_reads_is_in_a_help_text() {
    local option
    {
        for command in $(_commands); do _options "$command"; done
        grep -oE -e '^ +"  --[a-z][a-z-]*' tools/mpi/main.c | tr -d ' "' # the help of wari-mpi
    } | sort -u >"$WORK/known"
    for option in $(grep -rohE '\{"[a-z-]+", *(required|no)_argument' --include='*.[ch]' tools | cut -d'"' -f2 | sort -u); do
        grep -qx -e "--$option" "$WORK/known" || fail "no help text speaks of --$option"
    done
}

every_option_of_a_help_text_is_read_by_the_program() {
    local command option
    out=$WORK/out err=$WORK/err
    for command in $(_commands); do
        for option in $(_options "$command"); do
            timeout 20 "$WARI" "$command" "$option" >"$out" 2>"$err" </dev/null
            code=$?
            ! _has "$err" 'unknown or ambiguous' || fail "wari $command does not know $option"
        done
    done
    run build --no-such-option
    expect_message "unknown or ambiguous"
}

# ---- Completion -------------------------------------------------------------------------------------

_complete() { # WORD... ; prints what is offered for the last one
    (
        # shellcheck source=/dev/null
        . tools/wari.bash
        COMP_WORDS=("$WARI" "$@")
        COMP_CWORD=$#
        _wari 2>/dev/null
        [ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
    ) | sort -u
}

_offers() { # EXPECTED WORD... ; exactly these
    local expected=$1 offered
    shift
    offered=$(_complete "$@" | xargs)
    [ "$offered" = "$(tr -s ' ' '\n' <<<"$expected" | sort -u | xargs)" ] ||
        fail "wari $*: expected $expected, offered $offered"
}

completion_offers_commands_and_their_options() {
    local command
    _offers "$(_commands | xargs) help --help --version" ""
    _offers "build bench-probe book" b
    _offers "check compare" help c
    for command in $(_commands); do
        _offers "$(_options "$command" | xargs) --help" "$command" --
    done
    _offers "--kernel" build --k
}

completion_offers_values() {
    local sets="awari wari abapa warri ware slam-ends slam-gives slam-wins"
    _offers "$sets academic tournament oware spanish english dutch walker leaflet italian caribbean" build --rules ""
    _offers "slam-ends slam-gives slam-wins" compare --with sl
    _offers "tournament" rules to
    _offers "even own" query --cycle ""
    _offers "even own" compare --with-cycle ""
    _offers "text json value" query --format ""
    _offers "text csv json" stats --format ""
    _offers "auto portable avx2 avx512bw avx512 neon" build --kernel ""
    mkdir -p "$WORK/values/one" && touch "$WORK/values/other"
    _offers "$WORK/values/one" check --db "$WORK/values/o"
    _offers "" build --seeds ""
}

run_tests
