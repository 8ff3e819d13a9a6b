"""Queries of a mask that all see the same keys, for the bound D."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.lower_bounds.attention.triangles import QueryIntervals

    Whole = NDArray[np.int64]

__all__ = ["find_rectangle"]

_PLACES = 64
"""So many first queries, and as many last ones, are tried, and then ever closer ones around the best."""


def find_rectangle(intervals: QueryIntervals, d: int, dv: int) -> tuple[int, int]:
    """Return how many queries and keys a good rectangle has: queries that follow each other, and keys they all see.

    Parameters
    ----------
    intervals : QueryIntervals
        Of each query the first key and the one behind the last.
    d, dv : int
        Head dimensions, which say what a rectangle is worth.

    Returns
    -------
    queries, keys : int
        The best that was found; keys may be 0.

    Examples
    --------
    A causal mask:

    >>> from pebble.lower_bounds.attention.triangles import QueryIntervals
    >>> rows = np.arange(1000)
    >>> find_rectangle(QueryIntervals.from_arrays(rows * 0, rows + 1), 8, 8)
    (500, 501)
    """
    number = intervals.number
    if not number:
        return 0, 0
    step = -(-number // _PLACES)
    pieces = intervals.firsts[:: -(-len(intervals.firsts) // _PLACES)]
    places = np.unique(np.concatenate([np.arange(0, number, step), pieces, pieces - 1]).clip(0, number - 1))
    first, last = _best(intervals, places, places, d, dv)
    while step > 1:
        near, step = np.arange(-16, 17) * -(-step // 16), -(-step // 16)
        first, last = _best(
            intervals, (first + near).clip(0, number - 1), (last + near).clip(0, number - 1), d, dv
        )
    keys = int(intervals.end(1, np.array(first)) - intervals.end(0, np.array(last)))
    return last - first + 1, max(keys, 0)


def _best(intervals: QueryIntervals, firsts: Whole, lasts: Whole, d: int, dv: int) -> tuple[int, int]:
    """Return the first and the last query of the rectangle that is worth the most, with the greatest τ and σ."""
    queries = (lasts[None, :] - firsts[:, None] + 1).astype(float)
    keys = (intervals.end(1, firsts)[:, None] - intervals.end(0, lasts)[None, :]).astype(float)
    tau, sigma = np.minimum(d, queries), np.minimum(d, keys - 1)
    terms = (
        (queries - tau + 1) * (dv + sigma),
        (queries - tau) * sigma + tau * (keys - sigma),
        (tau + dv) * (keys - sigma),
    )
    worth = np.where((queries >= 1) & (keys >= 2), np.minimum.reduce(terms), -1.0)
    row, column = np.unravel_index(int(worth.argmax()), worth.shape)
    return int(firsts[row]), int(lasts[column])
