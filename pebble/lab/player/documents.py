"""The document of a page: the pebbling of a schedule or of a DAG, and the boards to practise on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pebble.common.errors import InvalidInput
from pebble.computations.load import load_dag, named_dag
from pebble.computations.problem import Problem
from pebble.graph.dag import Dag
from pebble.lab.asked_schedules import asked_schedule
from pebble.lab.pebblings import moves
from pebble.lab.player.page import Page
from pebble.lab.player.practice_boards import CLASSIC_BOARDS, PracticeBoard, board_dict
from pebble.lab.player.recording import check_drawable, record_pebbling, record_steps
from pebble.lower_bounds.table import bounds
from pebble.program.schedule import Schedule, Tiles
from pebble.solvers.heuristic import schedule_dag


def play(
    schedule: str | Schedule,
    problem: Problem,
    M: int | None = None,
    tiles: Tiles | str | None = None,
    *,
    classics: bool = True,
    time_limit: float | None = None,
) -> Page:
    """Make a page that steps through a schedule's pebbling, and on which the reader can play.

    Parameters
    ----------
    schedule, problem, M, tiles
        As for :func:`pebble.moves`.
    classics : bool
        Whether the page also has the classic DAGs to play on; their optima take some seconds.
    time_limit : float, optional
        Seconds for the exact optimum of each DAG and M, by default a fixed amount of work; if it is not found, the
        page shows only the bound.

    Raises
    ------
    CacheTooSmall
        If the tiles (or any tiles) do not fit M words.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> page = play("flash-2", Problem.square(2, 2), M=12, classics=False)
    >>> page.document["watch"]["totals"]["reads"], page.document["watch"]["program"]["lines"][0]
    (20, 'for each i:')
    """
    return _page("", [of_schedule(schedule, problem, M, tiles)], classics, time_limit)


def play_dag(
    dag: str | os.PathLike[str] | Dag,
    M: int,
    *,
    format: str | None = None,
    classics: bool = True,
    time_limit: float | None = None,
) -> Page:
    """Make a page on which the reader can watch a pebbling of a DAG and play it.

    The pebbling shown is an optimal one where the optimum is found, else that of :func:`~pebble.schedule_dag`.

    Parameters
    ----------
    dag : str, path or Dag
        A name of the catalogue with its parameters (``pyramid:3``), a file, or a DAG.
    M : int
        Words of fast memory.
    format : str, optional
        A file's format, if its ending does not say it.
    classics, time_limit
        As for :func:`play`.

    Raises
    ------
    CacheTooSmall
        If there is no pebbling with M words.

    Examples
    --------
    >>> page = play_dag("pyramid:2", 4, classics=False)
    >>> page.document["boards"][0]["choices"][0]["optimum"]["io"]
    6
    """
    return _page("", [_of_dag(dag, M, format)], classics, time_limit)


def first_page(*, classics: bool = True, time_limit: float | None = None) -> Page:
    """Make the page for a reader who has asked for nothing in particular: a pyramid first, attention second.

    Parameters are as for :func:`play`.

    Examples
    --------
    >>> document = first_page(classics=False).document
    >>> [one["label"] for one in (document["watch"], *document["further"])]
    ['Pyramid of height 3, M = 4: optimal', 'Attention forward, N = 4, d = 2, M = 16: flash-2']
    """
    shown = [_of_dag("pyramid:3", 4), of_schedule("flash-2", Problem.square(4, 2), 16)]
    return _page("The red-blue pebble game", shown, classics, time_limit)


@dataclass(frozen=True)
class _Shown:
    """A pebbling to step through, and the board it is on.

    Attributes
    ----------
    page_title : str
        The title of a page that shows only this.
    name : str
        What an address calls the pebbling.
    about : dict of str to str
        What it is, and its source.
    optimum_instead : bool
        Whether an optimal pebbling takes its place where one is found.
    """

    page_title: str
    name: str
    board: PracticeBoard
    M: int
    moves: dict[str, Any]
    about: dict[str, str]
    optimum_instead: bool


def of_schedule(
    schedule: str | Schedule, problem: Problem, M: int | None, tiles: Tiles | str | None = None
) -> _Shown:
    """Return the pebbling of a schedule, with its program, and its board."""
    made = asked_schedule(schedule, problem)
    family = made.family(problem)
    check_drawable(problem.describe(), family.n_vertices, family.n_edges)
    single = problem.single
    pebbling = moves(made, single, M, tiles)
    what = f"{made.name} on {single.describe()}, M = {pebbling.M:,}"
    recording = record_steps(pebbling, what)
    text = single.describe()
    board = PracticeBoard(
        f"{text[:1].upper()}{text[1:]}",
        family.dag(),
        family.name,
        dict(family.parameters),
        lambda words: bounds(single, words).best,
    )
    about = {"title": f"{made.name}: {made.summary}", "source": made.source}
    moved = recording.to_dict(board.dag, pebbling.M)
    return _Shown(what, made.name, board, pebbling.M, moved, about, optimum_instead=False)


def _of_dag(dag: str | os.PathLike[str] | Dag, M: int, format: str | None = None) -> _Shown:
    name = "" if isinstance(dag, Dag) else os.fspath(dag)
    loaded = dag if isinstance(dag, Dag) else load_dag(dag, format)
    title = (
        dict(CLASSIC_BOARDS).get(name) or loaded.description or name or f"DAG of {loaded.n_vertices} vertices"
    )
    check_drawable(title, loaded.n_vertices, loaded.n_edges)
    found = schedule_dag(loaded, M)
    about = {
        "title": f"an automatic schedule: order {found.order}, eviction {found.eviction}",
        "source": "a heuristic; nothing is promised about its distance to the optimum",
    }
    moved = record_pebbling(found.moves(), title).to_dict(loaded, M)
    board = PracticeBoard(title, loaded, "_".join(name.split()) or "dag")
    return _Shown(f"{title}, M = {M:,}", "automatic", board, M, moved, about, optimum_instead=True)


def _page(title: str, shown: list[_Shown], classics: bool, time_limit: float | None) -> Page:
    """Return the page of some pebblings; the title is by default that of the only one."""
    boards = _boards([(one.board, one.M) for one in shown], classics, time_limit)
    first, *others = [watched(one, place, boards[place]) for place, one in enumerate(shown)]
    document = {"watch": first, "further": others, "boards": boards}
    return Page(title or shown[0].page_title, document)


def _boards(
    own: list[tuple[PracticeBoard, int]], classics: bool, time_limit: float | None
) -> list[dict[str, Any]]:
    """Return the boards as plain data: the page's own first, then the classic ones."""
    boards = [board_dict(board, [M], time_limit) for board, M in own]
    if classics:
        taken = {board.name for board, _ in own}
        others = (
            PracticeBoard(title, named_dag(name), name) for name, title in CLASSIC_BOARDS if name not in taken
        )
        boards.extend(board_dict(board, [], time_limit) for board in others)
    return boards


def watched(shown: _Shown, place: int, board: dict[str, Any]) -> dict[str, Any]:
    """Return what the page steps through on a board: moves, and the bound and optimum beside them."""
    choice = next(choice for choice in board["choices"] if choice["M"] == shown.M)
    name, moves, about, optimum = shown.name, shown.moves, shown.about, choice["optimum"]
    if shown.optimum_instead and optimum is not None:
        name = "optimum"
        moves = {key: value for key, value in optimum.items() if key != "io"}
        about = {"title": "an optimal pebbling", "source": "exhaustive search: no pebbling costs less"}
    known = {"bound": choice["bound"], "optimum": optimum and optimum["io"]}
    label = f"{board['title']}, M = {shown.M:,}: {'optimal' if name == 'optimum' else name}"
    return {"board": place, "M": shown.M, "name": name, "label": label, **moves, **known, **about}


@dataclass(frozen=True)
class RacePage(Page):
    """A page of several pebblings side by side; ``document`` has them as ``lanes``."""

    template: ClassVar[str] = "race.html"
    scripts: ClassVar[tuple[str, ...]] = (
        *("rules.js", "tape.js", "labels.js", "elements.js"),
        *("stepper.js", "board.js", "race.js"),
    )
    styles: ClassVar[tuple[str, ...]] = ("player.css", "board.css", "small.css", "race.css")

    def summary(self) -> str:
        """Return what there is to watch, in one line."""
        counts = [(one["name"], one["totals"]) for one in self.document["lanes"]]
        ended = ", ".join(f"{name} {totals['reads'] + totals['writes']:,}" for name, totals in counts)
        return f"{self.title}; I/O {ended}"


def race(schedules: Sequence[str], problem: Problem, M: int, time_limit: float | None = None) -> RacePage:
    """Make a page that steps through the pebblings of several schedules together.

    Parameters
    ----------
    schedules : sequence of str
        Two or more.
    problem : Problem
        One copy; heads and batch are ignored.
    time_limit : float, optional
        Seconds for the exact optimum, by default a fixed amount of work.

    Examples
    --------
    >>> race(["naive", "flash-2"], Problem.square(2, 1), 8, time_limit=0.1).summary()
    'naive, flash-2: attention forward, N = 2, d = 1, M = 8; I/O naive 32, flash-2 12'
    """
    if len(set(schedules)) < max(2, len(schedules)):
        raise InvalidInput("a race needs two or more schedules, each once")
    shown = [of_schedule(name, problem, M) for name in schedules]
    first = shown[0].board
    for one in shown:
        if (one.board.name, one.board.parameters) != (first.name, first.parameters):
            raise InvalidInput(f"{one.name} and {shown[0].name} pebble different DAGs: no race")
    board = board_dict(first, [M], time_limit)
    lanes = [watched(one, 0, board) | {"program": None} for one in shown]
    title = f"{', '.join(schedules)}: {problem.single.describe()}, M = {M:,}"
    return RacePage(title, {"lanes": lanes, "board": board})
