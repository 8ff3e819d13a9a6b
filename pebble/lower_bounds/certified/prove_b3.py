"""The search that proves the constants of B3; ``python -m pebble.lower_bounds.certified.prove_b3`` proves every row.

Once the words of Q, K and dO are fixed, f is a concave function of a segment's other amounts. The method, with the
argument that rounding cannot hurt, is in ``docs/proofs/b3.md``, section 4.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.backward_rows import B3Row
from pebble.lower_bounds.certified.backward_work import Amounts, BackwardSearch, BackwardWeights
from pebble.lower_bounds.certified.branch_and_bound import Reals, prove_all
from pebble.lower_bounds.certified.multipliers import MultiplierSearch


@dataclass(frozen=True)
class B3Segment:
    """What a segment touches, in units of d²: the twelve amounts that its work is bounded by.

    Parameters
    ----------
    q, k, o, v : float or ndarray
        Words of Q, K, dO and V.
    uV, uK, uQ : float or ndarray
        Chains of dV, dK and dQ at work.
    p, p_new : float or ndarray
        Pairs with a vertex of S or P red at the start or loaded; other pairs whose chain of S is begun.
    r, r_new : float or ndarray
        The same for dP.
    s : float or ndarray
        Pairs with dS red at the start or loaded.
    """

    q: Any
    k: Any
    o: Any
    v: Any
    uV: Any
    uK: Any
    uQ: Any
    p: Any
    p_new: Any
    r: Any
    r_new: Any
    s: Any

    def weight(self, row: B3Row) -> Any:
        """Least weight of a segment that touches so much."""
        x = self
        words = x.q + x.k + x.o + x.v + x.uV + x.uK + x.uQ + x.p + x.r + x.s
        return words + float(row.gamma) * (x.p_new + x.r_new)

    def work(self, row: B3Row) -> Any:
        """Upper bound f on the weighted work of a segment, in units of d³."""
        x, weights = self, BackwardWeights(*map(float, row.weights))
        pairs = (x.p, 0.0, x.p_new, x.r, 0.0, x.r_new, x.s, 0.0)
        amounts = Amounts(x.q, x.k, x.o, x.v, x.uV, x.uK, x.uQ, *pairs, whole=1.0)
        on_S = weights.S * np.sqrt((x.p + x.p_new) * (x.q * x.k))
        return on_S + amounts.on_dP(weights) + amounts.on_gradients(weights)


# Multipliers: the price of a unit of weight, and eight shares between 0 and 1.
_VQ, _VK, _FK, _FQ, _BOTH, _BY_P, _BY_V, _BY_Q = range(1, 9)


class B3Search(MultiplierSearch[B3Row], BackwardSearch[B3Row]):
    """Boxes of (q, k, o); any shares with ``_VQ + _VK <= 1`` and ``_BOTH + _BY_P <= 1`` give a bound."""

    segment = B3Segment
    weighs = (1.0, 1.0, 1.0)
    start = (1.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.5, 0.5)
    exclusive = ((_VQ, _VK), (_BOTH, _BY_P))
    most_boxes = 1_000_000

    def __init__(self, row: B3Row, rng: np.random.Generator) -> None:
        super().__init__(row, rng)
        self.mu = 0.0  # no words are scarce
        if row.plain:
            self.shares = (_BOTH, _BY_P, _BY_V)  # the others use dv = d, and stay 0

    def random_amounts(self) -> Reals:
        """Return amounts of segments of all shapes, without begun chains if none is traced."""
        amounts = super().random_amounts()
        amounts[[8, 10]] *= float(self.weights.S + self.weights.dP > 0)
        return amounts

    def fit(self, parts: Reals) -> Reals:
        """Scale the amounts of :class:`B3Segment` to segments of weight tau."""
        tau, weight = float(self.row.tau) * (1 - 1e-12), B3Segment(*np.eye(12)).weight(self.row)
        return np.asarray(parts * (tau / (weight @ parts)))

    def lagrange(
        self, corners: Sequence[Any], multipliers: Sequence[Reals] | Reals
    ) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/proofs/b3.md, section 4: that of B4 with the same shares for dK and dQ."""
        price, zero = multipliers[0], np.zeros_like(multipliers[0])
        direct, pairs, mix = multipliers[_VQ:_BOTH], multipliers[_BOTH:_BY_Q], multipliers[_BY_Q]
        return super().lagrange(
            (*corners, 1.0), [price, zero, *direct, *pairs, *pairs, mix, zero, zero, zero]
        )


if __name__ == "__main__":
    sys.exit(prove_all(B3Search, B3Row.load()))
