#!/usr/bin/python3
"""The page of `wari serve` in a real browser: Chromium without a window, driven by Selenium.

    tests/web/test_page.py PROGRAM FOLDER

Builds small databases in FOLDER, starts the server and clicks through the page. Screenshots of what
it saw stay in FOLDER for people to look at. Prints "ok" or "not ok" for each test and ends with
"N passed, N failed". Each test opens the page anew; its name says what must hold.
"""

import os
import re
import signal
import subprocess
import sys
import traceback
from fnmatch import fnmatch
from urllib.parse import parse_qs, urlsplit

from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

import chromium
import hasty
import keeping
import whole_game

PROGRAM, FOLDER = sys.argv[1], sys.argv[2]
PATIENCE = chromium.PATIENCE

# Values and moves in these tests are published, or computed by hand (data/README.md).
ONES = "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"  # worth 0; A..F: -1 -8 -2 -2 -2 0
SLAM = "0-0-0-3-2-0-1-0-0-0-0-0-20-22-S"  # worth 6 in awari, 2 in warri


# Counts pending timers and requests of a page, and the ticks of its intervals. So a test can tell that nothing more
# will happen.
COUNTS = """window.underWay = window.ticks = 0;
{
  const { setTimeout, setInterval, fetch } = window;
  const end = () => setTimeout(() => { window.underWay--; });
  window.setTimeout = (call, milliseconds) => {
    window.underWay++;
    return setTimeout(() => { end(); call(); }, milliseconds);
  };
  window.setInterval = (call, milliseconds) => setInterval(() => { call(); window.ticks++; }, milliseconds);
  window.fetch = async (...asked) => {
    window.underWay++;
    try {
      const answer = await fetch(...asked);
      answer.clone().text().catch(() => {}).finally(end);
      return answer;
    } catch (error) {
      end();
      throw error;
    }
  };
}"""


def fast_clock():
    """Returns the environment of a server whose clock advances by a millisecond with each reading. So its searches, which
    are limited by time and not by depth, end after a fiftieth of the work. run.sh sets CALLS, the library of tests/calls."""
    calls = os.environ.get("CALLS")
    return {**os.environ, "LD_PRELOAD": calls, "CLOCK_STEP": "1000000"} if calls else None


def start_server():
    database = os.path.join(FOLDER, "db")
    for options in (["--seeds", "12"], ["--seeds", "7", "--rules", "tournament"], ["--seeds", "7", "--rules", "warri"]):
        subprocess.run([PROGRAM, "build", "--db", database, *options], check=True, stderr=subprocess.DEVNULL)
    server = subprocess.Popen([PROGRAM, "serve", "--db", database, "--port", "0", "--seconds", "3600"], stderr=subprocess.PIPE, text=True, env=fast_clock())
    for line in server.stderr:
        found = re.search(r"listening on (\S+)", line)
        if found:
            return server, found.group(1)
    raise SystemExit("the server did not start")


class Page:
    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    def open(self, query="", width=1180, height=900, calm=True, dark=False):
        """Opens the page with empty storage: the Analyse section, unless `query` has a fragment."""
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"},
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        # A page may write its storage while it is being left, after the storage was cleared.
        self.browser.execute_script("Storage.prototype.setItem = () => { throw new Error('over'); }")
        self.browser.get("about:blank")
        self.browser.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": self.url.rstrip("/"), "storageTypes": "local_storage"})
        self.browser.get(self.url + query + ("" if "#" in query else "#/analyse"))
        self.wait(lambda: self.settled())

    def wait(self, condition):
        WebDriverWait(self.browser, PATIENCE, poll_frequency=0.05).until(lambda _: condition(), "timed out")

    def becomes(self, look, expected):
        """Waits until `look` returns the expected value."""
        try:
            self.wait(lambda: self.settled() and look() == expected)
        except TimeoutException:
            raise AssertionError(f"timed out: expected {expected!r}, saw {look()!r}") from None

    def comes_to_rest(self):
        """Waits until no timer or request is pending and all intervals have ticked twice since then."""
        self.wait(lambda: self.settled() and self.browser.execute_script("return window.underWay") == 0)
        before = self.browser.execute_script("return window.ticks")
        self.wait(lambda: self.browser.execute_script("return window.ticks") >= before + 2)
        self.wait(lambda: self.settled() and self.browser.execute_script("return window.underWay") == 0)

    def settled(self):
        """Returns the position once nothing moves and the URL has the displayed position."""
        return self.browser.execute_script(
            "return document.body.dataset.ready === 'true' && "
            "document.body.dataset.shown === new URLSearchParams(location.search).get('p')")

    def at(self, name):
        return self.browser.find_element(By.ID, name)

    def text(self, name):
        return self.browser.execute_script("return document.getElementById(arguments[0]).textContent", name)

    def press(self, name):
        self.click("#" + name)
        self.wait(self.settled)

    def click(self, selector, index=0):
        """Clicks on one of the elements. The page may replace an element between the search and the click: again, then."""
        def clicked():
            try:
                self.browser.find_elements(By.CSS_SELECTOR, selector)[index].click()
            except (IndexError, StaleElementReferenceException):
                return False
            return True
        self.wait(clicked)

    def count(self, selector):
        return self.browser.execute_script("return document.querySelectorAll(arguments[0]).length", selector)

    def texts(self, selector):
        """Returns the displayed texts of the elements, all as they are at one moment."""
        return self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText.trim().replace(/\\s+/g, \" \"))", selector)

    def key(self, key):
        self.browser.switch_to.active_element.send_keys(key)
        self.wait(self.settled)

    def position(self):
        return parse_qs(urlsplit(self.browser.current_url).query)["p"][0]

    def worth(self, letter):
        return self.browser.execute_script("return document.querySelector('#pit-' + arguments[0] + ' .worth').textContent", letter)

    def spoken(self, pit):
        """Returns the text of a pit for screen readers."""
        return self.browser.execute_script("return document.querySelector('#' + arguments[0] + ' .hidden').textContent", pit)

    def picture(self, name):
        self.browser.save_screenshot(os.path.join(FOLDER, name + ".png"))

    def errors(self):
        """Returns the errors on the console, except rejected requests, which the page explains itself."""
        return [entry for entry in self.browser.get_log("browser")
                if entry["level"] == "SEVERE" and not re.search("status of 40[04] ", entry["message"])]


def every_own_pit_shows_what_its_move_is_worth(page):
    page.open(f"?rules=awari&p={ONES}")
    shown = [page.worth(letter) for letter in "ABCDEF"]
    assert shown == ["−1", "−8", "−2", "−2", "−2", "★ 0"], shown
    assert (page.text("headline"), page.text("value")) == ("Draw, 24–24", "0"), page.text("headline")
    label = page.spoken("pit-B")
    assert label == "Pit B, South, 1 seed, worth −8", label
    page.picture("board")


def three_moves_are_played_by_click_and_key(page):
    page.open(f"?rules=awari&p={ONES}", calm=False)
    page.press("pit-F")  # makes 2 in a and captures them; f does the same to A
    page.becomes(page.position, "1-1-1-1-1-0-0-1-1-1-1-1-20-18-N")
    page.key("f")
    page.becomes(lambda: page.text("history"), "Ff")
    page.key("5")
    page.becomes(lambda: page.text("history"), "FfE")
    assert "South plays E" in page.text("live"), page.text("live")
    page.picture("moves")


def moves_are_undone_and_done_again(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-B")
    page.becomes(lambda: page.text("history"), "B")
    after = page.position()
    page.press("undo")
    page.becomes(page.position, ONES)
    page.key("y")
    page.becomes(page.position, after)
    page.key("u")
    page.becomes(page.position, ONES)
    assert page.at("undo").get_attribute("aria-disabled") == "true"


def another_move_makes_a_variation(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-B")
    page.becomes(lambda: page.text("history"), "B")
    page.press("undo")
    page.press("pit-F")
    page.becomes(lambda: page.text("history"), "B(F)")
    page.press("promote")
    page.becomes(lambda: page.text("history"), "F(B)")
    page.browser.execute_script("document.activeElement.blur()")
    page.key(Keys.ARROW_DOWN)
    page.becomes(page.position, "1-0-2-1-1-1-1-1-1-1-1-1-18-18-N")
    page.key(Keys.ARROW_LEFT)
    page.becomes(page.position, ONES)
    page.key(Keys.ARROW_RIGHT)  # to the move displayed last
    page.becomes(page.position, "1-0-2-1-1-1-1-1-1-1-1-1-18-18-N")
    page.press("delete")
    page.becomes(lambda: page.text("history"), "F")


def a_game_survives_reload_and_going_back(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-B")
    page.becomes(lambda: page.text("history"), "B")
    page.press("undo")
    page.press("pit-F")
    page.becomes(lambda: page.text("history"), "B(F)")
    page.browser.refresh()
    page.wait(page.settled)
    page.becomes(lambda: page.text("history"), "B(F)")
    assert page.position() == "1-1-1-1-1-0-0-1-1-1-1-1-20-18-N"
    page.press("start")
    page.becomes(lambda: page.text("history"), "No moves yet")
    page.browser.back()
    page.becomes(lambda: page.text("history"), "B(F)")
    page.browser.get("about:blank")
    page.browser.get(page.url)  # no game in the URL: continues the latest
    page.wait(page.settled)
    page.becomes(lambda: page.text("history"), "B(F)")


def other_rules_ask_and_keep_the_game(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-F")
    page.becomes(lambda: page.text("history"), "F")
    Select(page.at("rules")).select_by_visible_text("Spanish")
    page.browser.switch_to.alert.dismiss()
    assert Select(page.at("rules")).first_selected_option.text == "Published tables"
    Select(page.at("rules")).select_by_visible_text("Spanish")
    page.browser.switch_to.alert.accept()
    page.becomes(lambda: page.text("history"), "No moves yet")
    page.click("#recent-box summary")
    page.click("#recent button")
    page.becomes(lambda: page.text("history"), "F")
    assert "rules=academic" in page.browser.current_url


def damaged_storage_and_a_browser_that_keeps_nothing_do_no_harm(page):
    for broken in ("{", "[1, null, {}]", '[{"id":"x","rules":"awari","cycle":"even","time":1,"at":0,"rows":[[-1,"","1-2",0,"","",0]]}]'):
        page.open(f"?rules=awari&p={ONES}")
        page.browser.execute_script("localStorage.setItem('wari games /', arguments[0])", broken)
        page.browser.get("about:blank")
        page.browser.get(page.url)
        page.wait(page.settled)
        assert page.text("history") == "No moves yet"
    page.open(f"?rules=awari&p={ONES}")
    page.browser.execute_script("Storage.prototype.setItem = History.prototype.replaceState = () => { throw new Error('full'); }")
    page.click("#pit-F")
    page.wait(lambda: page.text("history") == "F" and page.browser.execute_script("return document.body.dataset.ready") == "true")
    assert "isn’t saving anything" in page.text("notice"), page.text("notice")


def a_record_with_variations_goes_round(page):
    page.open(f"?rules=oware&p={ONES}")
    page.click("#ogn-box summary")
    page.at("ogn-text").send_keys(f'[Variant "awari"]\n[FEN "{ONES}"]\n1. F+2! {{ <b>good</b> }} f (1... e 2. A) *')
    page.press("ogn-open")
    page.becomes(lambda: page.text("history"), "F!f(eA)")
    assert "under other rules: Published tables" in page.text("notice"), page.text("notice")
    page.press("ogn-write")
    page.wait(lambda: "value" in page.at("ogn-text").get_attribute("value"))
    text = page.at("ogn-text").get_attribute("value")
    assert "F! { value 0, best F; <b>good</b> }" in text, text
    path = os.path.join(FOLDER, "written.ogn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    judged = subprocess.run([PROGRAM, "judge", "--db", os.path.join(FOLDER, "db"), path], capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged
    page.press("ogn-open")
    page.becomes(lambda: page.text("history"), "F!f(eA)")


def a_link_holds_the_whole_game(page):
    page.open(f"?rules=awari&p={ONES}#moves=FfE")
    page.becomes(lambda: page.text("history"), "FfE")
    page.open(f"?rules=awari&p={ONES}#moves=FfA9x")  # A is empty by then
    page.becomes(lambda: page.text("history"), "Ff")
    page.wait(lambda: "A isn’t legal at this point" in page.text("notice"))


def one_of_several_games_is_chosen(page):
    page.open(f"?rules=awari&p={ONES}")
    page.click("#ogn-box summary")
    page.at("ogn-text").send_keys('[South "Ama"]\nA a *\n\n[South "Kofi"]\nB b *')
    page.press("ogn-open")
    page.click("#ogn-games button", 1)
    page.becomes(lambda: page.text("history"), "Bb")


def the_best_move_and_the_line_can_be_played(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("best")
    page.becomes(lambda: page.text("history"), "F")
    page.press("undo")
    page.click("#line button", 2)
    page.wait(lambda: len(page.text("history")) == 3 and page.settled())
    assert page.text("history")[0] == "F"


def a_link_opens_the_same_position(page):
    page.open(f"?rules=warri&p={SLAM}")
    page.press("pit-D")
    page.becomes(lambda: page.text("history"), "D")
    link = page.browser.current_url
    shown, value = page.position(), page.text("value")
    page.open("?" + urlsplit(link).query)
    page.becomes(page.position, shown)
    page.becomes(lambda: page.text("value"), value)
    assert Select(page.at("rules")).first_selected_option.text == "warri, endless play: shared evenly"


def a_slam_in_warri_leaves_the_same_side_to_move(page):
    page.open(f"?rules=warri&p={SLAM}")
    page.becomes(lambda: page.text("value"), "+2")
    page.press("pit-D")
    page.becomes(page.position, "0-0-0-0-3-1-0-0-0-0-0-0-22-22-S")


def rules_can_be_changed(page):
    page.open(f"?rules=warri&p={SLAM}")
    Select(page.at("rules")).select_by_visible_text("Oware (tournament)")
    page.wait(lambda: "rules=oware" in page.browser.current_url and page.settled())
    assert "cycle=own" in page.browser.current_url
    assert "captures nothing" in page.text("rules-line"), page.text("rules-line")
    Select(page.at("rules")).select_by_visible_text("Published tables")
    page.wait(lambda: "rules=academic" in page.browser.current_url and page.settled())
    assert "The game is over" in page.text("turn-text")
    assert "South 26, North 22: South wins" in page.text("verdict"), page.text("verdict")


def rules_have_the_names_that_people_use(page):
    page.open(f"?rules=abapa&p={ONES}")
    groups = page.browser.execute_script("return [...document.getElementById('rules').children].map((each) => each.label || each.text)")
    # There is no preset for warri with the cycle rule even.
    assert groups == ["Oware (tournament)", "Spanish", "Published tables", "Others"], groups
    page.open(f"?rules=spanish&p={ONES}")
    assert Select(page.at("rules")).first_selected_option.text == "Spanish"
    page.open(f"?rules=dutch&p={ONES}")
    assert "“dutch”, which aren’t available here" in page.text("notice"), page.text("notice")


def a_pit_that_cannot_be_played_says_why(page):
    page.open("?rules=academic&p=0-0-4-2-0-0-0-0-0-0-0-0-20-22-S")
    for pit, why in (("pit-D", "would leave North without seeds"), ("pit-A", "Pit A is empty"), ("pit-a", "South’s turn")):
        page.click("#" + pit)
        assert why in page.text("notice") and why in page.text("live"), (pit, page.text("notice"))
    page.key("d")
    assert "without seeds" in page.text("notice"), page.text("notice")
    page.open("?rules=academic&p=1-0-0-0-2-0-1-0-0-0-0-0-22-22-S")
    page.click("#pit-E")
    assert "these rules forbid" in page.text("notice"), page.text("notice")


def values_are_those_of_the_side_that_is_chosen(page):
    page.open("?rules=awari&p=0-0-0-0-0-1-0-1-0-0-1-0-22-23-N")  # published: +3
    page.becomes(lambda: (page.text("value"), page.text("value-side")), ("+3", "for North"))
    Select(page.at("viewer")).select_by_visible_text("South")
    page.becomes(lambda: (page.text("value"), page.text("value-side")), ("−3", "for South"))


def the_board_can_be_edited(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("edit")
    page.press("clear")
    page.becomes(page.position, "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S")
    for count, pit in enumerate(("pit-B", "pit-E", "pit-f")):
        page.press(pit)
        page.becomes(lambda: page.position().split("-")[:12].count("1"), count + 1)
    page.press("edit")
    page.becomes(page.position, "0-1-0-0-1-0-0-0-0-0-0-1-22-23-S")
    page.becomes(lambda: page.text("value"), "+3")  # published: B and E
    assert [page.worth(letter) for letter in "BE"] == ["★ +3", "★ +3"]
    page.picture("edited")


def a_position_can_be_typed_and_a_bad_one_is_explained(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("edit")
    field = page.at("position-text")
    field.clear()
    field.send_keys("0 1 0 0 1 0 / 0 0 0 0 0 1" + Keys.ENTER)
    page.wait(lambda: page.position().startswith("0-1-0-0-1-0-") and page.settled())
    page.becomes(lambda: page.text("value"), "+3")
    field.clear()
    field.send_keys("1 2 x" + Keys.ENTER)
    page.wait(lambda: "column 5" in page.text("notice"))


def the_board_turns(page):
    page.open(f"?rules=awari&p={ONES}")
    places = "return ['A', 'a'].map((pit) => document.getElementById('pit-' + pit).getBoundingClientRect().top)"
    south, north = page.browser.execute_script(places)
    assert south > north
    page.press("flip")
    page.becomes(lambda: page.browser.execute_script(places)[0] < page.browser.execute_script(places)[1], True)


def arrows_move_between_pits(page):
    page.open(f"?rules=awari&p={ONES}")
    page.browser.execute_script("document.getElementById('pit-B').focus()")
    for key, pit in ((Keys.ARROW_RIGHT, "pit-C"), (Keys.ARROW_UP, "pit-d"), (Keys.ARROW_LEFT, "pit-e"), (Keys.ARROW_DOWN, "pit-B")):
        page.browser.switch_to.active_element.send_keys(key)
        focused = page.browser.switch_to.active_element.get_attribute("id")
        assert focused == pit, (pit, focused)
    page.key(Keys.ENTER)
    page.becomes(lambda: page.text("history"), "B")


def the_database_answers_when_it_is_its_turn(page):
    page.open(f"?rules=awari&p={ONES}")
    whole_game.start_play(page)
    page.press("pit-F")
    page.wait(lambda: page.position().endswith("-S") and page.settled())
    assert len(page.text("history")) == 2
    page.press("undo")  # takes back the computer's reply and the move before it
    page.becomes(page.position, ONES)


def a_link_with_a_bad_position_is_explained(page):
    page.open("?rules=awari&p=1-2-3")
    page.becomes(page.position, whole_game.START)
    assert "column" in page.text("notice"), page.text("notice")


def a_game_gets_a_curve_with_its_mistakes(page):
    page.open("?rules=awari")
    whole_game.review_text(page, f'[FEN "{ONES}"]\n1. B e 2. A')
    rows = page.texts("#review-figures tr")
    assert rows[2] == "Moves judged 2 of 2 1 of 1", rows
    first = page.browser.execute_script("return document.querySelector('#review-moments button').textContent")
    assert first == "1. B loses 8, best was F; changes the result", first
    assert page.count("#graph .dot.bad")
    page.picture("review")
    page.click("#review-moments button")
    page.becomes(page.position, "1-0-2-1-1-1-1-1-1-1-1-1-18-18-N")


def a_game_that_cannot_be_is_explained(page):
    page.open("?rules=awari")
    page.browser.execute_script("document.getElementById('ogn-text').value = 'A A'; document.getElementById('ogn-open').click()")
    page.wait(lambda: "A isn’t legal at this point" in page.text("ogn-notice"))
    assert page.text("ogn-notice") == page.text("notice")


def statistics_are_drawn_for_every_level(page):
    page.open("?rules=awari")
    page.click("#section-statistics")
    page.wait(lambda: page.count("#shares-chart g.ply") == 13)
    # Published for 2 seeds: 40 of the 78 positions are worth -2.
    page.click("#shares-chart g.ply", 2)
    page.wait(lambda: "2: 78 positions" in page.text("level-text"))
    titles = page.browser.execute_script("return [...document.querySelectorAll('#histogram-chart title')].map((title) => title.textContent)")
    assert "Value −2: 40 positions, 51.28%" in titles, titles
    page.press("section-statistics")
    page.picture("statistics")


def it_fits_a_phone_in_the_dark(page):
    page.open(f"?rules=awari&p={ONES}", width=390, height=1500, dark=True)
    wide = page.browser.execute_script("return document.documentElement.scrollWidth")
    assert wide <= 390, wide
    smallest = page.browser.execute_script("return document.getElementById('pit-A').getBoundingClientRect().width")
    assert smallest >= 44, smallest  # the width of a finger
    page.press("pit-A")
    page.picture("phone")


def charts_fit_a_phone(page):
    page.open("?rules=awari", width=390, height=1500)
    page.browser.execute_script("document.getElementById('ogn-example').click()")
    page.wait(lambda: page.at("review-result").is_displayed())
    fits = "return [...document.querySelectorAll('.chart')].every((box) => box.scrollWidth <= box.clientWidth)"
    assert page.browser.execute_script(fits), "the curve is wider than its box"
    page.picture("phone-review")
    page.click("#section-statistics")
    page.wait(lambda: page.count("#shares-chart g.ply") == 13)
    assert page.browser.execute_script(fits), "the statistics are wider than their boxes"
    size = "return document.querySelector('#shares-chart text').getBoundingClientRect().height"
    assert page.browser.execute_script(size) >= 10, "letters are too small to read"
    page.picture("phone-statistics")


def the_board_fits_a_phone_on_its_side(page):
    page.open(f"?rules=awari&p={ONES}", width=844, height=390)
    bottom = page.browser.execute_script("return document.getElementById('board').getBoundingClientRect().bottom")
    assert bottom <= 390, bottom
    page.picture("phone-on-its-side")


LANGUAGES = {"en": "Analyse", "fr": "Analyser", "es": "Analizar", "nl": "Analyseren", "it": "Analizza"}


def the_browser_chooses_the_language_and_the_reader_another(page):
    for language, word in LANGUAGES.items():
        page.browser.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": "test", "acceptLanguage": f"{language}-XX,de"})
        page.open(f"?rules=awari&p={ONES}")
        assert page.text("section-analyse") == word, page.text("section-analyse")
        assert page.browser.execute_script("return document.documentElement.lang") == language
    page.browser.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": "test", "acceptLanguage": "de,en"})
    page.open(f"?rules=awari&p={ONES}")
    assert page.text("section-analyse") == "Analyse"
    page.browser.execute_script("document.getElementById('language').focus()")
    for language, word in LANGUAGES.items():
        Select(page.at("language")).select_by_value(language)
        page.becomes(lambda: page.text("section-analyse"), word)
        assert page.browser.execute_script("return document.activeElement.id") == "language"
    assert page.text("turn-text") == "Muove Sud, 12 semi sul tavoliere", page.text("turn-text")
    page.browser.refresh()
    page.wait(page.settled)
    assert page.text("section-analyse") == "Analizza" and page.browser.execute_script("return document.documentElement.lang") == "it"
    page.browser.execute_script("localStorage.setItem('wari language', '<b>')")
    page.browser.refresh()
    page.wait(page.settled)
    assert page.text("section-analyse") == "Analyse"


# Puts every text of the language files in brackets, so that other texts are detected. Hides the texts that the server has put
# into the page, so that the page requests the file.
BRACKETS = """const find = document.getElementById.bind(document);
document.getElementById = (id) => id === "texts" ? null : find(id);
const ask = window.fetch;
window.fetch = async (path, options) => {
  const response = await ask(path, options);
  if (!String(path).startsWith("messages/")) return response;
  const texts = await response.json();
  const put = (text) => typeof text === "string" ? "⟦" + text + "⟧" : Object.fromEntries(Object.entries(text).map(([form, each]) => [form, put(each)]));
  return new Response(JSON.stringify(put(texts)).replace(/"⟦([^"]*)":/g, '"$1":'));
};"""
BARE = r"""const found = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const at = walk.currentNode, inside = at.parentElement.closest("noscript, script, kbd, textarea, #language, h1");
  if (inside) continue;
  // what belongs to a text may be cut up by its keys
  const whole = at.parentElement.textContent;
  if (/\p{L}{2,}/u.test(at.data) && !whole.includes("⟦")) found.push(at.data);
}
for (const each of document.querySelectorAll("[aria-label], [title]"))
  for (const name of ["aria-label", "title"]) {
    const text = each.getAttribute(name);
    if (text && /\p{L}{2,}/u.test(text) && !text.includes("⟦")) found.push(name + ": " + text);
  }
return found;"""


def no_text_is_outside_the_languages(page):
    added = page.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": BRACKETS})
    try:
        page.open(f"?rules=awari&p={ONES}")
        page.press("pit-F")
        page.press("pit-f")
        assert page.text("section-analyse") == "⟦Analyse⟧"
        for section in ("section-play", "section-learn", "section-analyse", "ogn-example", "section-statistics"):
            page.browser.execute_script("document.getElementById(arguments[0]).click()", section)
            if section == "ogn-example":
                page.wait(lambda: page.at("review-result").is_displayed())
            elif section == "section-statistics":
                page.wait(lambda: page.count("#shares-chart g.ply") == 13)
            assert page.browser.execute_script(BARE) == [], (section, page.browser.execute_script(BARE))
    finally:
        page.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def everything_has_a_name_for_those_who_do_not_see_it(page):
    page.open(f"?rules=awari&p={ONES}")
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    seen = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")]
    assert ("image", "South has captured 18 seeds and is to move") in seen or \
        ("img", "South has captured 18 seeds and is to move") in seen, seen
    assert ("button", "Pit F, South, 1 seed, worth 0, best move") in seen, seen
    for role in ("button", "combobox", "checkbox", "link", "image", "img"):
        assert all(name for kind, name in seen if kind == role), role


TESTS = [
    every_own_pit_shows_what_its_move_is_worth, three_moves_are_played_by_click_and_key,
    moves_are_undone_and_done_again, the_best_move_and_the_line_can_be_played, a_link_opens_the_same_position,
    a_slam_in_warri_leaves_the_same_side_to_move, rules_can_be_changed, the_board_can_be_edited,
    a_position_can_be_typed_and_a_bad_one_is_explained,
    another_move_makes_a_variation, a_game_survives_reload_and_going_back, other_rules_ask_and_keep_the_game,
    damaged_storage_and_a_browser_that_keeps_nothing_do_no_harm,
    a_record_with_variations_goes_round, a_link_holds_the_whole_game, one_of_several_games_is_chosen,
    rules_have_the_names_that_people_use, a_pit_that_cannot_be_played_says_why, values_are_those_of_the_side_that_is_chosen,
    the_board_turns, arrows_move_between_pits, the_database_answers_when_it_is_its_turn, a_link_with_a_bad_position_is_explained,
    a_game_gets_a_curve_with_its_mistakes, a_game_that_cannot_be_is_explained, statistics_are_drawn_for_every_level,
    it_fits_a_phone_in_the_dark, charts_fit_a_phone, the_board_fits_a_phone_on_its_side,
    the_browser_chooses_the_language_and_the_reader_another, no_text_is_outside_the_languages,
    everything_has_a_name_for_those_who_do_not_see_it] + whole_game.TESTS + hasty.TESTS + keeping.TESTS


def main():
    passed = failed = 0
    server, url = start_server()
    browser = None
    try:
        browser = chromium.start()
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": COUNTS})
        page = Page(browser, url)
        for test in TESTS:
            if not any(fnmatch(test.__name__, each) for each in os.environ.get("ONLY", "*").split()):
                continue
            try:
                test(page)
                errors = page.errors()
                assert not errors, errors
                print("ok -", test.__name__, flush=True)
                passed += 1
            except Exception:  # a failed test must not hide the others
                print("not ok -", test.__name__)
                print("    " + traceback.format_exc().replace("\n", "\n    "), flush=True)
                page.picture("failed-" + test.__name__)
                failed += 1
    finally:
        if browser:
            browser.quit()
        server.send_signal(signal.SIGTERM)
        if server.wait(PATIENCE) != 143:
            print("not ok - the server stops when it is asked to")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
