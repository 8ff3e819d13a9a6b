"""States of the search, many at once, and the rows of words that they are packed into."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame
from pebble.solvers.optimum.bits import Words

__all__ = ["Codec", "States"]


class States(NamedTuple):
    """States as columns of sets; positions are those of a :class:`~pebble.solvers.optimum.bit_game.BitGame`.

    A middle vertex may be in these conditions:

    ===== ===== =============================================================================
    red   blue  condition
    ===== ===== =============================================================================
    no    no    not computed yet, or of no more use
    yes   no    in fast memory only, as far as the search knows
    yes   yes   in fast and in slow memory
    no    yes   put aside: stored, and the next that happens to it is a load
    ===== ===== =============================================================================

    Attributes
    ----------
    red : array of uint64, shape (n,)
        Inputs and middle vertices in fast memory. A sink never stays there: it is stored and given up at once.
    blue : array of uint64, shape (n,)
        Middle vertices as above; stored sinks; stored other outputs, each at a further position of its own.
    """

    red: Words
    blue: Words

    def take(self, which: NDArray[Any] | slice) -> States:
        """Return some of the states."""
        return States(self.red[which], self.blue[which])

    def put(self, where: NDArray[np.int64], others: States) -> None:
        """Overwrite some of the states."""
        for column, values in zip(self, others, strict=True):
            column[where] = values

    def copy(self) -> States:
        """Return a copy."""
        return States(self.red.copy(), self.blue.copy())

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
