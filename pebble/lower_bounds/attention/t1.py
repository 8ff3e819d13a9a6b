"""T1: the lower bound from the product of P and V alone, for a forward pass.

Only integers are computed with. The proof is in docs/proofs/forward.md.
"""

from __future__ import annotations

import math

from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.rounding import ceil_div, ceil_root, ceil_sqrt
from pebble.lower_bounds.segment_bound import SegmentBound
from pebble.lower_bounds.statement import Statement

__all__ = ["T1", "t1", "t1_events", "t1_words"]

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

    Parameters
    ----------
    T : int
        Words red at the segment's start, loaded in it, or begun in it.
    d, dv : int
        Head dimensions of Q and K, and of V.

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


def t1_words(w: int, d: int, dv: int) -> int:
    """Return the least ``T`` with ``t1_events(T, d, dv) >= w``.

    >>> t1_words(8, 64, 64), t1_words(65536, 1, 1), t1_words(26976, 64, 16)
    (12, 1024, 3000)
    """
    few = ceil_root(27 * w * w, 3) if w <= dv**3 else ceil_div(w + ceil_sqrt(4 * dv**3 * w), dv)
    return min(few, ceil_sqrt(16 * d * w) if dv >= d else ceil_sqrt(ceil_div(4 * (d + dv) ** 2 * w, dv)))


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
    words=lambda w, problem: t1_words(w, problem.d, problem.dv),
    starts=_starts,
    more=lambda problem: problem.queries * problem.stats,
)
"""The bound from the product of P and V alone, strongest for ``M >= 3 d**2``.

Leading terms, with ``z`` pairs and ``dv <= d``: ``z (d + dv)**2 / M`` for ``M >= 2 d (d + dv)``, ``2 z dv / sqrt(M)``
for ``M <= dv**2``; the others are in docs/proofs/forward.md.
"""
