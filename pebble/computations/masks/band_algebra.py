"""Unions and intersections of bands: bands again, because ends that never go back can be put in order.

Count at each key how many intervals of a query cover it. The k-th smallest beginning and the k-th smallest end of
several bands, query by query, never go back either. At least r intervals cover a key if and only if it lies between
the beginning number k + r - 1 and the end number k, for some k. A union is what one of its parts covers; an
intersection is what all of them do, each a union of bands that share no pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.staircase import Staircase, union, where_apart
from pebble.computations.masks.union_mask import UnionMask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Ends = tuple[Staircase, Staircase]

__all__ = ["covered", "in_order"]


def covered(spec: str, masks: Sequence[BandMask | UnionMask], least: int) -> BandMask | UnionMask:
    """Return the pairs that at least so many masks allow: with 1 their union, with all their intersection.

    Parameters
    ----------
    spec : str
    masks : sequence of BandMask or UnionMask
        At least one, all of the same numbers of queries and keys.
    least : int
        From 1 to the number of masks.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask, window_mask
    >>> covered("both", [causal_mask(4, 4), window_mask(4, 4, 0, 1)], 2)
    <Mask both: 4 of 16 pairs>
    """
    bands = [band for mask in masks for band in mask.bands]
    starts, stops = (in_order([band.ends("i")[which] for band in bands]) for which in (0, 1))
    found: list[Ends] = []
    behind = starts[0]
    for start, stop in zip(starts[least - 1 :], stops, strict=False):
        start = in_order([start, behind])[1]
        behind = in_order([start, stop])[1]
        if not len(where_apart(start, behind, 1)):
            continue
        # Two bands with nothing between them in any query are one.
        joins = bool(found) and not len(where_apart(found[-1][1], start, 1))
        found[-1:] = [(found[-1][0], behind)] if joins else [*found[-1:], (start, behind)]
    none = (behind, behind)
    made = [BandMask(spec, bands[0].Nk, *ends) for ends in found or [none]]
    return made[0] if len(made) == 1 else UnionMask(spec, made)


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
    behind = np.append(starts[1:], ends[0].length)
    crossings = [starts]
    for one, other in combinations(range(len(ends)), 2):
        gap = (values[other] - values[one]) * (slopes[one] - slopes[other])
        crosses = (gap > 0) & (gap < behind - starts)
        crossings.append((starts + gap)[crosses])
    starts = union(*crossings)
    # Of equal values the one that stays is the smaller one, up to the next place at which anything changes.
    keys = [2 * one.at(starts) + one.slopes[one.piece(starts)] for one in ends]
    return [Staircase(ends[0].length, starts, key >> 1, key & 1) for key in np.sort(keys, axis=0)]
