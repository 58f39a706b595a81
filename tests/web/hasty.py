"""Tests of events in an unusual order, and of what the page keeps then. test_page.py runs them; each takes the page."""

from whole_game import START, review_text, start_play

ONES = "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"
SLAM = "0-0-0-3-2-0-1-0-0-0-0-0-20-22-S"  # worth 6 in awari, 2 in warri


def a_move_that_is_still_shown_does_not_get_into_another_game(page):
    page.open(f"?rules=awari&p={ONES}", calm=False)
    page.browser.execute_script("document.getElementById('hints').click()")  # turns off the search of the start position
    page.browser.execute_script("document.getElementById('pit-B').click(); document.getElementById('start').click()")
    page.becomes(page.position, START)
    page.comes_to_rest()  # otherwise the move would be visible by now
    assert page.text("history") == "No moves yet" and page.position() == START, page.text("history")
    assert not page.count("#board .flyer")
    assert "4 seeds" in page.spoken("pit-C"), page.spoken("pit-C")


def a_move_of_a_review_is_opened_by_the_rules_of_the_review(page):
    page.open(f"?rules=awari&p={START}")
    review_text(page, f'[Variant "Warri"]\n[Cycle "even"]\n[FEN "{SLAM}"]\nD *')
    assert "is played under other rules: warri" in page.text("notice"), page.text("notice")
    page.press("step-first")
    page.becomes(page.position, SLAM)
    page.becomes(lambda: page.text("value"), "+2")


def the_only_move_is_deleted_for_good(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-F")
    page.becomes(lambda: page.text("history"), "F")
    page.press("delete")
    page.becomes(lambda: page.text("history"), "No moves yet")
    page.browser.refresh()
    page.wait(page.settled)
    assert page.text("history") == "No moves yet", page.text("history")


def choose(page, name, value):
    """Selects an option without moving the focus."""
    page.browser.execute_script("const list = document.getElementById(arguments[0]); list.value = arguments[1]; list.dispatchEvent(new Event('change'))", name, value)


def nobody_plays_where_nobody_is_chosen(page):
    page.open(f"?rules=awari&p={START}")
    page.browser.execute_script("""
        const ask = window.fetch;
        window.asked = 0;
        window.fetch = async (address, ...rest) => {
          if (String(address).includes("api/move?")) { window.asked++; await new Promise((done) => { window.goOn = done; }); }
          return ask(address, ...rest);
        };""")
    start_play(page, "Easy")
    page.press("pit-C")
    page.wait(lambda: page.browser.execute_script("return window.asked") == 1)
    page.press("section-analyse")
    page.press("hints")
    page.browser.execute_script("window.goOn()")
    page.comes_to_rest()
    assert page.text("history") == "C", page.text("history")


def a_comment_is_about_the_move_that_it_was_begun_for(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-F")
    page.press("pit-f")
    page.press("undo")
    page.becomes(page.position, "1-1-1-1-1-0-0-1-1-1-1-1-20-18-N")
    page.browser.execute_script("document.getElementById('comment').focus()")
    page.browser.switch_to.active_element.send_keys("well")
    page.browser.switch_to.active_element.send_keys(" done")
    assert page.at("comment").get_attribute("value") == "well done"
    page.click("#history button")  # the click counts although it also leaves the field
    page.becomes(page.position, "1-1-1-1-1-0-0-1-1-1-1-1-20-18-N")
    titles = page.browser.execute_script("return [...document.querySelectorAll('#history button')].map((each) => each.title)")
    assert titles[0] == "well done" and titles[1:] in ([""], []), titles
    assert page.at("comment").get_attribute("value") == "well done"


def a_comment_stays_with_its_game_when_another_one_comes(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-F")
    page.browser.execute_script("document.getElementById('comment').focus()")
    page.browser.switch_to.active_element.send_keys("typed")
    page.browser.execute_script("document.getElementById('start').click()")
    page.becomes(page.position, START)
    assert page.at("comment").get_attribute("value") == ""
    page.browser.execute_script("document.querySelector('#recent button').click()")
    page.becomes(lambda: page.text("history"), "F")
    page.browser.execute_script("document.activeElement.blur()")
    assert page.at("comment").get_attribute("value") == "typed"


def what_is_noticed_is_heard(page):
    page.open(f"?rules=awari&p={ONES}")
    page.click("#share")
    page.wait(lambda: page.text("notice") != "")
    assert page.text("notice") in page.text("live"), page.text("live")


def letters_are_no_keys_for_who_does_not_want_them(page):
    page.open(f"?rules=awari&p={ONES}")
    page.browser.execute_script("document.getElementById('keys').click()")
    page.key("f")
    page.browser.refresh()
    page.wait(page.settled)
    page.key("f")
    assert page.text("history") == "No moves yet", page.text("history")
    page.browser.execute_script("document.getElementById('keys').click()")
    page.key("f")
    page.becomes(lambda: page.text("history"), "F")


def rules_that_a_record_leaves_open_are_those_that_are_chosen(page):
    page.open(f"?rules=awari&p={START}")
    for tags in ('[Variant "?"]\n[Cycle "?"]', '[Variant "Awari"]\n[Cycle "?"]'):
        page.browser.execute_script("document.getElementById('ogn-text').value = arguments[0]; document.getElementById('ogn-open').click()",
                                    f'{tags}\n[FEN "{ONES}"]\nF *')
        page.becomes(lambda: page.text("history"), "F")
        assert page.text("notice") == "", page.text("notice")
        page.press("start")


TESTS = [a_move_that_is_still_shown_does_not_get_into_another_game, a_move_of_a_review_is_opened_by_the_rules_of_the_review,
         the_only_move_is_deleted_for_good, nobody_plays_where_nobody_is_chosen,
         a_comment_is_about_the_move_that_it_was_begun_for, a_comment_stays_with_its_game_when_another_one_comes, what_is_noticed_is_heard,
         letters_are_no_keys_for_who_does_not_want_them, rules_that_a_record_leaves_open_are_those_that_are_chosen]
