#!/usr/bin/env bash
# `make lint` checks how the sources depend on each other. A copy of the tree breaks each rule of
# tests/lint/ on purpose, all at once: each of these places is reported, and no other. A small tree
# that breaks no rule passes. (This also proves that the tree itself breaks no rule.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

tree=$WORK/tree
mkdir "$tree"
cp -a --parents game index db system solver verify play answer serve tools tests bindings/js bindings/python packaging/debian CITATION.cff "$tree"
cp -as "$(dirname "$WARI")/obj" "$WORK/obj"
rm -rf "$WORK/obj/tests/unit" # half of all: what these need is for `make lint`

_lint() { # TREE FILE_FOR_OUTPUT
    (cd "$1" && python3 -B tests/lint/lint.py "$WORK/obj") >"$2" 2>&1
}

_source() { # FILE LINE... ; a source of such lines, compiled
    local file=$tree/$1 object=$WORK/obj/${1%.c}.o
    shift
    printf '%s\n' "/* Made by tests/cli/lint.sh. */" "$@" >"$file"
    case $file in
    *.c) (cd "$tree" && tcc -I. -Igame -c -o "$object" "$file") || exit 1 ;; # gcc takes ten times as long
    esac
}

# ---- What is right -----------------------------------------------------------------------------------

_source game/each.c 'void each(void (*call)(void))' '{' '    call();' '}'
_source game/given.c 'void each(void (*call)(void));' 'void given(void)' '{' '}' \
    'void all(void)' '{' '    each(given);' '}'

# A tree that has only the rules and the files that they require of all trees.
mkdir -p "$WORK/small"/db && cp -r --parents tests/lint CITATION.cff packaging/debian/changelog bindings/js/package.json \
    bindings/python/wari/__init__.py db/wari.h "$WORK/small" || exit 1
sed -n 's/^db .*/db/p' tests/lint/arrows.txt >"$WORK/small/tests/lint/arrows.txt"
: >"$WORK/small/tests/lint/exceptions.txt"
echo db/wari.h >"$WORK/small/tests/lint/public.txt"
_lint "$WORK/small" "$WORK/right"
right=$?

# ---- What is wrong -----------------------------------------------------------------------------------

_source game/fault.c '#include "db/host/host.h"'
_source index/fault.c 'void wari_catalogue_next(int);' 'void fault(void)' '{' '    wari_catalogue_next(1);' '}'
mkdir "$tree/game/new"
_source game/new/fault.h
sed -i 's/^play\/record .*/&  play\/search/; s/^play\/search .*/&  play\/record/' "$tree/tests/lint/arrows.txt"

# Fixed bug: lint did not check the sources of bindings for other languages.
_source bindings/js/fault.h '#include "play/game.h"'
_source bindings/python/wari/fault.h '#include "solver/solve.h"'
mkdir "$tree/bindings/js/new"
_source bindings/js/new/fault.h
sed -i 's/"version": ".*"/"version": "0.0.1"/' "$tree/bindings/js/package.json"
sed -i 's/__version__ = .*/version = 1/' "$tree/bindings/python/wari/__init__.py"

_source answer/one.h '#include "answer/two.h"'
_source answer/two.h '#include "answer/one.h"'
_source serve/one.c 'void two(void);' 'void one(void)' '{' '    two();' '}'
_source serve/two.c 'void three(void);' 'void two(void)' '{' '    three();' '}'
_source serve/three.c 'void one(void);' 'void three(void)' '{' '    one();' '}'

_source answer/twice.c 'struct wari_position {' '    int pits;' '};' 'static int wari_seeds(int n)' '{' \
    '    return n;' '}' 'int (*seeds)(int) = wari_seeds;'

_source answer/three.c 'enum { WARI_WHOLE = 3, EVEN_STEPS };' 'enum other { OTHER_FIRST, OTHER_SECOND, THIRD = 7, FOURTH };'
_source game/four.h 'enum { WARI_WHOLE = 4 };' 'enum { THIRD, FOURTH = 8 };'
_source play/six.c 'enum { SIXTH = 1 };'
_source tools/six.c 'enum { FIFTH, SIXTH };' 'int six(void)' '{' '    enum { FIFTH = 5 };' '    return FIFTH;' '}'
_source tests/bench/five.h 'enum { WARI_WHOLE = 5 };' # each test is a world of its own
echo "twice game/moves.c" >>"$tree/tests/lint/exceptions.txt"
out=$WORK/wrong err=/dev/null
_lint "$tree" "$out"
code=$?

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

sources_that_break_no_rule_pass() {
    [ "$right" -eq 0 ] && [ ! -s "$WORK/right" ] || fail "$(cat "$WORK/right")"
}

findings_fail() {
    expect_code 1
}

# Each of the other tests expects everything that is reported for its rule, so a place of the tree itself would fail it.
the_tree_itself_breaks_no_rule() {
    [ "$(grep -c '^lint: ' "$out")" -eq 6 ] || fail "expected six rules to be broken"
}

arrows_that_the_table_does_not_have_are_named() {
    _expect "includes follow" "game/fault.c includes db/host/host.h" \
        "index/fault.c needs wari_catalogue_next of db/catalogue/catalogue.c" \
        "game/new/ has no line in tests/lint/arrows.txt" \
        "bindings/js/fault.h includes play/game.h" \
        "bindings/js/new/ has no line in tests/lint/arrows.txt" \
        "bindings/python/wari/fault.h includes solver/solve.h" \
        "play/record and play/search may include each other" \
        "play/search and play/record may include each other"
}

circles_of_includes_and_of_calls_are_named() {
    _expect "no files need" \
        "answer/one.h includes answer/two.h, answer/two.h includes answer/one.h" \
        "serve/one.c needs two of serve/two.c, serve/two.c needs three of serve/three.c, serve/three.c \
needs one of serve/one.c"
}

names_that_are_defined_twice_are_reported() {
    _expect "a name that begins" "struct wari_position: answer/twice.c, game/wari_game.h" \
        "wari_seeds(): answer/twice.c, game/position.c"
}

enumerators_with_two_values_are_named() {
    _expect "an enumerator has one value" "WARI_WHOLE: 3 in answer/three.c, 4 in game/four.h" \
        "THIRD: 7 in answer/three.c, 0 in game/four.h" "FOURTH: 7 + 1 in answer/three.c, 8 in game/four.h" \
        "SIXTH: 1 in play/six.c, 0 + 1 in tools/six.c" "FIFTH: 0 in tools/six.c, 5 in tools/six.c"
}

versions_that_are_another_are_named() {
    local version
    version=$("$WARI" --version | sed -n '1s/^wari //p')
    _expect "every stated version" "bindings/js/package.json: 0.0.1, not $version" "bindings/python/wari/__init__.py: None, not $version"
}

exceptions_that_nobody_needs_are_named() {
    _expect "every exception is needed" "twice game/moves.c: nothing there breaks the rule any more"
}

run_tests
