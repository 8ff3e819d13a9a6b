"""What the lines of a given mask are like, as far as a proof for that mask alone asks."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS

if TYPE_CHECKING:
    from pebble.computations.masks.mask import Interval, Mask

_MOST_PAIRS = 2**26
"""Pairs that are looked at one by one, where lines are not intervals of partners."""
_CHUNK = 2**22


def shown_lines(
    mask: Mask, axis: str, lines: Interval, cuts: list[int]
) -> tuple[list[tuple[int, ...]], bool] | None:
    """Return in which parts of the other axis lines of an interval have pairs, and whether each line is an interval.

    Parameters
    ----------
    mask : Mask
    axis : str
    lines : (int, int)
    cuts : list of int
        Where the parts of the other axis begin, and its length.

    Returns
    -------
    tuple of list of tuple of int and bool, or None
        A tuple of 0 and 1, for each part, of every kind of line with pairs. None: too much would have to be looked at.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> shown_lines(causal_mask(4, 4), "i", (0, 3), [0, 2, 4])
    ([(1, 0), (1, 1)], True)
    """
    start, stop = lines
    first, last = mask.first(axis, lines), mask.last(axis, lines)
    whole = last >= 0
    length = int((last - first + 1)[whole].sum())
    partners = 0, mask.extents[OTHER_AXIS[axis]]
    if mask.count(*((lines, partners) if axis == "i" else (partners, lines))) == length:
        has = np.stack([(first < b) & (last >= a) & whole for a, b in pairwise(cuts)], axis=1)
        return _kinds(has), True
    if (stop - start) * partners[1] > _MOST_PAIRS:
        return None
    step = max(1, _CHUNK // partners[1])
    kinds: set[tuple[int, ...]] = set()
    for low in range(start, stop, step):
        pairs = mask.lines_matrix(axis, (low, min(low + step, stop)), partners)
        kinds.update(_kinds(np.logical_or.reduceat(pairs, cuts[:-1], axis=1)))
    return sorted(kinds), False


def _kinds(has: np.ndarray) -> list[tuple[int, ...]]:
    """Return the rows that differ, but those without any pair."""
    return [tuple(row) for row in np.unique(has, axis=0).astype(int).tolist() if any(row)]
