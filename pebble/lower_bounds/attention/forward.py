"""T1 and T2: the lower bounds from the products of a forward pass."""

from __future__ import annotations

import math

from pebble.lower_bounds.bound import HONG_KUNG, LOOMIS_WHITNEY, Statement
from pebble.lower_bounds.cutting import SegmentBound
from pebble.lower_bounds.requirements import Counts
from pebble.lower_bounds.rounding import ceil_sqrt

T1 = Statement(
    "T1",
    "I/O ≥ M + 1 + X·(⌈z·dv / F(M + X)⌉ − 1), F(T) = ⌊max(F₁, F₂)⌋, F₁ = (T/3)^(3/2) if T ≤ 3dv², else "
    "dv·(√(T + dv²) − dv)², F₂ = T²/(16d) if dv ≥ d, else dv·T²/(4(d + dv)²), for every integer X ≥ 1 with at "
    "least two segments; Nq more if the row sums are outputs",
    "attention, forward pass, any sizes and any mask; z is the number of pairs; chains in a fixed order",
    "docs/proofs/forward.md, T1",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
    version=2,
)


def t1_events(T: int, d: int, dv: int) -> int:
    """The most multiply-adds of P times V that a segment that reaches ``T`` words can do.

    The whole part of the greater of two forms: ``(T/3)**1.5`` up to ``T = 3 dv**2``, from there
    ``dv (sqrt(T + dv**2) - dv)**2``; and ``T**2 / (16 d)`` for ``dv >= d``, else ``dv T**2 / (4 (d + dv)**2)``.

    Examples
    --------
    >>> t1_events(12, 64, 64), t1_events(1024, 1, 1), t1_events(3000, 64, 16)
    (8, 65536, 26976)
    """
    if 3 * dv * dv >= T:
        few = math.isqrt(T**3 // 27)
    else:
        few = dv * (T + 2 * dv * dv) - ceil_sqrt(4 * dv**4 * (T + dv * dv))
    return max(few, T * T // (16 * d) if dv >= d else dv * T * T // (4 * (d + dv) ** 2))


def _starts(M: int, problem: Counts) -> list[int]:
    """Return where ``X / F(M + X)`` can be greatest: on one of the three forms of F, or where two of them meet."""
    d, dv = problem.d, problem.dv
    if dv <= d:
        meet = 4 * d * (d + dv)
    elif 9 * dv <= 16 * d:
        meet = 16 * d * dv - 8 * math.isqrt(d * dv**3)
    else:
        meet = 256 * d * d // 27
    return [X for X in (M, 2 * M, M + M * M // (dv * dv), meet - M, meet - M + 1) if X >= 1]


t1 = SegmentBound(
    T1,
    "forward",
    work=lambda problem: problem.pairs * problem.dv,
    events=lambda T, problem: t1_events(T, problem.d, problem.dv),
    starts=_starts,
    more=lambda problem: problem.queries * problem.stats,
    any_order=True,
)
"""The bound from the product of P and V alone, strongest for ``M >= 3 d**2``.

Leading terms, with ``z`` pairs and ``dv <= d``: ``z (d + dv)**2 / M`` for ``M >= 2 d (d + dv)``, ``2 z dv / sqrt(M)``
for ``M <= dv**2``; the others are in docs/proofs/forward.md.
"""


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


t2 = SegmentBound(
    T2,
    "forward",
    work=lambda problem: problem.pairs * (problem.d + problem.dv),
    events=lambda T, problem: t2_events(T, problem.d),
    more=lambda problem: problem.queries * problem.stats - problem.pairs,
    place=lambda T, problem: t2_peak(T, problem.d) if 27 * problem.d**2 > 4 * T else (0, 1),
)
"""The bound from both products, for ``M`` well below ``d**2``: ``2 z (d + dv) / sqrt(M) - z`` with ``z`` pairs."""
