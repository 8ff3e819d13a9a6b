"""The page of several memory levels: what it is made of, and that its script plays as the game does."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources

import pytest

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.problem import Problem
from pebble.lab.level_player import LevelPage, play_levels
from pebble.program import Hierarchy

SCRIPT = """
const rules = require({rules});
const game = JSON.parse(require("fs").readFileSync(0, "utf8"));
const state = rules.start(game);
for (let at = 0; at < game.op.length; at += 1) rules.change(game, state, at);
const totals = state.tallies.map((one, at) => ({{ ...one, held: state.held[at].size }}));
const moves = [0, 1, 2].map((at) => rules.notation(game, at));
process.stdout.write(JSON.stringify({{ totals, moves }}));
"""


def page_of(inclusive: bool, mask: str | None = None) -> LevelPage:
    problem = Problem.square(4, 2, mask=mask)
    return play_levels("nested-flash-2", problem, Hierarchy((14, 40), inclusive))


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("inclusive", [True, False])
def test_the_script_plays_as_the_game_does(inclusive: bool, mask: str | None) -> None:
    page = page_of(inclusive, mask)
    rules = resources.files("pebble.lab.level_player").joinpath("levels.js")
    done = subprocess.run(
        ["node", "-e", SCRIPT.format(rules=json.dumps(str(rules)))],
        input=json.dumps(page.document),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["totals"] == page.document["totals"]
    assert found["moves"][0].startswith("load 2 ")


def test_the_page_refers_to_nothing_outside_itself() -> None:
    page = page_of(True)
    assert "default-src 'none'" in page.html
    assert "http" not in page.html.replace("http-equiv", "")
    assert "@@" not in page.html
    assert "level 1" in page.summary()


def test_what_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a page shows at most"):
        play_levels("nested-flash-2", Problem.square(60, 4), Hierarchy((43, 140)))
    with pytest.raises(CacheTooSmall):
        play_levels("nested-flash-2", Problem.square(4, 2), Hierarchy((5, 9)))
