#!/usr/bin/env bash
# The texts and colours of the page. That every language has all texts, and that all can be read,
# tests/lint/languages.py and contrast.py prove of the sources; here they must refuse broken ones.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
code=0 out=/dev/null err=/dev/null # what fail() tells; the program does not run here

# Each line: a file, how it is broken, and what has to be said about it.
each_fault_in_a_text_is_found() {
    local file script told
    python3 -B tests/lint/languages.py || fail "expected the sources to be whole"
    while IFS='|' read -r file script told; do
        rm -rf "$WORK/page"
        cp -r serve/page "$WORK/page"
        sed -i "$script" "$WORK/page/$file"
        ! cmp -s "serve/page/$file" "$WORK/page/$file" || fail "expected a change by $script"
        if python3 -B tests/lint/languages.py "$WORK/page" >"$WORK/said"; then
            fail "expected a refusal after $script in $file"
        fi
        grep -qF -- "$told" "$WORK/said" || fail "expected \"$told\" after $script: $(cat "$WORK/said")"
    done <<'END'
messages/fr.json|/"tool.undo":/d|fr: tool.undo lacks
messages/it.json|s/"tool.undo":/"tool.done":/|it: tool.done is not in en.json
messages/nl.json|s/^  "tab.board.*/&&/|nl: tab.board stands there twice
messages/es.json|s/{other} sin semillas/{others} sin semillas/|es: refused.feed
messages/fr.json|s/"one": "{count} graine"/"two": "{count} graine"/|fr: count.seeds has the forms
messages/es.json|s/"count.seeds": {.*}/"count.seeds": "{count}"/|es: count.seeds has plural forms
messages/it.json|s/"Annulla"/""/|it: tool.undo : is empty
messages/nl.json|s/^{/[/|nl:
main.js|s/"move.first"/"move.frist"/|there is no text move.frist
main.js|s/t("move.first")/"x"/|move.first is not used
index.html|s/ data-t="tool.edit">/>Edit/|"Edit" is no text
END
}

a_colour_that_is_too_weak_is_found() {
    python3 -B tests/lint/contrast.py || fail "expected the sources to be whole"
    local script told
    while IFS='|' read -r script told; do
        sed "$script" serve/page/style.css >"$WORK/style.css"
        if python3 -B tests/lint/contrast.py "$WORK/style.css" >"$WORK/said"; then
            fail "expected a refusal after $script"
        fi
        grep -qF -- "$told" "$WORK/said" || fail "expected \"$told\" after $script: $(cat "$WORK/said")"
    done <<'END'
s/--edge: #8f8373/--edge: #ddd2c2/|light: --edge on --paper has 1.3
s/--edge: #857868/--edge: #40382f/|dark: --edge on --card
s/--ink: #2b2420/--ink: #8a8a8a/|light: --ink on --card
s/--ring: #e0cdb6;//;s/--ring: #f3e3cf;//|there is no --ring
s/color: var(--on-pit)/color: #fff/|#fff stands outside
END
}

# All that a browser loads for one language, as it is sent.
the_page_is_small() {
    local page language
    page=$(cat serve/page/*.{html,css,js,svg} | wc -c)
    language=$(wc -c serve/page/messages/*.json | awk '$2 != "total" && $1 > most { most = $1 } END { print most }')
    [ $((page + language)) -lt 150000 ] || fail "expected less than $page bytes, and $language of a language"
}

run_tests
