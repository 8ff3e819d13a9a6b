"""Which tiles of lines lie alike in a butterfly: docs/induction.md proves it of those with one key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.butterfly_mask import ButterflyMask

    Whole = NDArray[np.int64]

__all__ = ["TileClass", "frame_of", "tile_classes"]

_CHUNK = 2**18
_KNOWN = 64
"""Loops whose classes are kept."""


class TileClass(NamedTuple):
    """Tiles that lie alike: the number of the first of them, and how many they are."""

    first: int
    times: int


def frame_of(mask: ButterflyMask, axis: str, tiles: frozenset[int]) -> int | None:
    """Return the binary digits of the number of blocks of an axis that no tile reaches out of; None if there are none.

    Parameters
    ----------
    mask : ButterflyMask
    axis : str
    tiles : frozenset of int
        Lengths of tiles, from the beginning of the axis. Each divides a block, or holds 2, 4, 8, … whole blocks.
    """
    side, digits = mask.sides[axis], 0
    for tile in tiles:
        blocks, rest = divmod(tile, side)
        if side % tile == 0:
            continue
        if rest or blocks & (blocks - 1):
            return None
        digits = max(digits, blocks.bit_length() - 1)
    return digits


@lru_cache(maxsize=_KNOWN)
def tile_classes(
    mask: ButterflyMask, axis: str, tile: int, digits: int, asked: bool
) -> tuple[TileClass, ...]:
    """Return the classes of an axis's tiles that lie alike, by their first tiles.

    Parameters
    ----------
    mask : ButterflyMask
    axis : str
    tile : int
        Length of the tiles.
    digits : int
        Of the other axis as many blocks as these binary digits tell are seen at once.
    asked : bool
        Whether it matters which of the other axis's lines have pairs before a tile, and behind it.
    """
    found: dict[tuple[int, ...], TileClass] = {}
    for starts, times, same in _tiles(mask, axis, tile):
        keys = _keys(mask, axis, starts, np.minimum(starts + tile, mask.extents[axis]), same, digits, asked)
        order = np.lexsort(keys)
        sorted_keys = np.stack([key[order] for key in keys])
        new = np.append(True, (sorted_keys[:, 1:] != sorted_keys[:, :-1]).any(axis=0))
        places = np.flatnonzero(new)
        firsts = np.minimum.reduceat(starts[order], places) // tile
        sums = np.add.reduceat(times[order], places)
        for key, first, number in zip(
            map(tuple, sorted_keys[:, places].T.tolist()), firsts.tolist(), sums.tolist(), strict=True
        ):
            known = found.get(key, TileClass(first, 0))
            found[key] = TileClass(min(known.first, first), known.times + number)
    return tuple(sorted(found.values()))


def _tiles(mask: ButterflyMask, axis: str, tile: int) -> Iterator[tuple[Whole, Whole, Whole]]:
    """Yield where some tiles begin, how many each stands for, and which of its block's lines it holds.

    Of short tiles that lie in one block, between the first and the last such tile, one stands for all. The third
    number is -1 for a tile that lies in more than one block; else 1 is added where it holds the block's first line,
    and 2 where it holds the last one.
    """
    side, extent = mask.sides[axis], mask.extents[axis]
    count = -(-extent // tile)
    if 4 * tile >= side:
        for at in range(0, count, _CHUNK):
            starts = np.arange(at, min(at + _CHUNK, count)) * tile
            yield starts, np.ones_like(starts), _place(mask, axis, starts, tile)
        return
    for at in range(0, mask.blocks, _CHUNK):
        blocks = np.arange(at, min(at + _CHUNK, mask.blocks))
        begin, end = blocks * side, np.minimum((blocks + 1) * side, extent)
        # The tiles that hold the block's first line, and its last one, but for those that begin before; and between.
        first, last = -(-begin // tile), (end - 1) // tile
        ends = np.stack([first, first + 1, last])
        times = np.stack([last >= first, np.maximum(last - first - 1, 0), last > first]).astype(np.int64)
        starts, times = (one.T[times.T > 0] for one in (ends * tile, times))
        # The very first tile and the very last one stand for no others.
        yield starts, times, _place(mask, axis, starts, tile)


def _place(mask: ButterflyMask, axis: str, starts: Whole, tile: int) -> Whole:
    side, extent = mask.sides[axis], mask.extents[axis]
    stops = np.minimum(starts + tile, extent)
    within = starts // side == (stops - 1) // side
    first, last = starts % side == 0, (stops % side == 0) | (stops == extent)
    return np.where(within, first * 1 + last * 2, -1)


def _keys(
    mask: ButterflyMask, axis: str, starts: Whole, stops: Whole, place: Whole, digits: int, asked: bool
) -> list[Whole]:
    """Return numbers that are equal for tiles that lie alike."""
    side, extent = mask.sides[axis], mask.extents[axis]
    low, high = starts // side, (stops - 1) // side
    # Of a group of so many digits, which no tile reaches out of, all others are told by their numbers.
    depth = np.maximum(_length(low ^ high), digits)
    group, rest = low >> depth, low & ((1 << depth) - 1)
    where = np.where(place < 0, starts % side + 4, place if asked else 0)
    ends = (starts == 0) * 1 + (stops == extent) * 2
    whole, cut = _groups(mask, axis, depth)
    differ = group ^ whole
    for _ in range(2 if asked else 1):
        differ &= differ - 1
    special = cut & (differ == 0)
    numbers = _digits(mask, group, depth, whole, asked)
    alike = [np.where(special, 0, one) for one in numbers]
    # The depth follows: low ^ high is rest ^ (rest + high - low), and the other numbers tell high - low.
    return [*alike, rest, where, ends, stops - starts, np.where(special, low + 1, 0)]


def _length(numbers: Whole) -> Whole:
    """Return the numbers of binary digits."""
    return np.asarray(np.frexp(numbers.astype(float))[1], dtype=np.int64)


def _groups(mask: ButterflyMask, axis: str, depth: Whole) -> tuple[Whole, NDArray[np.bool_]]:
    """Number of whole groups of 2^depth blocks; and whether there is another, of which a part is left out."""
    last = [mask.extents[one] - (mask.blocks - 1) * mask.sides[one] for one in (axis, OTHER_AXIS[axis])]
    is_whole = last == [mask.sides[one] for one in (axis, OTHER_AXIS[axis])]
    blocks = mask.blocks - (not is_whole)
    whole = blocks >> depth
    return whole, (whole << depth) != mask.blocks


def _digits(mask: ButterflyMask, group: Whole, depth: Whole, whole: Whole, asked: bool) -> list[Whole]:
    """How many partners groups have before and behind them; and, if asked, which of these have others where."""
    below, above = np.zeros_like(group), np.zeros_like(group)
    for digit in range(mask.digits):
        flipped = group ^ (1 << digit)
        below += flipped < group
        above += (flipped > group) & (flipped < whole)
    if not asked:
        return [below, above]
    # One bit for each partner, in their order: those before the group without partners behind it, and the others
    # without partners before it.
    behind, ahead = np.zeros_like(group), np.zeros_like(group)
    lowest = np.full_like(group, -1)
    for digit in range(mask.digits - 1, -1, -1):
        bit = 1 << digit
        is_set = (group & bit) > 0
        ends = (lowest < 0) | (group - bit + np.where(lowest < 0, 0, lowest) >= whole)
        behind = np.where(is_set, 2 * behind + ends, behind)
        lowest = np.where(is_set, lowest, bit)
    for digit in range(mask.digits):
        bit = 1 << digit
        is_partner = ((group & bit) == 0) & (group + bit < whole)
        ahead = np.where(is_partner, 2 * ahead + (group >> (digit + 1) == 0), ahead)
    return [below, above, behind, ahead]
