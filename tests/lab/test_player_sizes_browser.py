"""The page at the sizes of a desktop and of a phone, in a real browser: board, labels, and what is touched."""

from __future__ import annotations

from typing import Any

import pytest

from pebble.lab.player import Page, first_page
from pebble.lab.player.practice_boards import CLASSIC_BOARDS
from tests.lab.webdriver import Browser, have_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not have_browser(), reason="needs Chromium and chromedriver"),
]

_SIZES = pytest.mark.parametrize(
    ("width", "height"),
    [pytest.param(1400, 900, id="desktop", marks=pytest.mark.slow), pytest.param(390, 844, id="phone")],
)
_BOARDS = ["Attention forward, N = 4, d = 2", *(title for _, title in CLASSIC_BOARDS)]
_LABELS = """
    const scale = document.getElementById("board").getBoundingClientRect().width
      / document.getElementById("board").viewBox.baseVal.width;
    const seen = (one) => one.textContent && getComputedStyle(one).display !== "none";
    return [...document.querySelectorAll("#board .vertex")].map((group) => ({
      name: group.querySelector("title").textContent,
      labels: [...group.querySelectorAll(".letter, .index")].filter(seen).map((one) => ({
        pixels: parseFloat(getComputedStyle(one).fontSize) * scale,
        box: ((box) => [box.x, box.y, box.x + box.width, box.y + box.height])(one.getBBox()),
      })),
    }));"""


@pytest.fixture(scope="module")
def page() -> Page:
    """The first page, without its optima, whose search takes time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pebble.lab.player.practice_boards.MOST_SOLVED", 0)
        return first_page()


def out_of_sight(browser: Browser) -> list[str]:
    """Say where the drawing leaves its frame, and where the frame is hidden by the dock or leaves the window."""
    found: list[str] = browser.run("""
        const [board, canvas, dock] = ["#board", "#canvas", ".dock"]
          .map((one) => document.querySelector(one).getBoundingClientRect());
        const low = Math.min(innerHeight, dock.left < canvas.right && dock.top > 0 ? dock.top : innerHeight);
        return [
          [board.left >= canvas.left - 1 && board.right <= canvas.right + 1, "wider than its frame"],
          [board.top >= canvas.top - 1 && board.bottom <= canvas.bottom + 1, "higher than its frame"],
          [board.top >= 0 && board.bottom <= low + 1, "hidden below or above"],
          [document.documentElement.scrollWidth <= innerWidth, "the page scrolls sideways"],
        ].filter(([good]) => !good).map(([, text]) => text);""")
    return found


@_SIZES
def test_the_whole_board_is_seen_after_fit(browser: Browser, width: int, height: int) -> None:
    with browser.size(width, height):
        for recording in ("Pyramid", "Attention"):
            browser.choose("#recording", recording)
            for button in ("#larger", "#larger", "#fit"):
                browser.click(button)
            assert out_of_sight(browser) == [], recording
        browser.click("#mode-practice")
        for title in _BOARDS:
            browser.choose("#board-choice", title)
            for button in ("#larger", "#larger", "#fit"):
                browser.click(button)
            assert out_of_sight(browser) == [], title
        browser.choose("#board-choice", "Pyramid")
        browser.click("#vertex-9")
        browser.press("c")
        assert "Not legal" in browser.text("#alert")
        assert out_of_sight(browser) == [], "with an illegal move explained"


def shown_labels(browser: Browser) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = browser.run(_LABELS)
    return found


@pytest.mark.slow
@_SIZES
def test_labels_can_be_read_or_are_left_out(browser: Browser, width: int, height: int) -> None:
    with browser.size(width, height):
        browser.click("#mode-practice")
        for title in _BOARDS:
            browser.choose("#board-choice", title)
            browser.click("#fit")
            found = shown_labels(browser)
            for vertex in found:
                for label in vertex["labels"]:
                    assert label["pixels"] > 8.9, (title, vertex)
                    left, top, right, bottom = label["box"]
                    assert min(left, -right, top, -bottom) > -17.5, (title, vertex)
            assert all(vertex["labels"] for vertex in found), title
            complete = sum(len(vertex["labels"]) == 1 + ("[" in vertex["name"]) for vertex in found)
            if width > 500 or title.startswith(("Pyramid", "Fast")):
                assert complete == len(found), title


@pytest.mark.slow
def test_zooming_in_brings_the_labels_back_and_keeps_the_chosen_vertex_in_sight(browser: Browser) -> None:
    with browser.size(390, 844):
        browser.choose("#recording", "Attention")
        browser.click("#vertex-3")
        name = browser.text("#vertex-3 title")
        assert name in browser.texts("#board .tag")
        assert browser.text("#inspected").startswith(f"{name}: ")
        for _ in range(20):
            browser.click("#larger")
        assert set(browser.texts("#board .tag")) == {""}
        assert sum(len(vertex["labels"]) == 2 for vertex in shown_labels(browser)) > 100
        browser.run("return new Promise((done) => setTimeout(done, 600))")
        inside = browser.run("""
            const [vertex, canvas] = ["#vertex-3", "#canvas"]
              .map((one) => document.querySelector(one).getBoundingClientRect());
            return vertex.left > canvas.left && vertex.right < canvas.right
              && vertex.top > canvas.top && vertex.bottom < canvas.bottom""")
        assert inside


@pytest.mark.parametrize("mode", ["watch", "practice"])
def test_the_score_stays_in_sight_on_a_phone(browser: Browser, mode: str) -> None:
    with browser.size(390, 844):
        browser.click(f"#mode-{mode}")
        for place in (0, 400, 10_000):
            top, bottom = browser.run(
                """
                scrollTo(0, arguments[0]);
                const { top, bottom } = document.getElementById("score").getBoundingClientRect();
                return [top, bottom];""",
                place,
            )
            assert 0 < top < bottom < 844
        assert browser.text("#score").startswith("I/O 0")
        assert browser.text("#score").endswith("memory 0 of 4")


@pytest.mark.parametrize("mode", ["watch", "practice"])
def test_a_finger_finds_every_control(browser: Browser, mode: str) -> None:
    with browser.size(390, 844):
        browser.click(f"#mode-{mode}")
        browser.click("#copy-link")
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        small = browser.run("""
            const touched = "button, select, input:not([type=checkbox]), summary, label:has([type=checkbox])";
            return [...document.querySelectorAll(touched)]
              .filter((one) => one.checkVisibility() && !one.closest(".skip"))
              .map((one) => [one, one.getBoundingClientRect()])
              .filter(([, { width, height }]) => width < 43.5 || height < 43.5)
              .map(([one, { width, height }]) => `${one.outerHTML.slice(0, 60)} ${width} ${height}`);""")
        assert small == []


@pytest.mark.slow
@_SIZES
def test_a_touch_beside_a_vertex_is_meant_for_it(browser: Browser, width: int, height: int) -> None:
    with browser.size(width, height):
        browser.click("#mode-practice")
        browser.choose("#board-choice", "Binary")
        assert browser.run("return document.getElementById('vertex-5').classList.contains('input')")
        middle, below = browser.run("""
            const box = document.querySelector("#vertex-5 .body").getBoundingClientRect();
            return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)];""")
        beside = [middle, below + 23 if width < 500 else below]
        pointer = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}}
        move = {"type": "pointerMove", "x": beside[0], "y": beside[1], "duration": 0}
        actions = [move, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        browser.call("POST", "/actions", {"actions": [pointer | {"actions": actions}]})
        assert browser.text("#board [aria-selected=true] title") == browser.text("#vertex-5 title")


@pytest.mark.slow
@_SIZES
def test_the_second_pebbling_is_one_choice_away(browser: Browser, width: int, height: int) -> None:
    with browser.size(width, height):
        options = browser.texts("#recording option")
        assert options[0] == "Pyramid of height 3, M = 4: automatic"
        assert options[1] == "Attention forward, N = 4, d = 2, M = 16: flash-2"
        browser.choose("#recording", "Attention")
        browser.press("End")
        assert browser.text("#io") == "48"
        assert browser.text("#listing-title") == "Program"
