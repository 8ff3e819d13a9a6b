"""Proofs of the constants of T3: branch and bound with every rounding error accounted for.

A constant W of :class:`.t3.T3Row` claims that the weighted work of a segment, a function f of six
amounts (:class:`T3Segment`), is at most W wherever the segment's weight is at most tau. :func:`certify_t3` proves
the claim, or finds a segment that refutes it. ``python -m pebble.lower_bounds.certified.prove_t3`` proves every row.

The method, with the argument that rounding cannot hurt, is in ``docs/bounds-t3.md``, section 4.
"""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

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
from pebble.lower_bounds.certified.t3 import T3Row, t3_rows

__all__ = ["T3Search", "T3Segment", "certify_t3", "main", "t3_segment_weight", "t3_segment_work"]

_CLEARLY = 1 + 1e-9  # a comparison of computed numbers with this factor between them decides the exact ones
_WAYS = [way for way in itertools.product((-1.0, -0.5, 0.0, 0.5, 1.0), repeat=3) if any(way)]


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


class T3Search(ConstantSearch[T3Row, T3Segment]):
    """Boxes of (x, cn, r), r = cs + gamma·fresh; the best of the other amounts is known in closed form."""

    batch = 1 << 15
    scale = np.array([[2.0], [1.0], [1.0]])  # the weight has 2x
    decimals = 3

    def __init__(self, row: T3Row) -> None:
        super().__init__(row, *_best_segment(row, np.zeros(3)))
        self._mu = math.nextafter(float(row.mu), math.inf)
        self._tau = math.nextafter(float(row.tau), math.inf)
        self._beta = float(row.beta)
        self._never_stored = float((1 + row.delta) ** 2)
        self._inverse_gamma = float(1 / row.gamma)
        self._B = float(1 / row.gamma - 1)

    def first_box(self) -> Boxes:
        """Return a box that holds every segment of weight tau."""
        return Boxes(np.zeros((3, 1)), np.array([[self._tau / 2], [self._mu], [self._tau]]))

    def undone(self, boxes: Boxes) -> Boxes:
        """Return those of the boxes whose bound is not below the constant."""
        bound = self.bound(boxes.lo, boxes.hi)
        self.meet(*_best_segment(self.row, boxes.lo[:, int(np.argmax(bound))]))
        return boxes.take(self.above(bound))

    def bound(self, lo: Reals, hi: Reals) -> Reals:
        """Bound the work from above on boxes with opposite corners ``lo`` and ``hi``; -1 where a box is infeasible."""
        slack = self._tau * SLACK
        x, cn, r = hi
        b = ((self._tau - lo[1]) - lo[2]) - 2.0 * lo[0] + slack
        g = _greatest_uv(np.maximum(b, 0.0), self._mu - lo[1] + slack)
        E = self._never_stored * (cn + x * x)
        A = cn + r * self._inverse_gamma
        a = self._beta * x
        a2 = a**2
        bound = np.sqrt((a2 + g / self._B) * (A + self._B * E))  # Cauchy and Schwarz, whatever cs
        falling = g * A * _CLEARLY <= a2 * self._B**2 * E  # then cs = 0 is best
        rising = g * (cn + r) >= a2 * self._B**2 * (r + E) * _CLEARLY  # then cs = r is best
        bound = np.where(falling, np.minimum(bound, a * np.sqrt(A) + np.sqrt(E * g)), bound)
        bound = np.where(rising, np.minimum(bound, a * np.sqrt(cn + r) + np.sqrt((r + E) * g)), bound)
        return np.where(b >= 0.0, bound * SAFETY, -1.0)

    def improve_witness(self) -> None:
        """Climb from the witness to a better one nearby, by steps that are halved when none helps."""
        row, tau = self.row, float(self.row.tau)
        at = np.array(
            [self.witness.x, self.witness.cn, self.witness.cs + float(row.gamma) * self.witness.fresh]
        )
        step = tau / 16
        while step > tau * 1e-6:
            around = [np.maximum(at + step * np.array(way), 0.0) for way in _WAYS]
            (work, segment), corner = max(
                ((_best_segment(row, corner), corner) for corner in around), key=lambda found: found[0][0]
            )
            if work > self.attained * (1 + 1e-9):
                self.meet(work, segment)
                at = corner
            else:
                step /= 2


def _greatest_uv(b: Reals, m: Reals) -> Reals:
    """Bound u·v from above where u + v + max(0, u - m) <= b.

    For every t in [1, 2], t·u + v <= b + (t - 1)·m, so that u·v <= (b + (t - 1)·m)²/4t: any t will do, and
    t = b/m - 1, cut to [1, 2], is the best.
    """
    t = np.clip(b / m - 1.0, 1.0, 2.0)
    return (b + (t - 1.0) * m) ** 2 / (4.0 * t)


def _best_segment(row: T3Row, corner: Reals) -> tuple[float, T3Segment]:
    """Return a feasible segment with the given x, cn and r that does much work; empty if there is none."""
    x, cn, r = (float(value) for value in corner)
    b = float(row.tau) * (1 - 1e-12) - cn - r - 2 * x
    m = float(row.mu) * (1 - 1e-12) - cn
    if b < 0 or m < 0:
        return 0.0, T3Segment(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    u = b / 2 if b <= 2 * m else (m if b <= 3 * m else (b + m) / 4)
    v = b - u - max(0.0, u - m)
    gamma = float(row.gamma)
    B = 1 / gamma - 1
    A, E, a2 = cn + r / gamma, (1 + float(row.delta)) ** 2 * (cn + x * x), (float(row.beta) * x) ** 2
    bend = a2 * B * B + u * v * B
    cs = min(r, max(0.0, (u * v * A - a2 * B * B * E) / bend)) if bend > 0 else r
    segment = T3Segment(cs, cn, (r - cs) / gamma, x, u, v)
    return float(t3_segment_work(row, segment)), segment


def certify_t3(row: T3Row, max_boxes: int = 200_000_000) -> ConstantProof[T3Row, T3Segment]:
    """Prove that no segment does more than W·d³ weighted work, or refute it.

    Parameters
    ----------
    row : T3Row
        The parameters and the constant W.
    max_boxes : int
        Give up after so many boxes. A constant 0.05 % above the best one takes 1 to 40 million, one
        0.5 % above it about a thirtieth of that; the speed is some millions of boxes a second.

    Returns
    -------
    ConstantProof
        Deterministic. Only the verdict ``"proved"`` makes the constant usable.

    Examples
    --------
    >>> from dataclasses import replace
    >>> row = t3_rows()[-1]
    >>> certify_t3(replace(row, W=row.W * 2)).verdict, certify_t3(replace(row, W=row.W / 2)).verdict
    ('proved', 'refuted')
    """
    return prove_constant(T3Search(row), max_boxes)


def main() -> int:
    """Prove the constant of every row of the package; return 0 if all are proved, else 1."""
    return prove_all(t3_rows(), certify_t3)


if __name__ == "__main__":
    sys.exit(main())
