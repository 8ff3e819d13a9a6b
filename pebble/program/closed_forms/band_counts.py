"""Counting in many boxes of a band at once, and choosing few blocks that stand for all of a loop nest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks import BandMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.blocks import Block, Blocks, Bounds, Side, all_blocks
from pebble.program.closed_forms.cells import cells_period, counted_from, runs_of_cells
from pebble.program.closed_forms.limits import check_blocks
from pebble.program.closed_forms.outer_tiles import number_of_tiles, weighted_tiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.staircase import CommonPieces
    from pebble.program.closed_forms.blocks import Whole

__all__ = ["BandCounts", "finest_blocks"]

_CHUNK = 2**19
_FEW = 2**9
"""So many blocks are looked at one by one."""


class BandCounts:
    """PairCounts for a band by formula, because both ends of its lines never go back."""

    def __init__(self, mask: BandMask) -> None:
        self._mask = mask
        self._ends = {axis: mask.ends(axis) for axis in "ij"}
        self._pieces = {axis: mask.pieces(axis) for axis in "ij"}
        self._full = {axis: mask.present(axis) == extent for axis, extent in mask.extents.items()}

    def pairs(self, queries: Bounds, keys: Bounds) -> Whole:
        """Allowed pairs in each of many boxes."""
        return self._mask.counts(queries, keys)

    def any(self, queries: Bounds, keys: Bounds) -> NDArray[np.bool_]:
        """Whether there is an allowed pair in each of many boxes."""
        start, stop = self._ends["i"]
        low = np.maximum(stop.upto(keys[0]), queries[0])
        high = np.minimum(start.below(keys[1]), queries[1])
        found = (low < high) & (keys[0] < keys[1])
        if not self._full["i"]:
            found &= self._mask.present_before("i", high) > self._mask.present_before("i", low)
        return np.asarray(found)

    def begun(self, axis: str, lines: Bounds, before: Whole) -> Whole:
        """Lines of intervals of an axis that have a pair with a partner before ``before``."""
        return self.lines(axis, (lines[0], np.clip(self._ends[axis][0].below(before), *lines)))

    def lines(self, axis: str, lines: Bounds) -> Whole:
        """Lines of intervals of an axis that have any pair."""
        if self._full[axis]:
            return lines[1] - lines[0]
        return self._mask.present_before(axis, lines[1]) - self._mask.present_before(axis, lines[0])

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield all blocks if they are few, or intervals are given inside loops; else some that stand for all."""
        check_blocks(max(_per_cell(blocks.i), _per_cell(blocks.j)))
        if blocks.i.count * blocks.j.count <= _FEW or any(
            blocks[axis].marks and not blocks[axis].uncut for axis in "ij"
        ):
            yield from all_blocks(blocks)
            return
        costs = {axis: self._cost(blocks, axis) for axis in "ij"}
        axis = min(costs, key=lambda axis: costs[axis])
        outer, inner = blocks[axis], blocks[OTHER_AXIS[axis]]
        fixed = self._fixed(outer, inner)
        n_blocks, pieces = outer.per_cell * inner.per_cell, self._pieces_next_to(outer)
        tiles, halves = weighted_tiles(outer, inner, pieces, fixed, n_blocks * min(4, inner.n_cells))
        n_marks = 16 * (len(pieces.starts) // outer.n_cells)
        step = max(1, _CHUNK // (n_blocks * _cells(outer, inner, pieces) + n_marks))
        for start in range(0, len(tiles), step):
            some = tiles[start : start + step]
            entries, cells, times = runs_of_cells(outer, inner, some, self._ends[axis], pieces, fixed)
            check_blocks(n_blocks * len(cells))
            times *= halves[start : start + step][entries]
            a, b, entries = finest_blocks(outer, some[entries], inner, cells)
            yield ((a, b) if axis == "i" else (b, a)), times[entries]

    def _cost(self, blocks: Blocks, axis: str) -> int:
        """Estimate how many blocks there are to be looked at if an axis is the outer one."""
        outer, inner = blocks[axis], blocks[OTHER_AXIS[axis]]
        pieces = self._pieces_next_to(outer)
        tiles = number_of_tiles(outer, inner, pieces)
        return tiles * _cells(outer, inner, pieces) * _per_cell(outer) * _per_cell(inner)

    def _pieces_next_to(self, outer: Side) -> CommonPieces:
        """Return the pieces that hold lines of a loop, or the line before the first or the one behind the last."""
        pieces = self._pieces[outer.axis]
        if outer.whole:
            return pieces
        lines = np.array([max(outer.start - 1, 0), min(outer.stop, outer.extent - 1)])
        first, last = pieces.starts.searchsorted(lines, side="right").tolist()
        some = slice(first - 1, last)
        return pieces._replace(
            starts=pieces.starts[some],
            lengths=pieces.lengths[some],
            heights=(pieces.heights[0][some], pieces.heights[1][some]),
            slopes=(pieces.slopes[0][some], pieces.slopes[1][some]),
        )

    def _fixed(self, outer: Side, inner: Side) -> Whole:
        """Fixed places of the inner axis: where loops end, marks, and the ends of lines next to marks of the other."""
        marks = np.array([mark for mark in outer.marks if mark], dtype=np.int64)
        lines = np.concatenate([marks - 1, np.minimum(marks, outer.extent - 1)])
        reached = [end.at(lines) for end in self._ends[outer.axis]]
        return np.concatenate([np.array([inner.start, inner.stop, *inner.marks], dtype=np.int64), *reached])


def _per_cell(side: Side) -> int:
    """Finest intervals of an outermost tile, at most."""
    lengths = (side.cell, *side.tiles[1:])
    return prod(-(-outer // inner) for outer, inner in pairwise(lengths))


def _cells(outer: Side, inner: Side, pieces: CommonPieces) -> int:
    """Estimate how many cells there are to be looked at for each tile."""
    if len(outer.tiles) < 2:
        marked = 14 + 10 * cells_period(inner, pieces)
    else:
        marked = 2 * (outer.cell * pieces.partners // pieces.lines // inner.cell) + 12
    return min(marked, inner.n_cells)


def finest_blocks(outer: Side, tiles: Whole, inner: Side, cells: Whole) -> tuple[Whole, Whole, Whole]:
    """Return the finest intervals of tiles and cells, every one with every other, and the entry they come from."""
    entries = np.arange(len(tiles))
    if outer.per_cell == inner.per_cell == 1:
        return tiles, cells, entries
    sizes = np.full(len(tiles), outer.per_cell * inner.per_cell)
    entries, number = counted_from(np.zeros_like(entries), sizes)
    a, b = np.divmod(number, inner.per_cell)
    a, b = a + tiles[entries] * outer.per_cell, b + cells[entries] * inner.per_cell
    inside = (a < outer.count) & (b < inner.count)
    return a[inside], b[inside], entries[inside]
