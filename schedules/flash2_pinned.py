"""FlashAttention-2 with some keys and values resident across the row blocks, for caches of order N·d."""

from __future__ import annotations

import numpy as np

from pebble import Problem, Schedule
from pebble.program import Program, Tiles
from schedules._tile_shapes import ceil_div
from schedules.flash2 import most_rows, streamed

__all__ = ["Flash2Pinned"]

_BLOCK_COUNTS = 4096


class Flash2Pinned(Schedule):
    """Equal row blocks, and what room they leave spent on keys and values that stay.

    About 2Nd(2 + h − 1/h) − (h − 1)M words with h row blocks.
    """

    name = "flash-2-pinned"
    summary = "flash-2 with equal row blocks; spare room keeps keys and values resident"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    tile_names = ("rows", "pinned")
    tile_axes = ("i", "j")
    resident_tiles = ("pinned",)
    may_be_zero = ("pinned",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest number of blocks, and as many resident keys as then fit."""
        self.require(problem, M)
        fewest = ceil_div(problem.Nq, max(most_rows(problem, M), 1))
        counts = np.arange(fewest, min(problem.Nq, fewest + _BLOCK_COUNTS) + 1, dtype=np.int64)
        rows = np.append(ceil_div(problem.Nq, counts), 1)
        rows = rows[np.append(True, rows[1:] != rows[:-1])]
        options = self._narrowed(problem, M, rows)
        best = min(options, key=lambda option: (self._io(problem, *option), -option[0]))
        return {"rows": best[0], "pinned": best[1] if best[0] < problem.Nq else 0}

    def _narrowed(self, problem: Problem, M: int, rows: np.ndarray) -> list[tuple[int, int]]:
        """Return the row blocks that may be cheapest; floats only narrow the choice."""
        width = problem.d + problem.dv
        room = np.minimum(rows * (width + 2) + 2, rows * (width + 1) + width + 2)
        pinned = np.clip((M - room) // width, 0, problem.Nk).astype(float)
        pinned[rows * (width + 1) + 2 + problem.Nk * width <= M] = problem.Nk
        blocks = np.ceil(problem.Nq / rows)
        cost = blocks * problem.Nk - (blocks - 1) * pinned
        near = rows[cost <= cost.min() * (1 + 1e-9)]
        return [(int(r), self._pinned(problem, M, int(r))) for r in near]

    def _pinned(self, problem: Problem, M: int, rows: int) -> int:
        """Return the largest number of resident keys that fits beside row blocks of this size."""
        width = problem.d + problem.dv
        if rows * (width + 1) + 2 + problem.Nk * width <= M:
            return problem.Nk
        room = min(rows * (width + 2) + 2, rows * (width + 1) + width + 2)
        return max(0, min(problem.Nk - 1, (M - room) // width))

    def _io(self, problem: Problem, rows: int, pinned: int) -> int:
        blocks = ceil_div(problem.Nq, rows)
        return int(blocks * problem.Nk - (blocks - 1) * pinned)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``pinned`` is cut to the number of keys."""
        tiles = self.check_tiles(tiles)
        return streamed(problem, tiles.get("rows", problem.Nq), min(tiles.get("pinned", 0), problem.Nk))
