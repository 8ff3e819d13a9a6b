"""The search from the end of the game to its beginning where loads are made as late as they can be.

What it leaves out is proved in ``docs/proofs/exact-optimum.md``: [late] and [wavefront].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame
from pebble.solvers.optimum.bits import Words
from pebble.solvers.optimum.requirements import RequirementSpace
from pebble.solvers.optimum.state_sets import LayeredSet
from pebble.solvers.optimum.wavefronts import Wavefronts

__all__ = ["LateLoadSpace"]


class LateLoadSpace(RequirementSpace):
    """The requirements of a game, and the steps back that load only what they use; see [late] and [wavefront]."""

    effort = 1
    deepening = True

    def __init__(self, game: BitGame) -> None:
        super().__init__(game)
        self._wavefronts: Wavefronts | None = None

    def cost_more(self, rows: Words, amount: int) -> NDArray[np.bool_]:
        """Tell which requirements are known to cost so much more than their bound; see [wavefront]."""
        if self._wavefronts is None:
            self._wavefronts = Wavefronts(self.game)
        states = self.codec.unpack(rows)
        return self._wavefronts.cost_more(states, self._needed(states.red | states.blue), amount)

    def dominated(self, rows: Words, closed: LayeredSet) -> NDArray[np.bool_]:
        """Tell which requirements are left out as harder than others: none, which [late] relies on."""
        return np.zeros(len(rows), dtype=np.bool_)

    def _may_load(self, red: Words, used: Words) -> Words:
        return red & used

    def _held(self) -> int:
        return 0
