"""T1: the lower bound from the product of P and V alone, for a forward pass.

It counts in every segment of a pebbling the multiply-adds that the words at hand allow, and cuts with
:mod:`pebble.lower_bounds.cutting`. Only whole numbers are computed with. The proof is in docs/bounds.md.
"""

from __future__ import annotations

import math
from functools import partial

from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import Cut, best_cut
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.rounding import ceil_root, ceil_sqrt
from pebble.lower_bounds.statement import Statement

__all__ = ["T1", "t1", "t1_cut", "t1_events", "t1_words"]

T1 = Statement(
    "T1",
    "I/O ≥ M + 1 + X·(⌈z·dv / F(M + X)⌉ − 1), F(T) = ⌊max((T/3)^(3/2), T²/(16d))⌋, for every whole X ≥ 1 with at "
    "least two segments; Nq more if the row sums are outputs",
    "attention, forward pass, any sizes and any mask; z is the number of pairs; chains in a fixed order",
    "docs/bounds.md, T1",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


def t1_events(T: int, d: int) -> int:
    """At most how many multiply-adds of P times V a segment that reaches ``T`` words can do.

    The whole part of ``max((T/3)**1.5, T**2 / (16 d))``.

    Parameters
    ----------
    T : int
        Words red at the segment's start, loaded in it, or begun in it.
    d : int
        Head dimension of Q and K, whatever that of V.

    Examples
    --------
    >>> t1_events(12, 64), t1_events(1024, 1)
    (8, 65536)
    """
    return max(math.isqrt(T**3 // 27), T * T // (16 * d))


def t1_words(w: int, d: int) -> int:
    """Return the least ``T`` with ``t1_events(T, d) >= w``.

    >>> t1_words(8, 64), t1_words(65536, 1)
    (12, 1024)
    """
    return min(ceil_root(27 * w * w, 3), ceil_sqrt(16 * d * w))


def t1(problem: Counts, M: int) -> Bound:
    """Lower bound from the product of P and V alone, strongest for ``M >= 3 d**2``.

    Leading terms, with ``z`` pairs: ``4 z d dv / M`` for ``M >= (128/27) d**2``, ``2 z dv / sqrt(M)`` for
    ``M <= (256/81) d**2``. The value is exact: the best whole number of segments, no floating point.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy, any shape and mask; with ``stats`` the row sums are added.
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
        If the problem is not a forward pass.

    Notes
    -----
    Costs about half a millisecond at any size.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> t1(Problem.square(4096, 64), 25000).value
    11020013
    """
    cut = t1_cut(problem, M)
    words = cut.moves + problem.queries * problem.stats
    return T1.bound(words, str(cut))


def t1_cut(problem: Counts, M: int) -> Cut:
    """Return the cutting that gives T1; see :func:`t1`."""
    M = fast_memory_words(M)
    require_pass(problem, "forward", "T1")
    d = problem.d
    kink = 256 * d * d // 27 - M
    starts = [X for X in (M, 2 * M, kink, kink + 1) if X >= 1]
    X = max(starts, key=lambda X: X / max(1, t1_events(M + X, d)))
    return best_cut(problem.pairs * problem.dv, M, partial(t1_events, d=d), partial(t1_words, d=d), X)
