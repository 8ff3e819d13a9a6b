"""T2: the lower bound from both products of a forward pass.

It counts in every segment of a pebbling the multiply-adds that the words at hand allow, and cuts with
:mod:`pebble.lower_bounds.cutting`. Only whole numbers are computed with. The proof is in docs/bounds.md.
"""

from __future__ import annotations

import math
from functools import partial

from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import Cut, best_cut, best_start, least_words
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.rounding import ceil_sqrt
from pebble.lower_bounds.statement import Statement

__all__ = ["T2", "t2", "t2_cut", "t2_events", "t2_peak", "t2_words"]

T2 = Statement(
    "T2",
    "I/O ≥ M + 1 + X·(⌈z·(d + dv) / F(M + X)⌉ − 1) − z, F(T) = ⌊max over 0 ≤ w ≤ T/2 of "
    "w·√(T − 2w + 4w²/(27d²))⌋, for every whole X ≥ 1 with at least two segments; Nq more if the row sums are outputs",
    "attention, forward pass, any sizes and any mask; z is the number of pairs; chains in a fixed order",
    "docs/bounds.md, T2",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


def t2_events(T: int, d: int) -> int:
    """At most how many multiply-adds of both products a segment that reaches ``T`` words can do.

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


def t2(problem: Counts, M: int) -> Bound:
    """Lower bound from both products, strongest for ``M`` well below ``d**2``.

    Leading term ``2 z (d + dv) / sqrt(M) - z`` for ``M`` much smaller than ``d**2``, with ``z`` pairs.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy, any shape and mask; with ``stats`` the row sums are added.
    M : int
        Words of fast memory.

    Returns
    -------
    Bound
        Words of I/O of one copy; 0 where the charge of ``z`` words for the scores eats up the gain.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass.

    Notes
    -----
    Costs a few milliseconds at any size.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> from pebble.lower_bounds.attention.t1 import t1
    >>> t2(Problem.square(4096, 64), 400).value > t1(Problem.square(4096, 64), 400).value
    True
    """
    cut = t2_cut(problem, M)
    words = max(0, cut.moves - problem.pairs + problem.queries * problem.stats)
    return T2.bound(words, str(cut))


def t2_cut(problem: Counts, M: int) -> Cut:
    """Return the cutting that gives T2; see :func:`t2`."""
    M = fast_memory_words(M)
    require_pass(problem, "forward", "T2")
    d = problem.d
    X = best_start(M, partial(t2_events, d=d), M // 2, 3 * M)
    return best_cut(problem.pairs * (d + problem.dv), M, partial(t2_events, d=d), partial(t2_words, d=d), X)
