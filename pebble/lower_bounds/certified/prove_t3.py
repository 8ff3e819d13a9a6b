"""Proofs of the constants of T3: branch and bound with every rounding error accounted for.

A constant W of :class:`.t3.T3Row` claims that the weighted work of a segment, a function f of six
amounts (:class:`T3Segment`), is at most W wherever the segment's weight is at most tau. :func:`certify_t3` proves
the claim, or finds a segment that refutes it. ``python -m pebble.lower_bounds.certified.prove_t3`` proves every row.

Once x and u are fixed, f is a concave function of the rest, so that
:mod:`~pebble.lower_bounds.certified.multipliers` bounds a box of these two. The method, with the argument that
rounding cannot hurt, is in ``docs/bounds-t3.md``, section 4.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.branch_and_bound import (
    SAFETY,
    SLACK,
    ConstantProof,
    Reals,
    prove_all,
    prove_constant,
)
from pebble.lower_bounds.certified.multipliers import BoxesWithMultipliers, MultiplierSearch, climb, last
from pebble.lower_bounds.certified.t3 import T3Row, t3_rows

__all__ = [
    "T3Search",
    "T3Segment",
    "certify_t3",
    "fitting",
    "main",
    "much_work_t3",
    "t3_segment_weight",
    "t3_segment_work",
]


@dataclass(frozen=True)
class T3Segment:
    """What a segment touches, in units of d²: the six amounts that its work is bounded by.

    Parameters
    ----------
    cs, cn : float or ndarray
        Pairs with a vertex of S or P red at the start or loaded: those ever stored, those never stored.
    fresh : float or ndarray
        Chains of S started, each by its share.
    x : float or ndarray
        Half the number of words of Q and K.
    u, v : float or ndarray
        Chains of U at work, and words of V.
    """

    cs: Any
    cn: Any
    fresh: Any
    x: Any
    u: Any
    v: Any


def t3_segment_weight(row: T3Row, segment: T3Segment) -> Any:
    """Least weight of a segment that touches so much, in units of d² (plain floats, no directed rounding)."""
    s = segment
    reloaded = np.maximum(0.0, s.u + s.cn - float(row.mu))
    return s.cs + s.cn + float(row.gamma) * s.fresh + 2 * s.x + s.u + s.v + reloaded


def t3_segment_work(row: T3Row, segment: T3Segment) -> Any:
    """Upper bound f on the weighted work of a segment, in units of d³ (floats, no directed rounding)."""
    s = segment
    scores = s.x * np.sqrt(s.cs + s.cn + s.fresh)
    pairs = s.cs + (1 + float(row.delta)) ** 2 * (s.cn + s.x * s.x)
    return float(row.beta) * scores + np.sqrt(pairs * s.u * s.v)


_NOTHING = T3Segment(*[0.0] * 6)


class T3Search(MultiplierSearch[T3Row, T3Segment]):
    """Boxes of (x, u); any shares give a bound."""

    start = (1.0, 1.0, 0.0)
    exclusive = ()
    shares = (1, 2)
    decimals = 3

    def __init__(
        self, row: T3Row, rng: np.random.Generator, attained: float = 0.0, witness: T3Segment = _NOTHING
    ) -> None:
        super().__init__(row, attained, witness, rng)
        self.scale = np.array([[2.0], [1.0]])  # the weight has 2x
        self._tau, self._mu, self._beta, self._never_stored = (
            math.nextafter(float(value), math.inf) for value in (row.tau, row.mu, row.beta, 1 + row.delta)
        )
        self._gamma = math.nextafter(float(row.gamma), 0.0)

    @property
    def upper_corner(self) -> Reals:
        """X weighs twice its number, u its number."""
        return np.array([[self._tau / 2], [self._tau]])

    def empty(self, boxes: BoxesWithMultipliers) -> NDArray[np.bool_]:
        """Tell which boxes have 2x + u above tau everywhere."""
        empty: NDArray[np.bool_] = 2 * boxes.lo[0] + boxes.lo[1] > self._tau * SAFETY
        return empty

    def price_and_t(self, u: Reals, multipliers: Reals) -> tuple[Reals, Reals]:
        """Return what the multipliers say of a box whose greatest u is given.

        The best price and t often make L nearly 0, so that the multipliers are how far they are from that: what the
        price is above the least one, √u/2, and which part of the room for t is taken; then which part of the rest.
        """
        above, taken, more = multipliers
        price = np.sqrt(u) / 2 + above
        full = price * (1 - SLACK)
        pairs = u * (0.25 / full)
        t = (taken * np.minimum(full - pairs, self._gamma * full) + self._never_stored**2 * pairs) / full
        t = np.clip(t, 1.0, 2.0)
        return price, np.minimum(t + more * (2.0 - t), 2.0)

    def lagrange(self, corners: Sequence[Reals], multipliers: Reals) -> tuple[Reals, NDArray[np.bool_]]:
        """Return g of docs/bounds-t3.md, section 4, at the corners, and whether its conditions hold at the last."""
        x, u = corners
        price, t = self.price_and_t(last(u), multipliers)
        D2, full = self._never_stored**2, price * (1 - SLACK)
        pairs = u * (0.25 / full)
        left = np.minimum(np.minimum(full - pairs, self._gamma * full), t * full - D2 * pairs)
        bound = price * (self._tau + (t - 1) * self._mu - 2 * x - t * u)
        bound = bound + price * (2 * self._tau + self._mu) * SLACK
        bound = bound + (self._beta * x) ** 2 * 0.25 / left + D2 * (x * x) * pairs
        return bound, last(left) > 0


def fitting(row: T3Row, parts: Reals) -> Reals:
    """Scale the amounts of :class:`T3Segment`, shape (6, n), to segments of weight at most tau."""
    tau, mu = float(row.tau) * (1 - 1e-12), float(row.mu) * (1 - 1e-12)
    cn, u = parts[1], parts[4]
    loose = t3_segment_weight(row, T3Segment(*parts)) - np.maximum(0.0, u + cn - float(row.mu))
    parts = parts * np.minimum(tau / loose, (tau + mu) / (loose + u + cn))
    parts[1] = np.minimum(parts[1], mu)
    return parts


def much_work_t3(row: T3Row, rng: np.random.Generator, rounds: int = 1500) -> tuple[float, T3Segment]:
    """Look for a segment that does much work: random segments, and random steps that help."""

    def fitted(parts: Reals) -> tuple[Reals, Reals]:
        parts = fitting(row, parts)
        return parts, t3_segment_work(row, T3Segment(*parts))

    start = rng.dirichlet(np.full(6, 0.5), 300).T
    work, parts = climb(fitted, start, float(row.tau), rng, rounds)
    return work, T3Segment(*(float(value) for value in parts))


def certify_t3(
    row: T3Row, max_boxes: int = 500_000, rng: np.random.Generator | None = None
) -> ConstantProof[T3Row, T3Segment]:
    """Prove that no segment does more than W·d³ weighted work, or refute it.

    Parameters
    ----------
    row : T3Row
        The parameters and the constant W.
    max_boxes : int
        Give up after so many boxes. A constant 0.05 % above the best one takes a few thousand.
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
    >>> row = t3_rows()[-1]
    >>> certify_t3(replace(row, W=row.W * 2)).verdict, certify_t3(replace(row, W=row.W / 2)).verdict
    ('proved', 'refuted')
    """
    rng = np.random.default_rng(0) if rng is None else rng
    return prove_constant(T3Search(row, rng, *much_work_t3(row, rng)), max_boxes)


def main() -> int:
    """Prove the constant of every row of the package; return 0 if all are proved, else 1."""
    return prove_all(t3_rows(), certify_t3)


if __name__ == "__main__":
    sys.exit(main())
