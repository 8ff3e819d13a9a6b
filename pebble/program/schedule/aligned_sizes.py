"""Tile sizes that a mask suggests: lengths of its parts, widths of its windows, and multiples and fractions of them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from math import gcd

import numpy as np

from pebble.computations.masks import ButterflyMask, Mask

__all__ = ["aligned_sizes", "has_full_tile", "repeating_size", "tile_period"]

_LENGTHS = 4
_LOOKS = 16
_LONG = 1 << 15
_LOOKED_AT = 1 << 12
_SLACK = {128: 32, 32: 4, 0: 2}
"""On axes from ``_LONG`` lines on a size, from so many on, may be one part in so many smaller to repeat soon."""


def tile_period(mask: Mask) -> int:
    """Return what tiles should have large common factors with: the mask's period, or a butterfly's block."""
    return mask.sides["j"] if isinstance(mask, ButterflyMask) else mask.period


def repeating_size(mask: Mask, size: int, part: int | None = None) -> int:
    """Return a size of tiles that repeat soon with a mask's period: the one given, or one hardly smaller.

    On long axes counts of tiles are summed, and verified, by the tiles after which cuts and mask repeat. If ``part``
    is given it may be one part in so many smaller, on axes of any length.

    Examples
    --------
    >>> from pebble.computations.masks import make_mask
    >>> mask = make_mask("strided:1024", 10**6, 10**6)
    >>> repeating_size(mask, 391), repeating_size(mask, 3000)
    (384, 2944)
    >>> repeating_size(mask, 158), repeating_size(mask, 158, 4)
    (156, 128)
    """
    period = tile_period(mask)
    if period == 1 or (part is None and max(mask.extents.values()) < _LONG):
        return size
    usual = next(part for least, part in _SLACK.items() if size >= least)
    part = usual if part is None else min(part, usual)
    # Among so many sizes as the period is long there is a multiple of it.
    near = range(size, size - min(size // part, period, _LOOKED_AT) - 1, -1)
    return max(near, key=lambda other: (gcd(other, period), other), default=size)


def aligned_sizes(mask: Mask, axis: str, most: int) -> list[int]:
    """Return sizes of tiles of queries (``i``) or keys (``j``) that stand well to the mask, at most ``most``.

    For a length that the mask repeats, such as that of its documents, blocks or windows: the greatest multiple of it,
    or its greatest part, that is not larger than ``most``, then half of that.

    Examples
    --------
    >>> from pebble.computations.masks import make_mask
    >>> aligned_sizes(make_mask("document:60,60,60", 180, 180), "i", 150)
    [120, 60, 30]
    """
    found: list[int] = []
    for length in _lengths(mask, axis):
        if length <= most:
            found += [most // length * length, length, -(-length // 2)]
        else:
            parts = -(-length // most)
            found += [-(-length // parts), -(-length // (parts + 1))]
    return [size for size in dict.fromkeys(found) if 1 <= size <= most]


@lru_cache(maxsize=256)
def _lengths(mask: Mask, axis: str) -> tuple[int, ...]:
    """Return lengths that occur in a mask, the most frequent first."""
    extent = mask.extents[axis]
    # Of masks in which a line has several intervals of partners, the text says more than the parts.
    parts = [part for part in mask.steady_parts(axis) if part.stop - part.start > 2 and len(part.moves) == 2]
    if not parts:
        named = [int(number) for number in re.findall(r"\d+", mask.spec)]
        return tuple(length for length in dict.fromkeys(named) if 1 < length < extent)[:_LENGTHS]
    starts = [part.start for part in parts] + [extent]
    common = Counter(b - a for a, b in pairwise(starts)).most_common(_LENGTHS)
    lines = np.array([(part.start + part.stop - 1) // 2 for part in parts], dtype=np.int64)
    widths = mask.last_of(axis, lines) - mask.first_of(axis, lines) + 1
    wide = Counter(
        int(width) for width, part in zip(widths, parts, strict=True) if part.moves == (True, True)
    )
    lengths = [length for length, _ in common] + [width for width, _ in wide.most_common(2)]
    return tuple(length for length in dict.fromkeys(lengths) if 1 < length < extent)


def has_full_tile(mask: Mask, rows: int, cols: int) -> bool:
    """Whether some tile of so many queries and keys, of a few that are looked at, has nearly all its pairs.

    Examples
    --------
    >>> from pebble.computations.masks import make_mask
    >>> mask = make_mask("window:8", 64, 64)
    >>> has_full_tile(mask, 4, 4), has_full_tile(mask, 16, 4)
    (True, False)
    """
    blocks = max(mask.Nq // rows, 1)
    # An odd step, so that not all rows looked at are at the same place of a block whose length is a power of two.
    for number in range(0, blocks, blocks // _LOOKS | 1):
        queries = (number * rows, min((number + 1) * rows, mask.Nq))
        line = np.array([(queries[0] + queries[1] - 1) // 2], dtype=np.int64)
        first, last = int(mask.first_of("i", line)[0]), int(mask.last_of("i", line)[0])
        middle = (first + last) // 2
        for near in (middle - cols // 2, middle, last - rows - cols):
            start = max(min(near, mask.Nk - 1), 0) // cols * cols
            keys = (start, min(start + cols, mask.Nk))
            if mask.count(queries, keys) >= 0.97 * (queries[1] - queries[0]) * (keys[1] - keys[0]):
                return True
    return False
