"""The six questions to a band, answered from the pieces of its ends; nothing costs in proportion to its lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.questions import Questions, Runs, check_tiles
from pebble.computations.masks.staircase import Intervals, first_of_equals, union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.staircase import Staircase

    Whole = NDArray[np.int64]
    Places = tuple[Whole, Whole]


class Band(Protocol):
    """What is asked of a band, see :class:`.BandMask`."""

    extents: dict[str, int]

    def ends(self, axis: str) -> tuple[Staircase, Staircase]:
        """First partner of every line, and the one behind its last."""

    def present_lines(self, axis: str) -> Intervals:
        """Lines that have any pair."""


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
    bands: Sequence[Band], axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole
) -> Runs:
    """Return the tiles of loops that see partners [p, q) in any band, and some more, in runs.

    Each band has the partners of a line behind those of the band before.

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

    row, place = _breaks(bands, seen, axis, (w0, w1), (p, q), low, high)
    inside = np.flatnonzero(row[1:] == row[:-1])
    row, begin, end = row[inside], place[inside], place[inside + 1]
    taken = np.flatnonzero(end - begin > tile[row])
    row, begin, end = (array[taken] for array in (row, begin, end))
    plain = np.ones(len(row), dtype=bool)
    for band, one in zip(bands, seen, strict=True):
        plain &= ~_on_ramp(band, one, axis, row, begin)
    return runs_between(row, begin, end, plain, (rows, w0, tile, low, high))


def runs_between(
    row: Whole,
    begin: Whole,
    end: Whole,
    plain: NDArray[np.bool_],
    loops: tuple[Whole, Whole, Whole, Whole, Whole],
    unit: Whole | None = None,
) -> Runs:
    """Return the tiles of loops, in runs of those between two places at which something changes; the others alone.

    Parameters
    ----------
    row, begin, end : ndarray of int64
        Which of the loops, never decreasing, and two places in it, in order.
    plain : ndarray of bool
        Whether the lines between them are alike; if not, single lines are a group, and other tiles stand alone.
    loops : (ndarray, ...)
        Numbers of the loops, where they begin, their tiles, the first line that is visited and the one behind the last.
    unit : ndarray of int64, optional
        How many tiles between the two places are a group that comes again and again; one by default.
    """
    rows, w0, tile, low, high = loops
    begins = -((w0[row] - begin) // tile[row])
    ends = (end - w0[row]) // tile[row]
    unit = np.ones_like(row) if unit is None else unit
    ends = begins + (ends - begins) // unit * unit
    kept = (ends - begins > unit) & (plain | (tile[row] == 1))
    found = row[kept], begins[kept], ends[kept], plain[kept]
    runs = _with_single_tiles(*found, rows, (low - w0) // tile, -((w0 - high) // tile))
    again = runs.times > 1
    if again.any():
        runs.length[again] = unit[kept & plain]
        runs.times[again] //= runs.length[again]
    return runs


def _seen(band: Band, axis: str, w0: Whole, w1: Whole, p: Whole, q: Whole) -> _Seen:
    start, stop = band.ends(axis)
    first, behind = np.maximum(stop.upto(p), w0), np.minimum(start.below(q), w1)
    return _Seen(first, behind, stop.below(q), start.upto(p))


def _breaks(
    bands: Sequence[Band],
    seen: list[_Seen],
    axis: str,
    loops: tuple[Whole, Whole],
    partners: tuple[Whole, Whole],
    low: Whole,
    high: Whole,
) -> Places:
    """Return rows and places, in order: ``low``, ``high`` and where tiles may become unlike the ones before.

    Where lines come to see a partner, the tile that begins there is the first one with a pair for it; so the place
    behind is a break too. Where they cease to, so is the place before.
    """
    width = int(high.max(initial=0)) + 1
    every = np.arange(len(low)) * width
    keys = [every + low, every + high]
    for number, (band, one) in enumerate(zip(bands, seen, strict=True)):
        start, stop = band.ends(axis)
        first, behind, reach, leave = one
        met, met_by_all = _met_again(bands, number, axis, *loops)
        turns = [first, first + 1, reach, reach + 1, leave - 1, leave, behind - 1, behind]
        turns += [start.below(partners[0]), stop.upto(partners[1]), *met]
        keys.append((every + np.minimum(np.maximum(turns, low), high)).reshape(-1))
        taken = band.present_lines(axis)
        for where, lowest, highest, step in (
            (stop.starts, first, np.minimum(reach, behind), 1),
            (start.starts, np.maximum(leave, first), behind, -1),
            (union(taken.begins, taken.ends, *met_by_all), low, high, 0),
        ):
            row, place = _strictly_between(where, lowest, highest)
            if len(row):
                keys += [row * width + place, row * width + np.clip(place + step, low[row], high[row])]
    found = union(*keys)
    return found // width, found % width


def _met_again(
    bands: Sequence[Band], number: int, axis: str, w0: Whole, w1: Whole
) -> tuple[list[Whole], list[Whole]]:
    """Return the lines from which on partners that a band comes to show, or ceases to, are shown by others or not.

    Each band has partners behind those of the one before; so what it shows others have shown to lines before, or will
    show to lines behind. Of that say places for each loop, and places for all, both where the answer changes.
    """
    start, stop = bands[number].ends(axis)
    of_loops, of_all = [], []
    for at, other in enumerate(bands):
        begin, end = other.ends(axis)
        lines = other.present_lines(OTHER_AXIS[axis])
        if at > number and stop.slopes.any():
            of_loops.append(stop.upto(begin.at(w0)))
            of_all += [stop.upto(lines.begins), stop.upto(lines.ends)]
        elif at < number and start.slopes.any():
            of_loops.append(start.below(end.at(w1 - 1)))
            of_all += [start.below(lines.begins), start.below(lines.ends)]
    return of_loops, of_all


def _strictly_between(places: Whole, low: Whole, high: Whole) -> Places:
    """Return which of some places, in order, lie strictly between bounds: rows, and places.

    >>> _strictly_between(np.array([2, 4, 5]), np.array([0, 4]), np.array([5, 9]))
    (array([0, 0, 1]), array([2, 4, 5]))
    """
    begins = places.searchsorted(low, side="right")
    number = np.maximum(places.searchsorted(high) - begins, 0)
    row = np.repeat(np.arange(len(low)), number)
    return row, places[np.arange(len(row)) - (np.cumsum(number) - number - begins)[row]]


def _on_ramp(band: Band, seen: _Seen, axis: str, row: Whole, begin: Whole) -> NDArray[np.bool_]:
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
    row = np.concatenate([row, np.arange(len(first))])
    order = row.argsort(kind="stable")
    row = row[order]
    begins, ends = (np.concatenate([own, behind])[order] for own in (begins, ends))
    plain = np.concatenate([plain, np.ones(len(first), dtype=bool)])[order]
    since = np.zeros_like(ends)
    since[1:] = ends[:-1]
    new = first_of_equals(row)
    since[new] = first[row[new]]
    number = begins - since + (begins < ends)
    check_tiles(int(number.sum()))
    entry = np.repeat(np.arange(len(row)), number)
    tile = np.arange(len(entry)) - (np.cumsum(number) - number - since)[entry]
    number = np.where(tile == begins[entry], (ends - begins)[entry], 1)
    alike = plain[entry]
    return Runs(names[row[entry]], tile, np.where(alike, 1, number), np.where(alike, number, 1))


class BandQuestions(Questions):
    """The answers of a band; lines may be without pairs.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> asked = BandQuestions(causal_mask(10**9, 10**9))
    >>> low, high = np.array([0, 10**8]), np.array([10**8, 10**9])
    >>> asked.pairs("i", low, high, low, high).tolist()
    [5000000050000000, 405000000450000000]
    """

    rises = partners_rise = rises_in_parts = True

    def __init__(self, mask: Band) -> None:
        super().__init__(mask.extents)
        self._mask = mask

    @cached_property
    def _present(self) -> dict[str, Staircase | None]:
        """Number of lines with any pair before each place of an axis; None where all have some."""
        taken = {axis: self._mask.present_lines(axis) for axis in self.extents}
        return {
            axis: None if taken[axis] == Intervals.all(extent) else taken[axis].counting(extent)
            for axis, extent in self.extents.items()
        }

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        low, high, first, behind = (x0, x1, p, q) if axis == "i" else (p, q, x0, x1)
        total = np.zeros_like(low)
        # A query has key - start pairs before a key, less key - stop, where above 0: take them of q and of p.
        for ends, sign in zip(self._mask.ends("i"), (1, -1), strict=True):
            for key, times in ((behind, sign), (first, -sign)):
                upto = np.minimum(np.maximum(ends.below(key), low), high)
                total += times * ((upto - low) * key - ends.sum_before(upto))
        return total

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        present = self._present[axis]
        return x1 - x0 if present is None else present.at(x1) - present.at(x0)

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines that have begun before a place: those with pairs among the first ones."""
        return self.present(axis, x0, self._beginning(axis, x0, x1, place))

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line that begins in [p, q)."""
        low, high = self._beginning(axis, x0, x1, p), self._beginning(axis, x0, x1, q)
        if (present := self._present[axis]) is not None:
            high = present.below(present.at(high))
        return np.where(low < high, high, x0)

    def has(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> NDArray[np.bool_]:
        """Whether boxes hold any pair."""
        return self.lines_seen(axis, x0, x1, p, q) > 0

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines with a partner in [p, q): those that end behind p and begin before q."""
        start, stop = self._mask.ends(axis)
        low, high = np.maximum(stop.upto(p), x0), np.minimum(start.below(q), x1)
        return np.where((p < q) & (low < high), self.present(axis, low, np.maximum(low, high)), 0)

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return the tiles that see [p, q), in runs between the places where anything changes."""
        return band_runs((self._mask,), axis, w0, w1, tile, p, q)

    def _beginning(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Return up to where the lines of [x0, x1) that have pairs begin before a place."""
        return np.minimum(np.maximum(self._mask.ends(axis)[0].below(place), x0), x1)
