"""Blocks of queries × keys that a loop nest visits under a mask, and sums over them, without running anything.

Nested loops over queries and keys cut both axes into finest intervals. The innermost loop visits a combination of two
of them if that *block* holds an allowed pair: what is around it then holds one too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.limits import check_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
else:
    Whole = Any

__all__ = ["Block", "Blocks", "Bounds", "End", "MaskBoxes", "PairCounts", "Side", "Visits", "all_blocks"]

_CHUNK = 2**19


@dataclass(frozen=True)
class Side:
    """How nested loops cut one axis.

    Parameters
    ----------
    axis : str
    extent : int
        Length of the axis.
    start, stop : int
        What the outermost loop runs over; the whole axis without loops.
    tiles : tuple of int
        Tile lengths, from the outermost loop to the innermost.
    marks : tuple of int
        Where boxes that are asked about begin or end besides.
    """

    axis: str
    extent: int
    start: int
    stop: int
    tiles: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing of the axis is left out."""
        return (self.start, self.stop) == (0, self.extent)

    @cached_property
    def cell(self) -> int:
        """Length of the outermost tiles: after so many places the cuts repeat."""
        length = max(self.stop - self.start, 1)
        return min(self.tiles[0], length) if self.tiles else length

    @cached_property
    def n_cells(self) -> int:
        """Number of outermost tiles."""
        return -(-max(self.stop - self.start, 0) // self.cell)

    @cached_property
    def levels(self) -> list[Whole]:
        """Cuts of an outermost tile, relative to its beginning: by that loop, by the next one, to the innermost."""
        found = [np.array([0, self.cell], dtype=np.int64)]
        for tile in self.tiles[1:]:
            found.append(_split(found[-1], tile))
        return found

    @cached_property
    def per_cell(self) -> int:
        """Number of finest intervals in an outermost tile."""
        return len(self.levels[-1]) - 1

    @cached_property
    def count(self) -> int:
        """Number of finest intervals."""
        if not self.n_cells:
            return 0
        if not any(outer % inner for outer, inner in itertools.pairwise(self.tiles)):
            return -(-(self.stop - self.start) // min(self.tiles[-1], self.cell)) if self.tiles else 1
        rest = self.stop - self.start - (self.n_cells - 1) * self.cell
        return (self.n_cells - 1) * self.per_cell + int(np.searchsorted(self.levels[-1], rest))

    @property
    def uncut(self) -> bool:
        """Whether there is but one interval: no loops, or longer tiles."""
        return self.n_cells <= 1 and self.per_cell == 1

    @property
    def cuts(self) -> Whole:
        """Cuts of the innermost loop, from start to stop."""
        return self.cut(np.arange(self.count + 1))

    @property
    def units(self) -> bool:
        """Whether the finest intervals are single lines."""
        return bool(self.tiles) and self.tiles[-1] == 1

    def cut(self, index: Whole) -> Whole:
        """Where finest intervals begin; for the number behind the last, where that one ends."""
        if self.per_cell == 1:
            return np.minimum(self.start + index * self.cell, self.stop)
        cell, inner = np.divmod(index, self.per_cell)
        return np.minimum(self.start + cell * self.cell + self.levels[-1][inner], self.stop)

    def around(self, level: int, index: Whole) -> tuple[Whole, Whole]:
        """Bounds of the tiles of a level (0: no loop) that hold these finest intervals."""
        if level == len(self.tiles):
            return self.cut(index), self.cut(index + 1)
        if level == 0:
            return np.full_like(index, self.start), np.full_like(index, self.stop)
        cell, inner = np.divmod(index, self.per_cell)
        begin, cuts = self.start + cell * self.cell, self.levels[level - 1]
        at = np.searchsorted(cuts, self.levels[-1][inner], side="right") - 1
        return begin + cuts[at], np.minimum(begin + cuts[at + 1], self.stop)


def _split(cuts: Whole, tile: int) -> Whole:
    lengths = np.diff(cuts)
    counts = -(-lengths // tile)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    inner = np.repeat(cuts[:-1], counts) + tile * (np.arange(len(before)) - before)
    return np.append(inner, cuts[-1])


@dataclass(frozen=True)
class End:
    """A condition that a loop is at its first or last visited tile (or not).

    Parameters
    ----------
    axis : str
    level : int
        Number of the loop among the loops over its axis, from 1.
    which : {"first", "last"}
    negated : bool
    partner : int
        Level of the other axis where the condition stands; 0 is outside loops over it.
    text : str
    root : int
        Number of the outermost loop around it with its label, where it is one loop with that; else 0.
    """

    axis: str
    level: int
    which: str
    negated: bool
    partner: int
    text: str
    root: int = 0

    @property
    def within(self) -> int:
        """Level of the tiles that the condition looks through."""
        return (self.root or self.level) - 1


Block = tuple[Whole, Whole]
"""Numbers of the finest intervals of queries and of keys."""

Bounds = tuple[Whole, Whole]
"""Where intervals begin and end."""


@dataclass(frozen=True)
class MaskBoxes:
    """Bounds of blocks, one entry a block."""

    i: Bounds
    j: Bounds

    def __getitem__(self, axis: str) -> Bounds:
        return self.i if axis == "i" else self.j


class Visits(NamedTuple):
    """Visited blocks, and how many quarters of a visit each stands for.

    A sum of n terms in arithmetic progression is n halves of the first one and n of the last one, and the terms
    may be such sums themselves.
    """

    boxes: MaskBoxes
    quarters: Whole


@dataclass(frozen=True)
class Blocks:
    """The blocks at one place of a program: the cuts of both axes and the conditions around."""

    i: Side
    j: Side
    ends: tuple[End, ...] = ()

    def __getitem__(self, axis: str) -> Side:
        return self.i if axis == "i" else self.j

    def visited(self, counts: PairCounts) -> Iterator[Visits]:
        """Yield the visited blocks for which the conditions hold, or some that stand for all."""
        for block, quarters in counts.candidates(self):
            found = self._taken(block, quarters, counts.any(*self._bounds(block)))
            for end in self.ends:
                found = self._taken(*found, self._holds(end, counts, found[0]))
            yield Visits(MaskBoxes(*self._bounds(found[0])), found[1])

    def _bounds(self, block: Block) -> tuple[Bounds, Bounds]:
        a, b = block
        return (self.i.cut(a), self.i.cut(a + 1)), (self.j.cut(b), self.j.cut(b + 1))

    @staticmethod
    def _taken(block: Block, quarters: Whole, chosen: NDArray[np.bool_]) -> tuple[Block, Whole]:
        if chosen.all():
            return block, quarters
        return (block[0][chosen], block[1][chosen]), quarters[chosen]

    def _holds(self, end: End, counts: PairCounts, block: Block) -> NDArray[np.bool_]:
        """Whether a condition holds, block by block: no pair of the tiles before (after) with the partners."""
        index = dict(zip("ij", block, strict=True))
        side, other = self[end.axis], self[OTHER_AXIS[end.axis]]
        start, stop = side.around(end.level, index[end.axis])
        low, high = side.around(end.within, index[end.axis])
        rest = (low, start) if end.which == "first" else (stop, high)
        if end.partner:
            partners = other.around(end.partner, index[other.axis])
        else:
            partners = (np.zeros_like(start), np.full_like(start, other.extent))
        box = (rest, partners) if end.axis == "i" else (partners, rest)
        return np.asarray(counts.any(*box) == end.negated)


class PairCounts(Protocol):
    """What sums over blocks ask of a mask."""

    def pairs(self, queries: Bounds, keys: Bounds) -> Whole:
        """Allowed pairs in each of many boxes."""

    def any(self, queries: Bounds, keys: Bounds) -> NDArray[np.bool_]:
        """Whether there is an allowed pair in each of many boxes."""

    def lines(self, axis: str, lines: Bounds) -> Whole:
        """Lines of intervals of an axis that have any pair."""

    def begun(self, axis: str, lines: Bounds, before: Whole) -> Whole:
        """Lines of intervals of an axis that have a pair with a partner before ``before``."""

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield blocks, and how many quarters of a block each stands for."""


def all_blocks(blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
    """Yield every block, some rows of blocks at a time.

    Raises
    ------
    NoClosedForm
        If there are too many.
    """
    n, m = blocks.i.count, blocks.j.count
    check_blocks(n * m)
    step = max(1, _CHUNK // max(m, 1))
    for start in range(0, n, step):
        rows = min(step, n - start)
        a = np.repeat(np.arange(start, start + rows), m)
        yield (a, np.tile(np.arange(m), rows)), np.full(len(a), 4)
