"""For masks: every key stays in fast memory from the first query that sees it to the last."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles
from schedules.flash2 import streamed

__all__ = ["KeyWindow", "KeyWindowBlocks"]


class KeyWindowBlocks(Schedule):
    """Blocks of queries: all sizes move the same words, and smaller blocks mostly need a little less room."""

    tile_names = ("rows",)
    tile_axes = ("i",)
    follows_mask = True
    masks_only = True


class KeyWindow(KeyWindowBlocks):
    """Queries in order, block by block; a key and its value are loaded once and deleted after their last use.

    Under a sliding window 3Nd words are loaded and Nd stored, and no schedule moves fewer. It fits where few keys are
    in use at a time: about window + rows of them, of d + dv words each.
    """

    name = "key-window"
    summary = "keys and values stay from their first use to their last; every word moves once"
    forms = ("plain", "online", "own")
    source = "derived here; the rolling buffer of sliding-window attention"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        return streamed(problem, self.check_tiles(tiles)["rows"], problem.Nk)
