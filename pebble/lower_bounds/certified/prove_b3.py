"""Proofs of the constants of B3: branch and bound with every rounding error accounted for.

A constant W of :class:`.b3.B3Row` claims that the weighted work of a segment, a function f of
twelve amounts (:class:`B3Segment`), is at most W wherever the segment's weight is at most tau. :func:`certify_b3`
proves the claim, or finds a segment that refutes it. ``python -m pebble.lower_bounds.certified.prove_b3``
proves every row.

Once the words of Q, K and dO are fixed, f is a concave function of the rest, so that
:mod:`~pebble.lower_bounds.certified.multipliers` bounds a box of these three. The method, with the argument that
rounding cannot hurt, is in ``docs/bounds-b3.md``, section 4.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.b3 import B3Row, b3_rows
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
    ConstantProof,
    Reals,
    prove_all,
    prove_constant,
)
from pebble.lower_bounds.certified.multipliers import BoxesWithMultipliers, MultiplierSearch, climb

__all__ = ["B3Search", "B3Segment", "b3_segment_weight", "b3_segment_work", "certify_b3", "main", "much_work"]


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


def b3_segment_weight(row: B3Row, segment: B3Segment) -> Any:
    """Least weight of a segment that touches so much, in units of d² (floats, no directed rounding)."""
    x = segment
    words = x.q + x.k + x.o + x.v + x.uV + x.uK + x.uQ + x.p + x.r + x.s
    return words + float(row.gamma) * (x.p_new + x.r_new)


def b3_segment_work(row: B3Row, segment: B3Segment) -> Any:
    """Upper bound f on the weighted work of a segment, in units of d³ (floats, no directed rounding)."""
    x, weights = segment, _weights(row)
    amounts = Amounts(x.q, x.k, x.o, x.v, x.uV, x.uK, x.uQ, x.p, 0.0, x.p_new, x.r, 0.0, x.r_new, x.s, 0.0)
    scores = x.q * x.k
    on_S = weights.S * np.sqrt((x.p + x.p_new) * scores)
    return on_S + second_product(weights, amounts) + gradient_work(weights, amounts, scores)


def _weights(row: B3Row) -> BackwardWeights:
    S, dP, dV, dK, dQ = (float(weight) for weight in row.weights)
    return BackwardWeights(S, dP, dV, dV, dK, dK, dQ, dQ)


# Multipliers: the price of a unit of weight, and eight shares between 0 and 1.
_VQ, _VK, _FK, _FQ, _BOTH, _BY_P, _BY_V, _BY_Q = range(1, 9)


_NOTHING = B3Segment(*[0.0] * 12)


class B3Search(MultiplierSearch[B3Row, B3Segment]):
    """Boxes of (q, k, o); any shares with ``_VQ + _VK <= 1`` and ``_BOTH + _BY_P <= 1`` give a bound."""

    start = (1.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.5, 0.5)
    exclusive = ((_VQ, _VK), (_BOTH, _BY_P))
    scale = np.ones((3, 1))

    def __init__(
        self, row: B3Row, rng: np.random.Generator, attained: float = 0.0, witness: B3Segment = _NOTHING
    ) -> None:
        super().__init__(row, attained, witness, rng)
        tau, gamma = math.nextafter(float(row.tau), math.inf), float(row.gamma)
        self._limits, self._weights = BackwardLimits(tau, 0.0, gamma, gamma), _weights(row)

    @property
    def shares(self) -> tuple[int, ...]:
        """All eight; for a plain row those that use dv = d stay 0."""
        general = (_BOTH, _BY_P, _BY_V)
        return general if self.row.plain else (_VQ, _VK, _FK, _FQ, *general, _BY_Q)

    @property
    def upper_corner(self) -> Reals:
        """Each of q, k and o weighs its number."""
        return np.full((3, 1), self._limits.tau)

    def empty(self, boxes: BoxesWithMultipliers) -> NDArray[np.bool_]:
        """Tell which boxes have q + k + o above tau everywhere."""
        empty: NDArray[np.bool_] = boxes.lo.sum(axis=0) > self._limits.tau * SAFETY
        return empty

    def lagrange(self, corners: Sequence[Reals], multipliers: Reals) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/bounds-b3.md, section 4, at the corners, and whether its conditions hold at the last."""
        q, k, o = corners
        rows = WholeRows(inner=q * k, fixed=0.0, spread2=q * k)
        price, zero = multipliers[0], np.zeros_like(multipliers[0])
        direct, pairs, mix = multipliers[_VQ:_BOTH], multipliers[_BOTH:_BY_Q], multipliers[_BY_Q]
        shares = BackwardShares(*(price, zero, *direct, *pairs, *pairs, mix, zero, zero))
        return backward_lagrange(self._weights, self._limits, (q, k, o), rows, shares)


def much_work(row: B3Row, rng: np.random.Generator, rounds: int = 1500) -> tuple[float, B3Segment]:
    """Look for a segment that does much work: random segments, and random steps that help."""
    weight = b3_segment_weight(row, B3Segment(*np.eye(12)))
    start = rng.dirichlet(np.full(12, 0.4), 300).T
    start[[8, 10]] *= float(row.charged > 0)
    tau = float(row.tau) * (1 - 1e-12)

    def fitted(parts: Reals) -> tuple[Reals, Reals]:
        parts = parts * (tau / (weight @ parts))
        return parts, b3_segment_work(row, B3Segment(*parts))

    work, parts = climb(fitted, start, tau, rng, rounds)
    return work, B3Segment(*(float(value) for value in parts))


def certify_b3(
    row: B3Row, max_boxes: int = 1_000_000, rng: np.random.Generator | None = None
) -> ConstantProof[B3Row, B3Segment]:
    """Prove that no segment does more than W·d³ weighted work, or refute it.

    Parameters
    ----------
    row : B3Row
        The parameters and the constant W.
    max_boxes : int
        Give up after so many boxes. A constant 2 % above the best one takes some ten thousands, and a few
        seconds; 1 % above it, several times that.
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
    >>> row = b3_rows()[-1]
    >>> certify_b3(replace(row, W=row.W * 2)).verdict, certify_b3(replace(row, W=row.W / 2)).verdict
    ('proved', 'refuted')
    """
    rng = np.random.default_rng(0) if rng is None else rng
    return prove_constant(B3Search(row, rng, *much_work(row, rng)), max_boxes)


def main() -> int:
    """Prove the constant of every row of the package; return 0 if all are proved, else 1."""
    return prove_all(b3_rows(), certify_b3)


if __name__ == "__main__":
    sys.exit(main())
