"""The search space of a game without recomputation: states in normal form up to symmetry, and the steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame, Words, popcount
from pebble.solvers.optimum.normal_forms import NormalForms
from pebble.solvers.optimum.states import Batch, Codec, LayeredSet
from pebble.solvers.optimum.successors import ANY, successors
from pebble.solvers.optimum.symmetry import Symmetry

__all__ = ["Reached", "SearchSpace"]

_PENDING = 1 << 20
_BLOCK = 1 << 14


class Reached(NamedTuple):
    """States that were reached, what was spent to reach them, and a lower bound of any pebbling through them."""

    batch: Batch
    cost: NDArray[np.int64]
    bound: NDArray[np.int64]


class SearchSpace:
    """The states of one game without recomputation, packed into rows, and the steps between them.

    Costs and bounds leave out the stores of outputs, one each, that no pebbling avoids.
    """

    effort = 6
    """How much time a state takes, compared with other searches."""

    deepening = False
    """Whether the search is made anew for each limit of the cost, because it leaves states out by :meth:`cost_more`."""

    def __init__(self, game: BitGame) -> None:
        if game.rules.recomputation:
            raise ValueError("the search forwards is for games without recomputation")
        self.game = game
        self.forms = NormalForms(game)
        self.codec = Codec(game)
        self.symmetry = Symmetry(game, self.codec)

    def start(self) -> Words:
        """Return the row of the state before the first move."""
        return self.symmetry.least(self.codec.pack(self.forms.start()))

    def bound(self, rows: Words) -> NDArray[np.int64]:
        """Return the number of loads that each state cannot avoid."""
        return self.forms.bound(self.codec.unpack(rows))

    def cost_more(self, rows: Words, amount: int) -> NDArray[np.bool_]:
        """Tell which states are known to cost so much more than their bound: none."""
        return np.zeros(len(rows), dtype=np.bool_)

    def finished(self, rows: Words) -> NDArray[np.bool_]:
        """Tell which states are the end of a pebbling."""
        return self.forms.finished(self.codec.unpack(rows))

    def dominated(self, rows: Words, closed: LayeredSet) -> NDArray[np.bool_]:
        """Tell which states a closed one makes superfluous: none, as each makes promises of its own."""
        return np.zeros(len(rows), dtype=np.bool_)

    def merit(self, rows: Words) -> NDArray[np.int64]:
        """Return a guess of how far each state is from an end; less is better."""
        states = self.codec.unpack(rows)
        done = popcount(states.blue & self.forms.all_stored)
        return -done * 64 - popcount(self.forms.progress(states))

    def children(
        self,
        rows: Words,
        cost: NDArray[np.int64],
        serial: NDArray[np.int64],
        least: int = 0,
        most: int = ANY,
        potential: NDArray[np.int64] | None = None,
    ) -> Iterator[Reached]:
        """Yield the states one step further, in normal form, not yet replaced by their representatives.

        Parameters
        ----------
        rows, cost, serial
            The states, what was spent to reach them, and their serial numbers.
        least, most, potential
            As for :func:`~pebble.solvers.optimum.successors.successors`.
        """
        gathered: dict[int, list[Batch]] = {}
        waiting = 0
        for steps in successors(self.forms, self.codec.unpack(rows), least, most, potential):
            spent = cost[steps.parent] + steps.cost
            raw = Batch(self.codec.pack(steps.states), serial[steps.parent])
            for value in range(int(spent.min(initial=1)), int(spent.max(initial=0)) + 1):
                gathered.setdefault(value, []).append(raw.take(spent == value))
            waiting += len(raw)
            if waiting > _PENDING:
                yield from self._tidied(gathered)
                waiting = 0
        yield from self._tidied(gathered)

    def _tidied(self, gathered: dict[int, list[Batch]]) -> Iterator[Reached]:
        """Give each state reached at some cost its normal form, once."""
        if not gathered:
            return
        layers = {value: Batch.joined(batches).distinct() for value, batches in gathered.items()}
        gathered.clear()
        spent = np.repeat(np.array([*layers]), [len(batch) for batch in layers.values()])
        raw = Batch.joined([*layers.values()])
        for first in range(0, len(raw), _BLOCK):
            part = raw.take(slice(first, first + _BLOCK))
            states = self.forms.tidy(self.codec.unpack(part.rows))
            cost = spent[first : first + _BLOCK]
            batch = Batch(self.codec.pack(states), part.parent)
            yield Reached(batch, cost, cost + self.forms.bound(states))

    def canonical(self, batch: Batch) -> Batch:
        """Return the representatives of the states under the symmetries, sorted, each once."""
        if self.symmetry.trivial:
            return batch.distinct()
        once = batch.distinct()
        return Batch(self.symmetry.least(once.rows), once.parent).distinct()
