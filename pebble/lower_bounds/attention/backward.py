"""B1, B2 and W: the lower bounds from the products of a backward pass."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import HONG_KUNG, LOOMIS_WHITNEY, Bound, Statement
from pebble.lower_bounds.cutting import SegmentBound, best_cut, best_start
from pebble.lower_bounds.requirements import Counts, require_pass
from pebble.lower_bounds.rounding import ceil_div, ceil_sqrt

B1 = Statement(
    "B1",
    "I/O ≥ M + 1 + X·(⌈z·β / F(M + X)⌉ − 1), F(T) = ⌊max over 0 ≤ b ≤ T of (T − b)²/4 + min(β·b, "
    "κ·√b·(T − b)/2)⌋, for every integer X ≥ 1 with at least two segments; β = 12d² and κ = 4d for dv = d",
    "attention, backward pass, any sizes and any mask; z is the number of pairs; chains in a fixed order",
    "docs/proofs/backward.md, B1",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


@dataclass(frozen=True)
class B1Weights:
    """Weights of multiply-adds of dV, dK and dQ, for given head dimensions.

    A multiply-add of dK or dQ weighs ``kappa``, one of dV weighs ``omega <= kappa``; all five products of a
    pair weigh ``beta = omega dv + 2 kappa d``. A segment that reaches ``T`` words does at most

        max over 0 <= s <= sqrt(T) of (T - s²)²/4 + min(beta s², kappa s (T - s²) / 2).

    For ``dv = d`` the weights are ``omega = kappa = 4 d``, so that ``beta = 12 d²``.

    Parameters
    ----------
    d, dv : int
        Head dimension of Q and K, and of V.
    width : int
        Words of a sum; more than one, up to five, with ``dv = d`` (docs/proofs/any-order.md).
    """

    d: int
    dv: int
    width: int = 1

    @cached_property
    def omega(self) -> int:
        """Weight of a multiply-add of dV."""
        if self.width > 1:
            return 2 * self.width * self.d
        return min(4 * self.d, 2 * (self.d + self.dv))

    @cached_property
    def kappa(self) -> int:
        """Weight of a multiply-add of dK or dQ; section 3 of the proof has the four conditions on it.

        >>> B1Weights(64, 64).kappa, B1Weights(64, 32).kappa, B1Weights(64, 128).kappa
        (256, 192, 512)
        """
        d, dv = self.d, self.dv
        if self.width > 1:
            return (4 + 2 * self.width) * d
        if dv <= d:
            return 2 * (d + dv)
        return min((2 * d * d + d * dv + dv * dv) // d, (2 * d + dv) ** 2 // (2 * d))

    @cached_property
    def beta(self) -> int:
        """Weight of all multiply-adds of one pair."""
        return self.omega * self.dv + 2 * self.kappa * self.d

    @cached_property
    def root(self) -> int:
        """The ``kappa`` of the second minimand: sums of ``w`` words take a share of 1/√w, rounded up."""
        return ceil_sqrt(ceil_div(self.kappa**2, self.width))

    @cached_property
    def bend(self) -> int:
        """The ``T`` from which on the crossing of the two minimands lies beyond the peak of the second."""
        return _bend(self.root, self.beta)


def _bend(kappa: int, beta: int) -> int:
    p, r = beta * kappa, kappa * kappa + 2 * beta
    return ceil_div(p * (p * kappa + 2 * beta * r), r * r * kappa)


def segment_work(T: int, kappa: int, beta: int) -> int:
    """Bound ``(T - b)²/4 + min(beta b, kappa √b (T - b)/2)`` over all b from 0 to T."""
    if T <= 0:
        return 0
    return max(T * T // 4, _at_crossing(T, kappa, beta) if _bend(kappa, beta) <= T else _at_peak(T, kappa))


@lru_cache(maxsize=256)
def _weights(d: int, dv: int, width: int = 1) -> B1Weights:
    return B1Weights(d, dv, width)


def b1_events(T: int, d: int, dv: int, width: int = 1) -> int:
    """The most weighted work of dV, dK and dQ that a segment that reaches ``T`` words can do.

    Examples
    --------
    >>> b1_events(40_000, 32, 32) == 40_000**2 // 4
    True
    """
    weights = _weights(d, dv, width)
    return segment_work(T, weights.root, weights.beta)


def b1_tangent(T: int, d: int, dv: int) -> tuple[int, int]:
    """Return ``p`` and ``q``, ``p/q`` the root of a ``b`` at which :func:`b1_events` shows that it is enough.

    With ``sqrt(b) <= (s + b/s) / 2`` at ``s = p/q`` the second form is a parabola in ``b``: what Coq tests
    (docs/proofs/BackwardCertificate.v).

    >>> p, q = b1_tangent(40_000, 32, 32)
    >>> round(p / q, 2)
    125.85
    """
    weights = _weights(d, dv)
    kappa = weights.kappa
    if T <= 0:
        return 1, kappa
    if weights.bend > T:
        return _peak_numerator(T, kappa), _PEAK_DENOMINATOR
    p, q = _crossing(T, kappa, weights.beta), kappa << _CROSSING_BITS
    return (p, q) if p <= kappa * q else (kappa, 1)


def _at_crossing(T: int, kappa: int, beta: int) -> int:
    """Bound the work where the two minimands cross, which is the most of the second form from ``bend`` on.

    It is ``s² B (B + kappa)`` with ``B = beta / kappa`` and ``s = sqrt(B² + T) - B``.
    """
    s = _crossing(T, kappa, beta)
    return s * s * beta * (beta + kappa * kappa) // (kappa**4 << 2 * _CROSSING_BITS)


_CROSSING_BITS = 32


def _crossing(T: int, kappa: int, beta: int) -> int:
    """Return at least ``2**_CROSSING_BITS · kappa · s``, ``s`` the root of the ``b`` where the two minimands cross."""
    root = ceil_sqrt((beta * beta + T * kappa * kappa) << 2 * _CROSSING_BITS)
    return root - (beta << _CROSSING_BITS)


def _at_peak(T: int, kappa: int) -> int:
    """Bound the second form, ``g(s) = (T - s²)²/4 + kappa s (T - s²)/2``, for ``0 <= s <= sqrt(T)``.

    On ``[0, kappa/2]`` g is concave, and it falls beyond. So for any ``s`` there, g is at most
    ``g(s) + |g'(s)| w``, where no two points of the range are further apart than ``w``.
    """
    width = math.ceil(min(kappa / 2, math.sqrt(T))) + 1
    D, n = _PEAK_DENOMINATOR, _peak_numerator(T, kappa)
    u = T * D * D - n * n
    steepness = abs(u * (kappa * D - 2 * n) - 2 * kappa * D * n * n)  # 2 D³ |g'(s)|
    return (u * u + 2 * kappa * D * n * u + 2 * D * steepness * width) // (4 * D**4)


_PEAK_DENOMINATOR = 1 << 60


def _peak_numerator(T: int, kappa: int) -> int:
    """Return nearly ``_PEAK_DENOMINATOR`` times where g is greatest, within the range."""
    D = _PEAK_DENOMINATOR
    return max(0, min(int(_peak(float(T), kappa) * D), kappa * D // 2, math.isqrt(T * D * D)))


def _peak(T: float, kappa: int) -> float:
    """Where g is greatest, nearly: Newton's iteration on its slope, concave and falling, from the right."""
    s = min(kappa / 2, math.sqrt(T))
    for _ in range(20):
        slope = (T - s * s) * (kappa / 2 - s) - kappa * s * s
        step = slope / (3 * s * (s - kappa) - T)
        s -= step
        if abs(step) <= 1e-15 * s:
            break
    return s


def _starts(M: int, problem: Counts) -> list[int]:
    d, dv = problem.d, problem.dv
    return [M, best_start(M, partial(b1_events, d=d, dv=dv), M // 2, M + _weights(d, dv).kappa ** 2)]


b1 = SegmentBound(
    B1,
    "backward",
    work=lambda problem: problem.pairs * _weights(problem.d, problem.dv).beta,
    events=lambda T, problem: b1_events(T, problem.d, problem.dv),
    starts=_starts,
    more=lambda problem: 0,
    place=lambda T, problem: b1_tangent(T, problem.d, problem.dv),
    any_order=True,
)
"""The bound from the three products dV, dK and dQ, strongest for ``M`` well above ``d²``.

Leading terms for ``dv = d``, with ``z`` pairs: ``12 z d² / M`` for ``M >= 14.51 d²``, and ``12 z d² / (M + 4 d²)``
always. For other ``dv`` read ``beta`` for ``12 d²`` and ``kappa²/4`` for ``4 d²``, see :class:`B1Weights`.
"""


B2 = Statement(
    "B2",
    "I/O ≥ M + 1 + X·(⌈z·(3d + 2dv) / F(M + X)⌉ − 1) − 2z, F(T) = ⌊max over 0 ≤ y ≤ T of "
    "y·√((T − y + y²/(4·min(d, dv)²))/3)⌋, for every integer X ≥ 1 with at least two segments",
    "attention, backward pass, any sizes and any mask; z is the number of pairs; chains in a fixed order",
    "docs/proofs/backward.md, B2",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


def b2_events(T: int, d: int) -> int:
    """The most multiply-adds of all five products that a segment that reaches ``T`` words can do.

    The whole part of the greatest ``y sqrt((T - y + y²/(4 d²)) / 3)`` with ``0 <= y <= T``, or of a number
    less than ``1/64`` above it; ``d`` is the smaller one of the two head dimensions.

    Examples
    --------
    >>> b2_events(300, 10**6), b2_events(300, 1)
    (1154, 25980)
    """
    if T <= 0:
        return 0
    if d * d <= T:
        return math.isqrt(T**4 // (12 * d * d))
    p, q = b2_peak(T, d)
    return math.isqrt(p * p * (2 * T * q - p) // (12 * q**3))


def b2_peak(T: int, d: int) -> tuple[int, int]:
    """Return ``p`` and ``q``, ``p/q`` the ``y`` of the most events for ``T < d²``, rounded up.

    >>> p, q = b2_peak(300, 10**6)
    >>> p // q
    200
    """
    bits = 2 * T.bit_length() + 8
    root = math.isqrt(9 * d * d - 8 * T << 2 * bits)
    return 4 * T * d << bits, (3 * d << bits) + root


def _place(T: int, problem: Counts) -> tuple[int, int]:
    d = min(problem.d, problem.dv)
    p, q = b2_peak(T, d) if d * d > T else (0, 1)
    return p, 2 * q


b2 = SegmentBound(
    B2,
    "backward",
    work=lambda problem: problem.pairs * (3 * problem.d + 2 * problem.dv),
    events=lambda T, problem: b2_events(T, min(problem.d, problem.dv)),
    more=lambda problem: -2 * problem.pairs,
    place=_place,
)
"""The bound from all five products, for ``M`` well below ``d²``: ``sqrt(3) z (3 d + 2 dv) / sqrt(M) - 2 z``."""


MOST_WIDE = 5
"""The most words of a sum that the bound is proved for: (1 + √w)² ≥ 2w."""

WIDE_SUMS = Statement(
    "W",
    "I/O ≥ M + 1 + (n − 1)·(X − w) − (w − 1)·(Nq + 2Nk)·d, n = ⌈z·β·d² / F(M + X)⌉ ≥ 2, β = 8 + 6w, F(T) = max over b "
    "of (T − b)²/4 + min(β·d²·b, (4 + 2w)·d·√(b/w)·(T − b)/2), for every integer X > w",
    "attention, backward pass with dv = d, any mask, sums of w words, 2 ≤ w ≤ 5, in any order and added in slow memory "
    "too; a finished output may take one word",
    "docs/proofs/any-order.md, wide sums",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


def wide_sums(problem: Counts, M: int) -> Bound:
    """Lower bound on a backward pass whose sums take ``w`` words each: ``(8 + 6 w) z d² / M`` for M far above d².

    Parameters
    ----------
    problem : Problem
        Backward pass of one copy with ``dv = d`` and ``sum_width`` from 2 to 5; any shape, mask and ``sums``.
    M : int
        Words of fast memory, of one input each.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> problem = Problem(2**20, 2**20, 64, 64, pass_name="backward", sum_width=2)
    >>> round(wide_sums(problem, 116_224).value / 2**40, 3)
    0.705
    """
    M, w, d = fast_memory_words(M), problem.sum_width, problem.d
    require_pass(problem, "backward", "W")
    if not 2 <= w <= MOST_WIDE or problem.dv != d:
        raise BoundDoesNotApply(f"W is proved for dv = d and sums of 2 to {MOST_WIDE} words")

    def events(T: int) -> int:
        return b1_events(T, d, d, w)

    weights = B1Weights(d, d, w)
    X = best_start(M, events, M // 2, M + weights.kappa**2)
    cut = best_cut(problem.pairs * weights.beta, M, events, X)
    value = cut.moves - cut.cuts * w - (w - 1) * (problem.queries + 2 * problem.keys) * d
    if w >= cut.X:
        raise BoundDoesNotApply("the problem is too small for W: one segment may do all of its work")
    return WIDE_SUMS.bound(max(0, value), str(cut))
