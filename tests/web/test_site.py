#!/usr/bin/python3
"""The folder of `make site` on a plain web server, and without one, in Chromium and Firefox.

    tests/web/test_site.py SITE

SITE holds a book of `tournament` with 12 seeds. Prints "ok" or "not ok" for each test and ends with
"N passed, N failed".
"""

import functools
import http.server
import os
import shutil
import sys
import tempfile
import threading
import time
import traceback
from fnmatch import fnmatch

import chromium
from firefox import Firefox

SITE = sys.argv[1]
PATIENCE = chromium.PATIENCE

# Computed by hand (data/README.md): A keeps only 1, B gets 3.
THREE = "1-1-0-0-0-0-1-0-0-0-0-0-22-23-S"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Host:
    """Python's web server, which does not support range requests; it can be stopped."""

    def __init__(self, folder):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Page:
    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def open(self, query):
        self.browser.get("about:blank")
        self.browser.get(self.url + query)
        self.becomes("return document.body.dataset.ready === 'true' && Boolean(document.body.dataset.shown)", True)

    def becomes(self, script, expected):
        end = time.monotonic() + PATIENCE
        while (found := self.run(script)) != expected:
            assert time.monotonic() < end, f"timed out: expected {expected!r}, saw {found!r} of {script}"
            time.sleep(0.05)

    def worth(self):
        return self.run("return [...'ABCDEF'].map((each) => document.querySelector(`#pit-${each} .worth`).textContent)")


def every_pit_shows_what_its_move_is_worth(page):
    page.open(f"?rules=oware&p={THREE}")
    assert page.worth()[:2] == ["+1", "★ +3"], page.worth()
    assert page.run("return document.getElementById('value').textContent") == "+3"


def a_pit_is_played(page):
    page.open(f"?rules=oware&p={THREE}")
    page.run("document.getElementById('pit-B').click()")
    page.becomes("return document.body.dataset.ready + document.body.dataset.shown", "true1-0-1-0-0-0-1-0-0-0-0-0-22-23-N")


def above_the_book_it_searches(page):
    page.open("?rules=oware&p=4-4-4-4-4-4-4-4-4-4-4-4-0-0-S")
    page.becomes("return /±/.test(document.getElementById('value').textContent)", True)


def games_are_reviewed(page):
    page.open(f"?rules=oware&p={THREE}")
    page.run("document.getElementById('ogn-example').click()")
    page.becomes("return [...document.querySelectorAll('#review-figures tr:nth-child(2) td')].map((each) => each.textContent).join()", "11 of 11,11 of 11")
    page.run("document.getElementById('ogn-text').value = 'E c F d'; document.getElementById('ogn-review').click()")  # from the start: by search
    page.becomes("return [...document.querySelectorAll('#review-figures tr:nth-child(2) td')].map((each) => each.textContent).join()", "2 of 2,2 of 2")


def statistics_are_drawn(page):
    page.open(f"?rules=oware&p={THREE}")
    page.run("document.getElementById('section-statistics').click()")
    page.becomes("return document.querySelectorAll('#histogram-chart svg, #shares-chart svg').length", 2)


def a_puzzle_has_one_move_that_reaches_the_goal(page):
    page.open("?rules=oware#/learn/puzzles")
    page.becomes("return document.getElementById('view-learn').dataset.ready", "true")
    page.becomes("return document.querySelectorAll('#learn-board .pit.playable').length > 1", True)
    page.run("""const buttons = [...document.querySelectorAll('#learn-board .pit.playable')];
        window.right = 0;
        (async () => {
          const at = () => document.getElementById('view-learn').dataset.ready === 'true';
          const until = async (look) => { while (!look()) await new Promise((done) => setTimeout(done, 20)); };
          for (const each of buttons) {
            each.click();
            await until(() => at() && !document.getElementById('learn-said').hidden);
            window.right += document.getElementById('learn-said').textContent.startsWith('✓') ? 1 : 0;
            document.getElementById('learn-again').click();
            await until(() => at() && document.getElementById('learn-said').hidden);
          }
          window.tried = buttons.length;
        })();""")
    page.becomes("return window.tried > 1 && window.right", 1)


def without_a_network_it_answers_as_before(page):
    page.open(f"?rules=oware&p={THREE}")
    page.run("navigator.serviceWorker.ready.then(() => { document.body.dataset.kept = 'yes'; })")
    page.becomes("return document.body.dataset.kept", "yes")
    page.becomes("return Boolean(navigator.serviceWorker.controller)", True)
    page.host.close()
    for test in (every_pit_shows_what_its_move_is_worth, a_pit_is_played, above_the_book_it_searches, games_are_reviewed, statistics_are_drawn,
                 a_puzzle_has_one_move_that_reaches_the_goal):
        test(page)


def the_example_of_a_page_shows_what_moves_are_worth(page):
    with tempfile.TemporaryDirectory() as folder:
        for file in ("wari.js", "source.js", "wari.wasm", "oware.book"):
            shutil.copy(os.path.join(SITE, file), folder)
        shutil.copy("tools/examples/page.html", folder)
        host = Host(folder)
        page.browser.get(host.url + "page.html")
        page.becomes("return document.getElementById('moves').value", "B 3, A 1")
        page.run("const input = document.getElementById('position'); input.value = '1 1'; input.dispatchEvent(new Event('input'))")
        page.becomes("return document.getElementById('moves').value.includes('12 counts')", True)
        host.close()


# The last test stops the server and repeats all requests.
TESTS = [every_pit_shows_what_its_move_is_worth, a_pit_is_played, above_the_book_it_searches, games_are_reviewed,
         statistics_are_drawn, a_puzzle_has_one_move_that_reaches_the_goal, the_example_of_a_page_shows_what_moves_are_worth, without_a_network_it_answers_as_before]


def main():
    passed = failed = 0
    # In Firefox the last test alone covers what the others check.
    for name, start, tests in (("Chromium", chromium.start, TESTS), ("Firefox", Firefox, TESTS[-2:])):
        host = Host(SITE)
        browser = start()
        page = Page(browser, host.url)
        page.host = host
        for test in [each for each in tests if fnmatch(each.__name__, os.environ.get("ONLY") or "*")]:
            try:
                test(page)
                passed += 1
                print(f"ok - {name}: {test.__name__}", flush=True)
            except Exception:  # run the other tests in any case
                failed += 1
                print(f"not ok - {name}: {test.__name__}\n{traceback.format_exc()}", flush=True)
        browser.quit()
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
