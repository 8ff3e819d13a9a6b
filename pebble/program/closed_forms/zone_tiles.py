"""Outer tiles, and cells of the inner axis, that stand for all of a loop nest under a mask that has zones.

Let m be the mask's period. Take an outer tile s with lines [a, b), and ask where on the inner axis cells are not what
they are a period further: near *fixed* places (ends of the axis and of the loop, marks, fixed lines of the mask), near
a strip at a fixed line of the outer axis, and near a strip at the tile's own lines, which *moves* from tile to tile.
Near is at most m places away. Between such *segments* the cells repeat, once their cuts and the mask do: what a block
holds does; and whether lines before or behind have a pair with a visited one too, for m lines of the same zone are
among them.

From tile s to tile s + p, the least p after which tiles are moved by a multiple of the period and of the inner cells,
the cells of the moving segments move along, those of the fixed ones stay, and the numbers of cells between change by
constants, as long as no moving and fixed segment share a cell, and no fixed line of the outer axis is near the tile.
So in a run of such tiles the sums over tiles p apart are in arithmetic progression.

Within a segment cells that no end of a line at an edge is next to are alike, or change by constants, as in
:mod:`.cells`.
"""

from __future__ import annotations

import sys
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import NoClosedForm
from pebble.program.closed_forms.cells import counted_from, with_runs
from pebble.program.closed_forms.limits import check_blocks
from pebble.program.closed_forms.outer_tiles import Stretches, weighted_stretches

if TYPE_CHECKING:
    from pebble.program.closed_forms.blocks import Side, Whole
    from pebble.program.closed_forms.zones import Zones

__all__ = ["Nest"]

_MANY_CUTS = 8
"""From so many cuts of an outer tile on, the cells of a segment are looked at one by one."""
_SAMPLE = 16
_NEAR = np.array([-2, -1, 0, 1])
"""From the end of a line: lines of cells that are looked at one by one."""


class _Segments(NamedTuple):
    """Cells ``low`` to ``high`` - 1 of the tile number ``entry``, which stand for so many times as many."""

    entry: Whole
    low: Whole
    high: Whole
    times: Whole


class Nest:
    """Loops over both axes under a mask that has zones.

    Parameters
    ----------
    outer, inner : Side
    zones : Zones
    """

    def __init__(self, outer: Side, inner: Side, zones: Zones) -> None:
        self.outer, self.inner, self.zones = outer, inner, zones
        self._period = lcm(zones.period, inner.cell) // inner.cell
        self._lines, self._places = self._fixed(outer), self._fixed(inner)
        self._strips = zones.strips[outer.axis]

    def _fixed(self, side: Side) -> Whole:
        own = np.array([0, side.extent, side.start, side.stop, *side.marks], dtype=np.int64)
        return np.unique(np.concatenate([own, self.zones.fixed[side.axis]]))

    # Tiles

    def tiles(self) -> tuple[Whole, Whole]:
        """Return outer tiles, and how many halves of a tile each stands for.

        Raises
        ------
        NoClosedForm
            If there are too many.
        """
        return weighted_stretches(self._stretches(), self.outer.n_cells, self.inner.per_cell)

    def n_blocks(self) -> int:
        """Estimate, from some tiles, how many blocks there are to be looked at."""
        try:
            tiles, _ = self.tiles()
            some = tiles[:: -(-len(tiles) // _SAMPLE)]
            cells = len(self.cells(some)[1])
        except NoClosedForm:
            return sys.maxsize
        return cells * len(tiles) // max(len(some), 1) * self.outer.per_cell * self.inner.per_cell

    def _stretches(self) -> Stretches:
        """Return runs of tiles of which none meets a fixed line, nor a moving segment of it a fixed one."""
        outer, inner, near = self.outer, self.inner, self.zones.period
        size = 1 if inner.uncut else inner.cell
        met = [_tiles_upto(outer, self._lines - near, self._lines + near)]
        low, high = self._fixed_segments()
        low, high = low // size * size + inner.start, (high // size + 1) * size + inner.start
        for least, most in self._strips:
            met.append(_tiles_upto(outer, low - most - near, high - least + near))
        starts, stops = (np.concatenate(some) for some in zip(*met, strict=True))
        order = np.argsort(starts)
        n_cells = outer.n_cells
        begin = np.minimum(np.maximum.accumulate(np.append(0, stops[order])), n_cells)
        end = np.append(np.clip(starts[order], 0, n_cells), n_cells)
        period = lcm(self.zones.period, size, outer.cell) // outer.cell
        long = end - begin > 2 * period
        return Stretches(begin[long], end[long], np.full(np.count_nonzero(long), period))

    def _fixed_segments(self) -> tuple[Whole, Whole]:
        """Where segments begin and end that do not move, relative to the beginning of the inner loop."""
        near, places = self.zones.period, [(self._places, self._places)]
        places += [(self._lines + least, self._lines + most) for least, most in self._strips]
        low, high = (np.concatenate(some) - self.inner.start for some in zip(*places, strict=True))
        return low - near, high + near

    # Cells

    def cells(self, tiles: Whole) -> tuple[Whole, Whole, Whole]:
        """Return cells that stand for all: the entry of ``tiles``, the cell, and how many halves of one it stands for.

        Raises
        ------
        NoClosedForm
            If there are too many.
        """
        segments = self._segments(tiles)
        entries, cells = self._marked(segments, tiles)
        entries = np.concatenate([np.arange(len(segments.low)).repeat(2), entries])
        ends = np.stack([segments.low, segments.high - 1], axis=1).reshape(-1)
        cells = np.concatenate([ends, cells])
        inside = (segments.low[entries] <= cells) & (cells < segments.high[entries])
        entries, cells, halves = with_runs(entries[inside], cells[inside], self.inner.n_cells, 1)
        return segments.entry[entries], cells, halves * segments.times[entries]

    def _segments(self, tiles: Whole) -> _Segments:
        """Return the segments of tiles, and between two of them a period of cells that stands for all."""
        begin = self.outer.start + tiles * self.outer.cell
        end = np.minimum(begin + self.outer.cell, self.outer.stop)
        near, cell, n_cells = self.zones.period, self.inner.cell, self.inner.n_cells
        fixed = [np.broadcast_to(some, (len(tiles), len(some))) for some in self._fixed_segments()]
        lows, highs = [fixed[0]], [fixed[1]]
        for least, most in self._strips:
            lows.append((begin + least - near - self.inner.start)[:, None])
            highs.append((end + most + near - self.inner.start)[:, None])
        low, high = np.concatenate(lows, axis=1) // cell, np.concatenate(highs, axis=1) // cell + 1
        order = np.argsort(low, axis=1)
        low, high = (np.clip(np.take_along_axis(some, order, 1), 0, n_cells) for some in (low, high))
        nothing = np.zeros((len(tiles), 1), dtype=np.int64)
        reached = np.concatenate([nothing, np.maximum.accumulate(high, axis=1)], axis=1)
        low, high = (np.concatenate([some, nothing + n_cells], axis=1) for some in (low, high))
        gap = np.maximum(low - reached, 0)
        repeats = np.where(gap > 2 * self._period, gap // self._period, 0)
        rest = np.where(repeats > 0, gap - repeats * self._period, gap)
        behind = reached + rest
        lengths = np.where(repeats > 0, self._period, 0)
        parts = [
            (np.maximum(low, reached), high, np.ones_like(low)),
            (reached, behind, repeats + 1),
            (behind, reached + lengths, repeats),
        ]
        entries = np.broadcast_to(np.arange(len(tiles))[:, None], low.shape)
        low, high, times, entries = (
            np.concatenate([some.reshape(-1) for some in arrays])
            for arrays in (*zip(*parts, strict=True), [entries] * len(parts))
        )
        some = high > low
        return _Segments(entries[some], low[some], high[some], times[some])

    def _marked(self, segments: _Segments, tiles: Whole) -> tuple[Whole, Whole]:
        """Return cells that are not like the one before and the one behind: the segment, and the cell."""
        ends = self._ends(tiles)[segments.entry]
        lengths = segments.high - segments.low
        if (
            self.outer.per_cell > _MANY_CUTS
            or ends.shape[1] * len(_NEAR) * self.inner.cell > self.zones.period > 1
        ):
            check_blocks(int(lengths.sum()))
            return counted_from(segments.low, lengths)
        cell, start = self.inner.cell, self.inner.start
        bounds = start + segments.low * cell, start + segments.high * cell
        rows, places = self.zones.within(ends, bounds)
        near = _NEAR if cell < len(_NEAR) else _NEAR[[0, -1]]
        check_blocks(len(rows) * len(near))
        cells = (places[:, None] + (near - start)) // cell
        fixed = np.unique((self._places[:, None] + (_NEAR - start)) // cell)
        every = np.arange(len(segments.low))
        return (
            np.concatenate([rows.repeat(len(near)), every.repeat(len(fixed))]),
            np.concatenate([cells.reshape(-1), np.tile(fixed, len(every))]),
        )

    def _ends(self, tiles: Whole) -> Whole:
        """Where the partners begin and end of lines at the edges of tiles, of what is in them, and at fixed lines."""
        outer = self.outer
        cuts = np.minimum(outer.start + tiles[:, None] * outer.cell + outer.levels[-1], outer.stop)
        lines = np.concatenate([cuts, np.broadcast_to(self._lines, (len(tiles), len(self._lines)))], axis=1)
        lines = np.concatenate([lines - 1, lines], axis=1)
        return self.zones.ends(outer.axis, np.clip(lines, 0, outer.extent - 1))


def _tiles_upto(side: Side, low: Whole, high: Whole) -> tuple[Whole, Whole]:
    """First tile that ends at one of some places or behind it, and the first one that begins behind another."""
    return -((side.start - low) // side.cell) - 1, (high - side.start) // side.cell + 1
