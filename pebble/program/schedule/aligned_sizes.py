"""Tile sizes that a mask suggests: lengths of its parts, widths of its windows, and multiples and fractions of them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise

import numpy as np

from pebble.computations.masks import Mask

__all__ = ["aligned_sizes"]

_LENGTHS = 4


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
