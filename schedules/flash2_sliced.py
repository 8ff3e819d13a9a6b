"""All queries resident and the outputs made slice by slice, for caches between 3/2 and 2 times N·d."""

from __future__ import annotations

from pebble.problem import Problem
from pebble.program import (
    Node,
    Nodes,
    Program,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    phase,
    program,
    store,
    when,
)
from pebble.schedule import Schedule, Tiles

__all__ = ["Flash2Sliced"]


class Flash2Sliced(Schedule):
    """Q stays in fast memory; the head dimension of V is cut in two, so that K is swept twice and V once.

    Spare room keeps the first ``pinned`` rows of K for the second sweep. About (6.5 − M/Nd)·Nd words, less than
    row blocks move for 3/2 ≤ M/Nd < 2.
    """

    name = "flash-2-sliced"
    summary = "all queries resident, outputs in two slices of the head dimension; K swept twice, V once"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    tile_names = ("cols", "pinned")

    def may_be_zero(self) -> tuple[str, ...]:
        """No key need be resident."""
        return ("pinned",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the fewest slices that fit, at least two, and as many resident keys as then fit."""
        self.require(problem, M)
        widths = (-(-problem.dv // slices) for slices in range(2, problem.dv + 1))
        cols = next((width for width in widths if self._room(problem, width) <= M), 1)
        room = self._room(problem, cols)
        pinned = max(0, min((M - room) // problem.d, problem.Nk - 1))
        if room - problem.d + problem.Nk * problem.d <= M:
            pinned = problem.Nk
        return {"cols": cols, "pinned": pinned}

    def _room(self, problem: Problem, cols: int) -> int:
        """Words needed with slices of this width and nothing resident but Q."""
        return problem.Nq * (problem.d + cols + 1) + problem.d + cols + 2

    def smallest(self, problem: Problem) -> Tiles:
        """Return slices of one column, nothing resident."""
        return {"cols": 1, "pinned": 0}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``cols`` is the width of a slice."""
        tiles = self.check_tiles(tiles)
        pinned = min(tiles.get("pinned", 0), problem.Nk)
        parts = []
        if pinned:
            parts.append(_keys(when(first("e"), load("K")), when(last("e"), delete("K")), 0, pinned))
        if pinned < problem.Nk:
            parts.append(_keys(load("K"), delete("K"), pinned, None))
        end = (
            compute("O", "U"),
            store("O"),
            delete("O"),
            when(last("e"), store("l") if problem.stats else (), delete("l", "Q")),
        )
        return program(phase("", load("Q"), loop("e", tiles.get("cols", problem.dv), *parts, end)))


def _keys(before: Nodes, after: Nodes, start: int, stop: int | None) -> Node:
    one = loop(
        "i", 1, compute("S"), compute("P", "S"), when(first("e"), compute("l")), compute("U"), delete("P")
    )
    return loop("j", 1, before, load("V"), one, delete("V"), after, start=start, stop=stop)
