"""The document of a page: the pebbling of a schedule or of a DAG, and the boards to practise on."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pebble.lab.player.limits import check_drawable
from pebble.lab.player.page import Page
from pebble.lab.player.practice_boards import CLASSIC_BOARDS, PracticeBoard, board_dict
from pebble.lab.player.recording import record_pebbling, record_steps

if TYPE_CHECKING:
    from pebble.computations.problem import Problem
    from pebble.graph.dag import Dag
    from pebble.lower_bounds.bound import Bound
    from pebble.program.schedule import Schedule, Tiles

__all__ = ["play", "play_dag"]

_TIME_LIMIT = 5.0


def play(
    schedule: str | Schedule,
    problem: Problem,
    M: int | None = None,
    tiles: Tiles | str | None = None,
    *,
    classics: bool = True,
    time_limit: float = _TIME_LIMIT,
) -> Page:
    """Make a page that steps through a schedule's pebbling, and on which the reader can play.

    Parameters
    ----------
    schedule : str or Schedule
    problem : Problem
        One copy; heads and batch are ignored.
    M : int, optional
        Words of fast memory; with tile sizes given, by default what they need.
    tiles : mapping or str, optional
        Tile sizes, or the name of a preset.
    classics : bool
        Whether the page also has the classic DAGs to play on; their optima take some seconds.
    time_limit : float
        Seconds for the exact optimum of each DAG and M; if it is not found, the page shows only the bound.

    Raises
    ------
    CacheTooSmall
        If the tiles (or any tiles) do not fit M words.
    InvalidInput
        For unknown names, if neither M nor tiles are given, or if the game is too large to be shown: at most
        2,000 vertices, 10,000 edges and 20,000 moves.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> page = play("flash-2", Problem.square(2, 2), M=12, classics=False)
    >>> page.document["watch"]["totals"]["reads"], page.document["watch"]["program"]["lines"][0]
    (20, 'for each i:')
    """
    from pebble.lab.asked_schedules import asked_schedule
    from pebble.lab.pebblings import moves

    made = asked_schedule(schedule, problem)
    family = made.family(problem)
    check_drawable(problem.describe(), family.n_vertices, family.n_edges)
    single = replace(problem, heads=1, batch=1)
    pebbling = moves(made, single, M, tiles)
    what = f"{made.name} on {single.describe()}, M = {pebbling.M:,}"
    recording = record_steps(pebbling, what)

    def bound(words: int) -> Bound:
        from pebble.lower_bounds.table import bounds

        return bounds(single, words).best

    board = PracticeBoard(
        _capital(single.describe()), family.dag(), family.name, dict(family.parameters), bound
    )
    boards = _boards(board, pebbling.M, classics, time_limit)
    watch = _watch(recording.to_dict(board.dag, pebbling.M), boards[0], pebbling.M)
    about = {"title": f"{made.name}: {made.summary}", "source": made.source}
    return Page(
        f"{made.name} on {single.describe()}, M = {pebbling.M:,}", {"watch": watch | about, "boards": boards}
    )


def play_dag(
    dag: str | os.PathLike[str] | Dag,
    M: int,
    *,
    classics: bool = True,
    time_limit: float = _TIME_LIMIT,
) -> Page:
    """Make a page on which the reader can watch a pebbling of a DAG and play it.

    The pebbling shown is an optimal one where the optimum is found, else that of :func:`~pebble.schedule_dag`.

    Parameters
    ----------
    dag : str, path or Dag
        A name of the catalogue with its parameters (``pyramid:3``), a file, or a DAG.
    M : int
        Words of fast memory.
    classics, time_limit
        As for :func:`play`.

    Raises
    ------
    CacheTooSmall
        If there is no pebbling with M words.
    InvalidInput
        If there is no such DAG, M is not a positive whole number, or the game is too large to be shown.

    Examples
    --------
    >>> page = play_dag("pyramid:2", 4, classics=False)
    >>> page.document["boards"][0]["choices"][0]["optimum"]["io"]
    6
    """
    from pebble.computations.load import load_dag
    from pebble.graph.dag import Dag

    name = "" if isinstance(dag, Dag) else os.fspath(dag)
    loaded = dag if isinstance(dag, Dag) else load_dag(dag)
    title = (
        dict(CLASSIC_BOARDS).get(name) or loaded.description or name or f"DAG of {loaded.n_vertices} vertices"
    )
    check_drawable(title, loaded.n_vertices, loaded.n_edges)
    moves, about = _any_pebbling(loaded, M, title)
    boards = _boards(PracticeBoard(title, loaded, "_".join(name.split()) or "dag"), M, classics, time_limit)
    optimum = _choice(boards[0], M)["optimum"]
    if optimum is not None:
        moves = {key: value for key, value in optimum.items() if key != "io"}
        about = {"title": "an optimal pebbling", "source": "exhaustive search: no pebbling costs less"}
    return Page(f"{title}, M = {M:,}", {"watch": _watch(moves, boards[0], M) | about, "boards": boards})


def _any_pebbling(dag: Dag, M: int, what: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the moves of an automatic schedule, and how they were found."""
    from pebble.solvers.heuristic import schedule_dag

    found = schedule_dag(dag, M)
    about = {
        "title": f"an automatic schedule: order {found.order}, eviction {found.eviction}",
        "source": "a heuristic; nothing is promised about its distance to the optimum",
    }
    return record_pebbling(found.moves(), what).to_dict(dag, M), about


def _boards(own: PracticeBoard, M: int, classics: bool, time_limit: float) -> list[dict[str, Any]]:
    """Return the boards as plain data: the page's own first, then the classic ones."""
    from pebble.computations.load import named_dag

    boards = [board_dict(own, [M], time_limit)]
    if classics:
        others = (
            PracticeBoard(title, named_dag(name), name) for name, title in CLASSIC_BOARDS if name != own.name
        )
        boards.extend(board_dict(board, [], time_limit) for board in others)
    return boards


def _watch(moves: dict[str, Any], board: dict[str, Any], M: int) -> dict[str, Any]:
    """Return what the page steps through on its first board: moves, and the bound and optimum beside them."""
    choice = _choice(board, M)
    optimum = choice["optimum"]
    return {"board": 0, "M": M, **moves, "bound": choice["bound"], "optimum": optimum and optimum["io"]}


def _choice(board: dict[str, Any], M: int) -> dict[str, Any]:
    found: dict[str, Any] = next(choice for choice in board["choices"] if choice["M"] == M)
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
