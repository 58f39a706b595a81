#!/usr/bin/env bash
# The texts and colours of the page. tests/web/languages.py and contrast.py prove that the sources
# have all texts in every language, and that all can be read; here they must reject broken sources.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
code=0 out=$WORK/said err=/dev/null # what fail() prints; the program does not run here

# Reads lines with a file in $WORK/page, a command that breaks it, and the expected message; a line
# without a file adds another message. All faults are made at once, and no other message may appear.
_expect_refusal() { # COMMAND...
    local file script finding
    rm -rf "$WORK/page"
    cp -r serve/page "$WORK/page"
    : >"$WORK/expected"
    while IFS='|' read -r file script finding; do
        printf '%s\n' "$finding" >>"$WORK/expected"
        [ -n "$file" ] || continue
        sed -i.before "$script" "$WORK/page/$file"
        ! cmp -s "$WORK/page/$file.before" "$WORK/page/$file" || fail "expected a change by $script"
    done
    ! "$@" >"$out" || fail "expected a refusal"
    while IFS= read -r finding; do
        expect_output_has "$finding"
    done <"$WORK/expected"
    sed 1d "$out" | grep -vFf "$WORK/expected" >"$WORK/more"
    [ ! -s "$WORK/more" ] || fail "expected nothing else: $(cat "$WORK/more")"
}

# Two faults of one language that would hide each other are tested one after the other.
each_fault_in_a_text_is_found() {
    python3 -B tests/web/languages.py || fail "expected the sources to be whole"
    _expect_refusal python3 -B tests/web/languages.py "$WORK/page" <<'END'
messages/fr.json|/"tool.undo":/d|fr: tool.undo lacks
messages/it.json|s/"tool.undo":/"tool.done":/|it: tool.undo lacks
||it: tool.done is not in en.json
messages/nl.json|s/^  "section.play.*/&&/|nl: section.play stands there twice
messages/es.json|s/{other} sin semillas/{others} sin semillas/|es: refused.feed
messages/fr.json|s/"one": "{count} graine"/"two": "{count} graine"/|fr: count.seeds has the forms
main.js|s/"move.first"/"move.frist"/|there is no text move.frist
||en: move.first is not used
index.html|s/ data-t="tool.edit">/>Edit/|"Edit" is no text
||en: tool.edit is not used
END
    _expect_refusal python3 -B tests/web/languages.py "$WORK/page" <<'END'
messages/es.json|s/"count.seeds": {.*}/"count.seeds": "{count}"/|es: count.seeds has plural forms
messages/it.json|s/"Annulla"/""/|it: tool.undo : is empty
messages/nl.json|s/^{/[/|nl:
messages/fr.json|s/"play.question": ".*"/"play.question": "Comment ?"/|fr: play.question : " ?" is not what this language prints
messages/en.json|s/"section.play": "Play"/"section.play": "Play..."/|en: section.play : "..." is not what this language prints
main.js|s/t("move.first")/"x"/|en: move.first is not used
END
}

a_colour_that_is_too_weak_is_found() {
    python3 -B tests/web/contrast.py || fail "expected the sources to be whole"
    _expect_refusal python3 -B tests/web/contrast.py "$WORK/page/style.css" <<'END'
style.css|s/--edge: #8f8373/--edge: #ddd2c2/|light: --edge on --paper has 1.3
||light: --edge on --card has 1.4
style.css|s/--edge: #857868/--edge: #40382f/|dark: --edge on --card has 1.3
||dark: --edge on --paper has 1.5
style.css|s/--ink: #2b2420/--ink: #8a8a8a/|light: --ink on --card has 3.4
||light: --ink on --paper has 3.0
||light: --ink on --draw-soft has 2.7
style.css|s/--ring: #e0cdb6;//;s/--ring: #f3e3cf;//|there is no --ring
style.css|s/color: var(--on-pit)/color: #fff/|#fff stands outside
END
}

# serve/fill_in.sh puts the texts, the style and the script into the page.
escapes_in_the_language_files_are_decoded() {
    rm -rf "$WORK/page"
    cp -r serve/page "$WORK/page"
    sed -i 's|"section.play": "Play"|"section.play": "\\"a\\" \\/ \\\\ <\&>"|' "$WORK/page/messages/en.json"
    serve/fill_in.sh en "$WORK/page" >"$out" || fail "expected a page"
    expect_output_has 'data-t="section.play">"a" / \ &lt;&amp;&gt;</a>'
}

what_cannot_be_put_into_the_page_is_refused() {
    local file script message
    while IFS='|' read -r file script message; do
        rm -rf "$WORK/page"
        cp -r serve/page "$WORK/page"
        sed -i "$script" "$WORK/page/$file"
        ! serve/fill_in.sh en "$WORK/page" >/dev/null 2>"$out" || fail "expected a refusal"
        expect_output_has "$WORK/page/$message"
    done <<'END'
messages/en.json|s/"section.play": "Play"/"section.play": "Pl\\u0061y"/|messages/en.json: section.play: write the character itself in place of the escape \u
messages/en.json|/"section.play":/d|messages/en.json: there is no line with the text section.play
messages/en.json|s/"section.play": "Play"/"section.play": "<!-- Play"/|messages/en.json: <!-- cannot be inside an element of a page
style.css|$s,$,/* </STYLE> */,|style.css: </STYLE cannot be inside
main.js|$s,$,// </script,|main.js: </script cannot be inside
END
}

# Everything that a browser loads for one language, compressed, as the server sends it.
the_page_is_small() {
    local file page language=0
    page=$(cat serve/page/*.{html,css,js,svg} | gzip -9 | wc -c)
    for file in serve/page/messages/*.json; do
        language=$(printf '%d\n' "$language" "$(gzip -9 <"$file" | wc -c)" | sort -n | tail -n 1)
    done
    [ $((page + language)) -lt 100000 ] || fail "expected less than $page bytes, and $language of a language"
}

run_tests
