"""The page that plays: its document, its layout, its safety, its rules against those of the Python game."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import pebble
from pebble.computations.problem import Problem
from pebble.game.game import Game
from pebble.game.moves import Move, Op
from pebble.graph.dag import Dag
from pebble.lab.pebblings import moves
from pebble.lab.player import Page, play, play_dag
from pebble.lab.player.devices_page import DevicesPage
from pebble.lab.player.documents import RacePage, race
from pebble.lab.player.page import SCRIPTS, embedded
from pebble.lab.player.practice_boards import CLASSIC_BOARDS
from pebble.program.schedule import registered
from tests.lab.page_rules import RUNNER, random_games
from tests.support.problems import problem_for

_SMALL = Problem.square(3, 2)


class _Reader(HTMLParser):
    """Scripts, styles and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[str, dict[str, str | None], str]] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append((tag, dict(attrs), ""))
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(("/" + tag, {}, ""))

    def handle_data(self, data: str) -> None:
        if self.parts:
            tag, attributes, text = self.parts[-1]
            self.parts[-1] = tag, attributes, text + data

    def texts(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, text) for name, attributes, text in self.parts if name == tag]


def read(page: Page) -> _Reader:
    reader = _Reader()
    reader.feed(page.html)
    return reader


@pytest.fixture(scope="module")
def page() -> Page:
    return play("flash-2", _SMALL, 14, classics=False)


def replayed(board: dict[str, Any], M: int, columns: dict[str, Any]) -> Game:
    """Play the moves of a document on the DAG of its board, with the Python game."""
    edges = [(p, v) for v, row in enumerate(board["predecessors"]) for p in row]
    dag = Dag.from_edges(
        edges, n_vertices=len(board["names"]), names=board["names"], outputs=board["outputs"]
    )
    game = Game(dag, M)
    return game.play(
        Move(Op(int(op)), vertex) for op, vertex in zip(columns["op"], columns["vertex"], strict=True)
    )


def check_totals(board: dict[str, Any], M: int, columns: dict[str, Any]) -> int:
    """Hold the totals of a document against a game that is played out; return the I/O."""
    status = replayed(board, M, columns).status()
    assert status.complete
    totals = {name: getattr(status, name) for name in ("moves", "reads", "writes", "computes", "peak")}
    assert columns["totals"] == totals
    return status.io


# -- the document


def test_final_counts_are_those_of_count(page: Page) -> None:
    watch = page.document["watch"]
    row = pebble.count(_SMALL, 14, schedules=["flash-2"])["flash-2"]
    assert check_totals(page.document["boards"][0], 14, watch) == row.io
    assert (watch["totals"]["reads"], watch["totals"]["writes"]) == (row.reads, row.writes)
    assert watch["totals"]["peak"] == row.peak
    assert watch["bound"]["value"] == pebble.bounds(_SMALL, 14).best.value


def check_program(document: dict[str, Any], of: dict[str, str]) -> None:
    """Every move stands on a line, at columns, that name its operation and its array, or how an input is read."""
    board, watch = document["boards"][0], document["watch"]
    lines, sites = watch["program"]["lines"], watch["program"]["sites"]
    done = 0
    for site, context, count in watch["program"]["steps"]:
        line, start, stop = sites[site]
        assert 0 <= line < len(lines)
        assert 0 <= context < len(watch["program"]["contexts"])
        text = lines[line][start:stop]
        if text == "(operations yielded one by one)":
            done += count
            continue
        action, array, *replacing = (of.get(word, word) for word in re.split(r" replacing | ", text))
        for at in range(done, done + count):
            op, name = Op(int(watch["op"][at])).word, board["names"][watch["vertex"][at]].partition("[")[0]
            gone = action == "compute" and op == "delete" and name in (array, *replacing)
            assert gone or (op, name) == (action, array)
        done += count
    assert done == len(watch["op"]) == len(watch["vertex"])


@pytest.mark.many(10)
@pytest.mark.parametrize(
    "schedule", registered(), ids=lambda one: f"{one.name}-{one.passes[0]}-{one.forms[0]}"
)
def test_every_move_stands_on_its_line(schedule: pebble.Schedule) -> None:
    problem = problem_for(schedule, 2, 2)
    tiles = schedule.smallest(problem)
    made = play(schedule, problem, tiles=tiles, classics=False, time_limit=0.01)
    assert "\n".join(made.document["watch"]["program"]["lines"]) == str(schedule.program(problem, tiles))
    check_program(made.document, schedule.family(problem).read_both_ways)
    io = check_totals(made.document["boards"][0], made.document["watch"]["M"], made.document["watch"])
    assert io == moves(schedule, problem, tiles=tiles).io


@pytest.mark.slow
def test_classic_boards_have_their_optima() -> None:
    document = play_dag("pyramid:2", 4).document
    assert [board["title"] for board in document["boards"][1:]] == [title for _, title in CLASSIC_BOARDS]
    for board in document["boards"]:
        for choice in board["choices"]:
            optimum = choice["optimum"]
            assert choice["bound"]["value"] <= optimum["io"]
            assert check_totals(board, choice["M"], optimum) == optimum["io"]
    page = Path(__file__).resolve().parents[2] / "docs" / "play.md"
    table = re.findall(
        r"^\| .* \| (\d+: \d+(?:, \d+: \d+)*) \|$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    known = [
        [(one["M"], one["optimum"]["io"]) for one in board["choices"]] for board in document["boards"][1:]
    ]
    assert [", ".join(f"{M}: {io}" for M, io in row) for row in known] == table


@pytest.mark.slow
def test_a_dag_is_played_optimally_where_the_optimum_is_known() -> None:
    document = play_dag("diamond:3,3", 3, classics=False).document
    assert document["watch"]["optimum"] == check_totals(document["boards"][0], 3, document["watch"]) == 5
    assert document["watch"]["program"] is None
    large = play_dag("fft:16", 6, classics=False).document
    assert large["watch"]["optimum"] is None
    assert (
        check_totals(large["boards"][0], 6, large["watch"])
        == pebble.schedule_dag(pebble.load_dag("fft:16"), 6).io
    )


# -- a race


def test_the_lanes_of_a_race_are_those_of_count() -> None:
    names = ["naive", "standard", "flash-2"]
    document = race(names, _SMALL, 14).document
    counted = pebble.count(_SMALL, 14, schedules=names)
    assert [lane["name"] for lane in document["lanes"]] == names
    for lane in document["lanes"]:
        assert check_totals(document["board"], 14, lane) == counted[lane["name"]].io
    assert document["lanes"][0]["bound"]["value"] == pebble.bounds(_SMALL, 14).best.value


# -- the file


def test_the_page_needs_nothing_else(page: Page) -> None:
    text = page.html
    assert "@@" not in text
    assert set(re.findall(r"\w+://[^\s\"'`<)]*", text)) == {"http://www.w3.org/2000/svg"}
    reader = read(page)
    assert reader.addresses == ["#board"]
    assert not {tag for tag, _, _ in reader.parts} & {"link", "img", "iframe", "object", "embed", "base"}
    assert re.search(r"\bfetch\b|XMLHttpRequest|import\(|innerHTML|eval\(", text) is None


def test_the_policy_allows_just_what_is_there(page: Page) -> None:
    reader = read(page)
    (policy,) = [
        a["content"] for a, _ in reader.texts("meta") if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    data, script = reader.texts("script")
    assert data[0]["type"] == "application/json"
    for text in (script[1], reader.texts("style")[0][1]):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert json.loads(data[1])["watch"] == json.loads(json.dumps(page.document["watch"]))


def test_hostile_names_stay_texts() -> None:
    names = ["</script><script>alert(1)</script>", "<!--", "]]>", "&amp;", '"\\', "@@script@@"]
    dag = Dag.from_edges(
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], names=names, description="<i>@@title@@</i>"
    )
    made = play_dag(dag, 3, classics=False)
    reader = read(made)
    assert len(reader.texts("script")) == 2
    assert json.loads(reader.texts("script")[0][1])["boards"][0]["names"] == names
    assert "<i>" not in made.html
    assert json.loads(embedded([*names, "\u2028"])) == [*names, "\u2028"]


def test_the_data_files_are_in_the_package() -> None:
    folder = resources.files("pebble.lab.player")
    scripts = {entry.name for entry in folder.iterdir() if entry.name.endswith(".js")}
    assert scripts == {*SCRIPTS, *DevicesPage.scripts, *RacePage.scripts}
    for name in scripts:
        assert "</script" not in folder.joinpath(name).read_text(encoding="utf-8")


def test_the_same_call_writes_the_same_page(page: Page, tmp_path: Path) -> None:
    assert play("flash-2", _SMALL, 14, classics=False).html == page.html
    size = page.write(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.html.encode()
    assert size == (tmp_path / "page.html").stat().st_size


def test_a_cell_of_a_notebook_holds_the_whole_page_in_a_frame(page: Page) -> None:
    for shown in (page, Page('"><script>alert(1)</script>', {"watch": {}, "boards": []})):
        reader = _Reader()
        reader.feed(shown._repr_html_())
        ((tag, frame, _), *_) = reader.parts
        assert (tag, frame["title"], frame["srcdoc"]) == ("iframe", shown.title, shown.html)
        assert set((frame["sandbox"] or "").split()) == {"allow-scripts", "allow-downloads"}
        assert "src" not in frame


# -- limits


# -- the rules in the page, under node
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_page_plays_by_the_same_rules() -> None:
    games, results = random_games(90, 100, seed=7)
    rules = resources.files("pebble.lab.player").joinpath("rules.js")
    script = f"""{RUNNER}
        const PebbleRules = require({json.dumps(str(rules))});
        const games = JSON.parse(require("fs").readFileSync(0, "utf8"));
        process.stdout.write(JSON.stringify(runGames(games)));"""
    done = subprocess.run(
        ["node", "-e", script],
        input=json.dumps(games),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == results
    verdicts = [verdict for result in results for verdict in result["verdicts"]]
    broken = {verdict[1] for verdict in verdicts if isinstance(verdict, list)}
    assert len(broken) == 12, "every rule of one memory is broken by some move"
    assert sum(isinstance(verdict, str) for verdict in verdicts) > 2000
