"""Under a mask: every key stays in fast memory from the first query that sees it to the last."""

from __future__ import annotations

from pebble.problem import Problem
from pebble.program import Program
from pebble.schedule import Schedule, Tiles
from schedules._products import ceil_div
from schedules.flash2 import streamed

__all__ = ["MOST_BLOCKS", "Ring"]

MOST_BLOCKS = 256
"""So many blocks of queries at most: more would save little room, and the machine runs each of them."""


class Ring(Schedule):
    """Queries in order, block by block; a key and its value are loaded once and deleted after their last use.

    For a sliding window that is a ring of the recent keys: 3Nd words in and Nd out, which no schedule can beat.
    It fits where few keys are in use at a time: about window + rows of them, of d + dv words each.
    """

    name = "ring"
    summary = "keys and values stay from their first use to their last; every word moves once"
    source = "derived here; the rolling buffer of sliding-window attention"
    tile_names = ("rows",)
    follows_mask = True
    masks_only = True

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return blocks of queries: any size moves the same words."""
        self.require(problem, M)
        return self.smallest(problem)

    def smallest(self, problem: Problem) -> Tiles:
        """Return single queries, or as many as make 256 blocks."""
        return {"rows": ceil_div(problem.Nq, MOST_BLOCKS)}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        return streamed(problem, self.check_tiles(tiles).get("rows", problem.Nq), problem.Nk)
