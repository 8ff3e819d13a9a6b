"""A race in a real browser: all lanes step together, the counts stay in sight, the winner is named."""

from __future__ import annotations

import pytest

from pebble.computations.problem import Problem
from pebble.lab.player import Page
from pebble.lab.player.documents import race
from tests.lab.webdriver import Browser, have_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not have_browser(), reason="needs Chromium and chromedriver"),
]


@pytest.fixture(scope="module")
def page() -> Page:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pebble.lab.player.practice_boards.MOST_SOLVED", 0)
        return race(["naive", "standard", "flash-2"], Problem.square(2, 1), 8)


def test_all_lanes_step_together_and_the_winner_is_named(browser: Browser) -> None:
    browser.press("Right", "Right", "Right")
    assert browser.text("#now") == "I/O after 3 moves: naive 2, standard 3, flash-2 2"
    assert len(browser.texts(".lane .vertex.active")) == 3
    assert browser.run(
        "return new Set([...document.querySelectorAll('[id]')].map((one) => one.id)).size"
    ) == (browser.run("return document.querySelectorAll('[id]').length"))
    browser.press("End")
    assert browser.text("#now") == (
        "flash-2 wins: 12 I/O. naive: 32, standard: 28. No pebbling costs less than 8."
    )
    assert browser.texts(".lane .io") == ["32", "28", "12"]
    assert browser.texts(".lane.wins h2") == ["flash-2"]
    assert browser.run("return document.querySelectorAll('.lane .vertex.output:not(.blue)').length") == 0
    browser.press("Home", "Space")
    assert browser.text("#play") == "Pause"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_counts_and_boards_are_in_sight(browser: Browser, width: int, height: int) -> None:
    with browser.size(width, height):
        browser.press("End")
        hidden = browser.run("""
            const low = document.querySelector(".dock").getBoundingClientRect().top;
            return [...document.querySelectorAll(".lane .bar, .lane .vertex .body")]
              .filter((one) => one.getBoundingClientRect().bottom > low + 1 || one.getBoundingClientRect().top < 0)
              .map((one) => one.outerHTML);""")
        assert hidden == []
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
        letters = browser.run("""
            return [...document.querySelectorAll(".lane .letter")].map((one) =>
              parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a * (one.textContent ? 1 : 0));""")
        assert min(letters) > 8.9
