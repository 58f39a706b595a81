#!/usr/bin/env bash
# Lint finds what it is for: in a copy of the tree each rule of tests/lint/ is broken on purpose, all
# of them at once, and each place is named, and no other. What stands at a limit is let be; so is a small
# tree that breaks no rule. (That this tree breaks none is proved at the same time.)
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

tree=$WORK/tree
mkdir "$tree"
cp -a game index db system solver verify play answer serve tools tests js python debian CITATION.cff "$tree"
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

_function() { # NAME PARAMETERS LINES
    printf 'void %s(%s)\n{\n' "$1" "$2"
    yes '    (void)0;' | head -n "$3"
    printf '}\n\n'
}

# ---- What is right -----------------------------------------------------------------------------------

_source game/each.c 'void each(void (*call)(void))' '{' '    call();' '}'
_source game/given.c 'void each(void (*call)(void));' 'void given(void)' '{' '}' \
    'void all(void)' '{' '    each(given);' '}'
_source game/limits.c "$(_function lines void 40)" \
    "$(_function parameters 'int a, int b, int c, int d, int e, void (*f)(int, int, int)' 1)" \
    'struct fields {' '    int a, b, c, d, e, f, g, h, i, j, k, l, m;' '    void (*n)(int, int);' \
    '    struct {' '        int p, q;' '    } o;' '};'
_source game/long.h $(yes '//' | head -n 599)
_source game/family.h 'void member(void);'
_source game/family_more.c 'void member(void)' '{' '}'

# A tree with nothing but the rules and what they ask of all trees.
mkdir -p "$WORK/small"/{solver,db} && cp -r --parents tests/lint CITATION.cff debian/changelog js/package.json \
    python/wari/__init__.py db/wari.h db/README.md "$WORK/small" || exit 1
sed -n 's/^db .*/db/p' tests/lint/arrows.txt >"$WORK/small/tests/lint/arrows.txt"
: >"$WORK/small/tests/lint/exceptions.txt"
_lint "$WORK/small" "$WORK/right"
right=$?

# ---- What is wrong -----------------------------------------------------------------------------------

_source game/fault.c '#include "db/host/host.h"'
_source index/fault.c 'void wari_catalogue_next(int);' 'void fault(void)' '{' '    wari_catalogue_next(1);' '}'
mkdir "$tree/game/new"
_source game/new/fault.h
sed -i 's/^play\/record .*/&  play\/search/; s/^play\/search .*/&  play\/record/' "$tree/tests/lint/arrows.txt"

# A bug: lint saw nothing of what is written for other languages.
_source js/fault.h '#include "play/game.h"'
_source python/wari/fault.h '#include "solver/solve.h"' "$(_function steep void 41)"
mkdir "$tree/js/new"
_source js/new/fault.h
sed -i 's/"version": ".*"/"version": "0.0.1"/' "$tree/js/package.json"
sed -i 's/__version__ = .*/version = 1/' "$tree/python/wari/__init__.py"

_source answer/one.h '#include "answer/two.h"'
_source answer/two.h
_source answer/two.c '#include "answer/one.h"'
_source serve/one.c 'void two(void);' 'void one(void)' '{' '    two();' '}'
_source serve/two.c 'void three(void);' 'void two(void)' '{' '    three();' '}'
_source serve/three.c 'void one(void);' 'void three(void)' '{' '    one();' '}'

_source answer/fault.h 'void stranger(void);'
_source answer/other.c 'void stranger(void)' '{' '}'
_source answer/twice.c 'struct wari_position {' '    int pits;' '};' 'static int wari_seeds(int n)' '{' \
    '    return n;' '}' 'int (*seeds)(int) = wari_seeds;'

_source answer/large.c "$(_function tall void 41)" \
    "$(_function wide 'int a, int b, int c, int d, int e, int f, void (*g)(int)' 1)" \
    'struct large {' '    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o;' '    /* last */ int *p;' '};'
_source answer/long.c $(yes '//' | head -n 600)
{
    echo "# Made by tests/cli/lint.sh."
    yes : | head -n 600
} >"$tree/tests/too_long.sh"
mv "$tree/index/README.md" "$WORK"
for i in $(seq 16); do _source "index/more$i.h"; done
{
    echo "lines game/moves.c:wari_moves"
    for i in $(seq 10); do echo "parameters game/moves.c:f$i"; done
} >>"$tree/tests/lint/exceptions.txt"
out=$WORK/wrong err=/dev/null
_lint "$tree" "$out"
code=$?

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

what_breaks_no_rule_passes() {
    [ "$right" -eq 0 ] && [ ! -s "$WORK/right" ] || fail "$(cat "$WORK/right")"
}

what_is_found_fails() {
    expect_code 1
}

# Each of the other tests expects all that is said of a rule: places of the tree and at the limits would be more.
the_tree_and_what_is_at_a_limit_break_no_rule() {
    [ "$(grep -c '^lint: ' "$out")" -eq 12 ] || fail "expected twelve rules to be broken"
}

arrows_that_the_table_does_not_have_are_named() {
    _expect "includes follow" "game/fault.c includes db/host/host.h" \
        "index/fault.c needs wari_catalogue_next of db/catalogue/catalogue.c" \
        "game/new/ has no line in tests/lint/arrows.txt" \
        "js/fault.h includes play/game.h" \
        "js/new/ has no line in tests/lint/arrows.txt" \
        "python/wari/fault.h includes solver/solve.h" \
        "play/record and play/search may include each other" \
        "play/search and play/record may include each other"
}

circles_of_includes_and_of_calls_are_named() {
    _expect "no files need" \
        "answer/one.h includes answer/two.h, answer/two.c includes answer/one.h" \
        "serve/one.c needs two of serve/two.c, serve/two.c needs three of serve/three.c, serve/three.c \
needs one of serve/one.c"
}

headers_of_what_others_define_are_named() {
    _expect "a header declares" "answer/fault.h: stranger is defined in answer/other.c"
}

names_that_stand_twice_are_named() {
    _expect "a name that begins" "struct wari_position: answer/twice.c, game/wari_game.h" \
        "wari_seeds(): answer/twice.c, game/position.c"
}

what_is_beyond_a_limit_is_named() {
    _expect "functions have at most 40" "answer/large.c:tall: 41" "python/wari/fault.h:steep: 41"
    _expect "functions have at most 6" "answer/large.c:wide: 7"
    _expect "structs have at most" "answer/large.c: struct large: 16"
    _expect "no file has more" "answer/long.c: 601" "tests/too_long.sh: 601"
    _expect "no folder holds" "answer: $(ls "$tree"/answer/*.[ch] | wc -l)" "index: $(ls "$tree"/index/*.[ch] | wc -l)"
}

versions_that_are_another_are_named() {
    local version
    version=$("$WARI" --version | sed -n '1s/^wari //p')
    _expect "what states a version" "js/package.json: 0.0.1, not $version" "python/wari/__init__.py: None, not $version"
}

folders_without_a_readme_are_named() {
    _expect "each folder has" game/new index
}

exceptions_that_nobody_needs_or_too_many_are_named() {
    _expect "exceptions are needed" \
        "$(($(grep -cE '^(lines|parameters) ' "$tree/tests/lint/exceptions.txt"))) functions, more than 10" \
        "lines game/moves.c:wari_moves: nothing there breaks the rule any more" \
        "$(for i in $(seq 10); do echo "parameters game/moves.c:f$i: nothing there breaks the rule any more"; done)"
}

run_tests
