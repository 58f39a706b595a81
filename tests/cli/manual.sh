#!/usr/bin/env bash
# The manual pages and the completion for bash. They are made from the output of the program, so
# these tests check that nothing is lost on the way, and that both agree with the program.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

readonly built=$(dirname "$WARI")
out=/dev/null err=/dev/null code=0 # where a test runs something else
readonly pages=("$built"/*.[135])
help=$WORK/help read=$WORK/read

_commands() {
    sed -n '/^commands$/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$help/--help"
}

# Saves each help text as $help/COMMAND. The program is asked once for each, since it takes longer
# to start than to answer.
_keep_help_texts() {
    local command
    mkdir "$help" && "$WARI" --help >"$help/--help" && "$WARI" rules >"$WORK/rules" || return 1
    for command in $(_commands); do
        "$WARI" help "$command" >"$help/$command" || return 1
    done
    [ ! -e "$built/wari-mpi" ] || "$built/wari-mpi" help >"$help/mpi" 2>/dev/null
}

# Saves the pages as people read them, but without line breaks in paragraphs: $read/wari-build.1 and
# so on. Each page begins with a line like "WARI-BUILD(1)   General Commands Manual
# WARI-BUILD(1)".
_keep_pages() {
    mkdir "$read" && mandoc -T ascii -O width=1000 "${pages[@]}" | sed 's/.\x08//g' | awk -v folder="$read" '
        /^[A-Z-]+\([135]\) .* [A-Z-]+\([135]\)$/ {
            page = folder "/" tolower($1)
            sub(/\(/, ".", page)
            sub(/\)/, "", page)
        }
        { print >page }'
}

# Prints a line "COMMAND OPTION VALUE" for each option in the usage of a command and in its list of
# options. (Prose and examples may name options of other commands.) VALUE is the name of the value
# in the help text. If the text lists values, it is the first of them; if the option has none, it is
# empty.
_list_options() {
    (cd "$help" && awk '
        FNR == 1 { on = 0 }
        /^usage:/ || /^  --/ { on = 1 }
        /^$/ || /^  [^ -]/ { on = 0 }
        !on { next }
        {
            while (match($0, /--[a-z][a-z-]*/)) {
                option = FILENAME " " substr($0, RSTART, RLENGTH)
                $0 = substr($0, RSTART + RLENGTH)
                value = ""
                if (match($0, /^ F +[a-z]+/))
                    value = substr($0, 3, RLENGTH - 2)
                else if (match($0, /^ ([A-Z][A-Z0-9+]*|[a-z]+\|)/))
                    value = substr($0, 2, RLENGTH - 1)
                gsub(/[ |]/, "", value)
                if (!(option in values) || value != "")
                    values[option] = value
            }
        }
        END { for (option in values) print option, values[option] }' $(_commands)) | sort
}

# Prints the lines of standard input that do not occur in any line of the page.
_lacking() { # PAGE ; stdin: lines
    awk -v page="$1" 'BEGIN { while ((getline line <page) > 0) text = text line "\n" } !index(text, $0)'
}

_keep_help_texts && _keep_pages && _list_options >"$WORK/options" || { echo "not ok - set-up: texts"; exit 1; }

# The options of each command, as a list of words.
declare -A options_of=()
while read -r command option _; do
    options_of[$command]+=" $option"
done <"$WORK/options"

# ---- The pages --------------------------------------------------------------------------------------

linters_find_nothing_in_the_pages() {
    local page plain=() some=("$built/wari-build.1" "$built/libwari.3" "$built/wari-format.5")
    # Whether a page that another page refers to is installed is not checked.
    mandoc -T lint -W all "${pages[@]}" | grep -v 'referenced manual not found' >"$WORK/doubts"
    [ ! -s "$WORK/doubts" ] || fail "mandoc: $(cat "$WORK/doubts")"
    # All pages at once, except the one with tables: groff warns of tables at the ends of sheets,
    # and their place depends on the text before them.
    for page in "${pages[@]}"; do
        [[ $page == */wari-format.5 ]] || plain+=("$page")
    done
    groff -mdoc -ww -T utf8 "${plain[@]}" 2>"$WORK/doubts" >"$WORK/text" &&
        groff -t -mdoc -ww -T utf8 "$built/wari-format.5" 2>>"$WORK/doubts" >>"$WORK/text" || fail "groff fails"
    [ ! -s "$WORK/doubts" ] || fail "groff: $(cat "$WORK/doubts")"
    _expect_long_pages "${pages[@]}"
    # For each page, man starts ten programs, including groff. So man formats only one page of each section.
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings=w -l "${some[@]}" 2>"$WORK/doubts" >"$WORK/text" || fail "man fails"
    [ ! -s "$WORK/doubts" ] || fail "man: $(cat "$WORK/doubts")"
    _expect_long_pages "${some[@]}"
}

# Checks that $WORK/text has as many pages as arguments, each longer than 20 lines.
_expect_long_pages() { # PAGE...
    local count
    count=$(awk '/^[A-Za-z-]+\([135]\) .* [A-Za-z-]+\([135]\)$/ { lines = 0 } ++lines == 21 { count++ }
        END { print count }' "$WORK/text")
    [ "$count" -eq $# ] || fail "expected $# pages of more than 20 lines, not $count"
}

the_linters_would_find_a_fault() {
    printf '.Dd November 21, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd y\n.Zz\n.El\n' >"$WORK/faulty"
    [ -n "$(mandoc -T lint -W all "$WORK/faulty")" ] || fail "mandoc finds nothing"
    [ -n "$(groff -t -mdoc -ww -T utf8 "$WORK/faulty" 2>&1 >/dev/null)" ] || fail "groff finds nothing"
}

# For awk: prints the name of the command and each word of a line of a help text or page, except
# titles.
words='{
    name = FILENAME
    gsub(/^wari-|\.1$/, "", name)
    sub(/^usage: /, "")
    sub(/^exit codes: /, "")
    if (!/^examples*$/)
        for (i = 1; i <= NF; i++) {
            word = $i
            sub(/;$/, "", word)
            if (word != "")
                print name, word
        }
}'

every_command_has_a_page_with_all_that_its_help_says() {
    local command commands summaries
    commands="$(_commands | xargs)$([ ! -e "$built/wari-mpi" ] || echo " mpi")"
    [ "$(wc -w <<<"$commands")" -ge 10 ] || fail "expected ten commands or more in wari --help"
    summaries=$(<"$read/wari.1")
    for command in $commands; do
        [ "$command" = mpi ] || [[ $summaries =~ $'\n'" "+"wari-$command(1)"" "+[a-z] ]] || fail "no summary of $command"
        [ -s "$built/wari-$command.1" ] || fail "no page on $command"
    done
    # All words of the help, but exit codes come before examples, one code in each line.
    # shellcheck disable=SC2086 # a list of words
    (cd "$help" && awk "$words" $commands) | sort >"$WORK/expected"
    # shellcheck disable=SC2086
    (cd "$read" && awk '
        FNR == 1 || /^SEE ALSO/ || /^(THE PROTOCOL|REQUESTS AND ANSWERS|RECORDS OF GAMES|RULE SETS|ALL OF AWARI|FILE FORMAT)$/ { on = 0 }
        on && !/^[A-Z ]+$/ { '"$words"' }
        /^(SYNOPSIS|EXIT STATUS)/ { on = 1 }' $(printf 'wari-%s.1 ' $commands)) | sort >"$WORK/words"
    cmp -s "$WORK/expected" "$WORK/words" || fail "$(diff "$WORK/expected" "$WORK/words" | head -5)"
}

the_manual_has_every_exit_code() {
    local code part
    part=$(sed -n '/^EXIT STATUS/,/^EXAMPLES/p' "$read/wari.1")
    for code in 0 1 2 3 4 5 6 "129, 130, 143"; do
        [[ $part =~ $'\n'" "+"$code"" "+[a-z] ]] || fail "no word on exit code $code"
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

# Makes $WORK/place, in which an example finds the databases and files that it names. A database has
# the levels that the example names; databases for examples that name none are small.
_prepare() { # EXAMPLE
    local tables=awari size=large
    [[ $1 == *12* || $1 == *positions.txt* || $1 == *"1 1 1 1"* ]] || size=small
    case $1 in *"wari build"*) size=new tables=tournament ;; *--with*) tables=both ;; *tournament*) tables=tournament ;; esac
    [ $tables != both ] || cp "$WORK/$size"/{awari,tournament}/*.{wari,catalogue} "$WORK/$size/both"
    ln -sfn "$WORK/$size/$tables" "$WORK/place/tables"
}

# `wari serve` never ends by itself: a signal ends it after it has printed that it listens.
_serve_until_it_listens() { # EXAMPLE
    local said line
    mkfifo "$WORK/said"
    (cd "$WORK/place" && PATH=$WORK/bin:$PATH && eval "exec $1 --port 0") >"$out" 2>"$WORK/said" &
    exec {said}<"$WORK/said"
    while IFS= read -r -t $safety -u "$said" line && [[ $line != *"listening on"* ]]; do :; done
    kill -s TERM $!
    wait $!
    code=$?
    exec {said}<&-
    [[ $line == *"listening on"* ]] || fail "timed out: $1 did not listen"
}

examples_of_the_commands_run() {
    local command example size count=0
    out=$WORK/out err=$WORK/err
    mkdir -p "$WORK/bin" "$WORK/place" "$WORK"/{small,large}/both "$WORK/new/tournament"
    ln -sf "$WARI" "$built/wari-mpi" "$WORK/bin" 2>/dev/null
    cp data/games/village.ogn "$WORK/place/game.ogn"
    echo "1 1 1 1 1 1 / 1 1 1 1 1 1" >"$WORK/place/positions.txt"
    cp -r "$(shared_awari 12)" "$WORK/large/awari"
    build "$WORK/small/awari" 8 && build "$WORK/small/tournament" 8 --rules tournament || fail "no tables"
    ln -s "$WORK/new/tournament" "$WORK/large/tournament" # which the first example builds
    for command in $(_commands) mpi; do
        [ -s "$built/wari-$command.1" ] || continue
        while IFS= read -r example; do
            : >"$err"
            _prepare "$example"
            case $example in
            mpirun*) continue ;; # more processes than some machines start
            *serve*) _serve_until_it_listens "$example" ;;
            *)
                # A few games and short times run the same code as those of the examples.
                example=${example/--games */--games 4 ${example#*--games * }}
                example=${example/--seconds 0.1/--seconds 0.01}
                (cd "$WORK/place" && PATH=$WORK/bin:$PATH && eval "$example") >"$out" 2>"$err" </dev/null
                code=$?
                ;;
            esac
            case $command:$code in
            *:0 | judge:1 | serve:143) ;;
            *) fail "$example: ended with $code" ;;
            esac
            count=$((count + 1))
        done < <(sed '1,/^EXAMPLES/d; /^SEE ALSO/,$d' "$read/wari-$command.1" |
            sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' -e 's/^ *//' | grep .)
    done
    [ "$count" -ge 17 ] || fail "expected an example of each command, not $count"
}

the_page_on_the_library_has_every_function_and_its_contract() {
    nm -D --defined-only "$built/libwari.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >"$WORK/names"
    [ "$(wc -l <"$WORK/names")" -ge 20 ] || fail "expected twenty functions or more"
    grep -oE '[ *]wari_[a-z_]*\(' "$read/libwari.3" | tr -d ' *(' | sort -u | comm -23 "$WORK/names" - >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "no word on $(xargs <"$WORK/missing")"
    # The page has everything from the headers, except what is for the compiler: the test looks for
    # the first words of each comment.
    tr -s ' \n' '  ' <"$read/libwari.3" | tr -d '\`*' >"$WORK/words"
    sed -n 's|^/\* \([^-].*[a-z]\) *\(\*/\)*$|\1|p' db/wari.h db/book/wari_book.h db/host/wari_host.h \
        game/wari_game.h | tr -d '\`*' | cut -d' ' -f1-4 | _lacking "$WORK/words" >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "missing: $(head -3 "$WORK/missing")"
}

the_page_on_files_has_what_the_document_has() {
    local page=$read/wari-format.5
    awk '{ line = tolower($0); sub(/^ */, "", line) }
        NR == FNR { said[line]; next }
        /^##* / && headings++ { sub(/^##* /, "", line); if (!(line in said)) print line }' "$page" db/FORMAT.md >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "headings: $(cat "$WORK/missing")"

    # Compares code and drawings line by line, and rows of tables by their first words.
    awk '/^```/ { on = !on; next } on || /^    / && !list { print } { list = /^[0-9-]/ || (list && /^ /) }' \
        db/FORMAT.md | sed 's/^ *//' | grep . | _lacking "$page" >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "code: $(head -3 "$WORK/missing")"
    sed -n 's/^| *\([A-Za-z0-9 ]*[A-Za-z0-9]\) .*/\1/p' db/FORMAT.md | _lacking "$page" >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "tables: $(head -3 "$WORK/missing")"
    ! grep -qE '\*\*[A-Za-z ]+\*\*|```|\|--|\]\(' "$page" || fail "marks of Markdown are left"
}

# ---- Options and help -------------------------------------------------------------------------------

every_option_that_the_program_reads_is_in_a_help_text() {
    {
        cut -d' ' -f2 "$WORK/options"
        grep -oE -e '^ +"  --[a-z][a-z-]*' tools/mpi/main.c | tr -d ' "' # the help of wari-mpi
    } | sort -u >"$WORK/known"
    grep -rohE '\{"[a-z-]+", *(required|no)_argument' --include='*.[ch]' tools | cut -d'"' -f2 | sed 's/^/--/' |
        sort -u >"$WORK/read_options"
    [ "$(wc -l <"$WORK/read_options")" -ge 50 ] || fail "expected fifty options or more"
    comm -13 "$WORK/known" "$WORK/read_options" >"$WORK/missing"
    [ ! -s "$WORK/missing" ] || fail "no help text speaks of $(xargs <"$WORK/missing")"
}

# Replaces $value, the name of a value in a help text, by a value that the option accepts.
_choose_value() { # OPTION
    case $1:$value in
    --kernel:*) value=auto ;;
    --moves:*) value=letters ;;
    --seeds:*) value=2 ;;
    --speed:*) value=level=1 ;;
    --sprt:*) value=elo1=1 ;;
    *:R | *:R[12]) value=awari ;;
    *:C | *:C[12]) value=even ;;
    *:SIZE | *:B) value=1M ;;
    *:[A-EG-Z] | *:MB | *:MS | *:SECONDS | *:S+I) value=1 ;;
    esac # others are words of a list, or names of anything
}

# The command line is read from left to right, and the first error is reported. Here the last option
# is wrong, so each option before it was known.
every_option_of_a_help_text_is_read_by_the_program() {
    local command option value line
    for command in $(_commands); do
        line=()
        while read -r _ option value; do
            [ "$option" != --help ] || continue # it ends the line
            line+=("$option")
            _choose_value "$option"
            line+=(${value:+"$value"})
        done < <(grep "^$command " "$WORK/options")
        run "$command" "${line[@]}" --no-such-option
        expect_code 2
        expect_message "unknown or ambiguous option --no-such-option"
    done
}

# ---- Completion -------------------------------------------------------------------------------------

# Prints the saved help texts when asked for help, and runs the program otherwise.
_wari_with_help_texts() {
    case "$*" in
    --help | "help "*) cat "$help/${2:---help}" ;;
    rules) cat "$WORK/rules" ;;
    *) "$WARI" "$@" ;;
    esac
}

# Checks that two lists have the same words, in any order and any number.
_same_words() { # LIST LIST
    local word
    local -A one=() other=()
    for word in $1; do one[$word]=1; done
    for word in $2; do other[$word]=1; done
    [ ${#one[@]} -eq ${#other[@]} ] || return 1
    for word in "${!one[@]}"; do [ -n "${other[$word]:-}" ] || return 1; done
}

_offers() { # EXPECTED WORD... ; exactly these are offered for the last one
    local expected=$1
    shift
    # shellcheck source=/dev/null
    declare -F _wari >/dev/null || . packaging/wari.bash
    COMP_WORDS=(_wari_with_help_texts "$@") COMP_CWORD=$#
    _wari 2>/dev/null
    _same_words "$expected" "${COMPREPLY[*]}" || fail "wari $*: expected $expected, offered ${COMPREPLY[*]}"
}

completion_offers_commands_and_their_options() {
    local command
    _offers "$(_commands) help --help --version" ""
    _offers "build bench-probe book" b
    _offers "check compare" help c
    for command in $(_commands); do
        _offers "${options_of[$command]:-} --help" "$command" --
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
