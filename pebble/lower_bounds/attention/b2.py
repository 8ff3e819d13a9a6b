"""B2: the lower bound from all five products of a backward pass.

It holds for any Nq, Nk, d, dv and mask. The statement and a complete proof are in docs/bounds-backward.md. Floating
point only guesses where a maximum lies; values are whole numbers, rounded to the safe side by exact arithmetic.
"""

from __future__ import annotations

import math

from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import Cut, best_cut, best_start, least_words_near
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.statement import Statement

__all__ = ["B2", "b2", "b2_cut", "b2_events", "b2_peak", "b2_words"]

B2 = Statement(
    "B2",
    "I/O ≥ M + 1 + X·(⌈z·(3d + 2dv) / F(M + X)⌉ − 1) − 2z, F(T) = ⌊max over 0 ≤ y ≤ T of "
    "y·√((T − y + y²/(4·min(d, dv)²))/3)⌋, for every whole X ≥ 1 with at least two segments",
    "attention, backward pass, any sizes and any mask; z is the number of pairs; chains in a fixed order",
    "docs/bounds-backward.md, B2",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


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
    >>> from pebble.lower_bounds.attention.b1 import b1
    >>> problem = Problem(4096, 4096, 64, 64, pass_name="backward")
    >>> b2(problem, 400).value > b1(problem, 400).value
    True
    """
    cut = b2_cut(problem, M)
    return B2.bound(max(0, cut.moves - 2 * problem.pairs), str(cut))


def b2_cut(problem: Counts, M: int) -> Cut:
    """Return the cutting that gives B2; see :func:`b2`."""
    M = fast_memory_words(M)
    require_pass(problem, "backward", "B2")
    d = min(problem.d, problem.dv)

    def events(T: int) -> int:
        return b2_events(T, d)

    X = best_start(M, events, M // 2, 3 * M)
    work = problem.pairs * (3 * problem.d + 2 * problem.dv)
    return best_cut(work, M, events, lambda w: b2_words(w, d), X)
