"""Lower bounds with proved constants for the backward pass: compulsory, B1 (three products) and B2 (five).

All of them hold for any Nq, Nk, d, dv and mask. The statements and complete proofs are in docs/bounds-backward.md.
Like the forward bounds they count what a segment of a pebbling can do and cut with
:mod:`pebble.lower_bounds.cutting`. Floating point only guesses where a maximum lies; values are whole numbers,
rounded to the safe side by exact arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import Cut, best_cut, best_start
from pebble.lower_bounds.domain import require_backward, require_words
from pebble.lower_bounds.rounding import ceil_div, ceil_sqrt

__all__ = [
    "SegmentB1",
    "accumulators",
    "b1",
    "b1_events",
    "b1_words",
    "b2",
    "b2_events",
    "b2_words",
    "compulsory_backward",
]

_SOURCE = "docs/bounds-backward.md"


def accumulators(problem: Counts) -> int:
    """Words of output of one backward copy: dQ, dK and dV, each the end of a chain.

    >>> from pebble.computations.problem import Problem
    >>> accumulators(Problem(3, 5, 2, 4, pass_name="backward"))
    36
    """
    return problem.queries * problem.d + problem.keys * (problem.d + problem.dv)


def compulsory_backward(problem: Counts, M: int) -> Bound:
    """Every input loaded and every output stored at least once.

    Each entry of Q, K, V, dO, O and l has a path to an output, and only a load makes it red; each entry of
    dQ, dK and dV becomes blue only by a store.

    Parameters
    ----------
    problem : Problem
        Backward pass of one copy, any shape and mask.
    M : int
        Words of fast memory; the bound does not depend on it.

    Returns
    -------
    Bound
        ``2 (Nq + Nk) (d + dv) + Nq`` words: ``8 N d + N`` for ``Nq = Nk = N`` and ``dv = d``. Under a mask
        Nq and Nk are the queries and the keys that have a pair.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a backward pass.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> compulsory_backward(Problem(4, 4, 2, 2, pass_name="backward"), 10).value
    68
    """
    require_words(M)
    require_backward(problem, "the compulsory bound of the backward pass")
    words = 2 * (problem.queries + problem.keys) * (problem.d + problem.dv) + problem.queries
    return Bound("compulsory", words, "proved", f"{_SOURCE}, compulsory")


@dataclass(frozen=True)
class SegmentB1:
    """How much a segment can do of dV, dK and dQ, for given head dimensions.

    A multiply-add of dK or dQ weighs ``kappa``, one of dV weighs ``omega <= kappa``; all five products of a
    pair weigh ``beta = omega dv + 2 kappa d``. A segment that reaches ``T`` words does at most

        max over 0 <= s <= sqrt(T) of (T - s²)²/4 + min(beta s², kappa s (T - s²) / 2).

    For ``dv = d`` the weights are ``omega = kappa = 4 d``, so that ``beta = 12 d²``.

    Parameters
    ----------
    d, dv : int
        Head dimension of Q and K, and of V.
    """

    d: int
    dv: int

    @property
    def omega(self) -> int:
        """Weight of a multiply-add of dV."""
        return min(4 * self.d, 2 * (self.d + self.dv))

    @property
    def kappa(self) -> int:
        """Weight of a multiply-add of dK or dQ; section 3 of the proof has the four conditions on it.

        >>> SegmentB1(64, 64).kappa, SegmentB1(64, 32).kappa, SegmentB1(64, 128).kappa
        (256, 192, 512)
        """
        d, dv = self.d, self.dv
        if dv <= d:
            return 2 * (d + dv)
        return min((2 * d * d + d * dv + dv * dv) // d, (2 * d + dv) ** 2 // (2 * d))

    @property
    def beta(self) -> int:
        """Weight of all multiply-adds of one pair."""
        return self.omega * self.dv + 2 * self.kappa * self.d


@dataclass(frozen=True)
class _Scales:
    """The numbers of a :class:`SegmentB1`, worked out once."""

    kappa: int
    beta: int
    bend: int  # from this T on, the crossing lies behind the peak

    @classmethod
    def of(cls, segment: SegmentB1) -> _Scales:
        kappa, beta = segment.kappa, segment.beta
        p, r = beta * kappa, kappa * kappa + 2 * beta
        return cls(kappa, beta, ceil_div(p * (p * kappa + 2 * beta * r), r * r * kappa))


@lru_cache(maxsize=256)
def _scales(d: int, dv: int) -> _Scales:
    return _Scales.of(SegmentB1(d, dv))


def b1_events(T: int, d: int, dv: int) -> int:
    """At most how much weighted work of dV, dK and dQ a segment that reaches ``T`` words can do.

    Parameters
    ----------
    T : int
        Words red at the segment's start, loaded in it, or begun in it.
    d, dv : int
        Head dimension of Q and K, and of V.

    Returns
    -------
    int
        The whole part of a number at most a relative ``1e-9`` above the maximum of :class:`SegmentB1`.

    Examples
    --------
    >>> b1_events(40_000, 32, 32) == 40_000**2 // 4
    True
    """
    scales = _scales(d, dv)
    if T <= 0:
        return 0
    if scales.bend <= T:
        return max(T * T // 4, _at_crossing(T, scales.kappa, scales.beta))
    return max(T * T // 4, _at_peak(T, scales.kappa))


def _at_crossing(T: int, kappa: int, beta: int) -> int:
    """Bound the work where the two minimands cross, which is the most of the second form from ``bend`` on.

    It is ``s² B (B + kappa)`` with ``B = beta / kappa`` and ``s = sqrt(B² + T) - B``.
    """
    bits = 32
    root = ceil_sqrt((beta * beta + T * kappa * kappa) << 2 * bits)
    s = root - (beta << bits)  # at least 2**bits · kappa · s
    return s * s * beta * (beta + kappa * kappa) // (kappa**4 << 2 * bits)


def _at_peak(T: int, kappa: int) -> int:
    """Bound the second form, ``g(s) = (T - s²)²/4 + kappa s (T - s²)/2``, for ``0 <= s <= sqrt(T)``.

    On ``[0, kappa/2]`` g is concave, and it falls beyond. So for any ``s`` there, g is at most
    ``g(s) + |g'(s)| w``, where no two points of the range are further apart than ``w``.
    """
    guess = _peak(float(T), kappa)
    width = math.ceil(min(kappa / 2, math.sqrt(T))) + 1
    D = 1 << 60
    n = max(0, min(int(guess * D), kappa * D // 2, math.isqrt(T * D * D)))
    u = T * D * D - n * n
    steepness = abs(u * (kappa * D - 2 * n) - 2 * kappa * D * n * n)  # 2 D³ |g'(s)|
    return (u * u + 2 * kappa * D * n * u + 2 * D * steepness * width) // (4 * D**4)


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


def _b1_real(T: float, scales: _Scales) -> float:
    """Like :func:`b1_events`, in floating point: only a guess."""
    kappa, beta = scales.kappa, scales.beta
    B = beta / kappa
    s = T / (math.sqrt(B * B + T) + B) if scales.bend <= T else _peak(T, kappa)
    return max(T * T / 4, (T - s * s) ** 2 / 4 + kappa * s * (T - s * s) / 2)


def b1_words(w: int, d: int, dv: int) -> int:
    """Return a ``T`` with ``b1_events(T) >= w > b1_events(T - 1)``.

    >>> T = b1_words(10**6, 32, 32)
    >>> b1_events(T, 32, 32) >= 10**6 > b1_events(T - 1, 32, 32)
    True
    """
    scales = _scales(d, dv)
    return _least(lambda T: b1_events(T, d, dv), w, _guess(lambda T: _b1_real(T, scales), w))


def b2_events(T: int, d: int) -> int:
    """At most how many multiply-adds of all five products a segment that reaches ``T`` words can do.

    The whole part of the greatest ``y sqrt((T - y + y²/(4 d²)) / 3)`` with ``0 <= y <= T``, or of a number
    less than ``1/64`` above it.

    Parameters
    ----------
    T : int
        Words red at the segment's start, loaded in it, or begun in it.
    d : int
        The smaller of the two head dimensions.

    Examples
    --------
    >>> b2_events(300, 10**6), b2_events(300, 1)
    (1154, 25980)
    """
    if T <= 0:
        return 0
    if d * d <= T:
        return math.isqrt(T**4 // (12 * d * d))
    bits = 2 * T.bit_length() + 8
    root = math.isqrt(9 * d * d - 8 * T << 2 * bits)
    p, q = 4 * T * d << bits, (3 * d << bits) + root  # y = p/q, rounded up
    return math.isqrt(p * p * (2 * T * q - p) // (12 * q**3))


def _b2_real(T: float, d: int) -> float:
    """Like :func:`b2_events`, in floating point: only a guess."""
    y = T if d * d <= T else 4 * T / (3 + math.sqrt(9 - 8 * T / d / d))
    return y * math.sqrt((T - y + y * y / d / d / 4) / 3)


def b2_words(w: int, d: int) -> int:
    """Return a ``T`` with ``b2_events(T, d) >= w > b2_events(T - 1, d)``.

    >>> b2_words(1154, 10**6)
    300
    """
    return _least(lambda T: b2_events(T, d), w, _guess(lambda T: _b2_real(T, d), w))


def _guess(model: Callable[[float], float], w: int) -> int:
    """Where the model reaches ``w``, nearly; it grows with a power of ``T`` between 3/2 and 2."""
    T = math.sqrt(w)
    for _ in range(40):
        factor = (w / model(T)) ** (4 / 7)
        T *= factor
        if abs(factor - 1) < 1e-13:
            break
    return math.ceil(T)


def _least(events: Callable[[int], int], w: int, guess: int) -> int:
    """Return a ``T`` with ``events(T) >= w > events(T - 1)``: from a guess, in growing steps, then halving."""
    above, step = guess, 1
    while events(above) < w:
        above, step = above + step, 2 * step
    below, step = above - step, 1
    while events(below) >= w:
        above, below, step = below, below - step, 2 * step
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if events(middle) >= w else (middle, above)
    return above


def b1(problem: Counts, M: int) -> Bound:
    """Lower bound from the three products dV, dK and dQ, strongest for ``M`` well above ``d²``.

    Leading terms for ``dv = d``, with ``z`` pairs: ``12 z d² / M`` for ``M >= 14.51 d²``, and
    ``12 z d² / (M + 4 d²)`` always. For other ``dv`` read ``beta`` for ``12 d²`` and ``kappa²/4`` for
    ``4 d²``, see :class:`SegmentB1`.

    Parameters
    ----------
    problem : Problem
        Backward pass of one copy, any shape and mask.
    M : int
        Words of fast memory.

    Returns
    -------
    Bound
        Words of I/O of one copy.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a backward pass.

    Notes
    -----
    Costs a millisecond or two at any size.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> N, d, M = 10**6, 64, 20 * 64**2
    >>> 12 <= b1(Problem(N, N, d, d, pass_name="backward"), M).value * M / (N * d) ** 2 < 12.01
    True
    """
    require_words(M)
    require_backward(problem, "B1")
    d, dv = problem.d, problem.dv
    scales = _scales(d, dv)

    def events(T: int) -> int:
        return b1_events(T, d, dv)

    starts = (M, best_start(M, events, M // 2, M + scales.kappa**2))
    X = max(starts, key=lambda X: X / max(1, events(M + X)))
    cut = best_cut(problem.pairs * scales.beta, M, events, lambda w: b1_words(w, d, dv), X)
    return _bound("B1", cut, cut.moves)


def b2(problem: Counts, M: int) -> Bound:
    """Lower bound from all five products, for ``M`` well below ``d²``.

    Leading term ``5 sqrt(3) z d / sqrt(M) - 2 z`` for ``dv = d`` and ``M`` much smaller than ``d²``, with
    ``z`` pairs; otherwise ``sqrt(3) z (3 d + 2 dv) / sqrt(M) - 2 z``.

    Parameters
    ----------
    problem : Problem
        Backward pass of one copy, any shape and mask.
    M : int
        Words of fast memory.

    Returns
    -------
    Bound
        Words of I/O of one copy; 0 where the charge of ``2 z`` words for S and dP eats up the gain.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a backward pass.

    Notes
    -----
    Costs a few milliseconds at any size.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> problem = Problem(4096, 4096, 64, 64, pass_name="backward")
    >>> b2(problem, 400).value > b1(problem, 400).value
    True
    """
    require_words(M)
    require_backward(problem, "B2")
    d = min(problem.d, problem.dv)

    def events(T: int) -> int:
        return b2_events(T, d)

    X = best_start(M, events, M // 2, 3 * M)
    work = problem.pairs * (3 * problem.d + 2 * problem.dv)
    cut = best_cut(work, M, events, lambda w: b2_words(w, d), X)
    return _bound("B2", cut, cut.moves - 2 * problem.pairs)


def _bound(name: str, cut: Cut, words: int) -> Bound:
    note = f"h = {cut.cuts} cuts, one every X = {cut.X} moves"
    return Bound(name, max(0, words), "proved", f"{_SOURCE}, {name}", note=note)
