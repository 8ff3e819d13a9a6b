"""The searches for B3 with shares that a leaf of a tree for Coq can tell."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pebble.lower_bounds.certified.backward_rows import B3Row, B4Row
from pebble.lower_bounds.certified.branch_and_bound import Reals
from pebble.lower_bounds.certified.convex_multipliers import B4Multipliers
from pebble.lower_bounds.certified.coq_boxes import SHARE
from pebble.lower_bounds.certified.multipliers import BoxesWithMultipliers
from pebble.lower_bounds.certified.prove_b3 import B3Search
from pebble.lower_bounds.certified.prove_b4 import B4Search

_CONVEX_FROM = 2
"""Above this mu, convex problems find shares with far fewer boxes than random steps."""


def b3_tree_search(row: B3Row) -> B3Search:
    """Return the search for the tree of a row."""
    return (_Convex if row.mu > _CONVEX_FROM else _Shares)(row, np.random.default_rng(0))


class _Shares(B3Search):
    """Random steps between shares, rounded."""

    start = (1.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.5, 0.5)

    def legal(self, multipliers: Reals) -> Reals:
        """Round the shares, of the weights or of E, down to parts of :data:`SHARE`."""
        shares = super().legal(multipliers)[1:]
        weights = np.array([[self.weights.dV, self.weights.dV, self.weights.dK, self.weights.dQ]]).T
        shares[:4] = np.floor(shares[:4] * weights * SHARE + 1e-6) / SHARE / weights
        both, by_v = np.floor(shares[4] * SHARE + 1e-6), shares[6]
        shares[4:6] = both / SHARE, np.floor(shares[5] * SHARE + 1e-6) / SHARE
        shares[6] = np.round(by_v * both) / np.maximum(both, 1.0)
        shares[7] = np.round(shares[7] * SHARE) / SHARE
        return multipliers


@dataclass
class _BoxesWithPoints(BoxesWithMultipliers):
    """Boxes with points inside the conditions on their multipliers, shape (v, n)."""

    points: Reals


class _Convex(_Shares):
    """Shares from the convex problems of B4, for a row with the same weights on every pair, where nothing is scarce.

    B4 can pay less for work on S, with shares that B3 lacks; they are dropped, which matters little where S weighs
    little.
    """

    batch = 1 << 10

    def __init__(self, row: B3Row, rng: np.random.Generator) -> None:
        super().__init__(row, rng)
        weights = (row.S, row.dP, *(weight for weight in (row.dV, row.dK, row.dQ) for _ in range(2)))
        like_b4 = B4Row(row.tau * Fraction(999, 1000), row.tau, row.gamma, row.W, row.gamma, *weights)
        self._problems = B4Multipliers(B4Search(like_b4, rng))

    def first_box(self) -> _BoxesWithPoints:
        """Return a box that holds every segment of weight tau."""
        box = super().first_box()
        points = self._problems.first(*map(_in_whole_rows, (box.lo, box.hi))).T
        return _BoxesWithPoints(**vars(box), points=points)

    def undone(self, boxes: BoxesWithMultipliers) -> BoxesWithMultipliers:
        """Return the boxes whose bound is not below the constant; points move to the centres of their conditions."""
        assert isinstance(boxes, _BoxesWithPoints)
        boxes = boxes.take(~self.empty(boxes))
        lo, hi = map(_in_whole_rows, (boxes.lo, boxes.hi))
        points, of_b4 = self._problems.solve(lo, hi, boxes.points.T)
        boxes.points = points.T
        boxes.multipliers, boxes.value = self.best_price(
            boxes, self.legal(self._of_b3(boxes.hi, of_b4)), 0.1, 9
        )
        return self._left(boxes)

    def _of_b3(self, hi: Reals, of_b4: Reals) -> Reals:
        """Return multipliers with the same shares of E for dK and dQ: means, by what each pays for E."""
        price, _, by_q, by_k, fK, fQ, both_K, by_p_K, by_v_K, both_Q, by_p_Q, by_v_Q, mix, *_ = of_b4
        (q, k, o), w = hi, self.weights
        for_K = ((1 - fK) * w.dK) ** 2 * q / (price - fK * w.dK * (mix * q + (1 - mix) * o))
        for_Q = ((1 - fQ) * w.dQ) ** 2 * k / (price - fQ * w.dQ * k)
        of_K, of_Q = for_K / (for_K + for_Q), for_Q / (for_K + for_Q)
        both, by_p = of_K * both_K + of_Q * both_Q, of_K * by_p_K + of_Q * by_p_Q
        by_v = (of_K * both_K * by_v_K + of_Q * both_Q * by_v_Q) / both
        found = np.stack([price, by_q, by_k, fK, fQ, both, by_p, by_v, mix])
        return np.where(np.isfinite(found), found, 0.0)


def _in_whole_rows(corner: Reals) -> Reals:
    return np.concatenate([corner, np.ones((1, corner.shape[1]))])
