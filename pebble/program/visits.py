"""Which tiles a loop visits: all of them, or under a mask those that hold an allowed pair.

A loop over queries visits the tiles that have a pair with the current tile of keys (all keys, outside a loop over
keys), and the other way round. The first (last) visit is the first (last) such tile. Both are judged where they
stand, so a condition inside an inner loop asks about the inner loop's tile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.family import Family
from pebble.computations.masks.mask import OTHER_AXIS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.mask import Interval, Mask

    Whole = NDArray[np.int64]


@dataclass(slots=True)
class Visit:
    """One iteration of a loop: which, of how many, on what.

    Parameters
    ----------
    axis : str
    index, count : int
        Number of the tile, and number of tiles, masked out ones included.
    whole : (int, int)
        What the loop runs over.
    tile : (int, int)
        The current tile.
    around : Visit, optional
        Of a loop around with the same label, whose tile this loop cuts: the two are one loop. On masked axes only.
    """

    axis: str
    index: int
    count: int
    whole: Interval
    tile: Interval
    around: Visit | None = None

    def is_end(self, which: str, tiles: Mapping[str, Interval], family: Family) -> bool:
        """Whether no earlier (``"first"``) or later (``"last"``) tile is visited with the current other tiles."""
        if self.axis not in family.masked_axes:
            return self.index == (0 if which == "first" else self.count - 1)
        assert family.mask is not None
        start, stop = self.together
        rest = (start, self.tile[0]) if which == "first" else (self.tile[1], stop)
        start, stop = np.array(rest)[:, None]
        return not _have_pairs(family.mask, self.axis, start, stop, partners(self.axis, tiles, family))[0]

    @property
    def together(self) -> Interval:
        """What the loop runs over, with those around that have its label."""
        return self.whole if self.around is None else self.around.together

    @property
    def number(self) -> str:
        """Which iteration it is, after those of the loops around with the same label."""
        return f"{f'{self.around.number} / ' if self.around else ''}{self.index} of {self.count}"

    def bounds(self) -> Iterator[int]:
        """Yield where its tile begins and ends, and what the loop runs over; then those of the loop it goes on with."""
        yield from (*self.tile, *self.whole)
        if self.around is not None:
            yield from self.around.bounds()


def partners(axis: str, tiles: Mapping[str, Interval], family: Family) -> Interval:
    """Return the current tile of the other axis of the mask."""
    other = OTHER_AXIS[axis]
    return tiles.get(other) or (0, family.extents[other])


def visited(
    axis: str, whole: Interval, tile: int, tiles: Mapping[str, Interval], family: Family
) -> Iterable[int]:
    """Return the numbers of the tiles that a loop visits, in order."""
    count = -((whole[0] - whole[1]) // tile)
    if axis not in family.masked_axes:
        return range(count)
    assert family.mask is not None
    start = whole[0] + np.arange(count) * tile
    stop = np.minimum(start + tile, whole[1])
    seen = _have_pairs(family.mask, axis, start, stop, partners(axis, tiles, family))
    found: list[int] = np.flatnonzero(seen).tolist()
    return found


def _have_pairs(mask: Mask, axis: str, start: Whole, stop: Whole, others: Interval) -> NDArray[np.bool_]:
    """Whether intervals of lines have any pair with some of the other axis."""
    p, q = (np.full_like(start, place) for place in others)
    return mask.questions.has(axis, start, stop, p, q)
