"""The address of the page in a real browser: it follows the game, and opens it again, whatever stands in it."""

from __future__ import annotations

import html
import time
from pathlib import Path
from typing import Any

import pytest

from pebble.lab.player import Page, first_page
from tests.lab.page_links import encoded, fragment
from tests.lab.webdriver import Browser, have_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not have_browser(), reason="needs Chromium and chromedriver"),
]

_MOVES = [(0, 0), (0, 1), (2, 4), (1, 4)]
_SIZES = pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)], ids=["desktop", "phone"])


@pytest.fixture(scope="module")
def page() -> Page:
    with pytest.MonkeyPatch.context() as patch:
        boards = (("pyramid:3", "Pyramid of height 3"), ("diamond:3,3", "Diamond, 3 × 3"))
        patch.setattr("pebble.lab.player.documents.CLASSIC_BOARDS", boards)
        return first_page()


def game(page: Page, moves: list[tuple[int, int]], board: int = 0, M: int = 4) -> str:
    shown: dict[str, Any] = page.document["boards"][board]
    return fragment(shown, "play", [M, encoded(moves, len(shown["names"]))])


def address(browser: Browser) -> str:
    """The part after #, once it has come to rest."""
    time.sleep(0.6)
    found: str = browser.run("return location.hash.slice(1)")
    return found


def notice(browser: Browser) -> str:
    script = (
        "const one = document.getElementById('notice'); return one.checkVisibility() ? one.innerText : ''"
    )
    found: str = browser.run(script)
    return found.strip()


def make(browser: Browser, moves: list[tuple[int, int]]) -> None:
    for op, vertex in moves:
        browser.run(
            "document.getElementById(`vertex-${arguments[1]}`).dispatchEvent(new MouseEvent('click', "
            "{ bubbles: true })); document.querySelector(`button.move[data-op='${arguments[0]}']`).click()",
            op,
            vertex,
        )


def game_on_show(browser: Browser) -> list[str]:
    return list(browser.run("return document.getElementById('file').value").splitlines())


@_SIZES
def test_a_game_is_kept_in_the_address_and_opened_from_it(
    browser: Browser, page: Page, file: Path, width: int, height: int
) -> None:
    with browser.size(width, height):
        assert address(browser) == ""
        browser.click("#mode-practice")
        make(browser, _MOVES)
        link = address(browser)
        assert link == game(page, _MOVES)
        before = game_on_show(browser)
        assert before[-1] == "store x[1,0]"
        other = file.with_name("sent.html")
        page.write(other)
        browser.open(other, link)
        assert browser.run("return document.body.dataset.mode") == "practice"
        assert game_on_show(browser) == before
        assert browser.texts("#board .vertex.red > title") == ["x[0,0]", "x[0,1]", "x[1,0]"]
        assert (browser.text("#io"), notice(browser)) == ("3", "")
        browser.click("#undo")
        assert address(browser) == game(page, _MOVES[:-1])


def test_a_move_of_a_pebbling_is_opened_from_the_address(browser: Browser, page: Page, file: Path) -> None:
    watch = fragment(page.document["boards"][1], "watch", [16, "flash-2", 40])
    browser.open(file, watch)
    assert browser.run("return document.getElementById('jump').value") == "40"
    assert browser.text("#listing-title") == "Program"
    browser.click("#step")
    assert address(browser) == watch.replace("at=40", "at=41")[:-3] + address(browser)[-3:]
    browser.open(file, fragment(page.document["boards"][0], "watch", [3, "optimum", 2]))
    assert browser.text("#memory-count").endswith("of 3 words in use")


@pytest.mark.slow
def test_the_ways_back_and_forward_lead_from_game_to_game(browser: Browser, page: Page) -> None:
    browser.click("#step")
    browser.click("#mode-practice")
    make(browser, _MOVES[:2])
    browser.choose("#board-choice", "Diamond")
    make(browser, [(0, 0)])
    first, second = (
        game(page, _MOVES[:2]),
        game(page, [(0, 0)], 2, page.document["boards"][2]["choices"][1]["M"]),
    )
    assert address(browser) == second
    browser.go("back")
    assert address(browser) == first
    assert game_on_show(browser)[-2:] == ["load x[0,0]", "load x[0,1]"]
    browser.go("back")
    assert browser.run("return document.body.dataset.mode") == "watch"
    assert browser.run("return document.getElementById('jump').value") == "1"
    browser.go("forward")
    browser.go("forward")
    assert address(browser) == second
    assert browser.text("#io") == "1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "not a position on this page"),
        ("play=pyramid:3&M=4", "cut short"),
        ("play=%E0%A4%A&M=4&moves=&check=AAA", "cut short"),
        ("play=fft:64&M=4&moves=&check=AAA", "no DAG called fft:64"),
        ("illegal", "move 2, compute x[1,0], is not legal there: 1 of its 2 predecessors is not red"),
        ("short", "cut short"),
        ("late", "the pebbling ends after 24 moves, before move 25"),
        ("unknown", "no pebbling flash-9"),
    ],
)
def test_a_faulty_address_is_told_and_the_page_works(
    browser: Browser, page: Page, file: Path, text: str, said: str
) -> None:
    first = page.document["boards"][0]
    made = {
        "illegal": game(page, [(0, 0), (2, 4)]),
        "short": game(page, _MOVES)[:-1],
        "late": fragment(first, "watch", [4, "optimum", 25]),
        "unknown": fragment(first, "watch", [4, "flash-9", 1]),
    }
    browser.open(file, made.get(text, text))
    assert said in notice(browser)
    assert browser.run("return document.body.dataset.mode") == "watch"
    browser.click("#notice-close")
    assert notice(browser) == ""
    browser.click("#step")
    assert browser.text("#io") == "1"


@pytest.mark.slow
def test_an_address_changed_by_hand_is_followed(browser: Browser, page: Page) -> None:
    browser.run("location.hash = arguments[0]", game(page, _MOVES))
    assert address(browser) == game(page, _MOVES)
    assert browser.text("#io") == "3"
    browser.run("location.hash = 'what'")
    assert address(browser) == "what"
    assert "not a position" in notice(browser)
    browser.run("location.hash = 'board'")
    assert "not a position" in notice(browser), "a place on the page is no position"


@pytest.mark.slow
@_SIZES
def test_the_link_is_copied_or_shown(browser: Browser, page: Page, width: int, height: int) -> None:
    script = """
        Object.defineProperty(navigator, "clipboard", { configurable: true, value: {
          writeText: (text) => { window.copied = text; return arguments[0] ? Promise.resolve() : Promise.reject(); },
        } });"""
    with browser.size(width, height):
        browser.click("#mode-practice")
        make(browser, _MOVES)
        browser.run(script, True)
        browser.click("#copy-link")
        assert notice(browser).startswith("Link copied.")
        copied = browser.run("return window.copied")
        assert copied.endswith(f"page.html#{game(page, _MOVES)}")
        browser.run(script, False)
        browser.click("#copy-link")
        assert notice(browser).startswith("The browser lets no page copy here")
        field = "const one = document.getElementById('notice-link');"
        assert browser.run(f"{field} return one.value") == copied
        assert browser.run(
            f"{field} return document.activeElement === one && one.selectionEnd === one.value.length"
        )
        browser.click("#notice-close")
        assert browser.run("return document.activeElement.id") == "copy-link"


@pytest.mark.slow
def test_the_skip_link_leads_to_the_board(browser: Browser) -> None:
    browser.run("document.getElementById('skip').click()")
    assert browser.run("return document.activeElement.getAttribute('role')") == "option"
    assert address(browser) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(700, 600), (360, 560)])
def test_the_page_works_in_a_frame(
    session: Browser, page: Page, tmp_path: Path, width: int, height: int
) -> None:
    frame = f'<iframe srcdoc="{html.escape(page.html)}" width="{width}" height="{height}"></iframe>'
    (tmp_path / "frame.html").write_text(f"<!doctype html>{frame}", encoding="utf-8")
    session.open(tmp_path / "frame.html")
    session.call("POST", "/frame", {"id": 0})
    try:
        session.click("#mode-practice")
        make(session, _MOVES)
        session.click("#mode-watch")
        session.click("#fit")
        session.click("#step")
        time.sleep(0.6)
        assert session.run("return document.getElementById('copy-link').checkVisibility()") is False
        assert session.run("return document.documentElement.scrollWidth") <= width
        over = session.run("""
            const [board, dock] = ["#board", ".dock"].map((one) => document.querySelector(one).getBoundingClientRect());
            return board.bottom - dock.top""")
        assert over <= 0, "the dock hides the board"
        assert session.text("#io") == "1"
    finally:
        session.call("POST", "/frame", {"id": None})
    assert session.run("return location.hash") == ""
    assert session.console() == []
