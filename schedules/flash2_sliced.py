"""All queries resident and the outputs made slice by slice, for caches between 3/2 and 2 times N·d."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Node,
    Nodes,
    Program,
    Tiles,
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
from schedules._resident_rows import resident_and_streamed
from schedules._softmax import exponentials, score_words, statistics, used_up
from schedules._tile_shapes import ceil_div

__all__ = ["Flash2Sliced"]

_MORE_SLICES = 64
"""More slices leave room for more resident keys; so many more than the fewest are tried."""


class Flash2Sliced(Schedule):
    """Q stays in fast memory; the head dimension of V is cut in two, so that K is swept twice and V once.

    Where that fits, one slice is enough, and every word moves once. K is swept once for each slice.
    Spare room keeps the first ``pinned`` rows of K for the second sweep. About (6.5 − M/Nd)·Nd words, less than
    row blocks move for 3/2 ≤ M/Nd < 2.
    """

    name = "flash-2-sliced"
    summary = "all queries resident, outputs in two slices of the head dimension; K swept twice, V once"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online")
    tile_names = ("cols", "pinned")
    tile_axes = ("e", "j")
    resident_tiles = ("pinned",)
    may_be_zero = ("pinned",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the width of a slice and the number of resident keys for which the fewest rows of K move."""
        self.require(problem, M)
        widest = max((M - self._room(problem, 0)) // (problem.Nq + 1), 1)
        fewest = min(ceil_div(problem.dv, widest), problem.dv)
        counts = range(fewest, min(problem.dv, fewest + _MORE_SLICES) + 1)
        return min(
            (self._pin(problem, M, n) for n in counts), key=lambda tiles: self._rows_again(problem, tiles)
        )

    def _pin(self, problem: Problem, M: int, slices: int) -> dict[str, int]:
        """Return slices of equal width with as many resident keys as fit."""
        cols = ceil_div(problem.dv, slices)
        room = self._room(problem, cols)
        pinned = max(0, min((M - room) // problem.d, problem.Nk - 1))
        if room - problem.d + problem.Nk * problem.d <= M:
            pinned = problem.Nk
        return {"cols": cols, "pinned": pinned}

    def _rows_again(self, problem: Problem, tiles: dict[str, int]) -> int:
        """Return how many rows of K are loaded again after the first sweep."""
        return int(ceil_div(problem.dv, tiles["cols"]) - 1) * (problem.Nk - tiles["pinned"])

    def _room(self, problem: Problem, cols: int) -> int:
        """Return the words needed with slices of this width and nothing resident but Q."""
        kept = problem.d + cols + len(statistics(problem))
        return problem.Nq * kept + problem.d + cols + score_words(problem) + 1

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``cols`` is the width of a slice."""
        tiles = self.check_tiles(tiles)
        pinned = min(tiles.get("pinned", 0), problem.Nk)
        work = (compute("S"), *exponentials(problem), when(first("e"), compute("l")), compute("U"))
        one = loop("i", 1, *work, delete(*used_up(problem)))

        def keys(resident: bool, start: int, stop: int | None) -> Node:
            arrive: Nodes = when(first("e"), load("K")) if resident else load("K")
            leave: Nodes = when(last("e"), delete("K")) if resident else delete("K")
            return loop("j", 1, arrive, load("V"), one, delete("V"), leave, start=start, stop=stop)

        # The maximum moves on with every sweep, from the first key.
        again = [name for name in statistics(problem) if name != "l"]
        end = (
            compute("O", "U"),
            store("O"),
            delete("O"),
            when(last("e"), store(*statistics(problem)) if problem.stats else (), delete("l", "Q")),
            delete(*again),
        )
        parts = resident_and_streamed(pinned, problem.Nk, keys)
        return program(phase("", load("Q"), loop("e", tiles["cols"], *parts, end)))
