"""Tiles of loops that look alike under a band, or under several without a pair in common, in runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.computations.masks.questions import Runs, check_tiles
from pebble.computations.masks.staircase import union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.band_mask import BandMask

    Whole = NDArray[np.int64]
    Places = tuple[Whole, Whole]

__all__ = ["band_runs"]


class _Seen(NamedTuple):
    """Of a band, which lines of [w0, w1) see partners [p, q), and where what they see changes.

    Attributes
    ----------
    first, behind : ndarray of int64
        The lines that see any: [first, behind), perhaps some without any pair among them.
    reach, leave : ndarray of int64
        Lines before ``reach`` end before q; lines from ``leave`` on begin behind p.
    """

    first: Whole
    behind: Whole
    reach: Whole
    leave: Whole


def band_runs(
    bands: Sequence[BandMask], axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole
) -> Runs:
    """Return the tiles of loops that see partners [p, q) in any band, and some more, in runs.

    Between two neighbouring breaks all lines see the same partners and have the same flags, or each line sees another
    one's (an end goes up by one). There single lines are a group that comes once, and other tiles runs of their own, as
    a tile with a break inside is.
    """
    seen = [_seen(band, axis, w0, w1, p, q) for band in bands]
    low = np.min([np.where(one.first < one.behind, one.first, w1) for one in seen], axis=0)
    high = np.max([np.where(one.first < one.behind, one.behind, w0) for one in seen], axis=0)
    rows = np.flatnonzero((p < q) & (low < high))
    low, high, w0, w1, tile, p, q = (array[rows] for array in (low, high, w0, w1, tile, p, q))
    seen = [_Seen(*(array[rows] for array in one)) for one in seen]

    row, place = _breaks(bands, seen, axis, p, q, low, high)
    inside = np.flatnonzero(row[1:] == row[:-1])
    row, begin, end = row[inside], place[inside], place[inside + 1]
    begins = -((w0[row] - begin) // tile[row])
    ends = (end - w0[row]) // tile[row]
    taken = np.flatnonzero(ends - begins > 1)
    row, begin, begins, ends = (array[taken] for array in (row, begin, begins, ends))
    plain = np.ones(len(row), dtype=bool)
    for band, one in zip(bands, seen, strict=True):
        plain &= ~_on_ramp(band, one, axis, row, begin)
    kept = plain | (tile[row] == 1)
    found = row[kept], begins[kept], ends[kept], plain[kept]
    return _with_single_tiles(*found, rows, (low - w0) // tile, -((w0 - high) // tile))


def _seen(band: BandMask, axis: str, w0: Whole, w1: Whole, p: Whole, q: Whole) -> _Seen:
    start, stop = band.ends(axis)
    first, behind = np.maximum(stop.upto(p), w0), np.minimum(start.below(q), w1)
    return _Seen(first, behind, stop.below(q), start.upto(p))


def _breaks(
    bands: Sequence[BandMask], seen: list[_Seen], axis: str, p: Whole, q: Whole, low: Whole, high: Whole
) -> Places:
    """Return rows and places, in order: ``low``, ``high`` and where tiles may become unlike the ones before.

    Where lines come to see a partner, the tile that begins there is the first one with a pair for it; so the place
    behind is a break too. Where they cease to, so is the place before.
    """
    width = int(high.max(initial=0)) + 1
    every = np.arange(len(low)) * width
    keys = [every + low, every + high]
    for band, one in zip(bands, seen, strict=True):
        start, stop = band.ends(axis)
        first, behind, reach, leave = one
        for places in (first, first + 1, reach, reach + 1, leave - 1, leave, behind - 1, behind):
            keys.append(every + np.clip(places, low, high))
        for places in (start.below(p), stop.upto(q)):
            keys.append(every + np.clip(places, low, high))
        taken = band.present_lines(axis)
        for where, lowest, highest, step in (
            (stop.starts, first, np.minimum(reach, behind), 1),
            (start.starts, np.maximum(leave, first), behind, -1),
            (union(taken.begins, taken.ends), low, high, 0),
        ):
            row, place = _strictly_between(where, lowest, highest)
            keys += [row * width + place, row * width + np.clip(place + step, low[row], high[row])]
    found = union(*keys)
    return found // width, found % width


def _strictly_between(places: Whole, low: Whole, high: Whole) -> Places:
    """Return which of some places, in order, lie strictly between bounds: rows, and places.

    >>> _strictly_between(np.array([2, 4, 5]), np.array([0, 4]), np.array([5, 9]))
    (array([0, 0, 1]), array([2, 4, 5]))
    """
    begins = places.searchsorted(low, side="right")
    number = np.maximum(places.searchsorted(high) - begins, 0)
    row = np.repeat(np.arange(len(low)), number)
    return row, places[np.arange(len(row)) - (np.cumsum(number) - number - begins)[row]]


def _on_ramp(band: BandMask, seen: _Seen, axis: str, row: Whole, begin: Whole) -> NDArray[np.bool_]:
    """Whether from line to line, from a break to the next, which is not the next line, a band shows other partners."""
    first, behind, reach, leave = (array[row] for array in seen)
    start, stop = band.ends(axis)
    sees = (first <= begin) & (begin < behind)
    coming = (begin < reach) & (stop.slopes[stop.piece(begin)] == 1)
    going = (begin >= leave) & (start.slopes[start.piece(begin)] == 1)
    return np.asarray(sees & (coming | going))


def _with_single_tiles(
    row: Whole,
    begins: Whole,
    ends: Whole,
    plain: NDArray[np.bool_],
    names: Whole,
    first: Whole,
    behind: Whole,
) -> Runs:
    """Return runs: tiles [begins, ends) of rows as one each, alike or not, the others of [first, behind) alone."""
    # Of every row the runs, and then its end: before each of them come the single tiles since the one before.
    order = np.append(row, np.arange(len(first))).argsort(kind="stable")
    row = np.append(row, np.arange(len(first)))[order]
    begins, ends = np.append(begins, behind)[order], np.append(ends, behind)[order]
    plain = np.append(plain, np.ones(len(first), dtype=bool))[order]
    since = np.append(0, ends[:-1])[: len(ends)]
    new = np.append(True, row[1:] != row[:-1])[: len(row)]
    since[new] = first[row[new]]
    number = begins - since + (begins < ends)
    check_tiles(int(number.sum()))
    entry = np.repeat(np.arange(len(row)), number)
    tile = np.arange(len(entry)) - (np.cumsum(number) - number - since)[entry]
    number = np.where(tile == begins[entry], (ends - begins)[entry], 1)
    alike = plain[entry]
    return Runs(names[row[entry]], tile, np.where(alike, 1, number), np.where(alike, number, 1))
