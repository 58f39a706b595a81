#!/usr/bin/env bash
# `make site`: the folder is small and complete, and its answers are those of the server, for rules
# of each kind. The page itself is tested in tests/web/.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
# shellcheck source=tests/cli/asking.sh
. tests/cli/asking.sh

out=$WORK/out err=$WORK/err
echo '{ "type": "module" }' >"$WORK/package.json" # Node 18 needs it for the modules in $WORK/site; browsers don't
packaging/amalgamation.sh 0 "$WORK/two" && bindings/js/build.sh "$WORK/two" "$WORK/wari.wasm" search || exit 1

_site() { # SEEDS OPTION... ; makes $WORK/site
    build "$WORK/db" "$@" || fail "no database"
    "$WARI" book --db "$WORK/db" --seeds "$1" "${@:2}" -o "$WORK/o.book" >/dev/null || fail "no book"
    bindings/js/site/build.sh "$WORK/o.book" "$WORK/wari.wasm" "$WORK/site" || fail "no site"
}

the_answers_are_those_of_the_server() {
    local rules
    for rules in tournament "awari --cycle even" "warri --cycle own" "slam-ends --cycle even" "ware --cycle even"; do
        # shellcheck disable=SC2086 # options
        _site 6 --rules $rules
        # shellcheck disable=SC2086
        "$WARI" build --db "$WORK/db" --rules $rules --seeds 8 2>/dev/null
        # shellcheck disable=SC2086
        "$WARI" export --db "$WORK/db" --rules $rules --seeds 8 --format csv | awk "NR % 19000 == 9" >"$WORK/truth"
        _start --book "$WORK/o.book" || fail "no server"
        WARI_TRUTH=$WORK/truth WARI_SITE=$WORK/site WARI_SERVER=$url node --test tests/js/site.test.mjs >"$WORK/said" 2>&1
        code=$?
        _stop
        [ "$code" -eq 0 ] || fail "$rules: $(grep -A 25 '^ *not ok' "$WORK/said" | head -80)"
        grep -q '^# fail 0' "$WORK/said" || fail "no test was run"
        ! is_small || break
    done
}

with_a_book_of_12_seeds_it_is_smaller_than_2_mb() {
    _site 12 --rules tournament
    [ "$(du -sb "$WORK/site" | cut -f1)" -lt 2000000 ] || fail "$(du -sb "$WORK/site")"
}

run_tests
