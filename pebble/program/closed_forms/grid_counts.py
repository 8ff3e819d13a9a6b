"""Counting in many boxes of any mask at once, from sums over a grid."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks import Mask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.blocks import Block, Blocks, Bounds, all_blocks
from pebble.program.closed_forms.limits import check_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.closed_forms.blocks import Whole

__all__ = ["GridCounts"]

_CHUNK = 2**19


class GridCounts:
    """PairCounts for any mask, from sums over the cells of the grid of all cuts."""

    def __init__(self, mask: Mask, blocks: Blocks) -> None:
        self._mask = mask
        self._edges = {
            side.axis: np.unique(np.concatenate([[0, side.extent, *side.marks], side.cuts]))
            for side in (blocks.i, blocks.j)
        }
        check_blocks(len(self._edges["i"]) * len(self._edges["j"]))

    @cached_property
    def _sums(self) -> Whole:
        """Pairs before each corner of the grid."""
        rows, columns = self._edges["i"], self._edges["j"]
        sums = np.zeros((len(rows), len(columns)), dtype=np.int64)
        at = 0
        while at < len(rows) - 1:
            most = rows[at] + max(1, _CHUNK // self._mask.Nk)
            upto = max(at + 1, int(np.searchsorted(rows, most, side="right")) - 1)
            box = self._mask.matrix((int(rows[at]), int(rows[upto])), (0, self._mask.Nk))
            lines = np.add.reduceat(box.view(np.uint8), rows[at:upto] - rows[at], axis=0, dtype=np.int32)
            sums[at + 1 : upto + 1, 1:] = np.add.reduceat(lines, columns[:-1], axis=1)
            at = upto
        np.cumsum(sums, axis=0, out=sums)
        return np.asarray(np.cumsum(sums, axis=1, out=sums))

    @cached_property
    def _firsts(self) -> dict[str, Whole]:
        """Lines whose first pair is before each corner of the grid; the lines' axis comes first."""
        found = {}
        for axis, other in OTHER_AXIS.items():
            lines, partners = self._edges[axis], self._edges[other]
            sums = np.zeros((len(lines), len(partners)), dtype=np.int64)
            present = np.flatnonzero(self._mask.last(axis) >= 0)
            rows = np.searchsorted(lines, present, side="right")
            columns = np.searchsorted(partners, self._mask.first(axis)[present], side="right")
            np.add.at(sums, (rows, columns), 1)
            found[axis] = np.cumsum(np.cumsum(sums, axis=0), axis=1)
        return found

    def _corner(self, axis: str, at: Whole) -> Whole:
        return np.searchsorted(self._edges[axis], at)

    def pairs(self, queries: Bounds, keys: Bounds) -> Whole:
        """Allowed pairs in each of many boxes; their bounds are cuts."""
        low, high = (self._corner("i", at) for at in queries)
        left, right = (self._corner("j", at) for at in keys)
        sums = self._sums
        return np.asarray(sums[high, right] - sums[low, right] - sums[high, left] + sums[low, left])

    def any(self, queries: Bounds, keys: Bounds) -> NDArray[np.bool_]:
        """Whether there is an allowed pair in each of many boxes."""
        return self.pairs(queries, keys) > 0

    def lines(self, axis: str, lines: Bounds) -> Whole:
        """Lines of intervals of an axis that have any pair."""
        return self._mask.present_before(axis, lines[1]) - self._mask.present_before(axis, lines[0])

    def begun(self, axis: str, lines: Bounds, before: Whole) -> Whole:
        """Lines that have a pair before; all bounds are cuts."""
        sums, column = self._firsts[axis], self._corner(OTHER_AXIS[axis], before)
        return np.asarray(
            sums[self._corner(axis, lines[1]), column] - sums[self._corner(axis, lines[0]), column]
        )

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield all blocks."""
        return all_blocks(blocks)
