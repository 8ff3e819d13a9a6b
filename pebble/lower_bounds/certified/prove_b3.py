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
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.b3 import B3Row, b3_rows
from pebble.lower_bounds.certified.branch_and_bound import (
    SAFETY,
    SLACK,
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
    x, least = segment, np.minimum
    S, dP, dV, dK, dQ = (float(weight) for weight in row.weights)
    scores, both = x.q * x.k, least(x.q, x.o) * least(x.k, x.v)
    outside = x.p + x.r + x.s
    pairs = x.s + least(least(x.p + scores, x.r + x.o * x.v), x.p + x.r + both)
    on_dV = least(np.sqrt((x.p + scores) * x.uV * x.o), x.p + least(x.q * x.uV, x.k * x.o))
    on_dK = least(np.sqrt(pairs * x.uK * x.q), outside + least(x.q, x.o) * x.uK)
    on_dQ = least(np.sqrt(pairs * x.uQ * x.k), outside + x.k * x.uQ)
    on_S, on_dP = np.sqrt((x.p + x.p_new) * scores), np.sqrt((x.r + x.r_new) * x.o * x.v)
    return S * on_S + dP * on_dP + dV * on_dV + dK * on_dK + dQ * on_dQ


# Multipliers: the price of a unit of weight, and eight shares between 0 and 1.
_VQ, _VK, _FK, _FQ, _BOTH, _BY_P, _BY_V, _BY_Q = range(1, 9)


_NOTHING = B3Segment(*[0.0] * 12)


class B3Search(MultiplierSearch[B3Row, B3Segment]):
    """Boxes of (q, k, o); any shares with ``_VQ + _VK <= 1`` and ``_BOTH + _BY_P <= 1`` give a bound."""

    start = (1.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.5, 0.5)
    exclusive = ((_VQ, _VK), (_BOTH, _BY_P))

    def __init__(
        self, row: B3Row, rng: np.random.Generator, attained: float = 0.0, witness: B3Segment = _NOTHING
    ) -> None:
        super().__init__(row, attained, witness, rng)
        self._tau = math.nextafter(float(row.tau), math.inf)
        self._gamma = float(row.gamma)
        self._weights = tuple(float(weight) for weight in row.weights)

    @property
    def shares(self) -> tuple[int, ...]:
        """All eight; for a plain row those that use dv = d stay 0."""
        general = (_BOTH, _BY_P, _BY_V)
        return general if self.row.plain else (_VQ, _VK, _FK, _FQ, *general, _BY_Q)

    @property
    def upper_corner(self) -> Reals:
        """Each of q, k and o weighs its number."""
        return np.full((3, 1), self._tau)

    def empty(self, boxes: BoxesWithMultipliers) -> NDArray[np.bool_]:
        """Tell which boxes have q + k + o above tau everywhere."""
        empty: NDArray[np.bool_] = boxes.lo.sum(axis=0) > self._tau * SAFETY
        return empty

    def lagrange(
        self, corners: tuple[Reals, Reals, Reals], multipliers: Reals
    ) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/bounds-b3.md, section 4, at the corners, and whether its conditions hold at the last."""
        q, k, o = corners
        S, dP, dV, dK, dQ = self._weights
        price, by_q, by_k, fK, fQ, both, by_p, by_v, mix = multipliers
        full = price * (1 - SLACK)
        least = mix * q + (1 - mix) * o  # at least min(q, o)
        linear = fK * dK + fQ * dQ
        left_V, left_K, left_Q = full - by_q * dV * q, full - fK * dK * least, full - fQ * dQ * k
        on_p = ((1 - by_q - by_k) * dV) ** 2 / 4 * o / left_V
        on_pairs = ((1 - fK) * dK) ** 2 / 4 * q / left_K + ((1 - fQ) * dQ) ** 2 / 4 * k / left_Q
        left_p = full - on_p - (by_q + by_k) * dV - on_pairs * (both + by_p) - linear
        bound = price * (self._tau - q - k - o) + price * self._tau * SLACK
        bound += on_p * q * k + by_k * dV * k * o + on_pairs * (both * (1 - by_v)) * least * k
        bound += on_pairs * by_p * q * k
        if S > 0:
            bound += S**2 / 4 * q * k / np.minimum(self._gamma * full, left_p)
        left_r = full - on_pairs[-1] * (1 - by_p) - linear
        left_s = full - on_pairs[-1] - linear
        left_v = full - on_pairs[-1] * ((1 - both - by_p) * o[-1] + both * by_v * least[-1])
        positive = (left_V[-1] > 0) & (left_K[-1] > 0) & (left_Q[-1] > 0) & (left_p[-1] > 0)
        defined = positive & (left_r >= 0) & (left_s >= 0) & (left_v >= 0)
        if dP > 0:
            defined &= np.minimum(self._gamma * full, left_r) * left_v >= dP**2 / 4 * o[-1] * SAFETY
        return bound, defined


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
