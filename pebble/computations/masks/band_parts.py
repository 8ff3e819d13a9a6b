"""The connected components (parts) of a band, without an array of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.computations.masks.staircase import Staircase, common_pieces, union, where_apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]


class BandParts(NamedTuple):
    """Parts of a band in order: each an interval of queries and one of keys.

    Attributes
    ----------
    queries, keys : Intervals-like pairs of ndarray of int64
        Beginnings and ends. Queries that attend to nothing may lie inside; all the keys belong to the part.
    repeats : ndarray of int64
        Where above 1, how many parts of one query and one key each the entry stands for, along a diagonal.
    """

    queries: tuple[Whole, Whole]
    keys: tuple[Whole, Whole]
    repeats: Whole


def band_parts(start: Staircase, stop: Staircase) -> BandParts:
    """Return the parts of the band in which query i attends to the keys ``start[i]`` to ``stop[i] - 1``.

    >>> start, stop = Staircase.from_values([0, 0, 3]), Staircase.from_values([1, 2, 4])
    >>> band_parts(start, stop)
    BandParts(queries=(array([0, 2]), array([2, 3])), keys=(array([0, 3]), array([2, 4])), repeats=array([1, 1]))
    """
    begins, ends, diagonal = _connected(start, stop)
    # One piece goes on the part of the piece before if its first query shares a key with the last query there.
    first, last = start.at(begins), stop.at(ends - 1)
    new = np.append(True, first[1:] >= last[:-1])[: len(begins)]
    closes = np.append(new[1:], True)[: len(begins)]
    return BandParts(
        (begins[new], ends[closes]),
        (first[new], last[closes]),
        np.where(diagonal, ends - begins, 1)[new],
    )


def _connected(start: Staircase, stop: Staircase) -> tuple[Whole, Whole, NDArray[np.bool_]]:
    """Intervals of queries with keys that are connected in themselves, or where each query is a part of its own.

    Neighbours in a piece share a key, but where each has one key and the next one the next key: a diagonal. Its first
    and last query may belong to other parts and stand alone here.
    """
    starts, lengths, heights, slopes = common_pieces(start, stop)
    present = where_apart(start, stop, 1)
    bounds = union(starts, starts + lengths, present.begins, present.ends)
    begins, ends = bounds[:-1], bounds[1:]
    piece = starts.searchsorted(begins, side="right") - 1
    diagonal = (slopes[0] == 1) & (slopes[1] == 1) & (heights[1] - heights[0] == 1)
    cut = diagonal[piece]
    middle = np.minimum(begins + 1, ends), np.maximum(ends - 1, begins + 1)
    bounds = union(bounds, middle[0][cut], middle[1][cut])
    begins, ends = bounds[:-1], bounds[1:]
    piece = starts.searchsorted(begins, side="right") - 1
    taken = start.at(begins) < stop.at(begins)
    return begins[taken], ends[taken], (diagonal[piece] & (ends - begins > 1))[taken]
