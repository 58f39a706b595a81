"""Tests of what the page keeps of a game: with another tab, after a reload, in records. test_page.py runs them; each
takes the page."""

import re

from selenium.webdriver.common.keys import Keys

from hasty import choose
from whole_game import START, start_play

ONES = "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"
AFTER_F = "1-1-1-1-1-0-0-1-1-1-1-1-20-18-N"


def what_another_tab_played_is_not_lost(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-F")
    page.press("pit-f")
    page.becomes(lambda: page.text("history"), "Ff")
    first = page.browser.current_window_handle
    page.browser.switch_to.new_window("tab")
    page.browser.get(page.url)  # continues the latest game
    page.wait(page.settled)
    page.press("pit-E")
    page.becomes(lambda: page.text("history"), "FfE")
    second = page.browser.current_window_handle
    page.browser.switch_to.window(first)
    page.browser.execute_script("document.activeElement.blur()")
    page.key(Keys.ARROW_LEFT)  # only displays another position
    page.becomes(page.position, AFTER_F)
    page.browser.switch_to.window(second)
    page.browser.refresh()
    page.wait(page.settled)
    page.becomes(lambda: page.text("history"), "FfE")
    page.browser.switch_to.window(first)
    page.press("pit-e")  # plays, which makes it a separate game
    page.becomes(lambda: page.text("history"), "Ff(e)")
    recent = page.browser.execute_script("return [...document.querySelectorAll('#recent button')].map((each) => each.textContent)")
    assert len(recent) == 1 and "3 moves" in recent[0], recent
    page.browser.switch_to.window(second)
    page.browser.refresh()
    page.wait(page.settled)
    page.becomes(lambda: page.text("history"), "FfE")
    page.browser.close()
    page.browser.switch_to.window(first)


def pass_time(page, minutes):
    """Lets time pass for the side to move, as of the next tick of the clock."""
    page.browser.execute_script("const now = performance.now() + 60000 * arguments[0], begun = Date.now(); performance.now = () => now + Date.now() - begun", minutes)


def play_against_the_program(page):
    page.open(f"?rules=awari&p={ONES}")
    start_play(page, clock="20")
    page.press("pit-F")
    page.becomes(lambda: len(page.text("history")), 2)


def looking_back_changes_nothing(page):
    play_against_the_program(page)
    played = page.text("history")
    page.browser.execute_script("document.activeElement.blur()")
    page.key(Keys.ARROW_LEFT)
    page.becomes(page.position, AFTER_F)
    page.comes_to_rest()  # otherwise the computer would have moved by now
    assert page.position() == AFTER_F and page.text("history") == played, page.text("history")
    page.key(Keys.ARROW_LEFT)
    page.becomes(page.position, ONES)
    pass_time(page, 15)
    page.key(Keys.ARROW_RIGHT)
    page.becomes(page.position, AFTER_F)
    pass_time(page, 30)  # no clock runs
    page.comes_to_rest()
    assert re.search(r"North 1\d:\d\d|North 20:00", page.text("time")), page.text("time")
    page.key(Keys.ARROW_LEFT)
    page.becomes(page.position, ONES)
    page.wait(lambda: page.browser.execute_script("return document.querySelector('#pit-F').matches('.playable')"))
    page.press("pit-F")  # the computer answers the repeated move again
    page.wait(lambda: page.position().endswith("-S") and page.position() != ONES and page.settled())


def a_reload_keeps_opponent_level_and_time(page):
    play_against_the_program(page)
    pass_time(page, 10)
    page.wait(lambda: re.search(r"South (9|8|10):\d\d", page.text("time")))
    page.browser.refresh()
    page.wait(page.settled)
    assert page.text("turn-text") == "Your turn: you’re South", page.text("turn-text")
    assert re.search(r"South (9|8|7|10):\d\d", page.text("time")), page.text("time")
    page.browser.execute_script("document.querySelector('.pit.playable').click()")
    page.becomes(lambda: len(page.text("history")), 4)


def a_game_that_is_opened_again_has_its_own_time(page):
    page.open(f"?rules=awari&p={ONES}")
    start_play(page, clock="20", opponent="")
    page.press("pit-F")
    pass_time(page, 10)
    page.wait(lambda: re.search(r"North (9|8|10):\d\d", page.text("time")))
    page.press("new-game")
    page.wait(lambda: not page.at("time").is_displayed())
    choose(page, "clock", "5")
    page.press("play-two")
    page.press("pit-C")
    page.becomes(lambda: page.text("history"), "C")
    page.browser.execute_script("document.querySelector('#recent button').click()")
    page.becomes(lambda: page.text("history"), "F")
    assert re.search(r"North (9|8|7|10):\d\d", page.text("time")), page.text("time")


def a_game_that_is_lost_on_time_says_so_again(page):
    page.open(f"?rules=awari&p={ONES}")
    start_play(page, clock="3", opponent="")
    page.press("pit-F")
    pass_time(page, 5)
    page.wait(lambda: "North has run out of time" in page.text("result-reason"))
    said = page.text("result-reason")
    page.browser.refresh()
    page.wait(page.settled)
    page.wait(lambda: page.text("result-reason") == said and page.at("result").is_displayed())


def a_tab_that_is_only_hidden_leaves_what_is_stored(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-F")
    page.becomes(lambda: page.text("history"), "F")
    page.browser.execute_script("localStorage.setItem('wari games /', '[]')")  # as if another tab had deleted the move
    page.browser.execute_script("window.dispatchEvent(new Event('pagehide'))")
    assert page.browser.execute_script("return localStorage.getItem('wari games /')") == "[]"


def a_finished_record_is_not_played_on(page):
    page.open(f"?rules=awari&p={ONES}")
    start_play(page)
    page.press("section-analyse")
    page.browser.execute_script("document.getElementById('ogn-text').value = arguments[0]", f'[FEN "{ONES}"]\n1. F 26-22\n')
    records(page, "ogn-open")
    page.becomes(lambda: page.text("history"), "F")
    for again in (lambda: None, page.browser.refresh):
        again()
        page.wait(page.settled)
        page.comes_to_rest()  # otherwise the computer would have moved by now
        assert page.text("history") == "F", page.text("history")


def a_comment_that_is_being_typed_outlives_the_page(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-F")
    page.becomes(lambda: page.text("history"), "F")
    page.browser.execute_script("document.getElementById('comment').focus()")
    page.browser.switch_to.active_element.send_keys("half a")
    page.browser.refresh()
    page.wait(page.settled)
    assert page.at("comment").get_attribute("value") == "half a"


def what_moves_are_worth_is_hidden_in_the_list_too(page):
    def letters():
        return page.browser.execute_script("return [...document.querySelectorAll('#moves .letter')].map((each) => each.textContent).join('')")
    page.open(f"?rules=awari&p={ONES}")
    assert letters() == "FACDEB", letters()
    page.browser.execute_script("document.getElementById('hints').click()")
    assert letters() == "ABCDEF", letters()


def without_colours_of_its_own_the_board_is_seen_and_says_nothing_false(page):
    page.open(f"?rules=awari&p={ONES}")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
    looks = page.browser.execute_script("""
        const style = (query) => getComputedStyle(document.querySelector(query));
        return [style("#pit-f .worth").visibility, style("#pit-F .worth").visibility, style("#pit-f .bowl").borderTopWidth];""")
    page.picture("forced-colours")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "none"}]})
    assert looks == ["hidden", "visible", "1px"], looks


def records(page, *presses):
    page.browser.execute_script("document.getElementById('ogn-box').open = true")
    for name in presses:
        page.press(name)


def open_record(page):
    """Opens the record and waits until it is the game of this tab."""
    def shown():
        return page.browser.execute_script("return history.state.game")
    before = shown()
    records(page, "ogn-open")
    page.wait(lambda: shown() != before and page.settled())
    page.becomes(lambda: page.text("history"), "Ff")


def a_record_keeps_who_played_and_how_it_ended(page):
    text = f'[Event "Club \\"A\\""]\n[South "Ama"]\n[North "Kofi"]\n[Result "1-0"]\n[Variant "awari"]\n[FEN "{ONES}"]\n1. F {{ mine }} f 26-22\n'
    page.open(f"?rules=awari&p={ONES}")
    page.browser.execute_script("document.getElementById('ogn-text').value = arguments[0]", text)
    open_record(page)
    page.browser.refresh()
    page.wait(page.settled)
    for _ in range(3):
        page.browser.execute_script("document.getElementById('ogn-text').value = ''")
        records(page, "ogn-write")
        page.wait(lambda: page.at("ogn-text").get_attribute("value"))
        written = page.at("ogn-text").get_attribute("value")
        open_record(page)
    for line in ('[Event "Club \\"A\\""]', '[South "Ama"]', '[North "Kofi"]', '[Result "1-0"]'):
        assert line in written, written
    assert "{ value 0, best F; mine }" in re.sub(r"\s+", " ", written) and written.rstrip().endswith("26-22"), written
    page.press("pit-E")  # the game continues, and so has no result any more
    page.becomes(lambda: page.text("history"), "FfE")
    page.browser.execute_script("document.getElementById('ogn-text').value = ''")
    records(page, "ogn-write")
    page.wait(lambda: page.at("ogn-text").get_attribute("value"))
    written = page.at("ogn-text").get_attribute("value")
    assert "Result" not in written and written.rstrip().endswith("*") and "Ama" in written, written


def numbers_alone_are_no_record(page):
    page.open(f"?rules=awari&p={ONES}")
    page.browser.execute_script("document.getElementById('ogn-text').value = '1 2 3'; document.getElementById('ogn-open').click()")
    page.wait(lambda: page.text("notice") != "")
    assert "Moves are letters" in page.text("notice"), page.text("notice")


def a_link_in_the_same_tab_is_followed(page):
    page.open(f"?rules=awari&p={ONES}")
    page.press("pit-F")
    page.press("undo")
    page.becomes(page.position, ONES)
    page.browser.execute_script("location.hash = '#moves=Bb'")
    page.becomes(lambda: page.text("history"), "Bb")


def a_whole_position_is_not_said_to_lack_seeds(page):
    page.open(f"?rules=awari&p={ONES}")
    page.browser.execute_script("""
        document.getElementById('position-text').value = '4 4 4 4 4 4 4 4 4 4 4 4';
        document.querySelector('#position-form button').click()""")
    page.becomes(page.position, START)
    assert page.text("notice") == "", page.text("notice")


TESTS = [what_another_tab_played_is_not_lost, looking_back_changes_nothing, a_reload_keeps_opponent_level_and_time,
         a_game_that_is_opened_again_has_its_own_time, a_game_that_is_lost_on_time_says_so_again,
         a_tab_that_is_only_hidden_leaves_what_is_stored, a_finished_record_is_not_played_on, a_comment_that_is_being_typed_outlives_the_page,
         what_moves_are_worth_is_hidden_in_the_list_too, without_colours_of_its_own_the_board_is_seen_and_says_nothing_false,
         a_record_keeps_who_played_and_how_it_ended, numbers_alone_are_no_record, a_link_in_the_same_tab_is_followed,
         a_whole_position_is_not_said_to_lack_seeds]
