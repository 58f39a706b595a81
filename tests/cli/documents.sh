#!/usr/bin/env bash
# `make lint` checks the documents. A copy of them breaks each rule on purpose, all at once: each of
# these places is reported, and no other.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

tree=$WORK/tree out=$WORK/findings err=/dev/null code=0
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

_add game/README.md 'A positoin.' '' '    a positoin' '' 'The `positoin` and [this](README.md).'
_add game/README.md '[Here](nowhere.md), [there](#no-such-heading), [elsewhere](../README.md#nor-this).'
_add game/README.md '[With a title](gone.md "title"), [by name][name].' '' '[name]: lost.md'
_documents

_expect() { # RULE PLACE... ; expects exactly these findings for the rule that begins so
    local rule="lint: $1" line='' on='' findings=()
    shift
    while IFS= read -r line; do
        case $line in
        "$rule"*) on=1 ;;
        "lint: "*) on='' ;;
        *) [ -z "$on" ] || findings+=("${line#    }") ;;
        esac
    done <"$out"
    [ "$(printf '%s\n' "${findings[@]}" | sort)" = "$(printf '%s\n' "$@" | sort)" ] || {
        printf '%s\n' "${findings[@]}"
        fail "$rule"
    }
}

# ---- Tests -------------------------------------------------------------------------------------------

documents_as_they_are_break_no_rule() {
    [ "$right" -eq 0 ] && [ ! -s "$WORK/right" ] || fail "expected nothing to be said: $(cat "$WORK/right")"
}

findings_fail() {
    expect_code 1
}

misspelt_words_are_named_but_not_in_examples() {
    _expect "words are spelt" "game/README.md: positoin"
}

dead_links_are_named() {
    _expect "links between documents" "game/README.md: nowhere.md: there is no such file" \
        "game/README.md: #no-such-heading: there is no such heading" \
        "game/README.md: ../README.md#nor-this: there is no such heading" \
        "game/README.md: gone.md: there is no such file" \
        "game/README.md: lost.md: there is no such file"
}

run_tests
