"""What the page does above the tables: searches, games against the program, reviews. Tests for
test_page.py, which runs them; each takes the page."""

import re

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"


def an_uncovered_position_has_an_estimate_and_can_be_played_on(page):
    page.open(f"?rules=awari&p={START}")
    page.wait(lambda: re.fullmatch("about ([+−]\\d+|0) ± 4", page.text("value")))
    page.wait(lambda: re.search(r"moves deep, [\d,]+ positions", page.text("search-text")))
    assert all(page.worth(letter).lstrip("★ ").startswith("≈") for letter in "ABCDEF")
    label = page.at("pit-A").get_attribute("aria-label")
    assert "worth about" in label, label
    assert page.browser.find_element(By.CSS_SELECTOR, "#bar svg").is_displayed()
    page.press("pit-C")
    page.becomes(page.position, "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N")
    page.wait(lambda: "about" in page.text("value"))
    page.picture("uncovered")


def a_search_that_proves_says_so(page):
    # 13 seeds, one more than the tables have: F takes 3, and every move behind that is known.
    page.open("?rules=tournament&p=0-0-0-0-0-1-2-1-0-0-0-4-20-20-S")
    page.wait(lambda: page.text("value").startswith("= "))
    page.wait(lambda: page.text("search-text").startswith("Searched "))
    assert not page.worth("F").startswith("≈"), page.worth("F")


def what_is_typed_stays_while_a_search_goes_on(page):
    page.open(f"?rules=awari&p={START}")
    page.press("pit-C")
    page.at("comment").send_keys("half a")
    before = page.text("search-text")
    page.wait(lambda: page.text("search-text") not in ("", before))
    assert page.at("comment").get_attribute("value") == "half a"


def hidden_values_are_not_searched(page):
    page.open(f"?rules=awari&p={START}")
    page.press("hints")
    page.press("pit-C")
    assert page.text("search-text") == "" and page.worth("C") in ("", "0"), page.text("search-text")


TESTS = [an_uncovered_position_has_an_estimate_and_can_be_played_on, a_search_that_proves_says_so,
         what_is_typed_stays_while_a_search_goes_on, hidden_values_are_not_searched]
