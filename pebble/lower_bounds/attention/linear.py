"""L: the lower bound for linear attention, from the sums that make the state and those that read it.

It counts in every segment of a pebbling the multiply-adds that the words at hand allow, and cuts with the lemma of
:mod:`pebble.lower_bounds.cutting`. Only integers are computed with. The proof is in docs/proofs/linear.md.
"""

from __future__ import annotations

import math
from functools import partial

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.computations.problem import Problem
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.cutting import Cut, best_cut_of_less
from pebble.lower_bounds.references import HONG_KUNG, LOOMIS_WHITNEY
from pebble.lower_bounds.requirements import require_pass
from pebble.lower_bounds.rounding import ceil_div
from pebble.lower_bounds.statement import Statement

__all__ = ["LINEAR", "linear", "linear_best_cut", "linear_events"]

LINEAR = Statement(
    "L",
    "I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) − d·dv, F(T) = ⌊(T/3)^(3/2)⌋, for every integer X ≥ 1 with at least two "
    "segments; W = d·dv·(N + G·max(0, N − ⌈(M + X)/2⌉)), G query heads to each head of keys; for the right product "
    "d·dv·(Nk + Nq), or d·dv·Nk where "
    "2·Nk ≤ M + X; (N − 1)·d more with gates",
    "linear attention without a mask by the right product, or causal with a state for every token, with gates or "
    "without; not in chunks; chains in a fixed order",
    "docs/proofs/linear.md, L",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

_FORMS = ("linear", "recurrent", "gated")


def linear_events(problem: Problem, T: int) -> int:
    """Return the number W of multiply-adds that a segment which reaches ``T`` words does at most F(T) of.

    The multiply-adds that read a state which ``T`` words suffice to make anew are left out.

    Examples
    --------
    >>> linear_events(Problem.square(10, 2, attention="linear", mask="causal"), 7)
    64
    >>> linear_events(Problem(9, 10, 2, 2, attention="linear"), 19)
    76
    """
    state = problem.d * problem.dv
    if problem.form == "linear":
        return state * (problem.Nk + (problem.Nq if 2 * problem.Nk > T else 0))
    heads = problem.Nq // problem.Nk
    return state * (problem.Nk + heads * max(0, problem.Nk - ceil_div(T, 2)))


def linear(problem: Problem, M: int) -> Bound:
    """Lower bound for linear attention: leading term ``4 N d dv / sqrt(M)`` for N much larger than M.

    0 where it says nothing.

    Raises
    ------
    BoundDoesNotApply
        If the problem is not linear attention, or takes its tokens in chunks.

    Examples
    --------
    >>> linear(Problem.square(10**6, 64, attention="linear", mask="causal"), 1000).value
    517731029
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "L")
    if problem.form not in _FORMS:
        raise BoundDoesNotApply(
            "L is proved for linear attention by the right product or with a state for every token, not for "
            + ("chunks of tokens" if problem.form == "chunked" else "softmax")
        )
    cut = linear_best_cut(problem, M)
    if cut is None:
        return LINEAR.bound(0, "no cut into two segments", status="proved")
    gates = (problem.Nk - 1) * problem.d * problem.gate
    state = problem.d * problem.dv
    # What docs/proofs/LinearCertificate.v has a test by numbers for.
    written = 2 * problem.Nk > M + cut.X if problem.form == "linear" else problem.Nq == problem.Nk
    status = LINEAR.status if written and cut.moves > state else "proved"
    return LINEAR.bound(max(0, cut.moves - state) + gates, str(cut), status=status)


def linear_best_cut(problem: Problem, M: int) -> Cut | None:
    """Return the best cut that is found; None if one segment may do it all."""
    return best_cut_of_less(partial(linear_events, problem), lambda T: math.isqrt(T**3 // 27), M, window=24)
