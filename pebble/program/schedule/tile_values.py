"""Tile sizes worth comparing on long axes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks import Mask

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

_LENGTHS = 4


def grid(extent: int, ratio: float, *, counts: bool = False) -> Iterator[int]:
    """Yield the least size for each of ever more tiles of an axis, or these numbers of tiles."""
    number = 1
    while number < extent:
        yield number if counts else -(-extent // number)
        number = max(number + 1, int(number * ratio))
    yield extent if counts else 1


def even_cuts(extent: int, numbers: Iterable[int]) -> list[int]:
    """Return the least size for each of some numbers of tiles of an axis."""
    return list(dict.fromkeys(-(-extent // number) for number in numbers))


def leftovers(extent: int, others: Sequence[int]) -> list[int]:
    """Return what tiles of other sizes leave over of an axis, and the even cuts of these sizes."""
    found = []
    for size in others:
        tiles = extent // size
        found += [extent - n * size for n in range(max(tiles - 2, 0), tiles + 1)]
        found += [-(-size // n) for n in (1, 2, 3)]
        found += [-(-(extent - size) // n) for n in range(1, 5) if extent > size]
    return list(dict.fromkeys(found))


def suggested(problem: Problem, axis: str, most: int) -> list[int]:
    """Return the sizes up to one that the mask suggests."""
    if problem.mask is None or axis in ("k", "e"):
        return []
    return _aligned(problem.allowed, axis if axis in ("i", "j") else "i", most)


def _aligned(mask: Mask, axis: str, most: int) -> list[int]:
    """Return sizes of tiles of queries (``i``) or keys (``j``) that stand well to the mask, at most ``most``.

    For a length that the mask repeats, such as that of its documents, blocks or windows: the greatest multiple of it,
    or its greatest part, that is not larger than ``most``, then half of that.

    Examples
    --------
    >>> from pebble.computations.masks import make_mask
    >>> _aligned(make_mask("document:60,60,60", 180, 180), "i", 150)
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
    # Of masks in which a line has several intervals of partners, the text says more than the parts: all but its sinks.
    parts = [part for part in mask.steady_parts(axis) if part.stop - part.start > 2 and len(part.moves) == 2]
    if not parts:
        text = re.sub(r"(sink|streaming):\d+", "", mask.spec)
        named = [int(number) for number in re.findall(r"\d+", text)]
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
