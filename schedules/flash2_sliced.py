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
from schedules._roles import exponentials, statistics, used_up

__all__ = ["Flash2Sliced"]


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
