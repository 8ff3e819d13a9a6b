"""What the lines of one block see of a mask of blocks: a union of bands, of which a few blocks stand for all."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_mask import steady_runs
from pebble.computations.masks.mask import OTHER_AXIS, RegularPart
from pebble.computations.masks.staircase import union
from pebble.computations.masks.union_mask import band_marks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.block_toeplitz import BlockToeplitzMask

    Whole = NDArray[np.int64]

__all__ = ["BlockLines", "parts_of_blocks"]


def parts_of_blocks(mask: BlockToeplitzMask, axis: str) -> list[RegularPart]:
    """Return the places of a block's lines at which the ends of all patterns stay, or move by one from line to line.

    They are cut where an end that moves meets a place at which a pattern turns, or at which the last block is cut.
    The moves are those of the ends of all patterns' bands, one after the other.

    Examples
    --------
    >>> from pebble.computations.masks import fixed_mask
    >>> [(part.start, part.stop) for part in parts_of_blocks(fixed_mask(96, 12, 4), "i")]
    [(0, 7), (7, 11), (11, 12)]
    """
    ends = [end for bands in mask.patterns for band in bands for end in band.ends(axis)]
    marks = {mask.extents[axis] % mask.period, *_turns(mask, OTHER_AXIS[axis])}
    found = []
    for part in steady_runs(ends):
        cuts = {part.start, part.stop, *marks}
        for end, moves in zip(ends, part.moves, strict=True):
            if moves:
                first = int(end.at(np.array([part.start]))[0])
                cuts |= {part.start + place - first for place in _turns(mask, axis)}
        inside = sorted(cut for cut in cuts if part.start <= cut <= part.stop)
        found += [part._replace(start=start, stop=stop) for start, stop in pairwise(inside)]
    return found


def _turns(mask: BlockToeplitzMask, axis: str) -> list[int]:
    """Return the places of a block at which lines of an axis begin or cease to see partners in a steady way."""
    found = [np.array([0, mask.period, mask.extents[OTHER_AXIS[axis]] % mask.period])]
    for bands in mask.patterns:
        for band in bands:
            marks = band_marks(band, axis)
            lines = union(marks, marks - 1, np.array([0, mask.period - 1]))
            lines = lines[(lines >= 0) & (lines < mask.period)]
            found += [end.at(lines) for end in band.ends(axis)]
    turns: list[int] = union(*found).tolist()
    return turns


class BlockLines:
    """A mask of blocks as the lines of one block see it.

    In each block of the other axis their partners are intervals. Of blocks far from the diagonal, and without a place
    that matters to somebody, one is as good as another: only some blocks' places are told.

    Parameters
    ----------
    mask : BlockToeplitzMask
    axis : str
        The lines' axis.
    block : int
        The lines' block.
    lines, partners : iterable of int
        Places on both axes that matter: the blocks that they are in, or next to, are told.
    """

    period = 1

    def __init__(
        self, mask: BlockToeplitzMask, axis: str, block: int, lines: Iterable[int], partners: Iterable[int]
    ) -> None:
        self.mask, self.axis, self.extents = mask, axis, mask.extents
        self._side = -1 if axis == "i" else 1
        near = {line // mask.period + step for line in lines for step in (0, -1)} | {block}
        told = self._near(near)
        told |= {place // mask.period + step for place in partners for step in (0, -1)}
        self.blocks = np.array(sorted(self._existing(told)), dtype=np.int64)

    @property
    def _number(self) -> int:
        return -(-self.extents[self.axis] // self.mask.period)

    def _existing(self, blocks: set[int]) -> set[int]:
        return {block for block in blocks if 0 <= block < self._number}

    def _near(self, blocks: set[int]) -> set[int]:
        """Return the blocks near the diagonal for the lines of some blocks."""
        return {one + self._side * step for one in blocks for step in range(-1, self.mask.depth + 1)}

    def moves(self, part: RegularPart) -> tuple[bool, ...]:
        """Return which rows of :meth:`ends_of` move in a part of a block."""
        far = 2 * len(self.mask.patterns[-1])
        return part.moves[:-far] + part.moves[-far:] * len(self.blocks)

    def ends_of(self, axis: str, lines: Whole) -> Whole:
        """Return where intervals of partners begin and end, near the diagonal and in the blocks told."""
        L = self.mask.period
        block, place = np.divmod(lines, L)
        near = [(block + self._side * number, bands) for number, bands in enumerate(self.mask.patterns[:-1])]
        far = [(np.full_like(block, one), self.mask.patterns[-1]) for one in self.blocks.tolist()]
        rows = [
            one * L + end.at(place) for one, bands in near + far for band in bands for end in band.ends(axis)
        ]
        return np.asarray(np.clip(np.stack(rows), 0, self.extents[OTHER_AXIS[axis]]))

    def fixed_places(self, axis: str) -> list[int]:
        """Return the places of the blocks told at which patterns turn; none on the lines' own axis."""
        if axis == self.axis:
            return []
        turns = np.array(_turns(self.mask, self.axis), dtype=np.int64)
        places = (self.blocks[:, None] * self.mask.period + turns).reshape(-1)
        told: list[int] = union(np.clip(places, 0, self.extents[axis])).tolist()
        return told

    def tells(self, places: Whole) -> bool:
        """Whether the blocks of some places on the other axis, and those before these, are told."""
        L, extent = self.mask.period, self.extents[OTHER_AXIS[self.axis]]
        blocks = np.concatenate([np.minimum(places, extent - 1) // L, np.maximum(places - 1, 0) // L])
        return bool(np.isin(blocks, self.blocks).all())

    def tells_near(self, lines: Iterable[int]) -> bool:
        """Whether the blocks near the diagonal are told for some of the lines, and for those before them."""
        blocks = {max(line - back, 0) // self.mask.period for line in lines for back in (0, 1)}
        return self._existing(self._near(blocks)) <= set(self.blocks.tolist())
