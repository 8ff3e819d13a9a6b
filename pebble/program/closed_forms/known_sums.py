"""Sums over the tiles of a mask, kept for other closed forms under it: a search asks for many of them again."""

from __future__ import annotations

import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING

from pebble.computations.masks import BandMask, Mask
from pebble.computations.masks.mask import OTHER_AXIS

if TYPE_CHECKING:
    from pebble.program.closed_forms.blocks import Blocks, Side
    from pebble.program.closed_forms.quantities import Words

__all__ = ["SumKeys", "known_sums"]

_MASKS = 8
_SUMS = 4096
_MOST_PARTS = 4

_recent: list[tuple[weakref.ref[Mask], dict[object, int]]] = []


def known_sums(mask: Mask) -> dict[object, int]:
    """Return the sums that are known of a mask, by what they are of; what is put there is known the next time.

    The sums of the last few masks are kept, each as long as its mask is; of a mask with too many all are forgotten.
    """
    for place, (other, known) in enumerate(_recent):
        if other() is mask:
            _recent.insert(0, _recent.pop(place))
            if len(known) > _SUMS:
                known.clear()
            return known
    _recent[:] = [one for one in _recent if one[0]() is not None][: _MASKS - 1]
    _recent.insert(0, (weakref.ref(mask), {}))
    return _recent[0][1]


class SumKeys:
    """What tells the sums over the blocks of one mask apart.

    A loop over lines of one part of a band, which shares no line with others, sees that part only: sums over such
    loops are the same in parts that are alike. docs/masks.md proves it.

    Parameters
    ----------
    mask : Mask
    """

    def __init__(self, mask: Mask) -> None:
        self._mask = mask

    def of(self, blocks: Blocks, words: Words) -> Hashable:
        """Return the key of a sum: equal keys for equal sums. Explicit intervals are among the marks of the blocks."""
        asked = words.kind, words.axis, words.upto
        for axis in "ij":
            own, other = blocks[axis], blocks[OTHER_AXIS[axis]]
            if own.whole or not other.whole or own.marks or other.marks:
                continue
            if words.axis == other.axis and not other.tiles:
                continue  # lines of all parts are counted
            if any(end.axis != axis and not end.partner for end in blocks.ends):
                continue  # it asks about the lines of all parts
            place = self._place(own, other)
            if place is not None:
                return axis, place, own.tiles, other.tiles, blocks.ends, asked
        return blocks, asked

    @cached_property
    def _separations(self) -> dict[str, list[int]]:
        """Where one part ends and the next one begins, with the ends of either axis; nowhere if there are no parts."""
        mask = self._mask
        if (
            not isinstance(mask, BandMask)
            or not mask.separations("i")
            or not all(map(mask.all_present, "ij"))
        ):
            return {}
        return {axis: [0, *mask.separations(axis), mask.extents[axis]] for axis in "ij"}

    def _place(self, own: Side, other: Side) -> Hashable:
        """Return where a loop's lines lie in the parts that hold them, and what these look like; None if not told."""
        lines, partners = (self._separations.get(side.axis) for side in (own, other))
        if lines is None or partners is None or len(lines) != len(partners):
            return None
        first, behind = bisect_right(lines, own.start) - 1, bisect_left(lines, own.stop)
        if behind - first > _MOST_PARTS:
            return None
        start, tile = partners[first], other.tiles[0] if other.tiles else 1
        if start % tile or not isinstance(self._mask, BandMask):
            return None
        # Tiles of partners may reach out of the part, or be cut at the axis's end.
        stop = min(-(-partners[behind] // tile) * tile, other.extent)
        outline = self._mask.outline(own.axis, (lines[first], lines[behind]), (start, stop))
        return (
            own.start - lines[first],
            own.stop - own.start,
            lines[behind] - lines[first],
            stop - start,
            outline,
        )
