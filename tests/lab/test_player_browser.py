"""The page in a real browser, driven through its driver; without Chromium these tests are skipped."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pebble.computations.problem import Problem
from pebble.lab.pebblings import check
from pebble.lab.player import Page, play, play_dag
from tests.lab.webdriver import Browser, have_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not have_browser(), reason="needs Chromium and chromedriver"),
]

_BOARDS = (("pyramid:3", "Pyramid of height 3"), ("diamond:3,3", "Diamond, 3 × 3"))


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


def held(browser: Browser) -> set[str]:
    return set(browser.texts("#slots .used"))


def red(browser: Browser) -> set[str]:
    return set(browser.texts("#board .vertex.red > title"))


def counts(browser: Browser) -> list[int]:
    text = browser.text("#io-split") + browser.text("#numbers")
    return [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", text)]


# -- watching


def test_stepping(browser: Browser, page: Page) -> None:
    total = page.document["watch"]["totals"]["moves"]
    assert browser.text("h1").replace("\u00a0", " ") == page.title
    assert browser.text("#total") == f"of {total}"
    assert at(browser) == 0
    browser.click("#step")
    assert browser.text("#now") == "load Q[0,0] from slow to fast memory, one I/O."
    assert browser.text("#live") == f"Move 1 of {total}: load Q[0,0]. 1 I/O, 1 of 14 words in use"
    assert browser.text("#listing [aria-current=step] mark") == "load Q"
    assert held(browser) == red(browser) == {"Q[0,0]"}
    browser.click("#step")
    browser.click("#back")
    assert at(browser) == 1
    browser.click("#last")
    assert at(browser) == total
    totals = page.document["watch"]["totals"]
    found = counts(browser)
    assert found[:4] == [totals["reads"], totals["writes"], totals["moves"], totals["computes"]]
    assert found[5] == totals["peak"]
    assert red(browser) == held(browser) == set()
    assert "complete" in browser.text("#now")
    assert browser.run("return document.querySelectorAll('#board .vertex.output:not(.blue)').length") == 0
    browser.click("#first")
    assert at(browser) == 0
    assert browser.run("return document.getElementById('back').disabled")


def test_a_jump_shows_the_state_of_the_python_game(browser: Browser, page: Page) -> None:
    from tests.lab.test_player import replayed

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


def test_playing_and_speed(browser: Browser) -> None:
    browser.choose("#speed", "64/s")
    browser.click("#play")
    assert browser.text("#play") == "Pause"
    until(lambda: at(browser) > 5)
    browser.click("#play")
    assert browser.text("#play") == "Play"
    stopped = at(browser)
    time.sleep(0.2)
    assert at(browser) == stopped
    assert browser.text("#live").startswith(f"Move {stopped} of")
    jump(browser, 10_000)
    end = at(browser)
    jump(browser, end - 3)
    browser.press("Space")
    until(lambda: browser.text("#play") == "Play" and at(browser) == end)
    assert browser.text("#live").endswith("Complete")


def test_keys_step_and_walk_on_the_board(browser: Browser, page: Page) -> None:
    browser.press("Right", "Right", "Right", "Left", ".")
    assert at(browser) == 3
    first_step = page.document["watch"]["program"]["steps"][0][2]
    browser.press("Shift+Right")
    assert at(browser) == first_step
    browser.press("Shift+Right", "Shift+Right", "Shift+Left")
    assert at(browser) == first_step + page.document["watch"]["program"]["steps"][1][2]
    browser.press("End", "Home")
    assert at(browser) == 0
    browser.press("b")
    name = "return document.activeElement.getAttribute('aria-label')"
    start = browser.run(name)
    browser.press("Up")
    above = browser.run(name)
    assert above != start
    assert browser.text("#inspected") == above
    assert browser.run("return document.activeElement.getAttribute('role')") == "option"
    assert at(browser) == 0, "on the board the arrows walk, they do not step"
    browser.press(".")
    assert at(browser) == 1
    browser.click("#keys-panel summary")
    browser.click("#shortcuts")
    browser.press(".", "End")
    assert at(browser) == 1


def test_other_recordings_can_be_watched(browser: Browser, page: Page) -> None:
    browser.choose("#recording", "optimal: Pyramid of height 3, M = 4")
    browser.press("End")
    assert browser.text("#io") == "7"
    assert browser.text("#listing-title") == "Moves"
    assert "store x[3,0]" in browser.texts("#listing li")
    assert browser.texts("#listing [aria-current=step]") == browser.texts("#listing li:last-child")


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
    assert counts(browser)[2] == 1
    browser.press("u")
    assert browser.text("#alert") == ""
    assert counts(browser)[2] == 0
    for vertex in range(4):
        browser.click(f"#vertex-{vertex}")
        browser.press("Enter")
    browser.click("#vertex-4")
    browser.press("c")
    assert "fast memory holds 4 of 4 words" in browser.text("#alert").lower()
    assert "memory-full" in browser.text("#alert")
    browser.click("#restart")
    assert counts(browser)[:3] == [0, 0, 0]


def test_a_solved_game_is_compared_with_the_optimum(browser: Browser, page: Page, tmp_path: Path) -> None:
    browser.click("#mode-practice")
    browser.choose("#board-choice", "Pyramid")
    browser.choose("#memory-choice", "M = 4")
    (choice,) = [one for one in page.document["boards"][1]["choices"] if one["M"] == 4]
    optimum = choice["optimum"]
    keys = "lscd"
    for op, vertex in zip(optimum["op"], optimum["vertex"], strict=True):
        browser.click(f"#vertex-{vertex}")
        browser.press(keys[int(op)])
    assert browser.text("#now") == "Complete with 7 I/O, and optimal: no pebbling with 4 words costs less."
    assert "optimal" in browser.text("#live")
    (hidden,) = browser.run("""
        const [list, line] = ["#listing", "#listing [aria-current]"].map((one) => document.querySelector(one));
        return [line.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom];""")
    assert hidden < 2, "the last move is in sight"
    file = tmp_path / "game.pebbling"
    file.write_text(browser.run("return document.getElementById('file').value"), encoding="utf-8")
    result = check(file)
    assert (result.complete, result.status.io) == (True, 7)
    browser.click("#restart")
    browser.choose("#memory-choice", "M = 5")
    browser.choose("#memory-choice", "M = 4")
    assert browser.text("#best") == "your best: 7 I/O"
    browser.click("#vertex-0")
    browser.press("l", "s", "d")
    browser.run(
        """
        const [op, vertex] = arguments;
        [...op].forEach((code, i) => {
          document.getElementById(`vertex-${vertex[i]}`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
          document.querySelector(`button.move[data-op="${code}"]`).click();
        });""",
        optimum["op"],
        optimum["vertex"],
    )
    assert browser.text("#now") == "Complete with 9 I/O. The optimum is 7: 2 loads or stores can be saved."
    browser.click("#show-optimum")
    assert "an optimal pebbling" in browser.text("#about")
    assert browser.run("return document.activeElement.id") == "play"


def test_the_schedules_own_dag_can_be_played(browser: Browser) -> None:
    browser.click("#mode-practice")
    assert browser.run("return document.getElementById('show-optimum').hidden")
    browser.choose("#memory-choice", "M = 14")
    assert "the optimum is not known" in browser.text("#marks")
    browser.press("b", "l")
    assert browser.text("#io") == "1"


# -- looks


@pytest.mark.parametrize(("width", "height"), [(1440, 860), (1100, 700), (390, 844)])
@pytest.mark.parametrize("mode", ["watch", "practice"])
def test_nothing_overlaps_or_sticks_out(browser: Browser, width: int, height: int, mode: str) -> None:
    browser.emulate("setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    try:
        browser.click(f"#mode-{mode}")
        jump(browser, 30)
        faults = browser.run("""
            const box = (one) => one.getBoundingClientRect();
            const seen = [...document.querySelectorAll("button, select, input, h1, h2, p, li, summary")]
              .filter((one) => box(one).width > 1 && one.checkVisibility() && !one.closest(".hidden"));
            const wide = seen.filter((one) => box(one).right > innerWidth + 1 || box(one).left < -1);
            const cut = seen.filter((one) => one.tagName === "BUTTON" && one.scrollWidth > one.clientWidth + 1);
            const controls = seen.filter((one) => one.closest(".dock, .bar") && one.matches("button, select, input"));
            const over = controls.filter((a, i) => controls.slice(i + 1).some((b) =>
              a.closest(".dock, .bar") === b.closest(".dock, .bar") &&
              box(a).left < box(b).right - 1 && box(b).left < box(a).right - 1 &&
              box(a).top < box(b).bottom - 1 && box(b).top < box(a).bottom - 1));
            const scrolls = document.documentElement.scrollWidth > innerWidth ? ["page"] : [];
            return [...wide, ...cut, ...over].map((one) => one.outerHTML.slice(0, 80)).concat(scrolls);""")
        assert faults == []
    finally:
        browser.emulate("clearDeviceMetricsOverride")


def test_every_control_has_a_name(browser: Browser) -> None:
    unnamed = browser.run("""
        return [...document.querySelectorAll("button, select, input, textarea, [role=option], [role=listbox]")]
          .filter((one) => !(one.ariaLabel || one.textContent.trim() || one.labels?.[0]?.textContent.trim()))
          .map((one) => one.outerHTML.slice(0, 80));""")
    assert unnamed == []
    assert browser.run("return document.querySelectorAll('[role=option][tabindex=\"0\"]').length") == 1


def test_texts_have_contrast_in_light_and_dark(browser: Browser) -> None:
    measure = """
        const value = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
        const light = (hex) => {
          const parts = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
          return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
        };
        return arguments[0].map(([a, b]) => {
          const [x, y] = [light(value(a)), light(value(b))].sort((p, q) => q - p);
          return (x + 0.05) / (y + 0.05);
        });"""
    pairs = [
        ["--ink", "--panel"],
        ["--quiet", "--panel"],
        ["--quiet", "--ground"],
        ["--on-red", "--red"],
        ["--on-accent", "--accent"],
        ["--ink", "--glow-tint"],
        ["--ink", "--bad-tint"],
        ["--quiet", "--bad-tint"],
        ["--ink", "--blue-tint"],
        ["--ink", "--spent"],
        ["--good", "--panel"],
    ]
    try:
        for scheme in ("light", "dark"):
            browser.emulate("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            found = browser.run(measure, pairs)
            low = {tuple(pair): ratio for pair, ratio in zip(pairs, found, strict=True) if ratio < 4.5}
            assert low == {}, scheme
    finally:
        browser.emulate("setEmulatedMedia", features=[])


def test_calm_where_motion_is_unwelcome(browser: Browser) -> None:
    script = "return getComputedStyle(document.querySelector('.vertex .body')).transitionDuration"
    try:
        browser.emulate("setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        assert browser.run(script) == "0s"
    finally:
        browser.emulate("setEmulatedMedia", features=[])


def test_the_page_of_a_dag_has_each_optimum_once(session: Browser, tmp_path: Path) -> None:
    play_dag("pyramid:2", 4, classics=False).write(tmp_path / "page.html")
    session.open(tmp_path / "page.html")
    labels = ["an optimal pebbling, M = 4", "optimal: pyramid:2, M = 3", "optimal: pyramid:2, M = 5"]
    found = session.texts("#recording option")
    assert sorted(found) == labels[: len(found)]
    assert len(found) >= 2
    session.click("#mode-practice")
    session.choose("#memory-choice", "M = 4")
    session.click("#show-optimum")
    session.press("End")
    assert (session.text("#io"), session.text("#memory-count")) == ("4", "0 of 4 words in use")
    assert session.console() == []
