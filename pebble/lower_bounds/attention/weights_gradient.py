"""G1 and G2: lower bounds on the gradient of the weights, the d × d matrix between queries and keys.

The statements and proofs are in docs/proofs/weights.md. G1 is T1's count of one product, G2 counts both.
"""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.b1 import segment_work
from pebble.lower_bounds.attention.t1 import t1
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import best_cut_of_less
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.rounding import ceil_div, ceil_sqrt
from pebble.lower_bounds.segment_bound import SegmentBound
from pebble.lower_bounds.statement import Statement

__all__ = ["G1", "G2", "g1", "g2", "g2_events"]

_ABOUT = "the gradient of the weights (--pass weights) of N tokens, A1, A2 and A3 different; chains in a fixed order"

G1 = Statement(
    "G1",
    "I/O ≥ M + 1 + X·(⌈N²·d / F(M + X)⌉ − 1) − N·d + d², F(T) that of T1 for dv = d, for every integer X ≥ 1 with at "
    "least two segments",
    _ABOUT,
    "docs/proofs/weights.md, G1",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

G2 = Statement(
    "G2",
    "I/O ≥ M + 1 + X·(⌈(10N²d² − 4NdT) / F(T)⌉ − 1) − 2N·d + d², T = M + X < N·d, F(T) = max over b of (T − b)²/4 + "
    "min(10d²·b', 3d·√b'·(T − b)), b' = b/(1 − T/(N·d)), for every integer X ≥ 1 with at least two segments",
    _ABOUT,
    "docs/proofs/weights.md, G2",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

g1 = SegmentBound(
    G1,
    "weights",
    work=t1.work,
    events=t1.events,
    words=t1.words,
    starts=t1.starts,
    more=lambda problem: problem.d * (problem.d - problem.queries),
)
"""The bound from the product of P and h alone: ``4 N² d² / M`` for ``M >= 4 d²``."""


def g2_events(T: int, N: int, d: int) -> int:
    """The most weighted work of both products that a segment that reaches ``T`` words can do.

    >>> g2_events(40_000, 10**6, 8) == 40_000**2 // 4, g2_events(8000, 1000, 8) == 10 * 8000**2
    (True, True)
    """
    whole = N * d
    if whole <= T:  # all rows of A2 may be there: all of the work
        return 10 * whole * whole
    left = whole - T
    return segment_work(T, ceil_sqrt(ceil_div(36 * d * d * whole, left)), ceil_div(10 * d * d * whole, left))


def g2(problem: Counts, M: int) -> Bound:
    """Lower bound on the gradient of the weights from its two products over pairs: ``10 N² d² / M`` for M far above d².

    Parameters
    ----------
    problem : Problem
        One copy of the gradient of the weights.
    M : int
        Words of fast memory.

    Raises
    ------
    BoundDoesNotApply
        If the problem is of another pass, or M is so large that one segment may do all of its work.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> round(g2(Problem.square(10**6, 64, pass_name="weights"), 10**6).value / (10 * 10**6 * 64**2), 3)
    0.984
    """
    M, N, d = fast_memory_words(M), problem.queries, problem.d
    require_pass(problem, "weights", "G2")
    cut = best_cut_of_less(
        lambda T: max(0, 10 * N * N * d * d - 4 * N * d * T), lambda T: g2_events(T, N, d), M
    )
    if cut is None:
        raise BoundDoesNotApply("G2 says nothing: one segment may do all of the work")
    return G2.bound(max(0, cut.moves - 2 * N * d + d * d), str(cut))
