"""Proofs of the constants of B4: branch and bound with every rounding error accounted for.

A constant W of :class:`.b4.B4Row` claims that the weighted work of a segment, a function f of sixteen amounts
(:class:`B4Segment`), is at most W wherever the segment's weight is
at most tau. :func:`certify_b4` proves the claim, or finds a segment that refutes it.
``python -m pebble.lower_bounds.certified.prove_b4`` proves every row.

Once the words of Q, K and dO and the whole rows are fixed, f is at most a concave function of the rest, so that
:mod:`~pebble.lower_bounds.certified.multipliers` bounds a box of these four. The method, with the argument that
rounding cannot hurt, is in ``docs/bounds-b4.md``, section 4.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.b4 import B4Row, b4_rows
from pebble.lower_bounds.certified.b4_multipliers import EXCLUSIVE, B4Multipliers
from pebble.lower_bounds.certified.backward_work import (
    Amounts,
    BackwardLimits,
    BackwardShares,
    BackwardWeights,
    WholeRows,
    backward_lagrange,
    gradient_work,
    second_product,
)
from pebble.lower_bounds.certified.branch_and_bound import (
    SAFETY,
    SLACK,
    Boxes,
    ConstantProof,
    ConstantSearch,
    Reals,
    prove_all,
    prove_constant,
)
from pebble.lower_bounds.certified.multipliers import (
    BoxesWithMultipliers,
    MultiplierSearch,
    best_price,
    bound_at_corners,
    climb,
    legal,
)

__all__ = [
    "B4Search",
    "B4Segment",
    "PlainB4Search",
    "b4_segment_weight",
    "b4_segment_work",
    "certify_b4",
    "main",
    "much_work_b4",
]


@dataclass(frozen=True)
class B4Segment(Amounts):
    """What a segment touches, in units of d².

    Parameters
    ----------
    whole : float or ndarray
        Between 0 and 1: the part of √(q·k) that lies in whole rows (docs/bounds-b4.md).
    """

    whole: Any


def b4_segment_weight(row: B4Row, segment: B4Segment) -> Any:
    """Least weight of a segment that touches so much, in units of d² (floats, no directed rounding)."""
    x = segment
    held = x.uV + x.uK + x.uQ + x.p_kept + x.r_kept + x.s_kept
    words = x.q + x.k + x.o + x.v + held + x.p_stored + x.r_stored + x.s_stored
    begun = float(row.gamma) * x.p_new + float(row.gamma_dP) * x.r_new
    return words + begun + np.maximum(0.0, held - float(row.mu))


def b4_segment_work(row: B4Row, segment: B4Segment) -> Any:
    """Upper bound f on the weighted work of a segment, in units of d³ (floats, no directed rounding)."""
    x, weights = segment, _weights(row)
    pairs, scores = x.p_stored + x.p_kept + x.p_new, x.q * x.k
    spread = np.sqrt(pairs * scores)
    on_S = weights.S * np.minimum(np.minimum(pairs, spread), spread * (1 - x.whole) + scores * x.whole)
    begun = x.r_stored + x.r_kept + x.r_new
    on_dP = np.minimum(weights.dP * begun, second_product(weights, x))
    return on_S + on_dP + gradient_work(weights, x, x.whole**2 * scores)


def _weights(row: B4Row) -> BackwardWeights:
    return BackwardWeights(
        *(float(w) for w in (row.S, row.dP, row.V0, row.V1, row.K0, row.K1, row.Q0, row.Q1))
    )


_TOGETHER = 15  # the multipliers are those of BackwardShares, and θ
_NOTHING = B4Segment(*[0.0] * 16)


@dataclass
class B4Boxes(Boxes):
    """Boxes with points inside the conditions on their multipliers.

    Attributes
    ----------
    points : ndarray, shape (v, n)
    """

    points: Reals


class B4Search(ConstantSearch[B4Row, B4Segment]):
    """Boxes of (q, k, o, h); any shares whose sums are at most 1 where they exclude each other give a bound."""

    batch = 1 << 10

    def __init__(self, row: B4Row, attained: float = 0.0, witness: B4Segment = _NOTHING) -> None:
        super().__init__(row, attained, witness)
        # Whole rows count for little where tau is small: `whole` is not halved there, and elsewhere last.
        self.scale = np.array([[1.0], [1.0], [1.0], [0.0 if row.plain else 0.05 * float(row.tau)]])
        tau, mu = (math.nextafter(float(value), math.inf) for value in (row.tau, row.mu))
        self._limits = BackwardLimits(tau, mu, float(row.gamma), float(row.gamma_dP))
        self._weights = _weights(row)
        self._multipliers = B4Multipliers(self._weights, self._limits, float(row.W), row.plain)

    def first_box(self) -> B4Boxes:
        """Return a box that holds every segment of weight tau: each of q, k and o weighs its number."""
        lo, hi = np.zeros((4, 1)), self.upper_corner
        return B4Boxes(lo, hi, self._multipliers.first(lo, hi).T)

    @property
    def upper_corner(self) -> Reals:
        """Corner of the first box, shape (4, 1)."""
        return np.array([[self._limits.tau]] * 3 + [[1.0]])

    def undone(self, boxes: B4Boxes) -> B4Boxes:
        """Return the boxes whose bound is not below the constant."""
        boxes = self.reachable(boxes)
        return boxes.take(self.above(self.best_bound(boxes)))

    def reachable(self, boxes: B4Boxes) -> B4Boxes:
        """Return the boxes that hold a segment of weight tau, cut to what those segments reach; rounded outwards."""
        room = self._limits.tau * SAFETY - boxes.lo[:3].sum(axis=0)
        boxes = boxes.take(room >= 0)
        room = room[room >= 0] + self._limits.tau * SLACK
        boxes.hi = np.concatenate([np.minimum(boxes.hi[:3], boxes.lo[:3] + room), boxes.hi[3:]])
        return boxes

    def best_bound(self, boxes: B4Boxes) -> Reals:
        """Bound boxes by multipliers that are made for them, shape (n,); their points move to their centres."""
        points, multipliers = self._multipliers.solve(boxes.lo, boxes.hi, boxes.points.T)
        boxes.points = points.T

        def bound(trial: Reals) -> Reals:
            return self.bound(boxes.lo, boxes.hi, trial)

        return best_price(bound, legal(multipliers, EXCLUSIVE), 0.1, 7)[1]

    def bound(self, lo: Reals, hi: Reals, multipliers: Reals) -> Reals:
        """Bound the work on boxes from above, shape (n,); inf where the multipliers give no bound."""
        return bound_at_corners(lo, hi, lambda corners: self.lagrange(corners, multipliers))

    def lagrange(self, corners: Sequence[Reals], multipliers: Reals) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/bounds-b4.md, section 4, at the corners, and whether its conditions hold at the last."""
        q, k, o, whole = corners
        pairs, together = q * k, multipliers[_TOGETHER] * whole
        rows = WholeRows(whole**2 * pairs, together * pairs, (1 - together) ** 2 * pairs)
        shares = BackwardShares(*multipliers[:_TOGETHER])
        return backward_lagrange(self._weights, self._limits, (q, k, o), rows, shares)


class PlainB4Search(MultiplierSearch[B4Row, B4Segment]):
    """Boxes for a plain row: four shares, which random steps find with fewer boxes than convex problems do."""

    start = (1.0, 0.5, 0.2, 0.0, 0.5)  # the price; t − 1, π, π' and η', the same for dK and dQ
    exclusive = ((2, 3),)
    shares = (1, 2, 3, 4)
    scale = np.array([[1.0], [1.0], [1.0], [0.0]])

    def __init__(self, row: B4Row, attained: float, witness: B4Segment, rng: np.random.Generator) -> None:
        super().__init__(row, attained, witness, rng)
        self._of_row = B4Search(row)

    @property
    def upper_corner(self) -> Reals:
        """Each of q, k and o weighs its number."""
        return self._of_row.upper_corner

    def empty(self, boxes: BoxesWithMultipliers) -> NDArray[np.bool_]:
        """Tell which boxes have q + k + o above tau everywhere."""
        empty: NDArray[np.bool_] = boxes.lo[:3].sum(axis=0) > self.upper_corner[0] * SAFETY
        return empty

    def lagrange(self, corners: Sequence[Reals], multipliers: Reals) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/bounds-b4.md, section 4, for all shares."""
        (price, scarce, *pairs), zero = multipliers, np.zeros_like(multipliers[0])
        every = [price, scarce, *[zero] * 4, *pairs, *pairs, zero + 0.5, zero, zero, zero]
        return self._of_row.lagrange(corners, np.stack(every))


def much_work_b4(row: B4Row, rng: np.random.Generator, rounds: int = 1500) -> tuple[float, B4Segment]:
    """Look for a segment that does much work: random segments, and random steps that help."""
    start = rng.dirichlet(np.full(16, 0.4), 300).T
    start[-1] = rng.random(300)
    tau, mu = float(row.tau) * (1 - 1e-12), float(row.mu)
    loose, tight = (_unit_weights(row, price) for price in (1.0, 2.0))

    def fitted(parts: Reals) -> tuple[Reals, Reals]:
        whole = np.clip(parts[-1:], 0.0, 1.0)
        fits = np.minimum(tau / (loose @ parts[:-1]), (tau + mu) / (tight @ parts[:-1]))
        parts = np.concatenate([parts[:-1] * fits, whole])
        return parts, b4_segment_work(row, B4Segment(*parts))

    work, parts = climb(fitted, start, tau, rng, rounds)
    return work, B4Segment(*(float(value) for value in parts))


def _unit_weights(row: B4Row, held: float) -> Reals:
    """Weight of a unit of each amount if what must be red at the start weighs ``held``."""
    weight = dict.fromkeys(Amounts.__dataclass_fields__, 1.0)
    weight |= dict.fromkeys(("uV", "uK", "uQ", "p_kept", "r_kept", "s_kept"), held)
    weight |= {"p_new": float(row.gamma), "r_new": float(row.gamma_dP)}
    return np.array(list(weight.values()))


def certify_b4(
    row: B4Row, max_boxes: int = 300_000, rng: np.random.Generator | None = None
) -> ConstantProof[B4Row, B4Segment]:
    """Prove that no segment does more than W·d³ weighted work, or refute it.

    Parameters
    ----------
    row : B4Row
        The parameters and the constant W.
    max_boxes : int
        Give up after so many boxes. A constant 1 % above the best one takes some ten thousands.
    rng : numpy.random.Generator, optional
        Where the search begins and goes; a fixed one by default, so that runs are alike. A proof is a proof
        whatever it is.

    Returns
    -------
    ConstantProof
        Only the verdict ``"proved"`` makes the constant usable.

    Examples
    --------
    >>> from dataclasses import replace
    >>> row = b4_rows()[-1]
    >>> certify_b4(replace(row, W=row.W * 2)).verdict, certify_b4(replace(row, W=row.W / 2)).verdict
    ('proved', 'refuted')
    """
    rng = np.random.default_rng(0) if rng is None else rng
    found = much_work_b4(row, rng)
    search = PlainB4Search(row, *found, rng) if row.plain else B4Search(row, *found)
    return prove_constant(search, max_boxes)


def main() -> int:
    """Prove the constant of every row of the package; return 0 if all are proved, else 1."""
    return prove_all(b4_rows(), certify_b4)


if __name__ == "__main__":
    sys.exit(main())
