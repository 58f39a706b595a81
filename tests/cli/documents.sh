#!/usr/bin/env bash
# Lint reads the documents: in a copy of them each rule is broken on purpose, and each place is named.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

tree=$WORK/tree out=$WORK/told err=/dev/null
mkdir "$tree"
# Links lead to files of all kinds.
tar -cf - --exclude=./build --exclude=./.git --exclude=node_modules . | tar -xf - -C "$tree" || exit 1

_documents() {
    (cd "$tree" && python3 -B tests/lint/documents.py) >"$out" 2>&1
    code=$?
    return "$code"
}

_broken() { # TEXT_OF_RULE PLACE ; after lines were added to game/README.md, which is put back
    _documents && fail "expected lint to fail"
    expect_output_has "lint: $1"
    expect_output_has "$2"
    cp game/README.md "$tree/game/README.md"
}

_add() { # LINE...
    printf '%s\n' "" "$@" >>"$tree/game/README.md"
}

documents_as_they_are_break_no_rule() {
    _documents || fail "$(cat "$out")"
    [ ! -s "$out" ] || fail "expected nothing to be said: $(cat "$out")"
}

misspelt_words_are_named_but_not_in_examples() {
    _add 'A positoin.' '' '    a positoin' '' 'The `positoin` and [this](README.md).'
    _broken "words are spelt" "game/README.md: positoin"
    [ "$(grep -c positoin "$out")" -eq 1 ] || fail "expected one place: $(cat "$out")"
}

banned_words_are_named_with_their_line() {
    _add 'Whoever moves.'
    _broken "documents have no word" "game/README.md:$(($(wc -l <game/README.md) + 2)): \"Whoever\""
    _add 'It is the same board and rules as before.'
    _broken "documents have no word" '"the same board and rules as before"; say which'
}

dead_links_are_named() {
    _add '[Here](nowhere.md), [there](#no-such-heading), [elsewhere](../README.md#nor-this).'
    _broken "links between documents" "game/README.md: nowhere.md: there is no such file"
    expect_output_has "game/README.md: #no-such-heading: there is no such heading"
    expect_output_has "game/README.md: ../README.md#nor-this: there is no such heading"
    _add '[With a title](gone.md "title"), [by name][name].' '' '[name]: lost.md'
    _broken "links between documents" "game/README.md: gone.md: there is no such file"
    expect_output_has "game/README.md: lost.md: there is no such file"
}

long_documents_and_long_sentences_are_named() {
    local words
    words=$(yes word | head -n 3000 | xargs)
    echo "$words." >>"$tree/README.md"
    _broken "documents keep to their limits" "README.md: "
    expect_output_has "all documents: "
    expect_output_has "lint: sentences are short"
    expect_output_has 'README.md: '
    cp README.md "$tree/README.md"
}

figures_without_a_command_are_named() {
    printf '%s\n' '' 'Words.' '' 'It finds 1,234 of them in 20 minutes.' '' 'Words.' >>"$tree/README.md"
    _broken "a figure of README.md has the command" 'README.md: "1,234" in "It finds 1,234 of them in ..."'
    printf '%s\n' '' '`make bench` does it in 77 s.' '' '| 12 | 34 |' >>"$tree/README.md"
    _documents && fail "expected lint to fail"
    ! grep -qE '"(77|12|34)' "$out" || fail "expected one place: $(cat "$out")"
    cp README.md "$tree/README.md"
}

a_limit_of_a_document_that_is_gone_is_named() {
    rm "$tree/db/NOTES.md"
    _documents && fail "expected lint to fail"
    expect_output_has "db/NOTES.md: has a limit and is not there"
    cp db/NOTES.md "$tree/db/NOTES.md"
}

messages_that_are_not_the_end_of_a_line_are_named() {
    printf '%s\n' 'int wrong(void) {' '    return wari_fail(error, 1, "The %s" " is wrong", name);' \
        '    return reply_error(request, f(1), "it is wrong.");' \
        '    return report_note("of course it is");' '    return wari_fail(error, 1, "Hash: too large");' \
        '    puts("Whoever moves");' '}' >"$tree/game/wrong.c"
    (cd "$tree" && python3 -B tests/lint/messages.py) >"$out" 2>&1 && fail "expected lint to fail"
    expect_output_has "game/wrong.c:2: begins with a capital letter: The %s is wrong"
    expect_output_has "game/wrong.c:3: ends with a full stop: it is wrong."
    expect_output_has 'game/wrong.c:4: "of course" is a word'
    expect_output_has 'game/wrong.c:6: "Whoever" is a word'
    [ "$(wc -l <"$out")" -eq 5 ] || fail "expected four places: $(cat "$out")"
    rm "$tree/game/wrong.c"
}

run_tests
