"""Whole row blocks, one more in slices, and rows that stay: their room and words, and the cheapest of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pebble import Problem
from schedules._softmax import score_words, statistics
from schedules._tile_shapes import ceil_div

__all__ = ["MixedBlocks", "cheapest_blocks"]

_MOST_COUNTS = 4096
"""So many numbers of row blocks are looked at, from the fewest that fit on, and blocks of so few rows."""

_MOST_BESIDE_SLICES = 64
"""So many numbers of whole blocks are looked at for each number of slices, from the fewest that fit on."""


@dataclass(frozen=True)
class MixedBlocks:
    """Blocks of query rows, the last of which may be made in slices, and rows that stay.

    Parameters
    ----------
    problem : Problem
        Only its sizes matter.
    blocks : int
        Row blocks whose outputs are made at once; more than there are rows for make no difference.
    slices : int
        In how many slices of the head dimension of V the outputs of one more block are made; 0 if there is none.
    pinned : int
        Rows of K that stay, and beyond these rows of V.
    """

    problem: Problem
    blocks: int
    slices: int
    pinned: int

    @property
    def keys(self) -> int:
        """Rows of K that stay."""
        return min(self.pinned, self.problem.Nk)

    @property
    def values(self) -> int:
        """Rows of V that stay."""
        return min(max(self.pinned - self.problem.Nk, 0), self.problem.Nk)

    @property
    def width(self) -> int:
        """Columns of V in a slice."""
        return int(ceil_div(self.problem.dv, max(self.slices, 1)))

    @cached_property
    def rows(self) -> int:
        """Rows of a whole block: as many as make the greatest room that a block needs the least."""
        Nq, blocks = self.problem.Nq, min(self.blocks, self.problem.Nq - bool(self.slices))
        if not self.slices or not blocks:
            return int(ceil_div(Nq, blocks)) if blocks else 0
        low, high = 1, (Nq - 1) // blocks
        while low < high:
            rows = (low + high) // 2
            whole, sliced = self._block(rows, self.problem.dv), self._block(Nq - blocks * rows, self.width)
            low, high = (low, rows) if whole >= sliced else (rows + 1, high)
        # The first at which the whole blocks need more, and the one before it.
        sizes = range(max(low - 1, 1), low + 1)
        return min(sizes, key=lambda rows: self._greatest(rows, Nq - blocks * rows))

    @property
    def sliced_rows(self) -> int:
        """Rows of the block that is made in slices."""
        return self.problem.Nq - self.rows * min(self.blocks, self.problem.Nq - 1) if self.slices else 0

    @property
    def key_sweeps(self) -> int:
        """How often K is used; with safe softmax once more for every block, for the maxima."""
        whole = ceil_div(self.problem.Nq - self.sliced_rows, self.rows) if self.rows else 0
        sliced = ceil_div(self.problem.dv, self.width) if self.slices else 0
        return int(whole + sliced + (self.value_sweeps if self.problem.form == "safe" else 0))

    @property
    def value_sweeps(self) -> int:
        """How often V is used."""
        whole = ceil_div(self.problem.Nq - self.sliced_rows, self.rows) if self.rows else 0
        return int(whole + bool(self.slices))

    @property
    def room(self) -> int:
        """Words of fast memory, exact if there are two keys or more."""
        staying = self.keys * self.problem.d + self.values * self.problem.dv
        return staying + self._greatest(self.rows, self.sliced_rows)

    @property
    def words(self) -> int:
        """Words moved without a mask."""
        d, dv, Nk = self.problem.d, self.problem.dv, self.problem.Nk
        again = (self.key_sweeps - 1) * (Nk - self.keys) * d + (self.value_sweeps - 1) * (
            Nk - self.values
        ) * dv
        return _compulsory(self.problem) + again

    def by_row(self, rows: int, width: int) -> bool:
        """Whether keys and values pass a block by the row, so that one score is held; else a word at a time."""
        score = score_words(self.problem)
        return rows * score + 2 > self._passing(width) + score + 1

    def _passing(self, width: int) -> int:
        """Words of a key and a value that do not stay."""
        Nk = self.problem.Nk
        return self.problem.d * (self.keys < Nk) + width * (self.values < Nk)

    def _block(self, rows: int, width: int) -> int:
        """Return the words that a block needs beside what stays."""
        if not rows:
            return 0
        score = score_words(self.problem)
        kept = self.problem.d + width + len(statistics(self.problem))
        return rows * kept + min(rows * score + 2, self._passing(width) + score + 1)

    def _greatest(self, rows: int, sliced_rows: int) -> int:
        return max(self._block(rows, self.problem.dv), self._block(sliced_rows, self.width))


def cheapest_blocks(problem: Problem, M: int, number: int = 1, *, slices: bool = True) -> list[MixedBlocks]:
    """Return the choices that move the fewest words without a mask, of those that fit M words.

    Parameters
    ----------
    problem : Problem
    M : int
        Words of fast memory.
    number : int
        How many choices, the cheapest first; fewer if fewer fit.
    slices : bool
        Whether a block in slices may be among them.
    """
    found: list[tuple[int, int, int, MixedBlocks]] = []
    numbers = _numbers_of_slices(problem.dv) if slices else [0]
    for least, blocks, number_of_slices in _candidates(problem, M, numbers):
        if len(found) == number and found[-1][0] <= max(least, _compulsory(problem)):
            break
        chosen = _pin(problem, M, blocks, number_of_slices)
        if chosen.room <= M:
            found = sorted(
                [*found, (chosen.words, number_of_slices, blocks, chosen)], key=lambda one: one[:3]
            )[:number]
    return [chosen for *_, chosen in found]


def _candidates(problem: Problem, M: int, numbers_of_slices: list[int]) -> Iterator[tuple[float, int, int]]:
    """Yield what a number of blocks and of slices moves at least, and both numbers, by what they move at least."""
    d, dv, Nk = problem.d, problem.dv, problem.Nk
    kept = d + len(statistics(problem))
    parts = []
    for slices in numbers_of_slices:
        blocks = _numbers_of_blocks(problem, M, slices).astype(float)
        capacity = blocks / (kept + dv) + (1 / (kept + ceil_div(dv, slices)) if slices else 0)
        spare = np.maximum(M - problem.Nq / np.maximum(capacity, 1e-9), 0)
        keys = np.minimum(spare, Nk * d)
        values = np.minimum(spare - keys, Nk * dv)
        value_sweeps = blocks + bool(slices)
        key_sweeps = blocks + slices + (value_sweeps if problem.form == "safe" else 0)
        again = (key_sweeps - 1) * (Nk * d - keys) + (value_sweeps - 1) * (Nk * dv - values)
        parts.append(np.stack([again, blocks, np.full(len(blocks), slices)]))
    again, blocks, number = np.hstack(parts)
    for place in np.argsort(again, kind="stable").tolist():
        yield _compulsory(problem) + again[place] * (1 - 1e-9), int(blocks[place]), int(number[place])


def _compulsory(problem: Problem) -> int:
    kept = len(statistics(problem)) * problem.stats
    return (problem.Nq + problem.Nk) * (problem.d + problem.dv) + problem.Nq * kept


def _numbers_of_slices(dv: int) -> list[int]:
    """Return 0 and the numbers of slices from two on that differ."""
    return [0, *sorted({int(ceil_div(dv, ceil_div(dv, slices))) for slices in range(2, dv + 1)})]


def _numbers_of_blocks(problem: Problem, M: int, slices: int) -> np.ndarray:
    """Return the numbers of whole blocks to look at."""
    d, dv, Nq, score = problem.d, problem.dv, problem.Nq, score_words(problem)

    def most_rows(width: int) -> int:
        kept = d + width + len(statistics(problem))
        return max((M - 2) // (kept + score), (M - 1 - score - d - width) // kept)

    rows = max(most_rows(dv), 0)
    left = max(Nq - most_rows(int(ceil_div(dv, slices))), 0) if slices else Nq
    if left and not rows:
        return np.zeros(0, dtype=np.int64)
    fewest = int(ceil_div(left, max(rows, 1)))
    if slices:
        return np.arange(fewest, min(Nq - 1, fewest + _MOST_BESIDE_SLICES) + 1, dtype=np.int64)
    counts = np.arange(fewest, min(Nq, fewest + _MOST_COUNTS) + 1, dtype=np.int64)
    few_rows = ceil_div(Nq, np.arange(1, min(rows, _MOST_COUNTS) + 1, dtype=np.int64))
    sizes = ceil_div(Nq, np.append(counts, few_rows))
    return np.unique(ceil_div(Nq, sizes))


def _pin(problem: Problem, M: int, blocks: int, slices: int) -> MixedBlocks:
    """Return these blocks with as many rows that stay as fit and help."""
    d, dv, Nk = problem.d, problem.dv, problem.Nk
    none = MixedBlocks(problem, blocks, slices, 0)
    if none.key_sweeps == 1:
        return none
    everything, all_keys = (MixedBlocks(problem, blocks, slices, pinned) for pinned in (2 * Nk, Nk))
    if none.value_sweeps == 1 or all_keys.room > M:
        most = Nk if all_keys.room <= M else min((M - none.room) // d, Nk - 1)
        return MixedBlocks(problem, blocks, slices, max(most, 0))
    if everything.room <= M:
        return everything
    return MixedBlocks(problem, blocks, slices, Nk + min((M - all_keys.room) // dv, Nk - 1))
