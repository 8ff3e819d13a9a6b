"""A game prepared for searching: all states one step from some states, in one normal form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bits import Words, popcount
from pebble.solvers.optimum.expand import ANY, expand
from pebble.solvers.optimum.model import Model
from pebble.solvers.optimum.normal import make_normal
from pebble.solvers.optimum.state_sets import Batch, Codec
from pebble.solvers.optimum.symmetry import Symmetry

__all__ = ["Arena", "Found"]

_PENDING = 1 << 20
_BLOCK = 1 << 14


class Found(NamedTuple):
    """States reached, with the cost of getting there and the least cost of a pebbling through them."""

    batch: Batch
    cost: NDArray[np.int64]
    bound: NDArray[np.int64]


class Arena:
    """Normal forms, keys and symmetries of one model.

    Costs and bounds leave out the stores of outputs, one each, that no pebbling avoids.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.normal = make_normal(model)
        self.codec = Codec(model)
        self.symmetry = Symmetry(model, self.codec)

    def start(self) -> Words:
        """Return the row of the state before the first move."""
        return self.symmetry.least(self.codec.pack(self.normal.start()))

    def bound(self, rows: Words) -> NDArray[np.int64]:
        """Return the number of loads that each state cannot avoid."""
        return self.normal.bound(self.codec.unpack(rows))

    def finished(self, rows: Words) -> NDArray[np.bool_]:
        """Tell which states are the end of a pebbling."""
        return self.normal.finished(self.codec.unpack(rows))

    def merit(self, rows: Words) -> NDArray[np.int64]:
        """Return a guess of how much is still to do; less is better."""
        states = self.codec.unpack(rows)
        done = popcount(states.blue & self.normal.all_stored)
        return -done * 64 - popcount(self.normal.progress(states))

    def children(
        self,
        rows: Words,
        cost: NDArray[np.int64],
        serial: NDArray[np.int64],
        least: int = 0,
        most: int = ANY,
        potential: NDArray[np.int64] | None = None,
    ) -> Iterator[Found]:
        """Yield the states one step further, in normal form but not yet made symmetric.

        Parameters
        ----------
        rows, cost, serial
            The states, what was spent to reach them, and their serial numbers.
        least, most, potential
            As for :func:`~pebble.solvers.optimum.expand.expand`.
        """
        gathered: dict[int, list[Batch]] = {}
        waiting = 0
        for steps in expand(self.normal, self.codec.unpack(rows), least, most, potential):
            spent = cost[steps.parent] + steps.cost
            raw = Batch(self.codec.pack(steps.states), serial[steps.parent])
            for value in range(int(spent.min(initial=1)), int(spent.max(initial=0)) + 1):
                gathered.setdefault(value, []).append(raw.take(spent == value))
            waiting += len(raw)
            if waiting > _PENDING:
                yield from self._tidied(gathered)
                waiting = 0
        yield from self._tidied(gathered)

    def _tidied(self, gathered: dict[int, list[Batch]]) -> Iterator[Found]:
        """Give each state reached at some cost its normal form, once."""
        if not gathered:
            return
        layers = {value: Batch.joined(batches).distinct() for value, batches in gathered.items()}
        gathered.clear()
        spent = np.repeat(np.array([*layers]), [len(batch) for batch in layers.values()])
        raw = Batch.joined([*layers.values()])
        for first in range(0, len(raw), _BLOCK):
            part = raw.take(slice(first, first + _BLOCK))
            states, keep = self.normal.tidy(self.codec.unpack(part.rows))
            states, cost = states.take(keep), spent[first : first + _BLOCK][keep]
            batch = Batch(self.codec.pack(states), part.parent[keep])
            yield Found(batch, cost, cost + self.normal.bound(states))

    def canonical(self, batch: Batch) -> Batch:
        """Return the representatives of the states under the symmetries, sorted, each once."""
        if self.symmetry.trivial:
            return batch.distinct()
        once = batch.distinct()
        return Batch(self.symmetry.least(once.rows), once.parent).distinct()
