"""The search that proves the constants of B4; ``python -m pebble.lower_bounds.certified.prove_b4`` proves every row.

Once the words of Q, K and dO and the whole rows are fixed, f is at most a concave function of a segment's other
amounts. The method, with the argument that rounding cannot hurt, is in ``docs/proofs/b4.md``, section 4.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.backward_rows import B4Row
from pebble.lower_bounds.certified.backward_work import Amounts, BackwardSearch, BackwardWeights
from pebble.lower_bounds.certified.branch_and_bound import (
    SAFETY,
    SLACK,
    Boxes,
    ConstantSearch,
    Reals,
    prove_all,
)
from pebble.lower_bounds.certified.convex_multipliers import B4Multipliers
from pebble.lower_bounds.certified.multipliers import MultiplierSearch


@dataclass(frozen=True)
class B4Segment(Amounts):
    """What a segment touches, in units of d²."""

    def weight(self, row: B4Row) -> Any:
        """Least weight of a segment that touches so much."""
        x = self
        held = x.uV + x.uK + x.uQ + x.p_kept + x.r_kept + x.s_kept
        words = x.q + x.k + x.o + x.v + held + x.p_stored + x.r_stored + x.s_stored
        begun = float(row.gamma) * x.p_new + float(row.gamma_dP) * x.r_new
        return words + begun + np.maximum(0.0, held - float(row.mu))

    def work(self, row: B4Row) -> Any:
        """Upper bound f on the weighted work of a segment, in units of d³."""
        x, weights = self, BackwardWeights(*map(float, row.weights))
        pairs, scores = x.p_stored + x.p_kept + x.p_new, x.q * x.k
        spread = np.sqrt(pairs * scores)
        on_S = weights.S * np.minimum(np.minimum(pairs, spread), spread * (1 - x.whole) + scores * x.whole)
        begun = x.r_stored + x.r_kept + x.r_new
        return on_S + np.minimum(weights.dP * begun, x.on_dP(weights)) + x.on_gradients(weights)


class _OfB4(BackwardSearch[B4Row]):
    segment = B4Segment
    most_boxes = 300_000

    def fit(self, parts: Reals) -> Reals:
        """Scale the amounts of :class:`B4Segment` to segments of weight at most tau."""
        tau, mu = float(self.row.tau) * (1 - 1e-12), float(self.row.mu)
        loose, tight = (self._unit_weights(price) for price in (1.0, 2.0))
        return np.asarray(parts * np.minimum(tau / (loose @ parts), (tau + mu) / (tight @ parts)))

    def _unit_weights(self, held: float) -> Reals:
        """Weight of a unit of each amount if what must be red at the start weighs ``held``."""
        weight = dict.fromkeys(Amounts.__dataclass_fields__, 1.0)
        weight |= dict.fromkeys(("uV", "uK", "uQ", "p_kept", "r_kept", "s_kept"), held)
        weight |= {"p_new": self.begun_S, "r_new": self.begun_dP}
        return np.array(list(weight.values()))[:-1]


@dataclass
class B4Boxes(Boxes):
    """Boxes with points inside the conditions on their multipliers.

    Attributes
    ----------
    points : ndarray, shape (v, n)
    """

    points: Reals


class B4Search(_OfB4):
    """Boxes of (q, k, o, h); any shares whose sums are at most 1 where they exclude each other give a bound."""

    batch = 1 << 10
    part = 0.05  # whole rows are halved last
    exclusive = ((2, 3), (6, 7), (9, 10))  # a₁ and a₂, π and π' of dK and of dQ

    def __init__(self, row: B4Row, rng: np.random.Generator) -> None:
        super().__init__(row, rng)
        self._multipliers = B4Multipliers(self)

    def first_box(self) -> B4Boxes:
        """Return a box that holds every segment of weight tau."""
        lo, hi = np.zeros((4, 1)), self.corner
        return B4Boxes(lo, hi, self._multipliers.first(lo, hi).T)

    def undone(self, boxes: B4Boxes) -> B4Boxes:
        """Return the boxes whose bound is not below the constant."""
        boxes = self.reachable(boxes)
        return boxes.take(self.above(self.best_bound(boxes)))

    def reachable(self, boxes: B4Boxes) -> B4Boxes:
        """Return the boxes that hold a segment of weight tau, cut to what those segments reach; rounded outwards."""
        room = self.tau * SAFETY - boxes.lo[:3].sum(axis=0)
        boxes = boxes.take(room >= 0)
        room = room[room >= 0] + self.tau * SLACK
        boxes.hi = np.concatenate([np.minimum(boxes.hi[:3], boxes.lo[:3] + room), boxes.hi[3:]])
        return boxes

    def best_bound(self, boxes: B4Boxes) -> Reals:
        """Bound boxes by multipliers that are made for them, shape (n,); their points move to their centres."""
        points, multipliers = self._multipliers.solve(boxes.lo, boxes.hi, boxes.points.T)
        boxes.points = points.T
        return self.best_price(boxes, self.legal(multipliers), 0.1, 7)[1]


class PlainB4Search(MultiplierSearch[B4Row], _OfB4):
    """Boxes for a plain row, not halved in h: random steps find four shares with fewer boxes than convex problems."""

    start = (1.0, 0.5, 0.2, 0.0, 0.5)  # the price; t − 1, π, π' and η', the same for dK and dQ
    exclusive = ((2, 3),)

    def lagrange(
        self, corners: Sequence[Any], multipliers: Sequence[Reals] | Reals
    ) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/proofs/b4.md, section 4, for all shares."""
        (price, scarce, *pairs), zero = multipliers, np.zeros_like(multipliers[0])
        return super().lagrange(
            corners, [price, scarce, *[zero] * 4, *pairs, *pairs, zero + 0.5, zero, zero, zero]
        )


def b4_search(row: B4Row, rng: np.random.Generator) -> ConstantSearch[B4Row]:
    """Return the search for a row."""
    return (PlainB4Search if row.plain else B4Search)(row, rng)


if __name__ == "__main__":
    sys.exit(prove_all(b4_search, B4Row.load()))
