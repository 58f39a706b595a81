#!/usr/bin/python3
"""The npm package in Chromium: from npm's own tarball, read by a page and by a worker.

    tests/web/test_package.py PACKAGE BOOK

PACKAGE is bindings/js after `make js`. BOOK is a book of `tournament`. Ends with "N passed, N failed".
"""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback

import chromium

PACKAGE, BOOK = map(os.path.abspath, sys.argv[1:])
PAGE = """<!doctype html><meta charset="utf-8"><title>package</title>
<script type="importmap">{"imports": {"wari": "./package/wari.js", "wari/worker": "./package/worker.js"}}</script>
<script type="module">
import * as wari from "wari";
import * as worker from "wari/worker";
window.wari = { ...wari, ...worker };
</script>"""

# Computed by hand (data/README.md): A keeps only 1, B gets 3.
THREE = "1 1 0 0 0 0 / 1 0 0 0 0 0"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def run(browser, body):
    """Runs the body of an asynchronous function in the page, and returns what it returns."""
    script = "const done = arguments[arguments.length - 1]; (async () => {" + body + "})().then(done, (error) => done(String(error)));"
    return browser.execute_async_script(script)


def a_page_reads_a_book(browser):
    assert run(browser, f'const book = await wari.open("o.book"); return [...await book.values(["{THREE}"])];') == [3]


def a_worker_reads_a_book(browser):
    found = run(browser, f"""
        const book = await wari.openInWorker("o.book", {{ rules: "oware" }});
        const [values, moves] = await Promise.all([book.values(Array(20).fill("{THREE}")), book.moves("{THREE}")]);
        await book.close();
        return [book.rules, book.cycle, values instanceof Int8Array, [...new Set(values)], moves[0].letter];""")
    assert found == ["abapa", "own", True, [3], "B"], found


def a_worker_says_what_is_wrong(browser):
    for source, words in (('"none.book"', "none.book: the server answers 404"), ("{ size: 1, read() {} }", "no functions")):
        found = run(browser, f"return wari.openInWorker({source}).then(String, (error) => error.status + ': ' + error.message);")
        assert words in found, found


def main():
    folder = tempfile.mkdtemp()
    subprocess.run(["npm", "pack", "--silent", "--offline", "--pack-destination", folder, PACKAGE], check=True, stdout=subprocess.DEVNULL)
    archive = next(name for name in os.listdir(folder) if name.endswith(".tgz"))
    subprocess.run(["tar", "-C", folder, "-xf", os.path.join(folder, archive)], check=True)
    shutil.copy(BOOK, os.path.join(folder, "o.book"))
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as page:
        page.write(PAGE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = chromium.start()
    passed = failed = 0
    try:
        browser.get(f"http://127.0.0.1:{server.server_address[1]}/")
        for test in (a_page_reads_a_book, a_worker_reads_a_book, a_worker_says_what_is_wrong):
            try:
                test(browser)
                print(f"ok - {test.__name__}")
                passed += 1
            except Exception:  # whatever it is, the other tests run
                print(f"not ok - {test.__name__}")
                traceback.print_exc(file=sys.stdout)
                failed += 1
    finally:
        browser.quit()
        server.shutdown()
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
