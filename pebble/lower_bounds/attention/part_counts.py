"""Pairs, queries and keys of every part of a mask, with and without the lines that have few pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks import BandMask, BlockToeplitzMask
from pebble.computations.masks.band_parts import band_parts
from pebble.computations.masks.grouped_mask import GroupedMask
from pebble.computations.masks.staircase import Intervals, where_apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks import Mask
    from pebble.computations.masks.band_parts import BandParts

    Whole = NDArray[np.int64]

__all__ = ["in_pieces", "part_counts"]


def part_counts(mask: Mask, thresholds: list[int]) -> tuple[list[Whole], Whole]:
    """Count what every part of a mask has: all of it, and what is left without the lines of few pairs.

    Parameters
    ----------
    mask : Mask
    thresholds : list of int
        Each above 1. Queries with fewer pairs are left out, and then keys that have fewer pairs with the others.

    Returns
    -------
    tables : list of ndarray of int64, shape (n, 3)
        Pairs, queries and keys of every part; the first table of all, then one for each threshold.
    repeats : ndarray of int64, shape (n,)
        How many parts each row stands for.

    Notes
    -----
    For a band, and for equal blocks on the diagonal, the cost is in proportion to the pieces of its ends, for others
    to the pairs looked at.
    """
    if (found := in_pieces(mask)) is not None:
        band, group, times = found
        tables, repeats = _of_band(band, thresholds, group)
        return [table * (group, group, 1) for table in tables], repeats * times
    if mask.connected and not thresholds:
        return [np.array([[mask.pairs, mask.present("i"), mask.present("j")]])], np.ones(1, dtype=np.int64)
    return _by_lines(mask, thresholds)


def in_pieces(mask: Mask) -> tuple[BandMask, int, int] | None:
    """Return the band that a mask repeats, how many queries each of its own stands for, and how often; or None."""
    if isinstance(mask, BandMask):
        return mask, 1, 1
    if isinstance(mask, GroupedMask) and isinstance(mask.inner, BandMask):
        return mask.inner, mask.group, 1
    if isinstance(mask, BlockToeplitzMask) and mask.block is not None:
        return mask.block, 1, mask.Nq // mask.period
    return None


def _by_lines(mask: Mask, thresholds: list[int]) -> tuple[list[Whole], Whole]:
    degrees = mask.degrees("i", np.ones(mask.Nk, dtype=bool))
    found = [_sums_of_lines(mask, degrees, mask.parts["j"] >= 0)]
    for least in thresholds:
        queries = degrees >= least
        keys = mask.degrees("j", queries) >= least
        found.append(_sums_of_lines(mask, np.where(queries, mask.degrees("i", keys), 0), keys))
    return found, np.ones(len(found[0]), dtype=np.int64)


def _sums_of_lines(mask: Mask, degrees: Whole, keys: NDArray[np.bool_]) -> Whole:
    """Sum up by parts, given each query's number of pairs and the keys that have any."""
    queries_of, keys_of = mask.parts["i"], mask.parts["j"]
    n_parts = int(queries_of.max()) + 1
    taken = degrees > 0
    pairs = np.bincount(queries_of[taken], weights=degrees[taken], minlength=n_parts)
    queries = np.bincount(queries_of[taken], minlength=n_parts)
    return np.stack([pairs.astype(np.int64), queries, np.bincount(keys_of[keys], minlength=n_parts)], axis=1)


def _of_band(band: BandMask, thresholds: list[int], group: int = 1) -> tuple[list[Whole], Whole]:
    """Count groups of queries; a key has the pairs of all queries in them."""
    parts = band_parts(*band.ends("i"))
    found = [_sums_of_band(band, parts, Intervals.all(band.Nq), where_apart(*band.ends("j"), 1))]
    for least in thresholds:
        queries = where_apart(*band.ends("i"), least)
        counting = queries.counting(band.Nq)
        low, high = (counting.of(ends) for ends in band.ends("j"))
        found.append(_sums_of_band(band, parts, queries, where_apart(low, high, -(-least // group))))
    return found, parts.repeats


def _sums_of_band(band: BandMask, parts: BandParts, queries: Intervals, keys: Intervals) -> Whole:
    """Sum up by parts, given the queries and keys that are not left out; keys have a pair with these queries."""
    keys_before = keys.counting(band.Nk)
    low, high = (keys_before.of(ends) for ends in band.ends("i"))
    queries &= where_apart(low, high, 1)
    queries_before = queries.counting(band.Nq)
    begin, end = parts.queries
    pairs_before = [queries.sum_before(high, at) - queries.sum_before(low, at) for at in (begin, end)]
    pairs = pairs_before[1] - pairs_before[0]
    n_queries = queries_before.at(end) - queries_before.at(begin)
    n_keys = keys_before.at(parts.keys[1]) - keys_before.at(parts.keys[0])
    # Of parts along a diagonal, each has its share.
    return np.stack([pairs, n_queries, n_keys], axis=1) // parts.repeats[:, None]
