"""Blocks of queries × keys that a loop nest visits under a mask, and sums over them, without running anything.

Nested loops over queries and keys cut both axes into finest intervals. The innermost loop visits a combination of two
of them if that *block* holds an allowed pair: what is around it then holds one too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
else:
    Whole = Any

__all__ = ["Blocks", "End", "MaskBoxes", "PairCounts", "Side"]


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
    def levels(self) -> list[Whole]:
        """Cuts from start to stop: of no loop, of the outermost one, and so on to the innermost."""
        found = [
            np.array([self.start, self.stop] if self.stop > self.start else [self.start], dtype=np.int64)
        ]
        for tile in self.tiles:
            found.append(_split(found[-1], tile))
        return found

    @property
    def cuts(self) -> Whole:
        """Cuts of the innermost loop."""
        return self.levels[-1]

    @property
    def count(self) -> int:
        """Number of finest intervals."""
        return len(self.cuts) - 1

    @cached_property
    def uniform(self) -> bool:
        """Whether all finest intervals are equally long but the last, which may be shorter."""
        lengths = np.diff(self.cuts)
        return len(lengths) < 2 or bool((lengths[:-1] == lengths[0]).all() and lengths[-1] <= lengths[0])

    @property
    def units(self) -> bool:
        """Whether the finest intervals are single lines."""
        return bool(self.tiles) and self.tiles[-1] == 1

    def around(self, level: int, index: Whole) -> tuple[Whole, Whole]:
        """Bounds of the tiles of a level (0: no loop) that hold these finest intervals."""
        if level == len(self.tiles):
            return self.cuts[index], self.cuts[index + 1]
        cuts = self.levels[level]
        at = np.searchsorted(cuts, self.cuts[index], side="right") - 1
        return cuts[at], cuts[at + 1]


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
    """

    axis: str
    level: int
    which: str
    negated: bool
    partner: int
    text: str


Block = tuple[Whole, Whole]
"""Numbers of the finest intervals of queries and of keys."""


@dataclass(frozen=True)
class MaskBoxes:
    """Bounds of blocks, one entry a block."""

    i: tuple[Whole, Whole]
    j: tuple[Whole, Whole]

    def __getitem__(self, axis: str) -> tuple[Whole, Whole]:
        return self.i if axis == "i" else self.j


@dataclass(frozen=True)
class Blocks:
    """The blocks at one place of a program: the cuts of both axes and the conditions around."""

    i: Side
    j: Side
    ends: tuple[End, ...] = ()

    def __getitem__(self, axis: str) -> Side:
        return self.i if axis == "i" else self.j

    def total(self, counts: PairCounts, words: Callable[[MaskBoxes], Whole]) -> int:
        """Sum of ``words`` over the visited blocks for which the conditions hold."""
        total = 0
        for (a, b), times in counts.candidates(self):
            boxes = MaskBoxes((self.i.cuts[a], self.i.cuts[a + 1]), (self.j.cuts[b], self.j.cuts[b + 1]))
            chosen = counts.pairs(boxes.i, boxes.j) > 0
            for end in self.ends:
                chosen &= self._holds(end, counts, (a, b))
            total += int((words(boxes) * times)[chosen].sum())
        return total

    def _holds(self, end: End, counts: PairCounts, block: Block) -> NDArray[np.bool_]:
        """Whether a condition holds, block by block: no pair of the tiles before (after) with the partners."""
        index = dict(zip("ij", block, strict=True))
        side, other = self[end.axis], self[OTHER_AXIS[end.axis]]
        start, stop = side.around(end.level, index[end.axis])
        low, high = side.around(end.level - 1, index[end.axis])
        rest = (low, start) if end.which == "first" else (stop, high)
        if end.partner:
            partners = other.around(end.partner, index[other.axis])
        else:
            partners = (np.zeros_like(start), np.full_like(start, other.extent))
        box = (rest, partners) if end.axis == "i" else (partners, rest)
        return np.asarray((counts.pairs(*box) == 0) != end.negated)


class PairCounts(Protocol):
    """What sums over blocks ask of a mask."""

    def pairs(self, queries: tuple[Whole, Whole], keys: tuple[Whole, Whole]) -> Whole:
        """Allowed pairs in each of many boxes."""

    def begun(self, axis: str, lines: tuple[Whole, Whole], before: Whole) -> Whole:
        """Lines of intervals of an axis that have a pair with a partner before ``before``."""

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield blocks and how many blocks each stands for; all that hold a pair are among them."""
