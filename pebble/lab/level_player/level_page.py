"""The page of a pebbling with several memory levels: its moves, and a board for each level."""

from __future__ import annotations

import html
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from pebble.common.errors import InvalidInput
from pebble.common.tables import tiles_text
from pebble.game.level_game import LevelGame
from pebble.lab.level_pebblings import level_moves
from pebble.lab.player.limits import check_drawable, check_moves
from pebble.lab.player.page import Page, digest, embedded

if TYPE_CHECKING:
    from pebble.computations.problem import Problem
    from pebble.game.level_game import LevelMove
    from pebble.program.hierarchy import Hierarchy
    from pebble.program.schedule.level_schedule import LevelSchedule
    from pebble.program.schedule.schedule import Tiles

__all__ = ["LevelPage", "play_levels"]


@dataclass(frozen=True)
class LevelPage(Page):
    """A page to step through a pebbling with several memory levels."""

    @property
    def html(self) -> str:
        """The page as text; it refers to nothing outside itself, and its content policy lets it load nothing."""
        script, style = _read("levels.js"), _read("levels.css")
        parts = {
            "policy": f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; "
            "base-uri 'none'; form-action 'none'",
            "title": html.escape(self.title),
            "style": style,
            "document": embedded({"version": 1, "title": self.title, **self.document}),
            "script": script,
        }
        pieces = _read("levels.html").split("@@")
        return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))

    def summary(self) -> str:
        """Return what there is to see, in one line."""
        tallies = ", ".join(
            f"level {at} {one['reads'] + one['writes']:,} I/O"
            for at, one in enumerate(self.document["totals"], start=1)
        )
        return f"{self.title}; {len(self.document['op']):,} moves, {tallies}"


def play_levels(
    schedule: str | LevelSchedule, problem: Problem, hierarchy: Hierarchy, tiles: Tiles | str | None = None
) -> LevelPage:
    """Make a page that steps through a schedule's pebbling with several memory levels, a board for each level.

    Parameters
    ----------
    schedule : str or LevelSchedule
    problem : Problem
        One copy; heads and batch are ignored.
    hierarchy : Hierarchy
        The levels, the innermost first.
    tiles : mapping, optional
        Tile sizes; chosen for all boundaries at once if not given.

    Raises
    ------
    CacheTooSmall
        If the tiles (or any tiles) do not fit.
    InvalidInput
        For unknown names, or if the game is too large to be shown: at most 2,000 vertices, 10,000 edges and 20,000
        moves.

    Examples
    --------
    >>> from pebble import Problem
    >>> from pebble.program import Hierarchy
    >>> page = play_levels("nested-flash-2", Problem.square(2, 1), Hierarchy((10, 20)), {"rows": 2, "cols": 1})
    >>> [one["reads"] for one in page.document["totals"]]
    [6, 6]
    """
    pebbling = level_moves(schedule, problem, hierarchy, tiles)
    what = f"{schedule} on {problem.describe()}"
    dag = pebbling.family.dag()
    check_drawable(what, dag.n_vertices, dag.n_edges)
    check_moves(what, sum(run.io for run in pebbling.runs) + sum(pebbling.runs[0].computes.values()))
    game = LevelGame(dag, pebbling.capacities, hierarchy.inclusive)
    moves: list[LevelMove] = []
    for move in pebbling:
        game.play(move)
        moves.append(move)
    check_moves(what, len(moves))
    if not game.complete:
        raise InvalidInput(f"{what} does not store all outputs")
    name = schedule if isinstance(schedule, str) else schedule.name
    document: dict[str, Any] = {
        "about": f"{problem.describe()}; {hierarchy.kind} levels; {tiles_text(pebbling.tiles)}",
        "names": [dag.name(v) for v in range(dag.n_vertices)],
        "inputs": dag.inputs.tolist(),
        "levels": [
            {"name": name if not name.isdigit() else f"level {name}", "words": words}
            for name, words in zip(hierarchy.names, pebbling.capacities, strict=True)
        ],
        "inclusive": hierarchy.inclusive,
        "op": "".join(str(int(move.op)) for move in moves),
        "level": [move.level for move in moves],
        "vertex": [move.vertex for move in moves],
        "totals": [
            {"reads": one.reads, "writes": one.writes, "peak": one.peak, "held": one.held}
            for one in game.tallies
        ],
    }
    return LevelPage(f"{name} with {hierarchy.levels} memory levels", document)


def _read(name: str) -> str:
    return resources.files("pebble.lab.level_player").joinpath(name).read_text(encoding="utf-8")
