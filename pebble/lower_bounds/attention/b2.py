"""B2: the lower bound from all five products of a backward pass.

It holds for any Nq, Nk, d, dv and mask. The statement and a complete proof are in docs/proofs/backward.md. Floating
point only guesses where a maximum lies; values are integers, rounded to the safe side by exact arithmetic.
"""

from __future__ import annotations

import math
from functools import partial

from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import best_start, least_words_near
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.segment_bound import SegmentBound
from pebble.lower_bounds.statement import Statement

__all__ = ["B2", "b2", "b2_events", "b2_peak", "b2_words"]

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


def _b2_real(T: float, d: int) -> float:
    """Like :func:`b2_events`, in floating point: only a guess."""
    y = T if d * d <= T else 4 * T / (3 + math.sqrt(9 - 8 * T / d / d))
    return y * math.sqrt((T - y + y * y / d / d / 4) / 3)


def b2_words(w: int, d: int) -> int:
    """Return a ``T`` with ``b2_events(T, d) >= w > b2_events(T - 1, d)``.

    >>> b2_words(1154, 10**6)
    300
    """
    return least_words_near(lambda T: b2_events(T, d), w, lambda T: _b2_real(T, d))


def _place(T: int, problem: Counts) -> tuple[int, int]:
    d = min(problem.d, problem.dv)
    p, q = b2_peak(T, d) if d * d > T else (0, 1)
    return p, 2 * q


b2 = SegmentBound(
    B2,
    "backward",
    work=lambda problem: problem.pairs * (3 * problem.d + 2 * problem.dv),
    events=lambda T, problem: b2_events(T, min(problem.d, problem.dv)),
    words=lambda w, problem: b2_words(w, min(problem.d, problem.dv)),
    starts=lambda M, problem: [
        best_start(M, partial(b2_events, d=min(problem.d, problem.dv)), M // 2, 3 * M)
    ],
    more=lambda problem: -2 * problem.pairs,
    place=_place,
)
"""The bound from all five products, for ``M`` well below ``d²``: ``sqrt(3) z (3 d + 2 dv) / sqrt(M) - 2 z``."""
