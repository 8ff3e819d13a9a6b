"""W: the lower bound on a backward pass whose sums dQ, dK and dV take several words each, as 32 bits beside 16.

The statement and the proof are in docs/proofs/any-order.md. Its F is that of B1 with other weights.
"""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.b1 import B1Weights, b1_events, b1_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.cutting import best_cut, best_start
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.statement import Statement

__all__ = ["MOST_WIDE", "WIDE_SUMS", "wide_sums"]

MOST_WIDE = 5
"""The most words of a sum that the bound is proved for: (1 + √w)² ≥ 2w."""

WIDE_SUMS = Statement(
    "W",
    "I/O ≥ M + 1 + (n − 1)·(X − w) − (w − 1)·(Nq + 2Nk)·d, n = ⌈z·β·d² / F(M + X)⌉ ≥ 2, β = 8 + 6w, F(T) = max over b "
    "of (T − b)²/4 + min(β·d²·b, (4 + 2w)·d·√(b/w)·(T − b)/2), for every integer X > w",
    "attention, backward pass with dv = d, any mask, sums of w words, 2 ≤ w ≤ 5, in any order and added in slow memory "
    "too; a finished output may take one word",
    "docs/proofs/any-order.md, wide sums",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)


def wide_sums(problem: Counts, M: int) -> Bound:
    """Lower bound on a backward pass whose sums take ``w`` words each: ``(8 + 6 w) z d² / M`` for M far above d².

    Parameters
    ----------
    problem : Problem
        Backward pass of one copy with ``dv = d`` and ``sum_width`` from 2 to 5; any shape, mask and ``sums``.
    M : int
        Words of fast memory, of one input each.

    Raises
    ------
    BoundDoesNotApply
        If the problem is another, or so small that one segment may do all of its work.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> problem = Problem(2**20, 2**20, 64, 64, pass_name="backward", sum_width=2)
    >>> round(wide_sums(problem, 116_224).value / 2**40, 3)
    0.705
    """
    M, w, d = fast_memory_words(M), problem.sum_width, problem.d
    require_pass(problem, "backward", "W")
    if not 2 <= w <= MOST_WIDE or problem.dv != d:
        raise BoundDoesNotApply(f"W is proved for dv = d and sums of 2 to {MOST_WIDE} words")

    def events(T: int) -> int:
        return b1_events(T, d, d, w)

    weights = B1Weights(d, d, w)
    X = best_start(M, events, M // 2, M + weights.kappa**2)
    cut = best_cut(problem.pairs * weights.beta, M, events, lambda work: b1_words(work, d, d, w), X)
    value = cut.moves - cut.cuts * w - (w - 1) * (problem.queries + 2 * problem.keys) * d
    if w >= cut.X:
        raise BoundDoesNotApply("the problem is too small for W: one segment may do all of its work")
    return WIDE_SUMS.bound(max(0, value), str(cut))
