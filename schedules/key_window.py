"""For masks: every key stays in fast memory from the first query that sees it to the last."""

from __future__ import annotations

import numpy as np

from pebble import Problem, Schedule
from pebble.program import Program, Tiles
from schedules._softmax import kept_of_row, score_words
from schedules._tile_shapes import ceil_div
from schedules.flash2 import streamed

__all__ = ["KeyWindow", "KeyWindowBlocks", "keys_in_use"]

_USUAL = 256
"""The usual number of blocks, and the most queries of a block: the machine runs every block."""

_MOST = 16_384
_MEASURED = 2048


def keys_in_use(problem: Problem, rows: int) -> int:
    """Return the most keys that a block of queries sees, or that lie between their first and their last use."""
    if problem.pairs == problem.Nq * problem.Nk:
        return problem.Nk
    mask, blocks = problem.allowed, np.arange(0, problem.Nq, rows, dtype=np.int64)
    begun = mask.started_before("j", np.minimum(blocks + rows, problem.Nq))
    return int((begun - mask.finished_before("j", blocks)).max())


class KeyWindowBlocks(Schedule):
    """Chooses blocks of queries: all sizes move the same words, and smaller blocks mostly need a little less room.

    Where the mask is made of blocks of pairs, blocks of queries of that length need less; on short axes all are tried.
    """

    tile_names = ("rows",)
    tile_axes = ("i",)
    follows_mask = True
    short_search = True
    masks_only = True

    def room(self, problem: Problem, rows: int) -> int:
        """Return a number of words that is enough for blocks of this size."""
        raise NotImplementedError

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the largest blocks for which there is room, from the usual size down by halves."""
        least = self.smallest(problem)["rows"]
        rows = max(least, min(int(ceil_div(problem.Nq, _USUAL)), _USUAL))
        while rows > least and self.room(problem, rows) > M:
            rows = max(rows // 2, least)
        if self.room(problem, rows) > M:
            self.require(problem, M)
        return {"rows": rows}

    def smallest(self, problem: Problem) -> Tiles:
        """Return single queries, or as many as make 16,384 blocks."""
        return {"rows": int(ceil_div(problem.Nq, _MOST))}

    def least_M(self, problem: Problem) -> int:
        """Return the words it needs: measured, or for more than 2,048 queries a number that is enough."""
        if problem.Nq <= _MEASURED:
            return super().least_M(problem)
        return self.room(problem, self.smallest(problem)["rows"])


class KeyWindow(KeyWindowBlocks):
    """Queries in order, block by block; a key and its value are loaded once and deleted after their last use.

    Under a sliding window 3Nd words are loaded and Nd stored, and no schedule moves fewer. It fits where few keys are
    in use at a time: about window + rows of them, of d + dv words each.
    """

    name = "key-window"
    summary = "keys and values stay from their first use to their last; every word moves once"
    forms = ("plain", "online")
    source = "derived here; the rolling buffer of sliding-window attention"

    def room(self, problem: Problem, rows: int) -> int:
        """Return a number of words that is enough for blocks of this size."""
        width = problem.d + problem.dv
        resident = keys_in_use(problem, rows) * width
        return rows * kept_of_row(problem) + resident + score_words(problem) + 2

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        return streamed(problem, self.check_tiles(tiles)["rows"], problem.Nk)
