"""The lower bound on a forward pass whose sums over the keys are added in any order.

The bounds that count chain starts rest on a fixed order of every sum; this one does not. The proof is in
docs/proofs/any-order.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.t1 import t1_events
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_sums_in_any_order
from pebble.lower_bounds.rounding import ceil_div
from pebble.lower_bounds.statement import Statement

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = ["ANY_ORDER", "any_order"]

ANY_ORDER = Statement(
    "any order",
    "I/O ≥ X·⌈2(z·dv − F(2M + X)) / (F(2M + X) + F(X))⌉, F(T) that of T1 and 1 more, for every whole X ≥ 1",
    "attention, forward pass, any sizes and any mask; z is the number of pairs; sums in any order",
    "docs/proofs/any-order.md, the bound",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
    version=2,
)


def any_order(problem: Problem, M: int) -> Bound:
    """Lower bound for sums in any order: about 0.83 times what T1 has for chains, where M is far above d².

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy, any shape and mask, with ``sums="free"``.
    M : int
        Words of fast memory.

    Raises
    ------
    BoundDoesNotApply
        If the problem is not a forward pass with sums in any order, or the bound says nothing.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> any_order(Problem.square(4096, 64, sums="free"), 25000).value
    9073408
    """
    M = fast_memory_words(M)
    require_sums_in_any_order(problem, ANY_ORDER.name)
    words, X = max((_moves(problem, M, X), X) for X in _sizes(M))
    if words == 0:
        raise BoundDoesNotApply(f"the bound {ANY_ORDER.name!r} gives nothing for {M:,} words of fast memory")
    return ANY_ORDER.bound(words, f"cut every X = {X} moves")


def _moves(problem: Problem, M: int, X: int) -> int:
    """Return how many moves there are at least, cut every X: whole segments before the last, X moves each."""
    most, least = (t1_events(T, problem.d, problem.dv) + 1 for T in (2 * M + X, X))
    return X * max(0, ceil_div(2 * (problem.pairs * problem.dv - most), most + least))


def _sizes(M: int) -> list[int]:
    """Return lengths of segments from an eighth of M to sixteen times M, at equal ratios."""
    return sorted({max(1, int(M * 2 ** (step / 16))) for step in range(-48, 65)})
