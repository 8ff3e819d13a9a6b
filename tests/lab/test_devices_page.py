"""The page of several devices: what it says of an exchange is what the referee of exchanges says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pebble.lab.player.devices_page import DevicesPage, play_devices
from pebble.program.parallel import SharedProblem, distributed_schedule, distributed_schedules, play
from tests.lab.webdriver import browser_in, have_browser

CASES = [
    (schedule.name, pass_name, mask)
    for schedule in distributed_schedules()
    if not schedule.decodes
    for pass_name in schedule.passes
    for mask in ([True] if schedule.causal_only else [False, True])
]


def made(name: str, pass_name: str, causal: bool) -> DevicesPage:
    P = 6 if name == "triangle" else 4
    heads = (4, 2) if name in ("ulysses", "usp", "heads-grid") else (1, 1)
    return play_devices(SharedProblem(2 * P, 2, P, *heads, causal, pass_name), name)


@pytest.mark.parametrize(("name", "pass_name", "causal"), CASES)
def test_every_pair_is_worked_on_once_and_words_are_the_referees(
    name: str, pass_name: str, causal: bool
) -> None:
    page = made(name, pass_name, causal)
    film, tiles = page.document, page.document["tiles"]
    done = [(*pair, p) for turn in film["turns"] for p, pairs in enumerate(turn["work"]) for pair in pairs]
    assert len(set(done)) == len(done)
    allowed = {(i, j) for i in range(tiles) for j in range(tiles) if film["allowed"][i][j]}
    assert {(i, j) for i, j, _ in done} == allowed
    assert sum(send["words"] for turn in film["turns"] for send in turn["sends"]) == film["total"]
    assert sum(film["turns"][-1]["received"]) == film["total"]
    for turn in film["turns"]:
        assert all(send["from"] != send["to"] for send in turn["sends"])


def test_the_words_of_a_ring_and_a_grid() -> None:
    for name, total, bound in (("ring", 96, 57), ("grid", 72, 57)):
        page = play_devices(SharedProblem(8, 2, 4), name)
        exchange = distributed_schedule(name).exchange(
            SharedProblem(8, 2, 4), (2, 2) if name == "grid" else ()
        )
        assert page.document["total"] == play(exchange).total == total
        assert page.document["bound"] == bound
        assert page.document["columns"] == (2 if name == "grid" else 0)


def test_the_page_needs_nothing_from_outside(tmp_path: Path) -> None:
    page = play_devices(SharedProblem(8, 2, 4), "ring")
    assert not re.search(r"(?:src|href)=", page.html)
    assert page.write(tmp_path / "ring.html") == len(page.html.encode())
    film = re.search(r'id="document">(.*?)</script>', page.html)
    assert film is not None
    assert json.loads(film[1])["total"] == 96


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_scripts_are_well_formed() -> None:
    for name in ("devices.js", "race.js", "stepper.js"):
        script = Path(__file__).parents[2] / "pebble" / "lab" / "player" / name
        subprocess.run(["node", "--check", str(script)], check=True)


@pytest.mark.slow
@pytest.mark.skipif(not have_browser(), reason="needs Chromium and chromedriver")
def test_the_page_steps_through_in_a_browser(tmp_path: Path) -> None:
    play_devices(SharedProblem(8, 2, 4), "grid").write(tmp_path / "grid.html")
    with browser_in(tmp_path) as browser:
        browser.open(tmp_path / "grid.html")
        seen = []
        for _ in range(6):
            seen.append(browser.run("return document.getElementById('now').textContent"))
            browser.run("document.getElementById('step').click()")
        assert seen[0].startswith("Superstep 1 of 3 ends: Q 1 from 1 to 0")
        assert seen[1] == "Superstep 2 of 3: all devices work."
        assert seen[-1] == "Every output is with its owner."
        assert browser.text(".headline") == "72 of 72 words"
        assert browser.text("#numbers").count(":\u00a018") == 4
        assert browser.texts("#marks li")[0] == "▲ 57 at least, if all devices do equal work"
        browser.press("Home")
        assert browser.text("#now") == seen[0]
        browser.press("End")
        assert browser.run("return document.querySelectorAll('#devices .cell.done').length") == 16
