"""Triangles and rectangles in a mask, looked for where the keys of each query are an interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.masks.band_mask import BandMask, steady_ends
from pebble.computations.masks.grouped_mask import GroupedMask
from pebble.computations.masks.staircase import Intervals, Staircase, union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks import Mask

    Whole = NDArray[np.int64]

MOST_QUERIES = 2**21
"""Masks that are not bands, or that have queries without keys, are examined up to this many queries."""

_MOST_IN_GROUPS = 2**24
"""Bands whose queries come in groups are examined up to this many queries."""

MOST_TRIES = 4096
"""So many triangles are looked for, those that repeat once only; what comes after them is left out."""


class Triangle(NamedTuple):
    """Some queries of an interval, as many as there are keys, of which the n-th sees at least the first n keys.

    Attributes
    ----------
    size : int
        Number of queries, and of keys.
    queries, keys : tuple of int
        First query and the one behind the last; so with the keys, which are all taken.
    repeats : int
        How many such triangles there are, each as many queries and keys further as the interval of queries is long.
    """

    size: int
    queries: tuple[int, int]
    keys: tuple[int, int]
    repeats: int = 1


class QueryIntervals:
    """Of each query the first key and the one behind its last; both never decrease from query to query.

    Parameters
    ----------
    firsts : ndarray of int
        First row of every piece, and at last the number of rows.
    start, stop : ndarray of int
        First key and the one behind the last, of the first row of every piece.
    moves : ndarray of int, shape (pieces, 2)
        Whether ``start`` and ``stop`` move by one from row to row: 0 or 1.
    group : int
        Queries that each row stands for.
    """

    def __init__(self, firsts: Whole, start: Whole, stop: Whole, moves: Whole, group: int = 1) -> None:
        self.firsts, self._ends, self.moves, self.group = firsts, (start, stop), moves, group
        self.number = int(firsts[-1]) * group

    @classmethod
    def from_arrays(cls, start: Whole, stop: Whole) -> QueryIntervals:
        """Make them of both ends of every query."""
        moved = np.stack([np.diff(start), np.diff(stop)], axis=1)
        turned = (moved[1:] != moved[:-1]).any(axis=1)
        new = (moved > 1).any(axis=1) | np.append(False, turned)[: len(moved)]
        firsts = np.append(0, np.flatnonzero(new) + 1)
        # A query before a jump is a piece of its own or the last one of a piece: its moves are not asked for.
        moves = np.append(moved, [[0, 0]], axis=0)[firsts]
        return cls(np.append(firsts, len(start)), start[firsts], stop[firsts], np.minimum(moves, 1))

    @classmethod
    def from_mask(cls, mask: Mask) -> QueryIntervals:
        """Make them of a mask, its queries sorted by their ends; those without keys are left out."""
        inner, group = (mask.inner, mask.group) if isinstance(mask, GroupedMask) else (mask, 1)
        few = group == 1 or mask.Nq <= _MOST_IN_GROUPS
        if isinstance(inner, BandMask) and inner.present("i") == inner.Nq and few:
            return cls._from_band(*inner.ends("i"), group)
        if mask.Nq > MOST_QUERIES:
            raise BoundDoesNotApply(
                f"causal triangles need at most {MOST_QUERIES:,} queries, or a band in which every query "
                f"has keys; {mask.spec} has {mask.Nq:,} queries"
            )
        start, stop = mask.first("i"), mask.last("i") + 1
        taken = stop > 0
        start, stop = start[taken], stop[taken]
        if mask.pairs != int((stop - start).sum()):
            raise BoundDoesNotApply(
                f"causal triangles need masks where each query's keys are an interval, unlike {mask.spec}"
            )
        order = np.lexsort((start, stop))
        start, stop = start[order], stop[order]
        if (np.diff(start) < 0).any():
            raise BoundDoesNotApply(
                "causal triangles need masks where the ends of the queries' intervals rise together, "
                f"unlike {mask.spec}"
            )
        return cls.from_arrays(start, stop)

    @classmethod
    def _from_band(cls, start: Staircase, stop: Staircase, group: int) -> QueryIntervals:
        begins, stops, moved = steady_ends((start, stop))
        # A run's last query may be the next one's first. Queries in no run are pieces of their own.
        firsts = union(begins, Intervals(np.append(0, stops), np.append(begins, start.length)).lines())
        moves = np.zeros((len(firsts), 2), dtype=np.int64)
        moves[firsts.searchsorted(begins)] = moved
        return cls(np.append(firsts, start.length), start.at(firsts), stop.at(firsts), moves, group)

    def _piece(self, rows: Whole) -> Whole:
        """Return the pieces of some rows."""
        return np.asarray(self.firsts.searchsorted(rows, side="right") - 1)

    def end(self, which: int, queries: Whole) -> Whole:
        """Return ``start`` (0) or ``stop`` (1) of some queries."""
        return self.of_rows(which, queries // self.group)

    def of_rows(self, which: int, rows: Whole) -> Whole:
        """Return the same of all queries of some rows."""
        piece = self._piece(rows)
        return np.asarray(self._ends[which][piece] + self.moves[piece, which] * (rows - self.firsts[piece]))

    def upto(self, which: int, key: int) -> int:
        """Return how many queries have a ``start`` (0) or ``stop`` (1) of at most ``key``."""
        piece = int(self._ends[which].searchsorted(key, side="right")) - 1
        if piece < 0:
            return 0
        first, behind = int(self.firsts[piece]), int(self.firsts[piece + 1])
        steps = key - int(self._ends[which][piece]) + 1
        return self.group * (min(first + steps, behind) if self.moves[piece, which] else behind)

    def first_queries(self, least: int) -> tuple[Whole, Whole]:
        """Return the queries, as intervals, whose last key is seen by the query ``least`` - 1 further on.

        No other one is the first of a triangle of ``least`` queries.
        """
        further, rest = divmod(least - 1, self.group)
        begins, ends = (rows * self.group for rows in self._first_rows(further))
        if not rest:
            return begins, ends
        # So far the first queries of a row have to go on; the last ``rest`` of them one row more.
        further_begins, further_ends = (rows * self.group for rows in self._first_rows(further + 1))
        some = Intervals(begins, ends) & Intervals(further_begins, further_ends).rest(self.number)
        rows = some.lines()[:: self.group]
        begins = np.concatenate([further_begins, rows])
        ends = np.concatenate([further_ends, rows + self.group - rest])
        order = begins.argsort()
        return begins[order], ends[order]

    def _first_rows(self, further: int) -> tuple[Whole, Whole]:
        """Return the rows, as intervals, whose last key is seen by the row so many further on."""
        number = max(int(self.firsts[-1]) - further, 0)
        bounds = union(*((self.firsts - back).clip(0, number) for back in (0, further)))
        begins, ends = bounds[:-1], bounds[1:]
        spare = self.of_rows(1, begins) - self.of_rows(0, begins + further)
        moves = self.moves[self._piece(begins), 1] - self.moves[self._piece(begins + further), 0]
        low = np.where(moves > 0, np.maximum(1 - spare, 0), 0)
        high = np.where(moves < 0, np.minimum(spare, ends - begins), ends - begins)
        high = np.where((moves == 0) & (spare < 1), 0, high)
        begins, ends = begins + low, begins + high
        taken = begins < ends
        return begins[taken], ends[taken]

    def largest(self, query: int, key: int) -> Triangle:
        """Return the largest triangle from a query and a key on.

        The queries from ``query`` on that see ``key`` are taken one after the other, each for the next key if it sees
        that. After one that is left out there are as many as the keys it sees; each one that is taken adds one.
        """
        behind = max(self.upto(0, key), query)
        first, final = self._piece(np.array([query, behind - 1]) // self.group).tolist()
        before = self.firsts[first + 1 : final + 1] * self.group - 1
        # In a piece the last query counts: the number seen stays or grows by one. So does the last one that sees none.
        last = np.append(before, [behind - 1, max(self.upto(1, key), query + 1) - 1])
        last = last[last < behind]
        sizes = np.maximum(self.end(1, last) - key, 0) + behind - 1 - last
        size = int(sizes.min(initial=behind - query))
        return Triangle(size, (query, behind), (key, key + size))

    def repeats(self, triangle: Triangle) -> int:
        """Return how often a triangle fits, one behind the other, where both ends move by one from query to query."""
        if self.group > 1:
            return 1
        query, behind = triangle.queries
        piece = int(self._piece(np.array(query)))
        room = int(self.firsts[piece + 1]) - query
        return max(room // (behind - query), 1) if self.moves[piece].all() else 1


def find_triangles(intervals: QueryIntervals, least: int) -> list[Triangle]:
    """Return triangles of at least ``least`` queries, without a query or a key in common.

    One after the other, each the largest from the first query on that is left, with that query's first key or its last.

    Examples
    --------
    A window of four keys, and a causal mask after a prefix of two keys:

    >>> rows = np.arange(14)
    >>> for triangle in find_triangles(QueryIntervals.from_arrays(np.maximum(rows - 3, 0), rows + 1), 3):
    ...     print(triangle)
    Triangle(size=4, queries=(0, 4), keys=(0, 4), repeats=1)
    Triangle(size=4, queries=(4, 8), keys=(4, 8), repeats=2)
    >>> find_triangles(QueryIntervals.from_arrays(rows * 0, np.maximum(rows + 1, 2)), 3)
    [Triangle(size=14, queries=(0, 14), keys=(0, 14), repeats=1)]
    """
    begins, ends = intervals.first_queries(least)
    found, query, key = list[Triangle](), 0, 0
    for _ in range(MOST_TRIES):
        place = int(ends.searchsorted(query, side="right"))
        if place == len(ends):
            break
        query = max(query, int(begins[place]))
        start, stop = (int(intervals.end(which, np.array(query))) for which in (0, 1))
        # A query's first key is the better one under a prefix, its last key under a window.
        choices = (intervals.largest(query, max(first, key)) for first in (start, stop - 1))
        triangle = max(choices, key=lambda choice: (choice.size, -choice.queries[1]))
        if triangle.size < least:
            query += 1
            continue
        triangle = triangle._replace(repeats=intervals.repeats(triangle))
        further = (triangle.repeats - 1) * (triangle.queries[1] - triangle.queries[0])
        found.append(triangle)
        query, key = triangle.queries[1] + further, triangle.keys[1] + further
    return found


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
    # A rectangle has all queries of a row, or none.
    number = int(intervals.firsts[-1])
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
    keys = int(intervals.of_rows(1, np.array(first)) - intervals.of_rows(0, np.array(last)))
    return (last - first + 1) * intervals.group, max(keys, 0)


def _best(intervals: QueryIntervals, firsts: Whole, lasts: Whole, d: int, dv: int) -> tuple[int, int]:
    """Return the first and the last row of the rectangle that is worth the most, with the greatest τ and σ."""
    queries = (lasts[None, :] - firsts[:, None] + 1).astype(float) * intervals.group
    keys = (intervals.of_rows(1, firsts)[:, None] - intervals.of_rows(0, lasts)[None, :]).astype(float)
    tau, sigma = np.minimum(d, queries), np.minimum(d, keys - 1)
    terms = (
        (queries - tau + 1) * (dv + sigma),
        (queries - tau) * sigma + tau * (keys - sigma),
        (tau + dv) * (keys - sigma),
    )
    worth = np.where((queries >= 1) & (keys >= 2), np.minimum.reduce(terms), -1.0)
    row, column = np.unravel_index(int(worth.argmax()), worth.shape)
    return int(firsts[row]), int(lasts[column])
