"""Whole row blocks, one more in slices, and rows that stay: how rows are divided among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from schedules._roles import score_words, statistics
from schedules._staying_rows import StayingRows

__all__ = ["MixedBlocks"]


@dataclass(frozen=True)
class MixedBlocks(StayingRows):
    """Blocks of query rows, the last of which may be made in slices, and rows that stay.

    Parameters
    ----------
    problem, slices, pinned
        As for rows that stay; the slices are those of the last block, and 0 if there is none.
    blocks : int
        Row blocks whose outputs are made at once; more than there are rows for make no difference.
    """

    blocks: int

    @cached_property
    def rows(self) -> int:
        """Rows of a whole block: as many as make the greatest room that a block needs the least."""
        Nq, blocks = self.problem.Nq, min(self.blocks, self.problem.Nq - bool(self.slices))
        if not self.slices or not blocks:
            return -(-Nq // blocks) if blocks else 0
        low, high = 1, (Nq - 1) // blocks
        while low < high:
            rows = (low + high) // 2
            whole, sliced = self._block(rows, self.problem.dv), self._block(Nq - blocks * rows, self.width)
            low, high = (low, rows) if whole >= sliced else (rows + 1, high)
        # The first at which the whole blocks need more, and the one before it.
        sizes = range(max(low - 1, 1), low + 1)
        return min(sizes, key=lambda rows: self._greatest(rows, Nq - blocks * rows))

    @cached_property
    def sliced_rows(self) -> int:
        """Rows of the block that is made in slices."""
        return self.problem.Nq - self.rows * min(self.blocks, self.problem.Nq - 1) if self.slices else 0

    @cached_property
    def _score(self) -> int:
        return score_words(self.problem)

    @cached_property
    def _statistics(self) -> int:
        return len(statistics(self.problem))

    def by_row(self, rows: int, width: int) -> bool:
        """Whether keys and values pass a block by the row, so that one score is held; else a word at a time."""
        score = self._score
        return rows * score + 2 > self.passing(width) + score + 1

    def _block(self, rows: int, width: int) -> int:
        """Return the words that a block needs beside what stays."""
        if not rows:
            return 0
        score = self._score
        kept = self.problem.d + width + self._statistics
        return rows * kept + min(rows * score + 2, self.passing(width) + score + 1)

    def _greatest(self, rows: int, sliced_rows: int) -> int:
        return max(self._block(rows, self.problem.dv), self._block(sliced_rows, self.width))
