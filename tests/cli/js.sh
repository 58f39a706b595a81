#!/usr/bin/env bash
# The npm package: it is made, packed, installed without a network, and tested in Node by
# tests/js/wari.test.mjs.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

package=$WORK/package
mkdir "$package" "$WORK/app" && cp bindings/js/*.js bindings/js/*.cjs bindings/js/*.ts bindings/js/*.json bindings/js/README.md LICENSE "$package" || exit 1
packaging/amalgamation.sh 0 "$WORK/two" && bindings/js/build.sh "$WORK/two" "$package/wari.wasm" &&
    bindings/js/types.sh "$package" || exit 1
build "$WORK/db" 9 --rules tournament || exit 1
"$WARI" book --db "$WORK/db" -o "$WORK/app/o.book" >/dev/null || exit 1
"$WARI" export --db "$WORK/db" --seeds 9 --format csv | awk "NR % 29 == 1" >"$WORK/app/values.csv" || exit 1
echo 'export * from "wari"; export * from "wari/worker";' >"$WORK/app/load.mjs"
out=$WORK/out err=$WORK/err

# Where the home folder is read-only, npm tries for ever to create its cache there.
export npm_config_cache=$WORK/npm

# Installs with npm if it exists; else (on Debian it takes 400 packages) does the same by hand.
_install() {
    if command -v npm >/dev/null; then
        echo '{}' >package.json && npm pack --offline --silent "$package" && npm install --offline --no-audit --no-fund ./wari-*.tgz
    else
        mkdir -p node_modules/wari && cd "$package" &&
            cp package.json README.md LICENSE $(node -p 'require("./package.json").files.join(" ")') "$WORK/app/node_modules/wari"
    fi
    [ ! -L "$WORK/app/node_modules/wari" ] && tar -czf "$WORK/app/wari.tgz" -C "$WORK/app/node_modules" wari
}
(cd "$WORK/app" && _install) >"$out" 2>"$err" || { echo "not ok - set-up: the package"; cat "$out" "$err"; exit 1; }

the_package_says_in_node_what_the_library_says() {
    WARI_TEST=$WORK/app node --test tests/js/wari.test.mjs >"$out" 2>"$err"
    code=$?
    [ "$code" -eq 0 ] || fail "$(grep -A 20 '^not ok' "$out" | head -60)"
    grep -q '^# pass [1-9]' "$out" || fail "no test was run"
    expect_output_has '# fail 0'
}

# The page has its own parser in JavaScript; `wari judge` parses records in C.
the_page_takes_the_records_that_the_judge_takes() {
    local rules cycle
    for rules in awari wari abapa warri ware slam-ends slam-gives slam-wins; do
        for cycle in even own; do
            build "$WORK/variants" 1 --rules $rules --cycle $cycle
        done
    done
    # Node 18 takes a .js file for a module only if package.json says so; browsers do not need package.json.
    mkdir "$WORK/page" && cp serve/page/*.js "$WORK/page" && echo '{ "type": "module" }' >"$WORK/page/package.json"
    WARI_DB=$WORK/variants WARI=$WARI WARI_PAGE=$WORK/page node --test tests/js/records.test.mjs >"$out" 2>"$err"
    code=$?
    [ "$code" -eq 0 ] || fail "$(grep -A 20 '^not ok' "$out" | head -60)"
    expect_output_has '# pass 8'
}

# The value 3, by B and by E, is published.
the_example_of_its_readme_runs() {
    "$WARI" book --db "$(shared_awari 12)" -o "$WORK/app/oware.book" >/dev/null || fail "no book"
    sed -n '/^```js$/,/^```$/p' bindings/js/README.md | grep -v '^```' >"$WORK/app/example.mjs"
    (cd "$WORK/app" && node example.mjs) >"$out" 2>"$err" || fail "the example"
    expect_output "B 3
E 3"
}

the_package_is_small_and_complete() {
    local bytes
    bytes=$(stat -c %s "$WORK/app/wari.tgz")
    [ "$bytes" -lt 80000 ] || fail "$bytes bytes"
    ls "$WORK/app/node_modules/wari" | xargs >"$out"
    expect_output "LICENSE README.md package.json source.js wari.cjs wari.d.cts wari.d.ts wari.js wari.wasm worker.cjs worker.d.cts worker.d.ts worker.js worker_thread.js"
}

its_types_are_sound() {
    cat >"$WORK/app/use.mts" <<'END'
import { legalMoves, open, WariError, type Book } from "wari";
import { openInWorker } from "wari/worker";
const book: Book = await open(new Uint8Array(3), { rules: "oware", cycle: "own" });
const value: number = await book.value([1, 2, 3]);
const letters: string[] = (await book.moves("1 1")).map((move) => move.letter + (move.value - value));
const count: number = (await legalMoves("awari", "1")).moves.length + letters.length;
const all: Int8Array = await book.values(["1 1", new Uint8Array(12)]);
const other = await openInWorker("o.book", { rules: "abapa own" });
const more: Int8Array = await other.values([[1]]);
await book.close();
if (new WariError("damaged", "").status === "damaged") throw count + all.length + more.length;
// @ts-expect-error: a number is no position
await book.value(3);
END
    cat >"$WORK/app/use.cts" <<'END'
import { open, WariError } from "wari";
import { openInWorker } from "wari/worker";
open("o.book").then((book) => book.values(["1"]), (error: WariError) => error.status);
openInWorker("o.book").then((book) => book.values(["1"]));
END
    # Checks the types of the package, but not those of browsers, which would take most of the time.
    (cd "$WORK/app" && tsc --strict --noEmit --skipDefaultLibCheck --target es2022 --module nodenext --lib es2022,dom use.mts use.cts) \
        >"$out" 2>"$err" || fail "tsc"
}

every_export_is_declared_and_every_declaration_exported() {
    (cd "$WORK/app" && node --input-type=module -e '
        import { readFileSync } from "node:fs";
        import { createRequire } from "node:module";
        const require = createRequire(process.cwd() + "/x.js");
        const folder = "node_modules/" + require("wari/package.json").name + "/";
        for (const [name, file] of [["wari", "wari.d.ts"], ["wari/worker", "worker.d.ts"]]) {
            const declared = [...readFileSync(folder + file, "utf8").matchAll(/^export (?:class|function) (\w+)/gm)].map((found) => found[1]);
            console.log(name, Object.keys(await import(name)).sort().join() === declared.sort().join() || declared.join());
        }
        console.log(Object.keys(require("wari")).sort().join(), Object.keys(require("wari/worker")).join());
    ') >"$out" 2>"$err" || fail "node"
    expect_output "wari true
wari/worker true
WariError,legalMoves,open openInWorker"
}

# Fixed bug: bundlers for browsers refused the imports of modules of Node. The test runs the bundle for browsers in Node, where
# it works, too.
a_bundler_takes_it_for_a_browser() {
    (
        cd "$WORK/app" && echo 'import { open } from "wari"; import { openInWorker } from "wari/worker";
            for (const start of [open, openInWorker]) {
                const book = await start("o.book");
                console.log(await book.value("1 1 0 0 0 0 / 1 0 0 0 0 0"));
                await book.close();
            }' >bundled.js &&
            esbuild --bundle --format=esm --platform=browser --log-level=warning --outfile=bundle/main.mjs bundled.js &&
            esbuild --bundle --format=esm --platform=browser --log-level=warning --outfile=bundle/worker_thread.js \
                node_modules/wari/worker_thread.js &&
            cp node_modules/wari/wari.wasm bundle && echo '{ "type": "module" }' >bundle/package.json && node bundle/main.mjs
    ) >"$out" 2>"$err" || fail "the bundle"
    expect_no_message
    expect_output "3
3" # by hand: A would keep only 1
}

run_tests
