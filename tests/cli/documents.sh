#!/usr/bin/env bash
# Lint reads the documents: in a copy of them each rule is broken on purpose, all of them at once, and each
# place is named, and no other.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

tree=$WORK/tree out=$WORK/told err=/dev/null code=0
mkdir "$tree"
# Links lead to files of all kinds.
tar -cf - --exclude=./build --exclude=./.git --exclude=node_modules --exclude='./tests/fuzz/corpus/*/*' . |
    tar -xf - -C "$tree" || exit 1

_documents() {
    (cd "$tree" && python3 -B tests/lint/documents.py) >"$out" 2>&1
    code=$?
}

_documents
mv "$out" "$WORK/right"
right=$code

# ---- What is wrong -----------------------------------------------------------------------------------

_add() { # DOCUMENT LINE...
    local document=$1
    shift
    printf '%s\n' "" "$@" >>"$tree/$document"
}

readonly first=$(($(wc -l <game/README.md) + 2)) # the line of the first fault
_add game/README.md 'Whoever moves.' 'It is the same board and rules as before.'
_add game/README.md 'A positoin.' '' '    a positoin' '' 'The `positoin` and [this](README.md).'
_add game/README.md '[Here](nowhere.md), [there](#no-such-heading), [elsewhere](../README.md#nor-this).'
_add game/README.md '[With a title](gone.md "title"), [by name][name].' '' '[name]: lost.md'
_add README.md 'Words.' '' 'It finds 1,234 of them in 20 minutes.' '' 'Words.'
_add README.md '`make bench` does it in 77 s.' '' '| 12 | 34 |'
echo "$(yes word | head -n 3000 | xargs)." >>"$tree/README.md"
rm "$tree/db/NOTES.md"
_documents

_expect() { # RULE PLACE... ; these are told of the rule that begins so, and nothing else
    local rule="lint: $1" line='' on='' told=()
    shift
    while IFS= read -r line; do
        case $line in
        "$rule"*) on=1 ;;
        "lint: "*) on='' ;;
        *) [ -z "$on" ] || told+=("${line#    }") ;;
        esac
    done <"$out"
    [ "$(printf '%s\n' "${told[@]}" | sort)" = "$(printf '%s\n' "$@" | sort)" ] || {
        printf '%s\n' "${told[@]}"
        fail "$rule"
    }
}

# ---- Tests -------------------------------------------------------------------------------------------

documents_as_they_are_break_no_rule() {
    [ "$right" -eq 0 ] && [ ! -s "$WORK/right" ] || fail "expected nothing to be said: $(cat "$WORK/right")"
}

what_is_found_fails() {
    expect_code 1
}

misspelt_words_are_named_but_not_in_examples() {
    _expect "words are spelt" "game/README.md: positoin"
}

banned_words_are_named_with_their_line() {
    _expect "documents have no word" "game/README.md:$first: \"Whoever\"; say who" \
        "game/README.md:$((first + 1)): \"the same board and rules as before\"; say which"
}

dead_links_are_named() {
    _expect "links between documents" "game/README.md: nowhere.md: there is no such file" \
        "game/README.md: #no-such-heading: there is no such heading" \
        "game/README.md: ../README.md#nor-this: there is no such heading" \
        "game/README.md: gone.md: there is no such file" \
        "game/README.md: lost.md: there is no such file"
}

figures_without_a_command_are_named() {
    _expect "a figure of README.md has the command" 'README.md: "1,234" in "It finds 1,234 of them in ..."'
}

long_documents_and_long_sentences_are_named() {
    _expect "documents keep to their limits" "db/NOTES.md: has a limit and is not there" \
        "README.md: $(wc -w <"$tree/README.md") words, at most $(_limit README.md)" \
        "all documents: $(sed -n 's/.*all documents: \([0-9]*\) .*/\1/p' "$out") words, at most $(_limit total)"
    _expect "sentences are short" "$(grep -x '    README.md: [0-9.]* words a sentence, at most [0-9]*; the longest: "word word .*' \
        "$out" | sed 's/^    //')"
}

_limit() { # DOCUMENT
    sed -n "s/^$1 *\([0-9]*\).*/\1/p" tests/lint/documents.txt
}

messages_that_are_not_the_end_of_a_line_are_named() {
    printf '%s\n' 'int wrong(void) {' '    return wari_fail(error, 1, "The %s" " is wrong", name);' \
        '    return reply_error(request, f(1), "it is wrong.");' \
        '    return report_note("of course it is");' '    return wari_fail(error, 1, "Hash: too large");' \
        '    puts("Whoever moves");' '}' >"$tree/game/wrong.c"
    out=$WORK/messages
    (cd "$tree" && python3 -B tests/lint/messages.py) >"$out" 2>&1 && fail "expected lint to fail"
    expect_output_has "game/wrong.c:2: begins with a capital letter: The %s is wrong"
    expect_output_has "game/wrong.c:3: ends with a full stop: it is wrong."
    expect_output_has 'game/wrong.c:4: "of course" is a word'
    expect_output_has 'game/wrong.c:6: "Whoever" is a word'
    [ "$(wc -l <"$out")" -eq 5 ] || fail "expected four places: $(cat "$out")"
    rm "$tree/game/wrong.c"
}

run_tests
