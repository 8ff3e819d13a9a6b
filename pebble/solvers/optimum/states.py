"""States of the search, many at once, and the rows of words that they are packed into."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame
from pebble.solvers.optimum.bits import Words

__all__ = ["Codec", "States"]


class States(NamedTuple):
    """States as three columns of sets; positions are those of a :class:`~pebble.solvers.optimum.bit_game.BitGame`.

    A middle vertex may be in these conditions:

    ===== ===== ===== ==================================================================================
    red   blue  owed  condition
    ===== ===== ===== ==================================================================================
    no    no    no    absent; if it comes back, it is computed, and a copy in slow memory is not used again
    yes   no    no    in fast memory only, as far as the search knows
    yes   yes   no    in fast and in slow memory
    no    yes   no    put aside: stored, and the next that happens to it is a load
    no    no    yes   absent, but stored: it will be computed again and after that, some time, loaded
    yes   no    yes   the same after it was computed: stored, and to be loaded some time
    ===== ===== ===== ==================================================================================

    Attributes
    ----------
    red : array of uint64, shape (n,)
        Inputs and middle vertices in fast memory. A sink never stays there: it is stored and given up at once.
    blue : array of uint64, shape (n,)
        Middle vertices as above; stored sinks; stored other outputs, each at a further position of its own.
    owed : array of uint64, shape (n,)
        Middle vertices as above; always empty where vertices are computed once.
    """

    red: Words
    blue: Words
    owed: Words

    def take(self, which: NDArray[Any] | slice) -> States:
        """Return some of the states."""
        return States(self.red[which], self.blue[which], self.owed[which])

    def put(self, where: NDArray[np.int64], others: States) -> None:
        """Overwrite some of the states."""
        for column, values in zip(self, others, strict=True):
            column[where] = values

    def copy(self) -> States:
        """Return a copy."""
        return States(self.red.copy(), self.blue.copy(), self.owed.copy())

    def __len__(self) -> int:
        return len(self.red)


class Codec:
    """Packs a state into a row: one word where the bits suffice, otherwise one word for each of its sets.

    ``owed`` says whether that set is used where vertices may be computed again.

    Examples
    --------
    >>> from pebble.graph.dag import Dag
    >>> from pebble.solvers.optimum.bit_game import make_bit_game
    >>> from pebble.game.rules import Rules
    >>> codec = Codec(make_bit_game(Dag.from_edges([(0, 1), (1, 2)]), 2, Rules()))
    >>> rows = codec.pack(States(*(np.array([x], dtype=np.uint64) for x in (3, 2, 0))))
    >>> [part.tolist() for part in codec.unpack(rows)]
    [[3], [2], [0]]
    """

    def __init__(self, game: BitGame, owed: bool = True) -> None:
        self.low = np.uint64(game.n_inputs)
        self.red_bits = game.red_bits
        self.blue_bits = game.width - game.n_inputs
        self.owed_bits = game.n_middle - game.n_single if owed and game.rules.recomputation else 0
        self.narrow = self.red_bits + self.blue_bits + self.owed_bits <= 64

    def pack(self, states: States) -> Words:
        """Return one row a state: shape (n,) or (n, 3)."""
        if not self.narrow:
            return np.stack(states, axis=1)
        rows = states.red | ((states.blue >> self.low) << np.uint64(self.red_bits))
        if self.owed_bits:
            rows |= (states.owed >> self.low) << np.uint64(self.red_bits + self.blue_bits)
        return rows

    def unpack(self, rows: Words) -> States:
        """Return the states again."""
        if not self.narrow:
            return States(rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy())
        red = rows & _low_bits(self.red_bits)
        blue = ((rows >> np.uint64(self.red_bits)) & _low_bits(self.blue_bits)) << self.low
        if not self.owed_bits:
            return States(red, blue, np.zeros_like(red))
        return States(red, blue, (rows >> np.uint64(self.red_bits + self.blue_bits)) << self.low)


def _low_bits(n: int) -> np.uint64:
    return np.uint64((1 << n) - 1)
