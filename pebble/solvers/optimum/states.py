"""States of the search, many at once: rows of words that they are packed into, and sets of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame, Words


class States(NamedTuple):
    """Requirements as columns of sets; positions are those of a :class:`~pebble.solvers.optimum.bit_game.BitGame`.

    Attributes
    ----------
    red : array of uint64, shape (n,)
        Inputs and middle vertices that must be in fast memory.
    blue : array of uint64, shape (n,)
        Middle vertices of which a copy in slow memory will be loaded; sinks that must have been stored; other outputs
        that must have been, each at a further position of its own.
    """

    red: Words
    blue: Words

    def take(self, which: NDArray[Any] | slice) -> States:
        """Return some of the states."""
        return States(self.red[which], self.blue[which])

    def __len__(self) -> int:
        return len(self.red)


class Codec:
    """Packs a state into a row: one word where the bits suffice, otherwise one word for each of its sets.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> from pebble.solvers.optimum.bit_game import make_bit_game
    >>> from pebble.game.rules import Rules
    >>> codec = Codec(make_bit_game(Dag.from_edges([(0, 1), (1, 2)]), 2, Rules()))
    >>> rows = codec.pack(States(*(np.array([x], dtype=np.uint64) for x in (3, 2))))
    >>> [part.tolist() for part in codec.unpack(rows)]
    [[3], [2]]
    """

    def __init__(self, game: BitGame) -> None:
        self.low = np.uint64(game.n_inputs)
        self.red_bits = game.red_bits
        self.narrow = self.red_bits + game.width - game.n_inputs <= 64

    def pack(self, states: States) -> Words:
        """Return one row a state: shape (n,) or (n, 2)."""
        if not self.narrow:
            return np.stack(states, axis=1)
        return states.red | ((states.blue >> self.low) << np.uint64(self.red_bits))

    def unpack(self, rows: Words) -> States:
        """Return the states again."""
        if not self.narrow:
            return States(rows[:, 0].copy(), rows[:, 1].copy())
        red = rows & np.uint64((1 << self.red_bits) - 1)
        return States(red, (rows >> np.uint64(self.red_bits)) << self.low)


_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


def _sort_key(rows: Words) -> Words:
    """Return one word to sort rows by; wide rows are mixed, which is no more than an order."""
    if rows.ndim == 1:
        return rows
    mixed = (rows[:, 0] * _FACTORS[0]) ^ rows[:, 1]
    mixed ^= mixed >> np.uint64(29)
    mixed = mixed * _FACTORS[1]
    return mixed ^ (mixed >> np.uint64(32))


def _order(rows: Words) -> NDArray[np.intp]:
    """Return an order in which equal rows are neighbours."""
    if rows.ndim == 1:
        return np.argsort(rows)
    keys = _sort_key(rows)
    order = np.argsort(keys)
    ordered = keys[order]
    alike = order[1:][ordered[1:] == ordered[:-1]], order[:-1][ordered[1:] == ordered[:-1]]
    if (rows[alike[0]] == rows[alike[1]]).all():
        return order
    return np.lexsort((rows[:, 1], rows[:, 0], _sort_key(rows)))


class Batch(NamedTuple):
    """States as rows, each with the serial number of the state it was reached from."""

    rows: Words
    parent: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: NDArray[Any] | slice) -> Batch:
        """Return some of them."""
        return Batch(self.rows[which], self.parent[which])

    @staticmethod
    def joined(batches: Sequence[Batch]) -> Batch:
        """Return several batches as one."""
        rows, parents = zip(*batches, strict=True)
        return Batch(np.concatenate(rows), np.concatenate(parents))

    def distinct(self) -> Batch:
        """Return the batch sorted, each state once.

        >>> Batch(np.array([5, 3, 5], dtype=np.uint64), np.array([1, 1, 2])).distinct().rows.tolist()
        [3, 5]
        """
        if len(self) < 2:
            return self
        order = _order(self.rows)
        rows = self.rows[order]
        new = np.ones(len(rows), dtype=np.bool_)
        differs = rows[1:] != rows[:-1]
        new[1:] = differs if rows.ndim == 1 else differs.any(axis=1)
        return Batch(rows[new], self.parent[order[new]])


class StateSet:
    """A growing set of states.

    Adding costs O(log n) array operations a state, spread over all additions; so does asking, but for most states
    that are not there: a table of flags by their mixed keys tells that they are missing.
    """

    def __init__(self) -> None:
        self._levels: list[Words] = []
        self._keys: list[Words] = []
        self._flags = np.zeros(1 << 8, dtype=np.bool_)
        self.size = 0

    def new_ones(self, batch: Batch) -> Batch:
        """Return those of some distinct sorted states that the set lacks."""
        return batch.take(~self.contains(batch.rows)) if self.size else batch

    def contains(self, rows: Words) -> NDArray[np.bool_]:
        """Tell which rows the set holds."""
        found = np.zeros(len(rows), dtype=np.bool_)
        if not self.size:
            return found
        keys = _sort_key(rows)
        asked = np.flatnonzero(self._flags[self._place(keys)])
        for level, held in zip(self._levels, self._keys, strict=True):
            there = _contained(rows[asked], keys[asked], level, held)
            found[asked[there]] = True
            asked = asked[~there]
        return found

    def take_over(self, other: StateSet) -> None:
        """Add everything that another set holds and this one lacks."""
        for level in other._levels:
            self.add(level)

    def add(self, rows: Words) -> None:
        """Add distinct sorted rows that the set lacks."""
        self.size += len(rows)
        added = _sort_key(rows)
        while self._levels and len(self._levels[-1]) < 4 * len(rows):
            rows = np.concatenate([self._levels.pop(), rows])
            rows = rows[_order(rows)]
            self._keys.pop()
        self._levels.append(rows)
        self._keys.append(_sort_key(rows))
        if len(self._flags) < 8 * self.size:
            self._flags = np.zeros(1 << (16 * self.size).bit_length(), dtype=np.bool_)
            added = np.concatenate(self._keys)
        self._flags[self._place(added)] = True

    def _place(self, keys: Words) -> NDArray[np.intp]:
        """Return the place of each key in the table of flags."""
        shift = np.uint64(65 - len(self._flags).bit_length())
        return ((keys * _FACTORS[0]) >> shift).astype(np.intp)


class LayeredSet:
    """States that were added layer by layer, of which the last two layers can be told from the older ones.

    >>> states = LayeredSet()
    >>> states.add(np.array([3], dtype=np.uint64))
    >>> states.next_layers(1)
    >>> [states.contains(np.array([3], dtype=np.uint64), age).tolist() for age in (0, 1, 2)]
    [[True], [True], [False]]
    """

    def __init__(self) -> None:
        self._ages = [StateSet(), StateSet(), StateSet()]

    def next_layers(self, layers: int) -> None:
        """Go on to a later layer."""
        for _ in range(min(layers, 2)):
            now, last, old = self._ages
            old.take_over(last)
            self._ages = [StateSet(), now, old]

    def new_ones(self, batch: Batch) -> Batch:
        """Return those of some distinct sorted states that the set lacks."""
        for states in self._ages:
            batch = states.new_ones(batch)
        return batch

    def add(self, rows: Words) -> None:
        """Add distinct sorted rows that the set lacks to the layer of now."""
        self._ages[0].add(rows)

    def contains(self, rows: Words, age: int) -> NDArray[np.bool_]:
        """Tell which rows were added ``age`` layers ago or earlier; only ages up to 2 are told apart."""
        found = np.zeros(len(rows), dtype=np.bool_)
        for states in self._ages[age:]:
            open_ = np.flatnonzero(~found)
            found[open_] = states.contains(rows[open_])
        return found


def _contained(rows: Words, wanted: Words, level: Words, keys: Words) -> NDArray[np.bool_]:
    """Tell which rows, of these keys, a level holds; states of one key lie side by side and are looked at in turn."""
    at = np.searchsorted(keys, wanted)
    found = np.zeros(len(rows), dtype=np.bool_)
    open_ = np.arange(len(rows))
    while len(open_):
        open_ = open_[at[open_] < len(keys)]
        open_ = open_[keys[at[open_]] == wanted[open_]]
        same = level[at[open_]] == rows[open_]
        same = same if rows.ndim == 1 else same.all(axis=1)
        found[open_[same]] = True
        open_ = open_[~same]
        at[open_] += 1
    return found
