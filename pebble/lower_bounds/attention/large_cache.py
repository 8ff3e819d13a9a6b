"""D: the lower bounds where fast memory is of the order of Q, K, V and O, from one moment of a pebbling.

They are about queries that all see the same keys: a problem without a mask, or a rectangle in a mask, the other pairs
left out as in docs/proofs/forward.md ("Under a mask"). The proofs are in docs/proofs/large-cache.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.attention.words_needed_again import needed_again, needed_again_backward
from pebble.lower_bounds.bound import Bound, in_any_order
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.requirements import require_fixed_order, require_mask, require_pass
from pebble.lower_bounds.statement import Statement

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = [
    "LARGE_CACHE",
    "LARGE_CACHE_BACKWARD",
    "large_cache",
    "large_cache_under_mask",
    "rectangle",
]

LARGE_CACHE = Statement(
    "D",
    "I/O ≥ c − M + min((Nq − τ + 1)(dv + σ), (Nq − τ)σ + τ(Nk − σ), (τ + dv)(Nk − σ)) for all integers τ and σ with "
    "1 ≤ τ ≤ min(d, Nq) and 1 ≤ σ ≤ min(d, Nk − 1), c the compulsory words",
    "attention, forward pass, Nk ≥ 2; under a mask Nq queries and Nk keys that all see each other, c the compulsory "
    "words of all; chains in a fixed order",
    "docs/proofs/large-cache.md",
    status="machine-checked",
)

LARGE_CACHE_BACKWARD = Statement(
    "D backward",
    "I/O ≥ c − M + min((Nq − τ + 1)σ + min(d(Nq − τ' + 1), (Nk − σ)τ'), (Nk − σ + 1)τ + min(d(Nk − σ' + 1), "
    "(Nq − τ)σ')) for all integers τ and τ' from 1 to min(d + dv, Nq), σ and σ' from 1 to min(d + dv, Nk), c the "
    "compulsory words",
    "attention, backward pass; under a mask Nq queries and Nk keys that all see each other, c the compulsory words of "
    "all; chains in a fixed order",
    "docs/proofs/large-cache.md",
    status="machine-checked",
)


def large_cache(problem: Counts, M: int) -> Bound:
    """Lower bound D for a problem in which every query sees every key.

    For ``Nq = Nk = N`` and ``dv = d`` about ``6 N d - 2 d**2 - M`` of a forward pass, the greatest of all for M between
    Nd and 2Nd, and ``11 N d - 6 d**2 - M`` of a backward pass, the greatest for M between 1.5Nd and 3Nd.

    Parameters
    ----------
    problem : Problem
        Forward or backward pass of one copy, any shape, all pairs. With ``stats`` the row sums are added.
    M : int
        Words of fast memory.

    Raises
    ------
    BoundDoesNotApply
        If the problem is of another pass, has a mask, or one key only, or M is so large that the compulsory words
        are as many.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> large_cache(Problem.square(4096, 64), 4096 * 80).value == 4096 * (6 * 64 - 80) - 2 * 64**2
    True
    >>> large_cache(Problem(4096, 4096, 64, 64, pass_name="backward"), 2 * 4096 * 64).value
    2342976
    """
    M = fast_memory_words(M)
    _require_pass(problem)
    if problem.pairs != problem.queries * problem.keys:
        raise BoundDoesNotApply("D is for queries that all see the same keys; here some pairs are masked out")
    return _bound(problem, problem.queries, problem.keys, M)


def large_cache_under_mask(problem: Problem, M: int) -> Bound:
    """Lower bound D for a mask, from some queries of it that all see the same keys.

    Parameters
    ----------
    problem : Problem
        Forward or backward pass of one copy with a mask under which the keys of every query are an interval whose
        ends never decrease from query to query, in some order of the queries. With ``stats`` the row sums are added.
    M : int
        Words of fast memory.

    Raises
    ------
    BoundDoesNotApply
        If the problem is of another pass, has all pairs or another mask, or no rectangle is found that is worth
        more than M words.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> problem = Problem.square(4096, 64, mask="causal")
    >>> large_cache_under_mask(problem, 4096 * 32).note
    'τ = 64, σ = 64, 2,048 queries and 2,049 keys that all see each other'
    """
    M = fast_memory_words(M)
    _require_pass(problem)
    require_mask(problem, "D from a rectangle")
    if problem.pairs == problem.queries * problem.keys:
        raise BoundDoesNotApply("D from a rectangle is for masks; here no pair is masked out")
    queries, keys = rectangle(problem)
    return _bound(
        problem, queries, keys, M, f", {queries:,} queries and {keys:,} keys that all see each other"
    )


def rectangle(problem: Problem) -> tuple[int, int]:
    """Return how many queries and how many keys that all see each other D is about, for one copy.

    >>> from pebble.computations.problem import Problem
    >>> rectangle(Problem.square(16, 4)), rectangle(Problem.square(16, 4, mask="causal"))
    ((16, 16), (8, 9))
    """
    if problem.mask is None or problem.pairs == problem.queries * problem.keys:
        return problem.queries, problem.keys
    from pebble.lower_bounds.attention.rectangles import find_rectangle
    from pebble.lower_bounds.attention.triangles import QueryIntervals

    return find_rectangle(QueryIntervals.from_mask(problem.mask), problem.d, problem.dv)


def _require_pass(problem: Counts) -> None:
    require_pass(problem, "backward" if problem.pass_name == "backward" else "forward", "D")
    require_fixed_order(problem, "D")


def _bound(problem: Counts, queries: int, keys: int, M: int, note: str = "") -> Bound:
    if keys < 2 or queries < 1:
        raise BoundDoesNotApply("D needs at least two keys that the same queries see")
    forward = problem.pass_name == "forward"
    count = needed_again if forward else needed_again_backward
    needed, tau, sigma = count(queries, keys, problem.d, problem.dv)
    if needed <= M:
        raise BoundDoesNotApply(
            f"with M of {needed:,} words or more, D gives no more than the compulsory words"
        )
    statement = LARGE_CACHE if forward else LARGE_CACHE_BACKWARD
    bound = statement.bound(compulsory_words(problem) + needed - M, f"τ = {tau:,}, σ = {sigma:,}{note}")
    return in_any_order(bound, problem.sums, problem.sum_width)
