"""Counting in many boxes of a mask at once, and choosing the blocks that stand for all of a loop nest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import NoClosedForm
from pebble.computations.masks import BandMask, Mask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.blocks import Block, Blocks, PairCounts

if TYPE_CHECKING:
    from pebble.program.closed_forms.blocks import Whole

__all__ = ["MOST_BLOCKS", "counts_of"]

MOST_BLOCKS = 3 * 10**7
"""Blocks that are looked at one by one; some seconds."""
_CHUNK = 2**19
_FEW = 2**16


def counts_of(mask: Mask, blocks: Blocks) -> PairCounts:
    """Return the way to count for a mask at one place.

    Raises
    ------
    NoClosedForm
        If there are too many blocks.
    """
    if isinstance(mask, BandMask):
        return _BandCounts(mask)
    return _GridCounts(mask, blocks)


def _refuse(n_blocks: int) -> NoClosedForm:
    return NoClosedForm(
        f"the tiles make {n_blocks:,} blocks, and the formula takes sums over at most {MOST_BLOCKS:,}"
    )


def _all_blocks(blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
    """Every block, some rows of blocks at a time."""
    n, m = blocks.i.count, blocks.j.count
    if n * m > MOST_BLOCKS:
        raise _refuse(n * m)
    step = max(1, _CHUNK // max(m, 1))
    for start in range(0, n, step):
        rows = min(step, n - start)
        a = np.repeat(np.arange(start, start + rows), m)
        yield (a, np.tile(np.arange(m), rows)), np.ones(len(a), dtype=np.int64)


class _GridCounts:
    """PairCounts for any mask, from sums over the cells of the grid of all cuts."""

    def __init__(self, mask: Mask, blocks: Blocks) -> None:
        self._mask = mask
        self._edges = {
            side.axis: np.unique(np.concatenate([[0, side.extent, *side.marks], side.cuts]))
            for side in (blocks.i, blocks.j)
        }
        size = len(self._edges["i"]) * len(self._edges["j"])
        if size > MOST_BLOCKS:
            raise _refuse(size)

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

    def pairs(self, queries: tuple[Whole, Whole], keys: tuple[Whole, Whole]) -> Whole:
        """Allowed pairs in each of many boxes; their bounds are cuts."""
        low, high = (self._corner("i", at) for at in queries)
        left, right = (self._corner("j", at) for at in keys)
        sums = self._sums
        return np.asarray(sums[high, right] - sums[low, right] - sums[high, left] + sums[low, left])

    def begun(self, axis: str, lines: tuple[Whole, Whole], before: Whole) -> Whole:
        """Lines that have a pair before; all bounds are cuts."""
        sums, column = self._firsts[axis], self._corner(OTHER_AXIS[axis], before)
        return np.asarray(
            sums[self._corner(axis, lines[1]), column] - sums[self._corner(axis, lines[0]), column]
        )

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield all blocks."""
        return _all_blocks(blocks)


class _BandCounts:
    """PairCounts for a band by formula, because both ends of its lines never go back."""

    def __init__(self, mask: BandMask) -> None:
        self._mask = mask
        self._ends = {axis: mask.ends(axis) for axis in "ij"}

    def pairs(self, queries: tuple[Whole, Whole], keys: tuple[Whole, Whole]) -> Whole:
        """Allowed pairs in each of many boxes."""
        return self._mask.counts(queries, keys)

    def begun(self, axis: str, lines: tuple[Whole, Whole], before: Whole) -> Whole:
        """Lines of intervals of an axis that have a pair with a partner before ``before``."""
        upto = np.clip(self._ends[axis][0].below(before), *lines)
        return self._mask.present_before(axis, upto) - self._mask.present_before(axis, lines[0])

    def candidates(self, blocks: Blocks) -> Iterator[tuple[Block, Whole]]:
        """Yield all blocks if they are few; else one for each run of blocks that look alike."""
        long = "j" if blocks.i.count <= blocks.j.count else "i"
        if blocks.i.count * blocks.j.count <= _FEW or not _may_run(blocks, long):
            return _all_blocks(blocks)
        return self._runs(blocks, long)

    def _runs(self, blocks: Blocks, long: str) -> Iterator[tuple[Block, Whole]]:
        """Yield the blocks in which the band of a line begins or ends, and one for each run of blocks between them.

        The blocks of a run look alike: of each line of the shorter side's interval they hold everything or nothing.
        """
        side, short = blocks[long], blocks[OTHER_AXIS[long]]
        start, stop = self._ends[short.axis]
        step = max(1, int(short.count * _CHUNK // max(8 * (short.stop - short.start), 1)))
        cost = 8 * (short.stop - short.start + short.count)
        if cost > 4 * MOST_BLOCKS:
            raise _refuse(cost)
        for low in range(0, short.count, step):
            high = min(low + step, short.count)
            cuts = short.cuts[low : high + 1]
            lines = int(cuts[0]), int(cuts[-1])
            number = np.repeat(np.arange(low, high), np.diff(cuts))
            one = np.arange(low, high)
            before, after = np.maximum(cuts[:-1] - 1, 0), np.minimum(cuts[1:], short.extent - 1)
            marks: list[tuple[Whole, Whole | int]] = [
                (one, side.start),
                (one, side.stop - 1),
                (number, start.values(*lines)),
                (number, stop.values(*lines) - 1),
                (one, stop.at(before) - 1),
                (one, start.at(after)),
            ]
            length = int(side.cuts[1] - side.cuts[0])
            blocks_of = [
                a * side.count + np.clip((np.asarray(at) - side.start) // length, 0, side.count - 1)
                for a, at in marks
            ]
            special = np.sort(np.concatenate(blocks_of))
            special = special[np.append(True, np.diff(special) > 0)]
            gap = np.append(np.diff(special), 1) - 1
            inner = special[gap > 0] + 1
            found = np.concatenate([special, inner])
            times = np.concatenate([np.ones(len(special), dtype=np.int64), gap[gap > 0]])
            a, b = found // side.count, found % side.count
            yield ((a, b) if long == "j" else (b, a)), times


def _may_run(blocks: Blocks, long: str) -> bool:
    """Whether runs of alike blocks are known: equal tiles, and conditions on whole axes at finest intervals."""
    return (
        blocks[long].uniform
        and not blocks.i.marks + blocks.j.marks
        and all(
            end.level == len(blocks[end.axis].tiles) == 1
            and end.partner == len(blocks[OTHER_AXIS[end.axis]].tiles) > 0
            for end in blocks.ends
        )
    )
