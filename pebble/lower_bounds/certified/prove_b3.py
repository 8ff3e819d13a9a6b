"""Certificates for the constants of B3: branch and bound with every rounding error accounted for.

A constant W of :class:`.b3.B3Row` claims that the weighted work of a segment, a function f of
twelve amounts (:class:`B3Segment`), is at most W wherever the segment's weight is at most tau. :func:`certify_b3`
proves the claim, or finds a segment that refutes it. ``python -m pebble.lower_bounds.certified.prove_b3``
proves every row.

Once the words of Q, K and dO are fixed, f is a concave function of the rest, so that Lagrange multipliers give
upper bounds; and for fixed multipliers the bound is convex in each of those three, so that the corners of a box
bound the box. The multipliers are searched for by trial and error: they decide how many boxes there are, never
whether a constant is right. The method, with the argument that rounding cannot hurt, is in
``docs/bounds-b3.md``, section 4.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.lower_bounds.certified.b3 import B3Row, load_b3_rows

__all__ = ["B3Certificate", "B3Segment", "b3_segment_weight", "b3_segment_work", "certify_b3", "main"]

_Reals: TypeAlias = NDArray[np.float64]
_Bound: TypeAlias = Callable[[_Reals], _Reals]

_BATCH = 1 << 12
_UPPER = np.array(list(itertools.product((False, True), repeat=3)))
_SAFETY = 1 + 1e-10  # far above the accumulated relative rounding error of a bound, which is below 1e-13
_SLACK = (
    2.0**-40
)  # relative; what is left of a price after subtractions is lowered by this share of the price
_GOLDEN = (math.sqrt(5) - 1) / 2
_FIRST = 200  # the first boxes are worth a wide search
_SPLITS = 3  # after so many halvings the search is intensified once


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


@dataclass(frozen=True)
class B3Certificate:
    """Outcome of the attempt to prove a row's constant.

    Parameters
    ----------
    row : B3Row
        The row, with the constant W that was to be proved.
    verdict : {"proved", "refuted", "undecided"}
        ``"refuted"``: the witness does more work than W. ``"undecided"``: out of boxes.
    boxes : int
        How many boxes were bounded; the same on every run.
    witness : B3Segment
        The segment with the most work that was met; how close W is to the best constant.
    attained : float
        Its work, in units of d³.
    """

    row: B3Row
    verdict: Literal["proved", "refuted", "undecided"]
    boxes: int
    witness: B3Segment
    attained: float

    def __str__(self) -> str:
        spare = 100 * (float(self.row.W) / self.attained - 1)
        return (
            f"{self.row}: {self.verdict}, {self.boxes} boxes, at most {spare:.2f} % above the best constant"
        )


@dataclass(frozen=True)
class _Constants:
    """A row's parameters as floats; tau rounded up, the others correctly rounded."""

    tau: float
    gamma: float
    S: float
    dP: float
    dV: float
    dK: float
    dQ: float
    plain: bool

    @classmethod
    def of(cls, row: B3Row) -> _Constants:
        tau = math.nextafter(float(row.tau), math.inf)
        S, dP, dV, dK, dQ = (float(weight) for weight in row.weights)
        return cls(tau, float(row.gamma), S, dP, dV, dK, dQ, row.plain)


# Rows of an array of multipliers: the price of a unit of weight, and eight shares between 0 and 1.
_PRICE, _VQ, _VK, _FK, _FQ, _BOTH, _BY_P, _BY_V, _BY_Q = range(9)
_ALL = (_VQ, _VK, _FK, _FQ, _BOTH, _BY_P, _BY_V, _BY_Q)
_PLAIN = (_BOTH, _BY_P, _BY_V)  # with the others at 0, only what holds for any dv is used


def _bound(c: _Constants, lo: _Reals, hi: _Reals, multipliers: _Reals) -> _Reals:
    """Bound the work from above on boxes of (q, k, o) by Lagrange's function; inf where it is not defined.

    Parameters
    ----------
    c : _Constants
        The row.
    lo, hi : ndarray, shape (3, n)
        Opposite corners of n boxes.
    multipliers : ndarray, shape (9, n)
        Any price above 0 and any shares with ``_VQ + _VK <= 1`` and ``_BOTH + _BY_P <= 1`` give a bound.

    Returns
    -------
    ndarray, shape (n,)
    """
    with np.errstate(all="ignore"):
        value, defined = _lagrange(c, *_corners(lo, hi), multipliers)
        most = value.max(axis=0)
        return np.where(defined & np.isfinite(most), most * _SAFETY, np.inf)


def _corners(lo: _Reals, hi: _Reals) -> tuple[_Reals, _Reals, _Reals]:
    """Return q, k and o at the eight corners of every box, each of shape (8, n), the upper corner last."""
    q, k, o = (np.where(_UPPER[:, axis, None], hi[axis], lo[axis]) for axis in range(3))
    return q, k, o


def _lagrange(
    c: _Constants, q: _Reals, k: _Reals, o: _Reals, multipliers: _Reals
) -> tuple[_Reals, NDArray[np.bool_]]:
    """Lagrange's function at the corners, and whether the multipliers are feasible at the last of them."""
    price, by_q, by_k, fK, fQ, both, by_p, by_v, mix = multipliers
    full = price * (1 - _SLACK)
    least = mix * q + (1 - mix) * o  # at least min(q, o)
    linear = fK * c.dK + fQ * c.dQ
    left_V, left_K, left_Q = full - by_q * c.dV * q, full - fK * c.dK * least, full - fQ * c.dQ * k
    on_p = ((1 - by_q - by_k) * c.dV) ** 2 / 4 * o / left_V
    on_pairs = ((1 - fK) * c.dK) ** 2 / 4 * q / left_K + ((1 - fQ) * c.dQ) ** 2 / 4 * k / left_Q
    left_p = full - on_p - (by_q + by_k) * c.dV - on_pairs * (both + by_p) - linear
    bound = price * (c.tau - q - k - o) + price * c.tau * _SLACK
    bound += on_p * q * k + by_k * c.dV * k * o + on_pairs * (both * (1 - by_v)) * least * k
    bound += on_pairs * by_p * q * k
    if c.S > 0:
        bound += c.S**2 / 4 * q * k / np.minimum(c.gamma * full, left_p)
    left_r = full - on_pairs[-1] * (1 - by_p) - linear
    left_s = full - on_pairs[-1] - linear
    left_v = full - on_pairs[-1] * ((1 - both - by_p) * o[-1] + both * by_v * least[-1])
    positive = (left_V[-1] > 0) & (left_K[-1] > 0) & (left_Q[-1] > 0) & (left_p[-1] > 0)
    defined = positive & (left_r >= 0) & (left_s >= 0) & (left_v >= 0)
    if c.dP > 0:
        defined &= np.minimum(c.gamma * full, left_r) * left_v >= c.dP**2 / 4 * o[-1] * _SAFETY
    return bound, defined


def _legal(multipliers: _Reals) -> _Reals:
    """Bring shares back between 0 and 1, and those that exclude each other to a sum of at most 1; in place."""
    np.clip(multipliers[1:], 0.0, 1.0, out=multipliers[1:])
    for pair in ([_VQ, _VK], [_BOTH, _BY_P]):
        multipliers[pair] /= np.maximum(multipliers[pair].sum(axis=0), 1.0)
    return multipliers


def _best_price(
    bound: _Bound, multipliers: _Reals, width: _Reals | float, steps: int
) -> tuple[_Reals, _Reals]:
    """Tune the price, within a factor exp(width), by golden section; too low a price is not defined."""

    def at(logarithm: _Reals) -> _Reals:
        trial = multipliers.copy()
        trial[_PRICE] = np.exp(logarithm)
        return bound(trial)

    low = np.log(multipliers[_PRICE]) - width
    high = low + 2 * width
    a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_a, at_b = at(a), at(b)
    for _ in range(steps):
        up = (at_a > at_b) | np.isinf(at_a)
        low, high = np.where(up, a, low), np.where(up, high, b)
        new = np.where(up, low + _GOLDEN * (high - low), high - _GOLDEN * (high - low))
        at_new = at(new)
        a, b = np.where(up, b, new), np.where(up, new, a)
        at_a, at_b = np.where(up, at_b, at_new), np.where(up, at_new, at_a)
    tuned = multipliers.copy()
    tuned[_PRICE] = np.exp(np.where(at_a < at_b, a, b))
    return tuned, np.minimum(at_a, at_b)


@dataclass
class _Boxes:
    """Boxes not yet done, with the multipliers that have served them best."""

    lo: _Reals
    hi: _Reals
    multipliers: _Reals
    step: _Reals
    depth: NDArray[np.int64]
    value: _Reals

    @classmethod
    def whole(cls, c: _Constants) -> _Boxes:
        start = np.array([[1.0], [0], [0], [0], [0], [0.2], [0], [0.5], [0.5]])
        one = np.ones(1)
        return cls(
            np.zeros((3, 1)), np.full((3, 1), c.tau), start, 0.3 * one, np.zeros(1, int), math.inf * one
        )

    def __len__(self) -> int:
        return len(self.step)

    def take(self, which: Any) -> _Boxes:
        return _Boxes(*(part[..., which] for part in vars(self).values()))

    def join(self, other: _Boxes) -> _Boxes:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return _Boxes(*(np.concatenate(pair, axis=-1) for pair in pairs))

    def halves(self) -> _Boxes:
        """Split every box across its widest side."""
        side, which = np.argmax(self.hi - self.lo, axis=0), np.arange(len(self))
        middle = (self.lo[side, which] + self.hi[side, which]) / 2
        lower, upper = self.take(slice(None)), self.take(slice(None))
        lower.hi, upper.lo = self.hi.copy(), self.lo.copy()
        lower.hi[side, which] = middle
        upper.lo[side, which] = middle
        both = lower.join(upper)
        both.depth = both.depth + 1
        both.step = np.clip(both.step * 2, 0.03, 0.3)
        return both

    def accept(self, multipliers: _Reals, value: _Reals) -> NDArray[np.bool_]:
        better = value < self.value
        self.multipliers = np.where(better, multipliers, self.multipliers)
        self.value = np.where(better, value, self.value)
        return better


def _improve(c: _Constants, boxes: _Boxes, rounds: int, rng: np.random.Generator) -> None:
    """Search for better multipliers by random steps and their opposites; in place."""
    shares = np.array(_PLAIN if c.plain else _ALL)

    def bound(multipliers: _Reals) -> _Reals:
        return _bound(c, boxes.lo, boxes.hi, multipliers)

    for _ in range(rounds):
        chosen = rng.random(len(shares)) < 0.5
        chosen[rng.integers(len(shares))] = True
        way = np.zeros((9, 1))
        way[shares, 0] = rng.normal(size=len(shares)) * chosen
        better = np.zeros(len(boxes), bool)
        for sign in (1.0, -1.0):
            trial = _legal(boxes.multipliers + sign * boxes.step * way)
            better |= boxes.accept(*_best_price(bound, trial, np.clip(boxes.step, 0.02, 0.3), 5))
        boxes.step = np.clip(np.where(better, boxes.step * 1.5, boxes.step * 0.8), 1e-3, 0.5)


def _next_batch(stack: list[_Boxes]) -> _Boxes:
    """Take boxes off the stack: about a batch of them, to keep the arrays long and the memory small."""
    boxes = stack.pop()
    while stack and len(boxes) < _BATCH // 2:
        boxes = boxes.join(stack.pop())
    if len(boxes) > _BATCH:
        stack.append(boxes.take(slice(_BATCH, None)))
        boxes = boxes.take(slice(_BATCH))
    return boxes


def _undone(c: _Constants, boxes: _Boxes, target: float, first: bool, rng: np.random.Generator) -> _Boxes:
    """Return the boxes that no multipliers that were tried bring below the target."""

    def left(boxes: _Boxes) -> _Boxes:
        return boxes.take(~(boxes.value <= target))  # written so that a NaN would be kept, not dropped

    boxes = boxes.take(~(boxes.lo.sum(axis=0) > c.tau * _SAFETY))
    boxes.value = _bound(c, boxes.lo, boxes.hi, boxes.multipliers)
    boxes = left(boxes)
    tuned = _best_price(
        lambda m: _bound(c, boxes.lo, boxes.hi, m),
        boxes.multipliers,
        8.0 if first else 0.3,
        20 if first else 7,
    )
    boxes.accept(*tuned)
    boxes = left(boxes)
    _improve(c, boxes, 24 if first else 2, rng)
    boxes = left(boxes)
    stuck = boxes.depth % _SPLITS == _SPLITS - 1
    if stuck.any():
        hard = boxes.take(stuck)
        hard.step = np.full(len(hard), 0.3)
        _improve(c, hard, 16, rng)
        boxes = boxes.take(~stuck).join(left(hard))
    return boxes


def _climb(row: B3Row, rng: np.random.Generator, rounds: int = 1500) -> tuple[float, B3Segment]:
    """Look for a segment that does much work: random segments, and random steps that help."""
    weight = b3_segment_weight(row, B3Segment(*np.eye(12)))
    at = rng.dirichlet(np.full(12, 0.4), 300).T
    at[[8, 10]] *= float(row.charged > 0)
    scale = float(row.tau) * (1 - 1e-12)

    def fitted(parts: _Reals) -> tuple[_Reals, _Reals]:
        parts = parts * (scale / (weight @ parts))
        return parts, b3_segment_work(row, B3Segment(*parts))

    at, best = fitted(at)
    for size in np.geomspace(0.6, 1e-3, rounds):
        moved = at * np.exp(size * rng.normal(size=at.shape) * (rng.random(at.shape) < 0.3))
        moved += (rng.random(at.shape) < 0.03) * size * rng.random(at.shape) * scale / 10
        moved *= np.where(rng.random(at.shape) < 0.01, 1e-9, 1.0)
        moved, work = fitted(moved)
        better = work > best
        at, best = np.where(better, moved, at), np.where(better, work, best)
    top = int(np.argmax(best))
    return float(best[top]), B3Segment(*(float(value) for value in at[:, top]))


def certify_b3(
    row: B3Row, max_boxes: int = 1_000_000, rng: np.random.Generator | None = None
) -> B3Certificate:
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
    B3Certificate
        Only the verdict ``"proved"`` makes the constant usable.

    Examples
    --------
    >>> from dataclasses import replace
    >>> row = load_b3_rows()[-1]
    >>> certify_b3(replace(row, W=row.W * 2)).verdict, certify_b3(replace(row, W=row.W / 2)).verdict
    ('proved', 'refuted')
    """
    rng = np.random.default_rng(0) if rng is None else rng
    c = _Constants.of(row)
    target = math.nextafter(float(row.W), 0.0)
    attained, witness = _climb(row, rng)
    if attained > float(row.W) * (1 + 1e-9):
        return B3Certificate(row, "refuted", 0, witness, attained)
    stack, count = [_Boxes.whole(c)], 0
    while stack:
        boxes = _next_batch(stack)
        count += len(boxes)
        if count > max_boxes:
            return B3Certificate(row, "undecided", count, witness, attained)
        boxes = _undone(c, boxes, target, count < _FIRST, rng)
        if len(boxes):
            stack.append(boxes.halves())
    return B3Certificate(row, "proved", count, witness, attained)


def main() -> int:
    """Certify every row of the package, print a line for each, and return 0 if all are proved, else 1."""
    failed = 0
    for row in load_b3_rows():
        certificate = certify_b3(row)
        failed += certificate.verdict != "proved"
        print(certificate, flush=True)
    print(f"{len(load_b3_rows()) - failed} of {len(load_b3_rows())} constants proved")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
