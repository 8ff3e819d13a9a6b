"""The search by whole arrays of states, the least bound first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pebble.common.clock import check_time
from pebble.solvers.optimum.bit_game import Words
from pebble.solvers.optimum.requirements import RequirementSpace
from pebble.solvers.optimum.states import Batch, LayeredSet

Progress = Callable[[int, int], object]
"""Called with a proved lower bound and the number of states expanded so far."""

_CHUNK = 1 << 12
_START = 6 * _CHUNK
_CHILDREN = 64
"""States reached that count as one unit of effort."""
_MANY = 64
_BITE = 1 << 13
_FAR = 1 << 40


class History:
    """All expanded states in the order of their expansion, each with the one it was reached from."""

    def __init__(self) -> None:
        self._waves: list[Batch] = []
        self._first: list[int] = []
        self.size = 0

    def add(self, batch: Batch) -> int:
        """Add a wave of states; return the serial number of the first."""
        self._waves.append(batch)
        self._first.append(self.size)
        self.size += len(batch)
        return self._first[-1]

    def path(self, serial: int) -> list[Words]:
        """Return the states from the start to this one, as rows."""
        rows = []
        while serial >= 0:
            wave = int(np.searchsorted(self._first, serial, side="right")) - 1
            batch, i = self._waves[wave], serial - self._first[wave]
            rows.append(batch.rows[i])
            serial = int(batch.parent[i])
        return rows[::-1]


@dataclass(frozen=True)
class Proof:
    """What a search has established; stores that no pebbling avoids are not counted.

    Attributes
    ----------
    lower : int
        No pebbling costs less.
    exact : bool
        Whether the search came to its end, so that ``lower`` is the optimum (given that ``upper`` was right).
    states : int
        How many states were expanded.
    path : list of rows, or None
        The states of a pebbling of cost ``lower``, if the search met one.
    space : RequirementSpace or None
        What the path leads through.
    """

    lower: int
    exact: bool
    states: int
    path: list[Words] | None = None
    space: RequirementSpace | None = None


def first_wave(space: RequirementSpace) -> Batch:
    """Return the state before the first move, reached from nowhere."""
    return Batch(space.start(), np.full(1, -1, dtype=np.int64))


def prove(
    spaces: Sequence[RequirementSpace],
    upper: int | None = None,
    most_states: int | None = None,
    progress: Progress | None = None,
) -> Proof:
    """Raise the lower bound until it meets ``upper``, or until a cheaper pebbling is met.

    Parameters
    ----------
    spaces : sequence of RequirementSpace
        Of one game; they are searched by turns until one of them has the proof.
    upper : int, optional
        Cost of a known pebbling.
    most_states : int, optional
        The search gives up once this many states are expanded.
    progress : callable, optional

    Raises
    ------
    TimeUp
        If a time limit around the search passes.

    Notes
    -----
    States wait in one list for each value of the bound. The bound never falls along a step, so the least value in
    waiting is a lower bound of the optimum. Costs 12 to 32 bytes a state expanded, and as much for one in waiting.

    The first search has a start of 4,096 states, within which small games end. From then on it is always the turn of
    the one that has done the least work, where a state expanded counts as much as it takes time, and eight times as
    much for each unit that the search's lower bound is behind the best.
    """
    searches = [_LayeredSearch(space, _FAR if upper is None else upper) for space in spaces]
    while True:
        search = _next(searches)
        proof = search.turn()
        states = sum(each.states for each in searches)
        lower = max(each.lower for each in searches)
        if proof is not None:
            return replace(proof, states=states, space=search.space)
        if progress is not None:
            progress(lower, states)
        if most_states is not None and states >= most_states:
            return Proof(lower, False, states)


def _next(searches: Sequence[_LayeredSearch]) -> _LayeredSearch:
    """Return the search whose turn it is."""
    if searches[0].work < _START:
        return searches[0]
    best = max(each.lower for each in searches)
    return min(searches, key=lambda each: each.work << 3 * (best - each.lower))


class _LayeredSearch:
    """States that wait to be expanded, and expanded ones that wait for their dearer steps, by bound."""

    def __init__(self, space: RequirementSpace, upper: int) -> None:
        self.space, self.upper = space, upper
        start = first_wave(space)
        self.least = int(space.bound(start.rows)[0])
        self.lower = self.least
        self.limit = upper
        self.states, self.work = 0, 0
        self._turns = self._run()

    def turn(self) -> Proof | None:
        """Go on with the search for a while; return the proof once there is one."""
        return next(self._turns)

    def _run(self) -> Iterator[Proof | None]:
        step, last = 1, 0
        while self.lower < self.upper:
            begin, self.limit = self.states, self.upper
            if self.space.deepening:
                self.limit = min(self.upper, self.lower + step)
            yield from self._layers()
            step = 1 if self.states - begin > 2 * last else step + 1
            last = self.states - begin
        yield Proof(self.upper, True, self.states)

    def _layers(self) -> Iterator[Proof | None]:
        """Go through all layers below the limit, from the first state on."""
        self.layer = self.least
        self.waiting: dict[int, list[Batch]] = {self.layer: [first_wave(self.space)]}
        self.later: dict[int, list[tuple[int, Batch]]] = {}
        self.closed = LayeredSet()
        self.history = History()
        while self.waiting or self.later:
            least = min([*self.waiting, *self.later])
            self.closed.next_layers(least - self.layer)
            self.layer = least
            self.lower = max(self.lower, self.layer)
            if self.layer >= self.limit:
                break
            for raised, batch in self.later.pop(self.layer, []):
                for _ in self._expand(batch, raised):
                    yield None
            while self.layer in self.waiting:
                wave = self._wave()
                first = self.history.add(wave)
                self.states += len(wave)
                yield None
                ends = np.flatnonzero(self.space.finished(wave.rows))
                if len(ends):
                    path = self.history.path(first + int(ends[0]))
                    yield Proof(self.layer, True, self.states, path)
                for _ in self._expand(Batch(wave.rows, np.arange(first, first + len(wave))), 0):
                    yield None
        self.lower = self.limit

    def _wave(self) -> Batch:
        """Return some new states of the least bound, those found last, that no other one makes superfluous."""
        lists = self.waiting[self.layer]
        batches = [lists.pop()]
        while lists and sum(map(len, batches)) < _BITE:
            batches.append(lists.pop())
        batch = Batch.joined(batches).distinct()
        if len(batch) > 2 * _BITE:
            lists.append(batch.take(slice(_BITE, None)))
            batch = batch.take(slice(_BITE))
        if not lists:
            del self.waiting[self.layer]
        wave = self.closed.new_ones(batch)
        self.closed.add(wave.rows)
        wave = wave.take(~self.space.cost_more(wave.rows, self.limit - self.layer))
        return wave.take(~self.space.dominated(wave.rows, self.closed))

    def _expand(self, batch: Batch, raised: int) -> Iterator[None]:
        """Make the steps of numbered states that raise the bound so much on purpose, some states at a time."""
        for start in range(0, len(batch), _CHUNK):
            part = batch.take(slice(start, start + _CHUNK))
            self.work += len(part) * self.space.effort
            spent = self.layer - raised - self.space.bound(part.rows)
            potential = np.zeros(len(part), dtype=np.int64)
            for found in self.space.children(part.rows, spent, part.parent, raised, raised, potential):
                for value in np.unique(found.bound).tolist():
                    check_time()
                    if value < self.limit:
                        self._file(value, found.batch.take(found.bound == value))
                self.work += len(found.batch) // _CHILDREN
                yield
            dearer = part.take(potential > raised)
            if len(dearer) and self.layer + 1 < self.limit:
                self.later.setdefault(self.layer + 1, []).append((raised + 1, dearer))
            yield

    def _file(self, value: int, batch: Batch) -> None:
        lists = self.waiting.setdefault(value, [])
        lists.append(self.space.canonical(batch))
        if len(lists) > _MANY:
            lists[:] = [Batch.joined(lists).distinct()]
