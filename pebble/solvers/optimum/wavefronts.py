"""Loads that a requirement cannot avoid because too many values are alive when certain vertices are computed.

What is counted, and why, is told in ``docs/proofs/exact-optimum.md``, [wavefront].
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame, Words, members, popcount
from pebble.solvers.optimum.states import States

_CANDIDATES = 6
_SETS = 12
_ONE = np.uint64(1)


def ranks(codes: Words, sets: Words) -> NDArray[np.int64]:
    """Return the rank of the vectors of each set's members.

    Parameters
    ----------
    codes : array of uint64, shape (rows, n)
        For each set a code, whose rows are the sets of vertices that have a 1 there.
    sets : array of uint64, shape (n,)

    Examples
    --------
    Three vertices with the vectors 01, 10 and 11:

    >>> codes = np.array([[0b101], [0b110]], dtype=np.uint64)
    >>> [int(ranks(codes, np.array([s], dtype=np.uint64))[0]) for s in (0b000, 0b100, 0b101, 0b111)]
    [0, 1, 2, 2]
    """
    rows = [row & sets for row in codes]
    rank = np.zeros(len(sets), dtype=np.int64)
    while rows:
        row = rows.pop()
        pivot = row & (~row + _ONE)
        rank += pivot != 0
        for other in rows:
            other ^= row * ((other & pivot) != 0)
    return rank


def best_codes(before: Sequence[int], wanted: Sequence[tuple[int, int]]) -> Words:
    """Return codes of high rank.

    Parameters
    ----------
    before : sequence of int
        Predecessors of each vertex, as masks.
    wanted : sequence of (int, int)
        For each code the inputs whose vectors are the unit vectors, and the vertices whose vectors are 0. All other
        inputs have the vector 0, all other vertices the sum of some of their predecessors' vectors.

    Returns
    -------
    array of uint64, shape (rows, n)
        Of a few codes with random sums the ones that give the highest ranks to some random sets.
    """
    rng = np.random.default_rng(0)
    units, zeros = (np.array(column, dtype=np.uint64) for column in zip(*wanted, strict=True))
    sets = [
        rng.integers(1 << 63, size=len(wanted), dtype=np.uint64)
        & rng.integers(1 << 63, size=len(wanted), dtype=np.uint64)
        for _ in range(_SETS)
    ]
    best, total = _code(before, units, zeros, rng), np.full(len(wanted), -1)
    for _ in range(_CANDIDATES):
        code = _code(before, units, zeros, rng)
        found = np.sum([ranks(code, chosen) for chosen in sets], axis=0)
        better = found > total
        best[:, better], total[better] = code[:, better], found[better]
    return best


def _code(before: Sequence[int], units: Words, zeros: Words, rng: np.random.Generator) -> Words:
    """Return a code for each set of inputs and each set of zeros."""
    vectors: list[Words] = []
    for v, operands in enumerate(before):
        vector = units & np.uint64(0 if operands else 1 << v)
        for p in members(operands):
            vector = vector ^ vectors[p] * (rng.random(len(units)) < 0.92)
        vectors.append(vector * (zeros >> np.uint64(v) & _ONE == 0))
    n_inputs = sum(not operands for operands in before)
    rows = np.zeros((n_inputs, len(units)), dtype=np.uint64)
    for v, vector in enumerate(vectors):
        for i, row in enumerate(rows):
            row |= (vector >> np.uint64(i) & _ONE) << np.uint64(v)
    return rows


_PAIRS = 1 << 13
_TRIED = 1 << 10
_WORTH = 100
_CODES = 6
_CODES_OF_PAIRS = 2

Ints = NDArray[np.int64]


class _Moments(NamedTuple):
    """Moments as columns: just before all of one or two vertices have been computed once.

    Attributes
    ----------
    vertices : array of uint64
        The vertices, as sets.
    dependent : array of uint64
        What depends on each of them: it is computed after the moment.
    codes : array of uint64, shape (fronts, rows, n)
        A linear code for each vertex that may be the last of them; twice the same for one vertex.
    room : array of int64, shape (fronts, n)
        How many words besides the operands of the last one fast memory may hold.
    earlier : array of int64
        Loads that cannot be avoided before the moment.
    """

    vertices: Words
    dependent: Words
    codes: Words
    room: Ints
    earlier: Ints


class Wavefronts:
    """Tells which requirements of a game cost more than the loads and stores that they ask for."""

    def __init__(self, game: BitGame) -> None:
        self._game = game
        self._ancestors, self._dependents = ancestors(game), _dependents(game)
        computed = range(game.n_inputs, game.n)
        self._codes = best_codes(game.before, [self._code_of((v,), v) for v in computed])
        self._earlier = np.zeros(game.n, dtype=np.int64)
        for v in computed:
            self._earlier[v] = self._before([1 << v])[0]
        pairs = [(u, v) for u, v in combinations(computed, 2) if not self._ancestors[v] >> u & 1]
        self._moments = self._chosen([(v, v) for v in computed] * _CODES + pairs * _CODES_OF_PAIRS)
        self._tried = np.zeros(len(self._moments.vertices), dtype=np.int64)
        self._useful = self._tried.copy()

    def cost_more(self, states: States, needed: Words, amount: int) -> NDArray[np.bool_]:
        """Tell which requirements cost so much more than one load of each input and one store of each copy.

        ``needed`` is all that a requirement asks for or depends on. Those that are not told apart may cost more, too.
        """
        open_ = np.arange(len(needed))
        more = np.zeros(len(needed), dtype=np.bool_)
        worth = (self._tried < _TRIED) | (self._useful * _WORTH >= self._tried)
        order = np.argsort(-(self._useful + 1) / (self._tried + 2), kind="stable")
        order = order[worth[order]]
        while len(order) and len(open_):
            block = order[: max(1, _PAIRS // len(open_))]
            order = order[len(block) :]
            which, moment = self._reach(states.red[open_], needed[open_], block, amount)
            more[open_[which]] = True
            np.add.at(self._useful, moment, 1)
            open_ = open_[~more[open_]]
        return more

    def _reach(self, red: Words, needed: Words, block: Ints, amount: int) -> tuple[Ints, Ints]:
        """Return pairs of requirements and moments of a block that show that the requirement costs so much more."""
        moments = self._moments
        vertices = moments.vertices[block]
        which, place = np.nonzero((needed[:, None] & vertices) == vertices)
        moment = block[place]
        np.add.at(self._tried, moment, 1)
        later = red[which] | needed[which] & moments.dependent[moment]
        asked = amount - moments.earlier[moment]
        for front in range(2):
            codes = moments.codes[front]
            at = np.flatnonzero((asked > 0) & (popcount(later) >= asked + moments.room[front, moment]))
            enough = asked <= 0
            enough[at] = ranks(codes[:, moment[at]], later[at]) >= (asked + moments.room[front, moment])[at]
            which, moment, later, asked = which[enough], moment[enough], later[enough], asked[enough]
        return which, moment

    def _room(self, v: int) -> int:
        """Return how many words besides the operands of v fast memory may hold just before v is computed."""
        return self._game.M - self._game.before[v].bit_count() - (not self._game.rules.sliding)

    def _code_of(self, vertices: tuple[int, ...], last: int) -> tuple[int, int]:
        """Return what has been loaded before some vertices have been computed once, and what does not count then."""
        asked = 0
        for v in vertices:
            asked |= self._ancestors[v] & self._game.inputs
        return asked, self._game.before[last]

    def _before(self, vertices: list[int]) -> Ints:
        """Return loads that cannot be avoided before all vertices of each set have been computed once."""
        earlier = [0] * len(vertices)
        for i, several in enumerate(vertices):
            for v in members(several):
                earlier[i] |= self._ancestors[v]
        sets, firsts, targets = [], [], []
        for i, several in enumerate(vertices):
            for v in members(earlier[i] & ~self._game.inputs):
                asked = self._dependents[v] & earlier[i]
                if several & (several - 1) == 0:
                    asked |= self._game.before[several.bit_length() - 1]
                sets.append(i)
                firsts.append(v)
                targets.append(asked)
        least = np.zeros(len(vertices), dtype=np.int64)
        if sets:
            first = np.array(firsts)
            alive = ranks(self._codes[:, first - self._game.n_inputs], np.array(targets, dtype=np.uint64))
            room = np.array([self._room(v) for v in firsts])
            np.maximum.at(least, np.array(sets), self._earlier[first] + np.maximum(alive - room, 0))
        return least

    def _chosen(self, pairs: list[tuple[int, int]]) -> _Moments:
        """Return the moments at which enough may be alive to cost something."""
        masks = [1 << u | 1 << v for u, v in pairs]
        fronts = [self._code_of(pair, pair[last]) for last in (0, 1) for pair in pairs]
        codes = best_codes(self._game.before, fronts)
        codes = np.stack([codes[:, : len(pairs)], codes[:, len(pairs) :]])
        room = np.array([[self._room(pair[last]) for pair in pairs] for last in (0, 1)])
        everything = np.full(len(pairs), (1 << 64) - 1, dtype=np.uint64)
        alive = np.min([ranks(codes[i], everything) - room[i] for i in (0, 1)], axis=0)
        earlier = self._before(masks)
        found = _Moments(
            np.array(masks, dtype=np.uint64),
            np.array([self._dependents[u] & self._dependents[v] for u, v in pairs], dtype=np.uint64),
            codes,
            room,
            earlier,
        )
        useful = np.flatnonzero(np.maximum(alive, 0) + earlier > 0)
        return _Moments(
            found.vertices[useful],
            found.dependent[useful],
            found.codes[..., useful],
            found.room[:, useful],
            found.earlier[useful],
        )


def ancestors(game: BitGame) -> list[int]:
    """Return what each vertex depends on, without itself."""
    found: list[int] = []
    for before in game.before:
        asked = before
        for p in members(before):
            asked |= found[p]
        found.append(asked)
    return found


def _dependents(game: BitGame) -> list[int]:
    """Return what depends on each vertex, without itself."""
    found = [0] * game.n
    for v in range(game.n - 1, -1, -1):
        for w in members(game.after[v]):
            found[v] |= found[w] | 1 << w
    return found
