"""FlashAttention-2 with some keys and values resident across the row blocks, for caches of order N·d."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles
from schedules.flash2 import streamed

__all__ = ["Flash2Pinned"]


class Flash2Pinned(Schedule):
    """Equal row blocks, and what room they leave spent on keys and values that stay.

    About 2Nd(2 + h − 1/h) − (h − 1)M words with h row blocks.
    """

    name = "flash-2-pinned"
    summary = "flash-2 with equal row blocks; spare room keeps keys and values resident"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online", "own")
    tile_names = ("rows", "pinned")
    tile_axes = ("i", "j")
    resident_tiles = ("pinned",)
    may_be_zero = ("pinned",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``pinned`` is cut to the number of keys."""
        tiles = self.check_tiles(tiles)
        return streamed(problem, tiles["rows"], min(tiles.get("pinned", 0), problem.Nk))
