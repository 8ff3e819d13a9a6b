"""Certificates for the constants of T3: branch and bound with every rounding error accounted for.

A constant W of :class:`.t3.Row` claims that the weighted work of a segment, a function f of six
amounts (:class:`Segment`), is at most W wherever the segment's weight is at most tau. :func:`certify` proves
the claim, or finds a segment that refutes it. ``python -m pebble.lower_bounds.certified.prove_t3`` proves every row.

The method, with the argument that rounding cannot hurt, is in ``docs/bounds-t3.md``, section 4.
"""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.t3 import Row, load_rows

__all__ = ["Certificate", "Segment", "certify", "main", "segment_weight", "segment_work"]

_Reals: TypeAlias = NDArray[np.float64]

_BATCH = 1 << 15
_SAFETY = 1 + 1e-10  # far above the accumulated relative rounding error of a bound, which is below 1e-14
_CLEARLY = 1 + 1e-9  # a comparison of computed numbers with this factor between them decides the exact ones
_SLACK = 2.0**-40  # times tau: above the absolute rounding error of what a box leaves for u and v
_WAYS = [way for way in itertools.product((-1.0, -0.5, 0.0, 0.5, 1.0), repeat=3) if any(way)]


@dataclass(frozen=True)
class Segment:
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


def segment_weight(row: Row, segment: Segment) -> Any:
    """Least weight of a segment that touches so much, in units of d² (plain floats, no directed rounding)."""
    s = segment
    reloaded = np.maximum(0.0, s.u + s.cn - float(row.mu))
    return s.cs + s.cn + float(row.gamma) * s.fresh + 2 * s.x + s.u + s.v + reloaded


def segment_work(row: Row, segment: Segment) -> Any:
    """Upper bound f on the weighted work of a segment, in units of d³ (floats, no directed rounding)."""
    s = segment
    scores = s.x * np.sqrt(s.cs + s.cn + s.fresh)
    pairs = s.cs + (1 + float(row.delta)) ** 2 * (s.cn + s.x * s.x)
    return float(row.beta) * scores + np.sqrt(pairs * s.u * s.v)


@dataclass(frozen=True)
class Certificate:
    """Outcome of the attempt to prove a row's constant.

    Parameters
    ----------
    row : Row
        The row, with the constant W that was to be proved.
    verdict : {"proved", "refuted", "undecided"}
        ``"refuted"``: the witness does more work than W. ``"undecided"``: out of boxes.
    boxes : int
        How many boxes were bounded; the same on every run.
    witness : Segment
        The segment with the most work that was met; how close W is to the best constant.
    attained : float
        Its work, in units of d³.
    """

    row: Row
    verdict: Literal["proved", "refuted", "undecided"]
    boxes: int
    witness: Segment
    attained: float

    @property
    def W(self) -> float:
        """The row's constant."""
        return float(self.row.W)

    def __str__(self) -> str:
        spare = f"{100 * (self.W / self.attained - 1):.3f} %" if self.attained else "?"
        return f"{self.row}: {self.verdict}, {self.boxes} boxes, at most {spare} above the best constant"


@dataclass(frozen=True)
class _Constants:
    """A row's parameters as floats; mu and tau rounded up, the others correctly rounded."""

    mu: float
    tau: float
    beta: float
    k2: float  # (1 + delta)²
    inv_gamma: float
    B: float  # 1/gamma - 1

    @classmethod
    def of(cls, row: Row) -> _Constants:
        return cls(
            mu=math.nextafter(float(row.mu), math.inf),
            tau=math.nextafter(float(row.tau), math.inf),
            beta=float(row.beta),
            k2=float((1 + row.delta) ** 2),
            inv_gamma=float(1 / row.gamma),
            B=float(1 / row.gamma - 1),
        )


def _greatest_uv(b: _Reals, m: _Reals) -> _Reals:
    """Bound u·v from above where u + v + max(0, u - m) <= b.

    For every t in [1, 2], t·u + v <= b + (t - 1)·m, so that u·v <= (b + (t - 1)·m)²/4t: any t will do, and
    t = b/m - 1, cut to [1, 2], is the best.
    """
    t = np.clip(b / m - 1.0, 1.0, 2.0)
    return (b + (t - 1.0) * m) ** 2 / (4.0 * t)


def _bound(k: _Constants, lo: _Reals, hi: _Reals) -> _Reals:
    """Bound the work from above on boxes of (x, cn, r), r = cs + gamma·fresh; -1 where a box is infeasible.

    Parameters
    ----------
    k : _Constants
        The row.
    lo, hi : ndarray, shape (3, n)
        Opposite corners of n boxes.

    Returns
    -------
    ndarray, shape (n,)
    """
    slack = k.tau * _SLACK
    x, cn, r = hi
    b = ((k.tau - lo[1]) - lo[2]) - 2.0 * lo[0] + slack
    g = _greatest_uv(np.maximum(b, 0.0), k.mu - lo[1] + slack)
    E = k.k2 * (cn + x * x)
    A = cn + r * k.inv_gamma
    a2 = (k.beta * x) ** 2
    bound = np.sqrt((a2 + g / k.B) * (A + k.B * E))  # Cauchy and Schwarz, whatever cs
    falling = g * A * _CLEARLY <= a2 * k.B**2 * E  # then cs = 0 is best
    rising = g * (cn + r) >= a2 * k.B**2 * (r + E) * _CLEARLY  # then cs = r is best
    a = k.beta * x
    bound = np.where(falling, np.minimum(bound, a * np.sqrt(A) + np.sqrt(E * g)), bound)
    bound = np.where(rising, np.minimum(bound, a * np.sqrt(cn + r) + np.sqrt((r + E) * g)), bound)
    return np.where(b >= 0.0, bound * _SAFETY, -1.0)


def _best_segment(row: Row, corner: _Reals) -> tuple[float, Segment]:
    """Return a feasible segment with the given x, cn and r that does much work; empty if there is none."""
    x, cn, r = (float(value) for value in corner)
    b = float(row.tau) * (1 - 1e-12) - cn - r - 2 * x
    m = float(row.mu) * (1 - 1e-12) - cn
    if b < 0 or m < 0:
        return 0.0, Segment(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    u = b / 2 if b <= 2 * m else (m if b <= 3 * m else (b + m) / 4)
    v = b - u - max(0.0, u - m)
    gamma = float(row.gamma)
    B = 1 / gamma - 1
    A, E, a2 = cn + r / gamma, (1 + float(row.delta)) ** 2 * (cn + x * x), (float(row.beta) * x) ** 2
    bend = a2 * B * B + u * v * B
    cs = min(r, max(0.0, (u * v * A - a2 * B * B * E) / bend)) if bend > 0 else r
    segment = Segment(cs, cn, (r - cs) / gamma, x, u, v)
    return float(segment_work(row, segment)), segment


def _polished(row: Row, attained: float, witness: Segment) -> tuple[float, Segment]:
    """Climb from a witness to a better one nearby, by steps that are halved when none helps."""
    at = np.array([witness.x, witness.cn, witness.cs + float(row.gamma) * witness.fresh])
    step = float(row.tau) / 16
    while step > float(row.tau) * 1e-6:
        around = [np.maximum(at + step * np.array(way), 0.0) for way in _WAYS]
        (work, segment), corner = max(
            ((_best_segment(row, corner), corner) for corner in around), key=lambda found: found[0][0]
        )
        if work > attained * (1 + 1e-9):
            attained, witness, at = work, segment, corner
        else:
            step /= 2
    return attained, witness


def _halves(lo: _Reals, hi: _Reals) -> tuple[_Reals, _Reals]:
    """Split every box across its widest side, x counting double because the weight has 2x."""
    side = np.argmax((hi - lo) * np.array([[2.0], [1.0], [1.0]]), axis=0)
    which = np.arange(lo.shape[1])
    middle = (lo[side, which] + hi[side, which]) / 2
    lower_hi, upper_lo = hi.copy(), lo.copy()
    lower_hi[side, which] = middle
    upper_lo[side, which] = middle
    return np.concatenate([lo, upper_lo], axis=1), np.concatenate([lower_hi, hi], axis=1)


def _next_batch(stack: list[tuple[_Reals, _Reals]]) -> tuple[_Reals, _Reals]:
    """Take boxes off the stack: about a batch of them, to keep the arrays long and the memory small."""
    lo, hi = stack.pop()
    while stack and lo.shape[1] < _BATCH // 2:
        more_lo, more_hi = stack.pop()
        lo, hi = np.concatenate([lo, more_lo], axis=1), np.concatenate([hi, more_hi], axis=1)
    if lo.shape[1] > _BATCH:
        stack.append((lo[:, _BATCH:], hi[:, _BATCH:]))
        lo, hi = lo[:, :_BATCH], hi[:, :_BATCH]
    return lo, hi


def certify(row: Row, max_boxes: int = 200_000_000) -> Certificate:
    """Prove that no segment does more than W·d³ weighted work, or refute it.

    Parameters
    ----------
    row : Row
        The parameters and the constant W.
    max_boxes : int
        Give up after so many boxes. A constant 0.05 % above the best one takes 1 to 40 million, one
        0.5 % above it about a thirtieth of that; the speed is some millions of boxes a second.

    Returns
    -------
    Certificate
        Deterministic. Only the verdict ``"proved"`` makes the constant usable.

    Examples
    --------
    >>> from dataclasses import replace
    >>> row = load_rows()[-1]
    >>> certify(replace(row, W=row.W * 2)).verdict, certify(replace(row, W=row.W / 2)).verdict
    ('proved', 'refuted')
    """
    k = _Constants.of(row)
    target = math.nextafter(float(row.W), 0.0)
    start = np.array([[k.tau / 2], [k.mu], [k.tau]])
    stack = [(np.zeros((3, 1)), start)]
    boxes, attained, witness = 0, *_best_segment(row, np.zeros(3))
    while stack:
        lo, hi = _next_batch(stack)
        boxes += lo.shape[1]
        bound = _bound(k, lo, hi)
        work, segment = _best_segment(row, lo[:, int(np.argmax(bound))])
        if work > attained:
            attained, witness = work, segment
        if attained > float(row.W) * (1 + 1e-9):
            return Certificate(row, "refuted", boxes, witness, attained)
        if boxes > max_boxes:
            return Certificate(row, "undecided", boxes, witness, attained)
        left = ~(bound <= target)  # written so that a NaN would be kept, not dropped
        if left.any():
            stack.append(_halves(lo[:, left], hi[:, left]))
    attained, witness = _polished(row, attained, witness)
    contradicted = attained > float(row.W) * (1 + 1e-9)  # cannot be, and is looked for all the same
    return Certificate(row, "refuted" if contradicted else "proved", boxes, witness, attained)


def main() -> int:
    """Certify every row of the package, print a line for each, and return 0 if all are proved, else 1."""
    failed = 0
    for row in load_rows():
        certificate = certify(row)
        failed += certificate.verdict != "proved"
        print(certificate, flush=True)
    print(f"{len(load_rows()) - failed} of {len(load_rows())} constants proved")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
