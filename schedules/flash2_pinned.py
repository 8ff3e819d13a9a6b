"""FlashAttention-2 with some keys and values resident across the row blocks, for caches of order N·d."""

from __future__ import annotations

import numpy as np

from pebble import Problem, Schedule
from pebble.program import Program, Tiles
from schedules._softmax import kept_of_row, score_words, streamed_work
from schedules._tile_shapes import ceil_div
from schedules.flash2 import most_rows, streamed, streamed_room

__all__ = ["Flash2Pinned"]

_BLOCK_COUNTS = 4096


class Flash2Pinned(Schedule):
    """Equal row blocks, and what room they leave spent on keys and values that stay.

    About 2Nd(2 + h − 1/h) − (h − 1)M words with h row blocks.
    """

    name = "flash-2-pinned"
    summary = "flash-2 with equal row blocks; spare room keeps keys and values resident"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online")
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
        width, kept = problem.d + problem.dv, kept_of_row(problem)
        room = np.minimum(rows * (kept + score_words(problem)) + 2, rows * kept + streamed_work(problem))
        pinned = np.clip((M - room) // width, 0, problem.Nk).astype(float)
        pinned[rows * kept + _all_resident(problem) <= M] = problem.Nk
        blocks = np.ceil(problem.Nq / rows)
        cost = blocks * problem.Nk - (blocks - 1) * pinned
        near = rows[cost <= cost.min() * (1 + 1e-9)]
        return [(int(r), self._pinned(problem, M, int(r))) for r in near]

    def _pinned(self, problem: Problem, M: int, rows: int) -> int:
        """Return the largest number of resident keys that fits beside row blocks of this size."""
        if rows * kept_of_row(problem) + _all_resident(problem) <= M:
            return problem.Nk
        spare = (M - streamed_room(problem, rows)) // (problem.d + problem.dv)
        return max(0, min(problem.Nk - 1, spare))

    def _io(self, problem: Problem, rows: int, pinned: int) -> int:
        blocks = ceil_div(problem.Nq, rows)
        return int(blocks * problem.Nk - (blocks - 1) * pinned)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``pinned`` is cut to the number of keys."""
        tiles = self.check_tiles(tiles)
        return streamed(problem, tiles["rows"], min(tiles.get("pinned", 0), problem.Nk))


def _all_resident(problem: Problem) -> int:
    """Return the words beside the rows of a block where all keys and values stay."""
    return problem.Nk * (problem.d + problem.dv) + score_words(problem) + 1
