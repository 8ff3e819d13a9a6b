"""Positions in the address of the page, and labels: what can be seen without a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pebble.graph.dag import Dag
from pebble.lab.player import play_dag
from pebble.lab.player.practice_boards import PracticeBoard, board_dict
from tests.lab.page_links import LINKS_RUNNER, encoded, fragment

_FOLDER = resources.files("pebble.lab.player")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def under_node(script: str, name: str, sent: Any) -> Any:
    """Run a function body over one script of the page; ``sent`` is what it is given."""
    library = {"PebbleLinks": "links.js", "PebbleRules": "rules.js", "PebbleLabels": "labels.js"}
    uses = [
        f"const {one} = require({json.dumps(str(_FOLDER.joinpath(file)))});" for one, file in library.items()
    ]
    body = f'const sent = JSON.parse(require("fs").readFileSync(0, "utf8")); {script}'
    body += f"\nprocess.stdout.write(JSON.stringify({name}(sent)));"
    done = subprocess.run(
        ["node", "-e", "\n".join([*uses, body])],
        input=json.dumps(sent),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def board_of(name: str, vertices: int, sizes: list[int]) -> dict[str, Any]:
    """Return as much of a board as a link is about: a path."""
    predecessors = [[v - 1] if v else [] for v in range(vertices)]
    choices = [{"M": M} for M in sizes]
    names = [f"v{v}" for v in range(vertices)]
    return {
        "name": name,
        "names": names,
        "predecessors": predecessors,
        "outputs": [vertices - 1],
        "choices": choices,
    }


BOARDS = [
    board_of("pyramid:3", 10, [3, 4]),
    board_of("attention:Nq=1,Nk=2,d=1", 16, [5]),
    board_of("my_dag&é=#%?.dot", 17, [2, 3]),
    board_of("same", 1024, [2]),
    board_of("same", 2000, [2]),
]


def random_positions(count: int, seed: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return positions on these boards, and their texts as Python writes them."""
    rng = np.random.default_rng(seed)
    positions, texts = [], []
    for _ in range(count):
        place = int(rng.integers(len(BOARDS)))
        board = BOARDS[place]
        vertices = len(board["names"])
        M = int(rng.choice([choice["M"] for choice in board["choices"]]))
        if rng.random() < 0.3:
            at = int(rng.integers(1000))
            positions.append({"mode": "watch", "board": place, "M": M, "name": "flash-2", "at": at})
            texts.append(fragment(board, "watch", [M, "flash-2", at]))
            continue
        moves = [(int(rng.integers(4)), int(rng.integers(vertices))) for _ in range(int(rng.integers(0, 40)))]
        made = [{"op": op, "vertex": vertex, "source": -1} for op, vertex in moves]
        positions.append({"mode": "play", "board": place, "M": M, "moves": made})
        texts.append(fragment(board, "play", [M, encoded(moves, vertices)]))
    return positions, texts


@needs_node
def test_the_page_writes_and_reads_positions_as_python_does() -> None:
    positions, texts = random_positions(200, seed=3)
    found = under_node(LINKS_RUNNER, "runLinks", {"boards": BOARDS, "positions": positions, "texts": texts})
    assert found["written"] == texts
    assert found["read"] == [{"position": position} for position in positions]


@needs_node
def test_a_link_that_was_changed_in_any_way_is_found_out() -> None:
    _, texts = random_positions(30, seed=4)
    rng = np.random.default_rng(5)
    damaged = []
    for text in texts:
        damaged += [text[: int(rng.integers(1, len(text)))], text + "A", text + "&more=1"]
        at = int(rng.integers(len(text)))
        damaged.append(text[:at] + ("B" if text[at] != "B" else "C") + text[at + 1 :])
    damaged += ["", "=", "&", "play", "play=", "play=pyramid:3", "%", "play=%E0%A4%A&M=3&moves=&check=AAA"]
    damaged += ["constructor=1", "__proto__=a&M=3&moves=&check=AAA", "watch=same&M=2&of=x&at=NaN&check=AAA"]
    damaged += ["x" * 100_000, "&" * 1000, "play=pyramid:3&M=3&moves=" + "A" * 90_000 + "&check=AAA"]
    found = under_node(LINKS_RUNNER, "runLinks", {"boards": BOARDS, "positions": [], "texts": damaged})
    passed = [text for text, one in zip(damaged, found["read"], strict=True) if "fault" not in one]
    assert passed == []


@needs_node
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (fragment(BOARDS[0], "play", [9, ""]), "for pyramid:3 this page has M = 3, 4, not 9"),
        (fragment(BOARDS[0], "play", [3, "~"]), "its moves cannot be read"),
        (fragment(BOARDS[0], "play", [3, "_"]), "its moves cannot be read"),
        (fragment(BOARDS[3], "play", [2, "A"]), "its moves cannot be read"),
        (fragment(BOARDS[0], "watch", [3, "optimum", "1e3"]), "1e3 is not a number of moves"),
        (fragment(BOARDS[0] | {"name": "fft:4"}, "play", [3, ""]), "this page has no DAG called fft:4; it has "),
        (fragment(BOARDS[0] | {"outputs": [8]}, "play", [3, ""]), "or made for another DAG called pyramid:3"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_link_is_told(text: str, fault: str) -> None:
    found = under_node(LINKS_RUNNER, "runLinks", {"boards": BOARDS, "positions": [], "texts": [text]})
    assert fault in found["read"][0]["fault"]


@needs_node
def test_the_first_illegal_move_of_a_link_is_named() -> None:
    board = board_dict(
        PracticeBoard("Path", Dag.from_edges([("a", "b"), ("b", "c")]), "path"), [], time_limit=None
    )
    game = {name: board[name] for name in ("names", "predecessors", "outputs")}
    game |= {"M": 2, "rules": {"recomputation": True, "sliding": False}}
    moves = [{"op": op, "vertex": v, "source": -1} for op, v in ((0, 0), (2, 1), (2, 2))]
    script = (
        "const run = (all) => all.map(({ game, moves }) => PebbleLinks.illegal(PebbleRules, game, moves));"
    )
    sent = [{"game": game, "moves": moves[:2]}, {"game": game, "moves": moves}, {"game": game, "moves": []}]
    fault = "move 3, compute c, is not legal there: fast memory holds 2 of 2 words"
    assert under_node(script, "run", sent) == [None, fault, None]


@pytest.mark.slow
def test_the_addresses_on_the_docs_page_are_right() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "play.md"
    board = play_dag("pyramid:3", 4, classics=False).document["boards"][0]
    moves = [(0, 0), (0, 1), (2, 4)]
    assert [board["names"][v] for _, v in moves] == ["x[0,0]", "x[0,1]", "x[1,0]"]
    shown = [("play", [4, encoded(moves, 10)]), ("watch", [4, "optimum", 17])]
    wanted = [f"#{fragment(board, mode, values)}" for mode, values in shown]
    assert re.findall(r"^#(?:play|watch)=.*$", page.read_text(encoding="utf-8"), re.MULTILINE) == wanted


# -- labels


@needs_node
def test_labels_are_read_or_left_out() -> None:
    cases = [
        (m, i, scale / 20) for m in range(1, 7) for i in (0, 1, 2, 3, 4) for scale in (1, 5, 14, 20, 26, 35)
    ]
    script = (
        "const label = (m, i) => PebbleLabels.parts('x'.repeat(m) + (i ? `[${Array(i).fill(0)}]` : ''));"
        "const run = (all) => all.map(([m, i, s]) => PebbleLabels.fitted(label(m, i), s));"
    )
    for (m, i, scale), label in zip(cases, under_node(script, "run", cases), strict=True):
        for text, font in ((label["name"], label["nameSize"]), (label["index"], label["indexSize"])):
            assert not text or (font * scale > 8.99 and font * len(text) * 0.61 < 30.1)
        assert label["name"] or not label["index"]
        assert not label["index"] or label["nameSize"] + label["indexSize"] <= 27
        assert label["index"].replace(",", "") in ("", "0" * i)
        if scale >= 0.7 and m == 1 and i in (0, 1, 2, 3):
            assert label["name"], "a short name is shown at full size"
            assert bool(label["index"]) == bool(i)
