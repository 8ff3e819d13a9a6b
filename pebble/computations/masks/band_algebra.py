"""Unions and intersections of bands: bands again, because ends that never go back can be put in order.

Count at each key how many intervals of a query cover it. The k-th smallest beginning and the k-th smallest end of
several bands, query by query, never go back either. At least r intervals cover a key if and only if it lies between
the beginning number k + r - 1 and the end number k, for some k. A union is what one of its parts covers; an
intersection is what all of them do, each a union of bands that share no pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from pebble.computations.masks.staircase import Staircase, union, where_apart

Ends = tuple[Staircase, Staircase]


def covered(bands: Sequence[Ends], least: int = 1) -> list[Ends]:
    """Return the bands of the pairs that at least ``least`` bands allow, each behind the one before in every query.

    Parameters
    ----------
    bands : sequence of (Staircase, Staircase)
        First key of each query and the one behind the last, of at least one band.
    least : int

    Examples
    --------
    The first key, and the query's own:

    >>> first = Staircase(4, 0, 0, 0), Staircase(4, 0, 1, 0)
    >>> own = Staircase(4, 0, 0, 1), Staircase(4, 0, 1, 1)
    >>> [[end.values(0, 4).tolist() for end in ends] for ends in covered([first, own])]
    [[[0, 0, 0, 0], [1, 1, 1, 1]], [[1, 1, 2, 3], [1, 2, 3, 4]]]
    """
    starts, stops = (in_order(ends) for ends in zip(*bands, strict=True))
    found: list[Ends] = []
    behind = starts[0]
    for start, stop in zip(starts[least - 1 :], stops, strict=False):
        start = in_order([start, behind])[1]
        behind = in_order([start, stop])[1]
        if not len(where_apart(start, behind, 1)):
            continue
        # Two bands with nothing between them in any query are one.
        if found and not len(where_apart(found[-1][1], start, 1)):
            start = found.pop()[0]
        found.append((start, behind))
    return found or [(behind, behind)]


def in_order(ends: Sequence[Staircase]) -> list[Staircase]:
    """Return staircases of which number k has, at every place, the k-th smallest of the given ones' values.

    >>> low, high = in_order([Staircase.clipped(5, 0, 0, 9), Staircase(5, 0, 2, 0)])
    >>> low.values(0, 5).tolist(), high.values(0, 5).tolist()
    ([0, 1, 2, 2, 2], [2, 2, 2, 3, 4])
    """
    starts = union(*(one.starts for one in ends))
    values = np.stack([one.at(starts) for one in ends])
    slopes = np.stack([one.slopes[one.piece(starts)] for one in ends])
    # In a piece one overtakes another where it is behind and goes up, while the other stays.
    lengths = np.diff(starts, append=ends[0].length)
    crossings = [starts]
    for one, other in combinations(range(len(ends)), 2):
        gap = (values[other] - values[one]) * (slopes[one] - slopes[other])
        crosses = (gap > 0) & (gap < lengths)
        crossings.append((starts + gap)[crosses])
    starts = union(*crossings)
    # Of equal values the one that stays is the smaller one, up to the next place at which anything changes.
    keys = [2 * one.at(starts) + one.slopes[one.piece(starts)] for one in ends]
    return [Staircase(ends[0].length, starts, key >> 1, key & 1) for key in np.sort(keys, axis=0)]
