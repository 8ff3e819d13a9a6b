"""Sums over the blocks that a loop nest visits under a butterfly: one tile of every class stands for all.

The classes are those of docs/induction.md, and what stands for what inside of a tile is as for other masks of blocks
(:mod:`.block_counts`); docs/masks.md says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.masks.butterfly_tiles import TileClass, frame_of, tile_classes
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.block_counts import BoxCounts, Cells, combined
from pebble.program.closed_forms.limits import check_blocks

if TYPE_CHECKING:
    from pebble.program.closed_forms.blocks import Block, Blocks, Bounds, Side, Whole

__all__ = ["ButterflyCounts"]

_CHUNK = 2**12
"""Intervals of rows looked at at a time."""


class ButterflyCounts(BoxCounts):
    """PairCounts for a butterfly."""

    def __init__(self, mask: ButterflyMask) -> None:
        super().__init__(mask)
        self._mask = mask

    def lines(self, axis: str, lines: Bounds) -> Whole:
        """Lines of intervals of an axis: every line has a pair."""
        return lines[1] - lines[0]

    def begun(self, axis: str, lines: Bounds, before: Whole) -> Whole:
        """Lines of intervals of an axis that have a pair with a partner before ``before``."""
        return self._mask.begun(axis, lines, before)

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield blocks that hold a pair, and how many quarters of a block each stands for.

        Raises
        ------
        NoClosedForm
            If there are too many.
        """
        axis, lines, partners = self._lines(blocks)
        total = 0
        for start in range(0, len(lines.ranges), _CHUNK):
            line, partner = self._held(lines.ranges[start : start + _CHUNK], partners.ranges)
            line += start
            total += int((lines.sizes[line] * partners.sizes[partner]).sum())
            check_blocks(total)
            a, b = combined(lines, line, partners, partner)
            found = {axis: lines.index[a], OTHER_AXIS[axis]: partners.index[b]}
            yield (found["i"], found["j"]), 4 * lines.times[a] * partners.times[b]

    def _lines(self, blocks: Blocks) -> tuple[str, Cells, Cells]:
        """Return an axis, finest intervals of it that stand for all, and those of the other one that may be visited."""
        # Of longer tiles there are fewer.
        axes = sorted("ij", key=lambda one: -blocks[one].cell if blocks[one].tiles else 0)
        found = next(((one, classes) for one in axes if (classes := self._classes(blocks, one))), None)
        if found is None:
            for side in (blocks.i, blocks.j):
                check_blocks(side.count)
            return "i", Cells(self._mask, blocks.i), Cells(self._mask, blocks.j)
        axis, classes = found
        tiles, times = (np.array(column) for column in zip(*classes, strict=True))
        own, other = blocks[axis], blocks[OTHER_AXIS[axis]]
        # The finest intervals of a tile follow on each other; only the last tile may have fewer.
        cells = tiles[:, None] * own.per_cell + np.arange(own.per_cell)
        weights = np.broadcast_to(times[:, None], cells.shape)[cells < own.count]
        check_blocks(cells.size)
        lines = Cells(self._mask, own, cells[cells < own.count], weights)
        return axis, lines, self._partners(lines, other)

    def _classes(self, blocks: Blocks, axis: str) -> Sequence[TileClass]:
        """Return the classes of an axis's outermost tiles; none if these do not tell what is visited."""
        own, other = blocks[axis], blocks[OTHER_AXIS[axis]]
        if not (own.tiles and other.tiles and own.whole and other.whole) or own.marks or other.marks:
            return ()  # of a whole axis it may be asked how many lines have begun, which a class does not tell
        digits = frame_of(self._mask, other.axis, frozenset(other.tiles[:1]))
        return () if digits is None else tile_classes(self._mask, axis, own.cell, digits, True)

    def _partners(self, lines: Cells, side: Side) -> Cells:
        """Return the finest intervals in the tiles of the outermost loop around partners, or in the blocks of these."""
        block = self._mask.sides[side.axis]
        width = int((lines.ranges[:, 1] - lines.ranges[:, 0]).max())
        within = lines.ranges[:, :1] + np.arange(width)
        blocks = self._mask.partners_of(np.unique(within[within < lines.ranges[:, 1:]]))
        length = max(side.cell, block)
        frames = np.unique(blocks * block // length)
        per_frame = side.per_cell * (length // side.cell)
        # Where only a frame's last interval is shorter, that is the last of its run, which is looked at itself.
        whole, cut = (
            frames[(frames + 1) * per_frame <= side.count],
            frames[(frames + 1) * per_frame > side.count],
        )
        found = [Cells(self._mask, side, np.arange(one * per_frame, side.count)) for one in cut.tolist()]
        if len(whole):
            first = Cells(self._mask, side, np.arange(per_frame))
            found.insert(0, first.repeated(whole * per_frame, whole * (length // block)))
        return found[0] if len(found) == 1 else found[0].joined(found[1])

    def _held(self, rows: Whole, columns: Whole) -> tuple[Whole, Whole]:
        """Return which intervals of blocks hold an allowed block with which others: their numbers."""
        held: list[Whole] = []
        numbers = np.arange(len(rows))
        width = int((rows[:, 1] - rows[:, 0]).max(initial=0))
        for on in range(width):
            block = rows[:, 0] + on
            inside = block < rows[:, 1]
            for step in (0, *(1 << digit for digit in range(self._mask.digits))):
                partner = block ^ step
                chosen = inside & (partner < self._mask.blocks)
                low = columns[:, 1].searchsorted(partner[chosen], side="right")
                high = columns[:, 0].searchsorted(partner[chosen], side="right")
                each = np.maximum(high - low, 0)
                own = np.repeat(numbers[chosen], each)
                inner = np.arange(len(own)) - np.repeat(np.cumsum(each) - each, each)
                held.append(np.unique(own * len(columns) + np.repeat(low, each) + inner))
        found = np.unique(np.concatenate(held)) if held else np.zeros(0, dtype=np.int64)
        row, column = np.divmod(found, max(len(columns), 1))
        return row, column
