"""T2: the lower bound from both products of a forward pass.

Only integers are computed with. The proof is in docs/proofs/forward.md.
"""

from __future__ import annotations

import math
from functools import partial

from pebble.lower_bounds.cutting import best_start, least_words
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.rounding import ceil_sqrt
from pebble.lower_bounds.segment_bound import SegmentBound
from pebble.lower_bounds.statement import Statement

__all__ = ["T2", "t2", "t2_events", "t2_peak", "t2_words"]

T2 = Statement(
    "T2",
    "I/O ≥ M + 1 + X·(⌈z·(d + dv) / F(M + X)⌉ − 1) − z, F(T) = ⌊max over 0 ≤ w ≤ T/2 of "
    "w·√(T − 2w + 4w²/(27d²))⌋, for every integer X ≥ 1 with at least two segments; Nq more if the row sums are "
    "outputs",
    "attention, forward pass, any sizes and any mask; z is the number of pairs; chains in a fixed order",
    "docs/proofs/forward.md, T2",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


def t2_events(T: int, d: int) -> int:
    """The most multiply-adds of both products that a segment that reaches ``T`` words can do.

    The whole part of a number less than ``1/64`` above the greatest
    ``w * sqrt(T - 2 w + 4 w**2 / (27 d**2))`` with ``0 <= w <= T/2``; ``d`` is the head dimension of Q and K.

    Examples
    --------
    >>> t2_events(300, 10**6), t2_events(300, 1)
    (1000, 8660)
    """
    if 27 * d * d <= 4 * T:
        return math.isqrt(T**4 // (108 * d * d))
    p, q = t2_peak(T, d)
    return math.isqrt(p * p * (T * q - p) // (2 * q**3))


def t2_peak(T: int, d: int) -> tuple[int, int]:
    """Return ``p, q`` such that ``p/q`` is where the events of :func:`t2_events` are greatest, or a little more.

    Only where ``4 T < 27 d**2``; beyond, they are greatest at ``T/2``.

    >>> p, q = t2_peak(300, 10**6)
    >>> 100 < p / q < 100.001
    True
    """
    bits = 2 * T.bit_length() + 8
    root = math.isqrt(3 * (243 * d * d - 32 * T) << 2 * bits)
    return 18 * d * T << bits, (27 * d << bits) + root


def t2_words(w: int, d: int) -> int:
    """Return a ``T`` with ``t2_events(T, d) >= w`` and ``t2_events(T - 1, d) < w``, by bisection.

    >>> t2_words(1000, 10**6)
    300
    """
    return least_words(partial(t2_events, d=d), w, ceil_sqrt(16 * d * w))


t2 = SegmentBound(
    T2,
    "forward",
    work=lambda problem: problem.pairs * (problem.d + problem.dv),
    events=lambda T, problem: t2_events(T, problem.d),
    words=lambda w, problem: t2_words(w, problem.d),
    starts=lambda M, problem: [best_start(M, partial(t2_events, d=problem.d), M // 2, 3 * M)],
    more=lambda problem: problem.queries * problem.stats - problem.pairs,
    place=lambda T, problem: t2_peak(T, problem.d) if 27 * problem.d**2 > 4 * T else (0, 1),
)
"""The bound from both products, for ``M`` well below ``d**2``: ``2 z (d + dv) / sqrt(M) - z`` with ``z`` pairs."""
