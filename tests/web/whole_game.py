"""Tests above the tables: searches, games against the computer, reviews. test_page.py runs them; each takes the page."""

import re

from selenium.webdriver.support.ui import Select

START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"


def an_uncovered_position_has_an_estimate_and_can_be_played_on(page):
    page.open(f"?rules=awari&p={START}")
    page.wait(lambda: re.fullmatch("about ([+−]\\d+|0) ± 3", page.text("value")))
    page.wait(lambda: re.search(r"moves deep, [\d,]+ positions", page.text("search-text")))
    assert all(page.worth(letter).lstrip("★ ").startswith("≈") for letter in "ABCDEF")
    label = page.spoken("pit-A")
    assert "worth about" in label, label
    assert page.browser.execute_script("return document.querySelector('#bar svg').checkVisibility()")  # it is drawn again and again
    page.press("pit-C")
    page.becomes(page.position, "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N")
    page.wait(lambda: "about" in page.text("value"))
    page.picture("uncovered")


def a_search_that_proves_says_so(page):
    # 13 seeds, one more than the tables have: F captures 3, and all values after that are known.
    page.open("?rules=tournament&p=0-0-0-0-0-1-2-1-0-0-0-4-20-20-S")
    page.wait(lambda: page.text("value").startswith("= "))
    page.wait(lambda: page.text("search-text").startswith("Searched "))
    assert not page.worth("F").startswith("≈"), page.worth("F")


def what_is_typed_stays_while_a_search_goes_on(page):
    page.open("?rules=awari&p=5-4-4-4-4-4-4-4-4-4-4-3-0-0-S")  # no other test has the server search this position
    page.browser.execute_script("""
        const ask = window.fetch, goOn = new Promise((done) => { window.goOn = done; });
        let count = 0;
        window.fetch = async (...asked) => {
          const answer = await ask(...asked);
          if (/api\\/analysis.*-N/.test(String(asked[0])) && ++count > 1) await goOn;
          return answer;
        };""")
    page.press("pit-C")
    page.at("comment").send_keys("half a")
    before = page.text("search-text")
    page.browser.execute_script("window.goOn()")  # so results of the search arrive after the text was typed
    page.wait(lambda: page.text("search-text") not in ("", before))
    assert page.at("comment").get_attribute("value") == "half a"


def hidden_values_are_not_searched(page):
    page.open(f"?rules=awari&p={START}")
    page.press("hints")
    page.press("pit-C")
    assert page.text("search-text") == "" and page.worth("C") in ("", "0"), page.text("search-text")


def start_play(page, level="Full strength", clock="0", opponent="north"):
    """Starts a game from the displayed position: against the computer as `opponent`, or between two people if that is ""."""
    page.browser.execute_script("document.getElementById('play-from-here').click()")
    page.wait(lambda: page.browser.execute_script("return document.body.dataset.section") == "play" and page.settled())
    Select(page.at("level-of-play")).select_by_visible_text(level)
    Select(page.at("clock")).select_by_value(clock)
    if opponent:
        Select(page.at("play-side")).select_by_value("south" if opponent == "north" else "north")
    page.press("play-computer" if opponent else "play-two")


def play_to_the_end(page, level):
    """Plays a game against the computer as North, always with the first playable pit."""
    start_play(page, level)
    over = lambda: page.at("result").is_displayed()
    for _ in range(200):
        page.wait(lambda: over() or (page.settled() and page.position().endswith("-S")))
        if over():
            return
        page.wait(lambda: over() or page.count(".pit.playable"))
        page.browser.execute_script("document.querySelector('.pit.playable')?.click()")
    raise AssertionError("the game has no end")


def a_game_is_played_to_its_end_at_two_levels(page):
    for level in ("Beginner", "Full strength"):
        page.open("?rules=tournament&p=0-0-0-1-0-1-0-0-0-1-0-1-22-22-S")
        play_to_the_end(page, level)
        page.wait(lambda: re.search("[Ww]ins|has won|Draw", page.text("result-title")))
        assert len(page.text("history")) > 2


def a_game_begins_at_the_start_against_each_level(page):
    for level in ("First steps", "Beginner", "Easy", "Medium", "Hard", "Expert", "Full strength"):
        page.open(f"?rules=tournament&p={START}")
        start_play(page, level)
        page.press("pit-C")
        page.becomes(lambda: len(page.text("history")), 2)
        page.wait(lambda: page.count(".pit.playable"))
        page.press("undo")  # takes back the computer's reply and the move before it
        page.becomes(page.position, START)
        page.browser.execute_script("document.activeElement.blur()")
        page.key("h")
        page.wait(lambda: page.text("notice").startswith("Hint: "))


def the_end_is_announced_with_its_reason(page):
    page.open("?rules=awari&p=0-0-0-0-0-0-1-2-0-0-0-0-22-23-S")
    assert page.text("verdict") == "South has no seeds left to play, so North takes the remaining 3. South 22, North 26: North wins."
    page.open("?rules=awari&p=2-0-0-0-0-0-0-0-0-0-0-0-23-23-S")
    assert "North has no seeds and South can’t feed, so South takes the remaining 2." in page.text("verdict"), page.text("verdict")
    assert "South takes the remaining 2" in page.text("live")
    page.open("?rules=academic&p=0-0-0-3-2-0-1-0-0-0-0-0-20-22-S")  # every move would be a slam
    assert page.text("verdict").startswith("South has no legal move and takes the remaining 6."), page.text("verdict")


def a_clock_runs_for_the_side_to_move(page):
    page.open(f"?rules=awari&p={START}")
    start_play(page, clock="3", opponent="")
    assert page.text("time") == "South 3:00 · North 3:00", page.text("time")
    page.press("pit-C")
    page.wait(lambda: re.fullmatch("South 3:00 · North [0-2]:\\d\\d", page.text("time")))


def review_text(page, text):
    """Opens a record and waits until it is reviewed."""
    page.browser.execute_script("document.getElementById('ogn-text').value = arguments[0]; document.getElementById('ogn-review').click()", text)
    page.wait(lambda: page.at("review-result").is_displayed())


def a_record_is_reviewed_by_its_own_rules_to_the_start(page):
    page.open(f"?rules=awari&p={START}")
    review_text(page, '[Variant "Oware Abapa"]\n[Cycle "own"]\n1. E c 2. F d *')
    assert "under other rules: Oware (tournament)" in page.text("notice"), page.text("notice")
    rows = page.texts("#review-figures tr")
    assert rows[0].split() == ["South", "North"] and re.match(r"Accuracy \d+% \d+%$", rows[1]) and rows[2] == "Moves judged 2 of 2 2 of 2", rows
    assert page.count("#graph .curve.about")
    page.picture("review-searched")
    page.click("#graph .ply", 1)
    page.becomes(page.position, "4-4-4-4-0-5-5-5-5-4-4-4-0-0-N")


def rules_without_tables_are_reviewed_by_search(page):
    page.open(f"?rules=awari&p={START}")
    review_text(page, '[Variant "Ware"]\n[FEN "0-0-0-3-2-0-1-0-0-0-0-0-20-22-S"]\nD *')  # every move loses
    assert "There are no tables for these rules" in page.at("review-searched").text
    assert "ware" in page.text("notice"), page.text("notice")
    assert not page.count("#graph .curve.about")
    page.browser.execute_script("document.getElementById('ogn-text').value = arguments[0]; document.getElementById('ogn-open').click()", '[Variant "Nonsense"]\n1. A *')
    page.wait(lambda: "“nonsense”, which aren’t available here" in page.text("ogn-notice"))


TESTS = [an_uncovered_position_has_an_estimate_and_can_be_played_on, a_search_that_proves_says_so,
         what_is_typed_stays_while_a_search_goes_on, hidden_values_are_not_searched,
         a_game_is_played_to_its_end_at_two_levels, a_game_begins_at_the_start_against_each_level,
         the_end_is_announced_with_its_reason, a_clock_runs_for_the_side_to_move,
         a_record_is_reviewed_by_its_own_rules_to_the_start, rules_without_tables_are_reviewed_by_search]
