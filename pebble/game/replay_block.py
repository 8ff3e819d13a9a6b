"""A block of moves, all checked at once against the position before it.

How a run of moves is checked without playing it move by move. Every move that touches the red pebble of
a vertex, and every predecessor that a computation looks at, is an *event* (vertex, time, kind); sorting the
events by vertex and then by time puts the history of each vertex in one place. If all earlier moves are
legal, a vertex is red before an event exactly if the event before it on the same vertex is not a removal (a
store, a look and a placement all leave it red), or, for the first event of the run, if it was red before the
run. So one comparison of neighbours checks every rule about red pebbles, and tells which placements are new;
a running sum over time then gives how full fast memory is. The earliest move that any check refuses is the
first illegal one, because every check is exact up to there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.game.board import Board
from pebble.game.moves import Moves, Op

BLOCK = 1 << 15
"""Moves checked at a time: small enough for the events to stay in a processor's cache."""
_EVENTS = 1 << 18
"""Predecessors looked at in one block, unless a single move has more."""
_TIME_BITS = 16
_LAST_TIME = (1 << _TIME_BITS) - 1
_VERTEX_SHIFT = _TIME_BITS + 2
_LOOK, _STAY, _PLACE, _REMOVE = range(4)
_KIND = np.array([_PLACE, _STAY, _PLACE, _REMOVE, _PLACE], dtype=np.int64)
_TIMES = np.arange(BLOCK, dtype=np.int64) << 2
NEVER = np.iinfo(np.int64).max
"""Later than any move."""
_WIDE = 6
"""From this indegree on, predecessors are gathered row by row and not slot by slot."""

_Ints = NDArray[np.int64]


class CheckedBlock:
    """One block of moves, whose operations and vertices exist, checked against the board before it.

    It may cut the block short (``n``) to bound its work space. ``first_wrong`` is the time of the first
    illegal move, or ``NEVER``; the other results are meant for a block without one.
    """

    def __init__(
        self,
        board: Board,
        red: NDArray[np.bool_],
        blue: NDArray[np.bool_],
        computed: NDArray[np.bool_],
        moves: Moves,
    ) -> None:
        self._dag, self._M, self._rules = board.dag, board.M, board.rules
        self._red, self._blue, self._was_computed = red, blue, computed
        self._n_red_before = board.n_red
        self._take(moves)
        self.first_wrong = NEVER
        if self.n:
            self._check_computes()
            self._check_slides()
            self._check_blue()
            self._check_red()

    def _take(self, moves: Moves) -> None:
        """Read the columns and find the computations; cut if they have too many predecessors."""
        self.n = len(moves)
        self.op, self.vertex = moves.op, moves.vertex
        at = np.flatnonzero((self.op == Op.COMPUTE) | (self.op == Op.SLIDE))
        start, self._predecessors, row = self._dag.rows_of(self.vertex[at])
        first = start[row]
        indegree = start[row + 1] - first
        if int(indegree.sum()) > _EVENTS:
            keep = max(1, int(np.searchsorted(np.cumsum(indegree), _EVENTS, side="right")))
            if keep < len(at):
                self.n = int(at[keep])
                self.op, self.vertex = self.op[: self.n], self.vertex[: self.n]
                at, first, indegree = at[:keep], first[:keep], indegree[:keep]
        self._compute_at, self._first, self._indegree = at, first, indegree
        self.computed = self.vertex[at]
        self._slide_at = np.flatnonzero(self.op == Op.SLIDE)
        none = np.full(self.n, -1, dtype=np.int64)
        self._source = (none if moves.source is None else moves.source)[self._slide_at]

    def _wrong(self, times: _Ints) -> None:
        if times.size:
            self.first_wrong = min(self.first_wrong, int(times.min()))

    def _check_computes(self) -> None:
        self._wrong(self._compute_at[self._indegree == 0])
        if self._rules.recomputation:
            return
        self._wrong(self._compute_at[self._was_computed[self.computed]])
        events = np.sort(self.computed << _TIME_BITS | self._compute_at)
        vertex, time = events >> _TIME_BITS, events & _LAST_TIME
        self._wrong(time[1:][vertex[1:] == vertex[:-1]])

    def _check_slides(self) -> None:
        """Refuse slides that are forbidden or leave no predecessor; the target is looked at with the red."""
        slides = self._slide_at
        if not slides.size:
            return
        if not self._rules.sliding:
            return self._wrong(slides)
        slid = self.op[self._compute_at] == Op.SLIDE
        row, edge = _row_edges(self._first[slid], self._indegree[slid])
        along = np.zeros(len(slides), dtype=np.bool_)
        along[row[self._predecessors[edge] == self._source[row]]] = True
        self._wrong(slides[~along])

    def _check_blue(self) -> None:
        """Refuse loads without a blue pebble from before the block or from an earlier store in it."""
        store_at = np.flatnonzero(self.op == Op.STORE)
        store_at = store_at[~self._blue[self.vertex[store_at]]]
        self.turned_blue, first = np.unique(self.vertex[store_at], return_index=True)
        load_at = np.flatnonzero(self.op == Op.LOAD)
        load_at = load_at[~self._blue[self.vertex[load_at]]]
        if not load_at.size:
            return
        if not store_at.size:
            return self._wrong(load_at)
        place = np.searchsorted(self.turned_blue, self.vertex[load_at]).clip(max=len(first) - 1)
        stored = (self.turned_blue[place] == self.vertex[load_at]) & (store_at[first[place]] < load_at)
        self._wrong(load_at[~stored])

    def _check_red(self) -> None:
        """Sort the events by vertex and time and compare neighbours; see the head of this module."""
        events = self._events()
        kind = events.astype(np.int8)  # the lowest byte
        kind &= 3
        vertex = events >> _VERTEX_SHIFT
        is_first = np.empty(len(events), dtype=np.bool_)
        is_first[0] = True
        np.not_equal(vertex[1:], vertex[:-1], out=is_first[1:])
        first = np.flatnonzero(is_first)
        self.touched = vertex[first]
        was_red = np.empty(len(events), dtype=np.bool_)
        was_red[1:] = kind[:-1] != _REMOVE
        was_red[first] = self._red[self.touched]
        self.left_red = np.append(kind[first[1:] - 1], kind[-1]) != _REMOVE
        places = kind == _PLACE
        self._wrong(_time(events[~(was_red | places)]))
        self._check_room(_time(events[places & ~was_red]))

    def _events(self) -> _Ints:
        """Return vertex, time and kind of every event, packed into one integer each, ascending."""
        slides = (self._source >= 0) & (self._source < self._dag.n_vertices)
        n, looks = self.n, int(self._indegree.sum())
        events = np.empty(n + looks + int(slides.sum()), dtype=np.int64)
        own = events[:n]
        np.left_shift(self.vertex, _VERTEX_SHIFT, out=own)
        own |= _TIMES[:n]
        own |= _KIND[self.op]
        self._fill_looks(events[n : n + looks])
        moved = events[n + looks :]
        moved[:] = self._source[slides] << _VERTEX_SHIFT | _TIMES[self._slide_at[slides]] | _REMOVE
        events.sort()
        return events

    def _fill_looks(self, looks: _Ints) -> None:
        """Write the events of all predecessors: slot by slot, or row by row if rows are long."""
        start, degree = self._first, self._indegree
        time = _TIMES[self._compute_at]
        widest = int(degree.max(initial=0))
        if widest >= _WIDE:
            row, edge = _row_edges(start, degree)
            looks[:] = self._predecessors[edge] << _VERTEX_SHIFT | time[row]
            return
        filled, predecessors = 0, self._predecessors
        for slot in range(widest):
            if int(degree.min(initial=widest)) <= slot:
                long = degree > slot
                start, degree, time = start[long], degree[long], time[long]
            part = looks[filled : filled + len(start)]
            np.left_shift(predecessors[start + slot], _VERTEX_SHIFT, out=part)
            part |= time
            filled += len(start)

    def _check_room(self, placed_at: _Ints) -> None:
        """Add up over time how many red pebbles there are."""
        change = np.where(self.op == Op.DELETE, np.int64(-1), np.int64(0))
        change[self._slide_at] = -1
        change[placed_at] += 1
        self._wrong(self._slide_at[change[self._slide_at] < 0])
        n_red = np.cumsum(change)
        n_red += self._n_red_before
        self.n_placed = len(placed_at)
        self.n_red = int(n_red[-1])
        self.peak = int(n_red.max())
        if self.peak > self._M:
            self._wrong(np.flatnonzero(n_red > self._M)[:1])


def _row_edges(start: _Ints, degree: _Ints) -> tuple[_Ints, _Ints]:
    """Return, for every edge of some rows of predecessors, which row it is in and where it is stored."""
    row = np.repeat(np.arange(len(start)), degree)
    return row, np.arange(len(row)) + (start - np.cumsum(degree) + degree)[row]


def _time(events: _Ints) -> _Ints:
    return (events >> 2) & _LAST_TIME
