"""Lower bounds with proved constants for the forward pass: T1 (one product) and T2 (both products).

Both count in every segment of a pebbling the multiply-adds that the words at hand allow, and cut
with :mod:`pebble.lower_bounds.cutting`. Only whole numbers are computed with.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import Cut, best_cut, best_start, least_words
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.rounding import ceil_root, ceil_sqrt

__all__ = ["t1", "t1_events", "t1_words", "t2", "t2_events", "t2_words"]


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
    bits = 2 * T.bit_length() + 8
    root = math.isqrt(3 * (243 * d * d - 32 * T) << 2 * bits)
    p, q = 18 * d * T << bits, (27 * d << bits) + root
    return math.isqrt(p * p * (T * q - p) // (2 * q**3))


def t2_words(w: int, d: int) -> int:
    """Return a ``T`` with ``t2_events(T, d) >= w`` and ``t2_events(T - 1, d) < w``, by bisection.

    >>> t2_words(1000, 10**6)
    300
    """
    return least_words(_of(t2_events, d), w, t1_words(w, d))


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
    Proof in docs/bounds.md. Costs about half a millisecond at any size.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> t1(Problem.square(4096, 64), 25000).value
    11020013
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "T1")
    d = problem.d
    kink = 256 * d * d // 27 - M
    starts = [X for X in (M, 2 * M, kink, kink + 1) if X >= 1]
    X = max(starts, key=lambda X: X / max(1, t1_events(M + X, d)))
    cut = best_cut(problem.pairs * problem.dv, M, _of(t1_events, d), _of(t1_words, d), X)
    return _bound("T1", problem, cut, cut.moves)


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
    Proof in docs/bounds.md. Costs a few milliseconds at any size.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> t2(Problem.square(4096, 64), 400).value > t1(Problem.square(4096, 64), 400).value
    True
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "T2")
    d = problem.d
    X = best_start(M, _of(t2_events, d), M // 2, 3 * M)
    cut = best_cut(problem.pairs * (d + problem.dv), M, _of(t2_events, d), _of(t2_words, d), X)
    return _bound("T2", problem, cut, cut.moves - problem.pairs)


def _of(function: Callable[[int, int], int], d: int) -> Callable[[int], int]:
    return lambda argument: function(argument, d)


def _bound(name: str, problem: Counts, cut: Cut, words: int) -> Bound:
    value = max(0, words + (problem.queries if problem.stats else 0))
    return Bound(name, value, "proved", f"docs/bounds.md, {name}", note=str(cut))
