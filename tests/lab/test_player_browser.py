"""The page in a real browser, driven through its driver; without Chromium these tests are skipped."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pebble.computations.problem import Problem
from pebble.lab.pebblings import check
from pebble.lab.player import Page, play
from pebble.lab.player.documents import race
from tests.lab.page_links import encoded, fragment
from tests.lab.test_player import replayed
from tests.lab.webdriver import Browser, have_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not have_browser(), reason="needs Chromium and chromedriver"),
]

_BOARDS = (("pyramid:3", "Pyramid of height 3"), ("diamond:3,3", "Diamond, 3 × 3"))
_MOVES = [(0, 0), (0, 1), (2, 4), (1, 4)]
"""Operation and vertex of the first moves on the pyramid."""


@pytest.fixture(scope="module")
def page() -> Page:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pebble.lab.player.documents.CLASSIC_BOARDS", _BOARDS)
        return play("flash-2", Problem.square(3, 2), 14)


def until(condition: Callable[[], bool], seconds: float = 600) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.05)


def at(browser: Browser) -> int:
    return int(browser.run("return document.getElementById('jump').value"))


def jump(browser: Browser, move: int) -> None:
    browser.run(
        "const jump = document.getElementById('jump'); jump.value = arguments[0];"
        "jump.dispatchEvent(new Event('change', { bubbles: true }))",
        move,
    )


def make(browser: Browser, moves: list[tuple[int, int]]) -> None:
    """Make moves by clicks on vertices and buttons."""
    for op, vertex in moves:
        browser.run(
            "document.getElementById(`vertex-${arguments[1]}`).dispatchEvent(new MouseEvent('click', "
            "{ bubbles: true })); document.querySelector(`button.move[data-op='${arguments[0]}']`).click()",
            op,
            vertex,
        )


def held(browser: Browser) -> set[str]:
    return set(browser.texts("#slots .used"))


def red(browser: Browser) -> set[str]:
    return set(browser.texts("#board .vertex.red > title"))


def counts(browser: Browser) -> list[int]:
    text = browser.text("#io-split") + browser.text("#numbers")
    return [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", text)]


# -- watching


def test_stepping(browser: Browser, page: Page) -> None:
    totals = page.document["watch"]["totals"]
    assert browser.text("h1").replace("\u00a0", " ") == page.title
    assert (at(browser), browser.text("#total")) == (0, f"of {totals['moves']}")
    browser.click("#step")
    assert browser.text("#now") == "load Q[0,0] from slow to fast memory, one I/O."
    assert browser.text("#live") == f"Move 1 of {totals['moves']}: load Q[0,0]. 1 I/O, 1 of 14 words in use"
    assert browser.text("#listing [aria-current=step] mark") == "load Q"
    assert held(browser) == red(browser) == {"Q[0,0]"}
    browser.click("#last")
    found = counts(browser)
    assert found[:4] == [totals["reads"], totals["writes"], totals["moves"], totals["computes"]]
    assert (found[5], at(browser)) == (totals["peak"], totals["moves"])
    assert red(browser) == held(browser) == set()
    assert "complete" in browser.text("#now")
    assert browser.run("return document.querySelectorAll('#board .vertex.output:not(.blue)').length") == 0


def test_a_jump_shows_the_state_of_the_python_game(browser: Browser, page: Page) -> None:
    watch, board = page.document["watch"], page.document["boards"][0]
    for move in (60, 17, 101, 100):
        jump(browser, move)
        part = {"op": watch["op"][:move], "vertex": watch["vertex"][:move]}
        game = replayed(board, watch["M"], part)
        assert red(browser) == held(browser) == set(game.red.names())
        assert set(browser.texts("#board .vertex.blue > title")) == set(game.blue.names())
        status = game.status()
        wanted = [status.reads, status.writes, status.moves, status.computes, status.deletes, status.peak]
        assert counts(browser) == wanted
        line = browser.run(
            "return [...document.querySelectorAll('#listing li')].findIndex((one) => one.ariaCurrent)"
        )
        done = 0
        for site, _, count in watch["program"]["steps"]:
            done += count
            if done >= move:
                assert line == watch["program"]["sites"][site][0]
                break


def test_playing(browser: Browser) -> None:
    browser.choose("#speed", "64/s")
    browser.click("#play")
    until(lambda: at(browser) > 5)
    browser.click("#play")
    stopped = at(browser)
    time.sleep(0.2)
    assert (at(browser), browser.text("#play")) == (stopped, "Play")
    jump(browser, 10_000)
    end = at(browser)
    jump(browser, end - 3)
    browser.press("Space")
    until(lambda: browser.text("#play") == "Play" and at(browser) == end)


def test_keys_step_and_walk_on_the_board(browser: Browser, page: Page) -> None:
    browser.press("Right", "Right", "Right", "Left", ".")
    assert at(browser) == 3
    browser.press("Shift+Right")
    assert at(browser) == page.document["watch"]["program"]["steps"][0][2]
    browser.press("End", "Home", "b")
    name = "return document.activeElement.getAttribute('aria-label')"
    start = browser.run(name)
    browser.press("Up")
    assert browser.text("#inspected") == browser.run(name) != start
    assert at(browser) == 0, "on the board the arrows walk, they do not step"


# -- playing


def test_an_illegal_move_is_explained(browser: Browser) -> None:
    browser.click("#mode-practice")
    browser.choose("#board-choice", "Pyramid")
    browser.click("button.move[data-op='0']")
    assert "Choose a vertex first" in browser.text("#alert")
    browser.click("#vertex-0")
    browser.press("l")
    browser.click("#vertex-4")
    browser.press("c")
    assert browser.text("#alert") == (
        "Not legal: compute x[1,0]. 1 of its 2 predecessors is not red: x[0,1] (blue). A vertex is computed from "
        "predecessors that are all red at that moment. What would help: load it first. compute-needs-predecessors"
    )
    assert browser.texts("#board .vertex.lacking > title") == ["x[0,1]"]
    browser.press("u")
    assert (browser.text("#alert"), counts(browser)[2]) == ("", 0)


def test_a_solved_game_is_compared_with_the_optimum(browser: Browser, page: Page, tmp_path: Path) -> None:
    browser.click("#mode-practice")
    browser.choose("#board-choice", "Pyramid")
    browser.choose("#memory-choice", "M = 4")
    (choice,) = [one for one in page.document["boards"][1]["choices"] if one["M"] == 4]
    optimum = choice["optimum"]
    for op, vertex in zip(optimum["op"], optimum["vertex"], strict=True):
        browser.click(f"#vertex-{vertex}")
        browser.press("lscd"[int(op)])
    assert browser.text("#now") == "Complete with 7 I/O, and optimal: no pebbling with 4 words costs less."
    file = tmp_path / "game.pebbling"
    file.write_text(browser.run("return document.getElementById('file').value"), encoding="utf-8")
    result = check(file)
    assert (result.complete, result.status.io) == (True, 7)
    browser.click("#restart")
    browser.choose("#memory-choice", "M = 5")
    browser.choose("#memory-choice", "M = 4")
    assert browser.text("#best") == "your best: 7 I/O"
    more = [(0, 0), (1, 0), (3, 0)]
    make(browser, more + [(int(op), v) for op, v in zip(optimum["op"], optimum["vertex"], strict=True)])
    assert browser.text("#now") == "Complete with 9 I/O. The optimum is 7: 2 loads or stores can be saved."
    browser.click("#show-optimum")
    assert "an optimal pebbling" in browser.text("#about")


# -- the address


def game(page: Page, moves: list[tuple[int, int]], board: int = 1, M: int = 4) -> str:
    shown: dict[str, Any] = page.document["boards"][board]
    return fragment(shown, "play", [M, encoded(moves, len(shown["names"]))])


def address(browser: Browser) -> str:
    """The part after #, once it has come to rest."""
    time.sleep(0.6)
    found: str = browser.run("return location.hash.slice(1)")
    return found


def test_a_game_is_kept_in_the_address_and_opened_from_it(browser: Browser, page: Page, file: Path) -> None:
    browser.click("#mode-practice")
    browser.choose("#board-choice", "Pyramid")
    browser.choose("#memory-choice", "M = 4")
    make(browser, _MOVES)
    link = address(browser)
    assert link == game(page, _MOVES)
    shown = "return document.getElementById('file').value"
    before = browser.run(shown)
    assert before.splitlines()[-1] == "store x[1,0]"
    other = file.with_name("sent.html")
    page.write(other)
    browser.open(other, link)
    assert browser.run("return document.body.dataset.mode") == "practice"
    assert browser.run(shown) == before
    assert (browser.text("#io"), sorted(red(browser))) == ("3", ["x[0,0]", "x[0,1]", "x[1,0]"])
    browser.click("#undo")
    assert address(browser) == game(page, _MOVES[:-1])
    browser.choose("#board-choice", "Diamond")
    make(browser, [(0, 0)])
    address(browser)
    browser.go("back")
    assert address(browser) == game(page, _MOVES[:-1])
    browser.run(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }"
    )
    browser.click("#copy-link")
    assert browser.run("return window.copied").endswith(f"sent.html#{game(page, _MOVES[:-1])}")


def test_a_move_of_a_pebbling_is_opened_from_the_address(browser: Browser, page: Page, file: Path) -> None:
    browser.open(file, fragment(page.document["boards"][0], "watch", [14, "flash-2", 40]))
    assert at(browser) == 40
    assert browser.text("#listing-title") == "Program"
    browser.click("#step")
    assert "at=41" in address(browser)
    browser.open(file, fragment(page.document["boards"][1], "watch", [4, "optimum", 2]))
    assert browser.text("#listing-title") == "Moves"
    assert browser.text("#memory-count").endswith("of 4 words in use")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda page: "nonsense", "not a position on this page"),
        (lambda page: game(page, _MOVES)[:-1], "cut short"),
        (lambda page: game(page, [(0, 0), (2, 4)]), "move 2, compute x[1,0], is not legal there"),
        (
            lambda page: fragment(page.document["boards"][1], "watch", [4, "optimum", 25]),
            "the pebbling ends after 24 moves, before move 25",
        ),
    ],
)
def test_a_faulty_address_is_told_and_the_page_works(
    browser: Browser, page: Page, file: Path, made: Callable[[Page], str], said: str
) -> None:
    browser.open(file, made(page))
    assert said in browser.text("#notice")
    browser.click("#notice-close")
    browser.click("#step")
    assert browser.text("#io") == "1"


# -- looks


@pytest.mark.parametrize(("width", "height"), [(1440, 860), (1100, 700), (390, 844)])
@pytest.mark.parametrize("mode", ["watch", "practice"])
def test_nothing_overlaps_or_sticks_out(browser: Browser, width: int, height: int, mode: str) -> None:
    """After *fit* the whole board is in sight, and on a phone a finger finds every control."""
    with browser.size(width, height):
        browser.click(f"#mode-{mode}")
        jump(browser, 30)
        for button in ("#larger", "#larger", "#fit"):
            browser.click(button)
        faults = browser.run("""
            const box = (one) => one.getBoundingClientRect();
            const seen = [...document.querySelectorAll("button, select, input, h1, h2, p, li, summary")]
              .filter((one) => box(one).width > 1 && one.checkVisibility() && !one.closest(".hidden, .skip"));
            const wide = seen.filter((one) => box(one).right > innerWidth + 1 || box(one).left < -1);
            const cut = seen.filter((one) => one.tagName === "BUTTON" && one.scrollWidth > one.clientWidth + 1);
            const controls = seen.filter((one) => one.closest(".dock, .bar") && one.matches("button, select, input"));
            const over = controls.filter((a, i) => controls.slice(i + 1).some((b) =>
              a.closest(".dock, .bar") === b.closest(".dock, .bar") &&
              box(a).left < box(b).right - 1 && box(b).left < box(a).right - 1 &&
              box(a).top < box(b).bottom - 1 && box(b).top < box(a).bottom - 1));
            const touched = "button, select, input:not([type=checkbox]), summary, label:has([type=checkbox])";
            const small = innerWidth > 500 ? [] : seen.filter((one) => one.matches(touched))
              .filter((one) => box(one).width < 43.5 || box(one).height < 43.5);
            const [board, canvas, dock] = ["#board", "#canvas", ".dock"].map((one) => box(document.querySelector(one)));
            const low = Math.min(innerHeight, dock.left < canvas.right && dock.top > 0 ? dock.top : innerHeight);
            const page = [
              [document.documentElement.scrollWidth <= innerWidth, "the page scrolls sideways"],
              [board.left >= canvas.left - 1 && board.right <= canvas.right + 1, "the board is wider than its frame"],
              [board.top >= Math.max(0, canvas.top - 1) && board.bottom <= low + 1, "the board is hidden"],
            ].filter(([good]) => !good).map(([, text]) => text);
            return [...wide, ...cut, ...over, ...small].map((one) => one.outerHTML.slice(0, 80)).concat(page);""")
        assert faults == []


def test_every_control_has_a_name(browser: Browser) -> None:
    unnamed = browser.run("""
        return [...document.querySelectorAll("button, select, input, textarea, [role=option], [role=listbox]")]
          .filter((one) => !(one.ariaLabel || one.textContent.trim() || one.labels?.[0]?.textContent.trim()))
          .map((one) => one.outerHTML.slice(0, 80));""")
    assert unnamed == []
    assert browser.run("return document.querySelectorAll('[role=option][tabindex=\"0\"]').length") == 1


def test_the_page_works_in_a_frame(session: Browser, page: Page, tmp_path: Path) -> None:
    frame = f'<iframe srcdoc="{html.escape(page.html)}" width="700" height="600"></iframe>'
    (tmp_path / "frame.html").write_text(f"<!doctype html>{frame}", encoding="utf-8")
    session.open(tmp_path / "frame.html")
    session.call("POST", "/frame", {"id": 0})
    try:
        session.click("#step")
        assert session.run("return document.getElementById('copy-link').checkVisibility()") is False
        assert session.text("#io") == "1"
    finally:
        session.call("POST", "/frame", {"id": None})
    assert address(session) == ""
    assert session.console() == []


# -- a race


def test_all_lanes_step_together_and_the_winner_is_named(session: Browser, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pebble.lab.player.practice_boards.MOST_SOLVED", 0)
        race(["naive", "standard", "flash-2"], Problem.square(2, 1), 8).write(tmp_path / "race.html")
    session.open(tmp_path / "race.html")
    session.press("Right", "Right", "Right")
    assert session.text("#now") == "I/O after 3 moves: naive 2, standard 3, flash-2 2"
    assert len(session.texts(".lane .vertex.active")) == 3
    session.press("End")
    assert session.text("#now") == (
        "flash-2 wins: 12 I/O. naive: 32, standard: 28. No pebbling costs less than 8."
    )
    assert session.texts(".lane .io") == ["32", "28", "12"]
    assert session.texts(".lane.wins h2") == ["flash-2"]
    assert session.console() == []
