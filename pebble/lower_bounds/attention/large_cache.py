"""D: the lower bound where fast memory is of the order of Q, K, V and O, from one moment of a pebbling.

It is about queries that all see the same keys: a problem without a mask, or a rectangle in a mask, the other pairs left
out as in docs/bounds.md ("Under a mask"). The proof is in docs/bounds-large-cache.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.counts import Counts
from pebble.lower_bounds.requirements import require_mask, require_pass
from pebble.lower_bounds.statement import Statement

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = ["LARGE_CACHE", "large_cache", "large_cache_under_mask", "words_needed_again"]

LARGE_CACHE = Statement(
    "D",
    "I/O ≥ c − M + min((Nq − τ + 1)(dv + σ), (Nq − τ)σ + τ(Nk − σ), (τ + dv)(Nk − σ)) for all whole τ and σ with "
    "1 ≤ τ ≤ min(d, Nq) and 1 ≤ σ ≤ min(d, Nk − 1), c the compulsory words",
    "attention, forward pass, Nk ≥ 2; under a mask Nq queries and Nk keys that all see each other, c the compulsory "
    "words of all; chains in a fixed order",
    "docs/bounds-large-cache.md",
)

_MOST_TAUS = 4096
"""So many values of τ are tried at most; every value gives a bound."""


def large_cache(problem: Counts, M: int) -> Bound:
    """Lower bound D for a problem in which every query sees every key.

    About ``6 N d - 2 d**2 - M`` for ``Nq = Nk = N`` and ``dv = d``: the greatest of all for M between Nd and 2Nd.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy, any shape, all pairs. With ``stats`` the row sums are added.
    M : int
        Words of fast memory.

    Returns
    -------
    Bound
        Words of I/O of one copy; more than the compulsory words.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass, has a mask, or one key only, or M is so large that the compulsory words
        are as many.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> large_cache(Problem.square(4096, 64), 4096 * 80).value == 4096 * (6 * 64 - 80) - 2 * 64**2
    True
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "D")
    if problem.pairs != problem.queries * problem.keys:
        raise BoundDoesNotApply(
            "D is about queries that all see the same keys; here some pairs are masked out"
        )
    return _bound(problem, problem.queries, problem.keys, M)


def large_cache_under_mask(problem: Problem, M: int) -> Bound:
    """Lower bound D for a mask, from some queries of it that all see the same keys.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy with a mask under which the keys of every query are an interval whose ends never
        decrease from query to query, in some order of the queries. With ``stats`` the row sums are added.
    M : int
        Words of fast memory.

    Returns
    -------
    Bound
        Words of I/O of one copy; more than the compulsory words.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass, has all pairs or another mask, or no rectangle is found that is worth
        more than M words.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> problem = Problem.square(4096, 64, mask="causal")
    >>> large_cache_under_mask(problem, 4096 * 32).note
    'τ = 64, σ = 64, 2,048 queries and 2,049 keys that all see each other'
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "D")
    mask = require_mask(problem, "D from a rectangle")
    if problem.pairs == problem.queries * problem.keys:
        raise BoundDoesNotApply("D from a rectangle is about masks; here no pair is masked out")
    from pebble.lower_bounds.attention.rectangles import find_rectangle
    from pebble.lower_bounds.attention.triangles import QueryIntervals

    queries, keys = find_rectangle(QueryIntervals.from_mask(mask), problem.d, problem.dv)
    return _bound(
        problem, queries, keys, M, f", {queries:,} queries and {keys:,} keys that all see each other"
    )


def _bound(problem: Counts, queries: int, keys: int, M: int, note: str = "") -> Bound:
    if keys < 2 or queries < 1:
        raise BoundDoesNotApply("D needs two keys or more that the same queries see")
    needed, tau, sigma = words_needed_again(queries, keys, problem.d, problem.dv)
    if needed <= M:
        raise BoundDoesNotApply(
            f"D says no more than the compulsory words where M is {needed:,} words or more"
        )
    return LARGE_CACHE.bound(compulsory_words(problem) + needed - M, f"τ = {tau:,}, σ = {sigma:,}{note}")


@lru_cache(maxsize=1024)
def words_needed_again(queries: int, keys: int, d: int, dv: int) -> tuple[int, int, int]:
    """Return how many words there are at some moment that must be in fast memory or move again, with the best τ and σ.

    Parameters
    ----------
    queries, keys : int
        At least one query and two keys.
    d, dv : int
        Head dimensions.

    Notes
    -----
    For each τ the three terms are linear in σ, so their minimum is greatest at an end or next to where two meet.

    Examples
    --------
    >>> words_needed_again(4096, 4096, 64, 64)
    (516096, 64, 64)
    """
    most_tau, most_sigma = min(d, queries), min(d, keys - 1)
    taus = range(most_tau, 0, -(-most_tau // _MOST_TAUS) * -1)
    return max(
        (_least_term(queries, keys, dv, tau, sigma), tau, sigma)
        for tau in taus
        for sigma in _sigmas(queries, keys, dv, tau, most_sigma)
    )


def _least_term(queries: int, keys: int, dv: int, tau: int, sigma: int) -> int:
    return min(
        (queries - tau + 1) * (dv + sigma),
        (queries - tau) * sigma + tau * (keys - sigma),
        (tau + dv) * (keys - sigma),
    )


def _sigmas(queries: int, keys: int, dv: int, tau: int, most: int) -> set[int]:
    """Return the values of σ among which the best for a τ is: both ends, and next to where two terms meet."""
    terms = (
        ((queries - tau + 1) * dv, queries - tau + 1),
        (tau * keys, queries - 2 * tau),
        ((tau + dv) * keys, -tau - dv),
    )
    found = {1, most}
    for place, (at_zero, slope) in enumerate(terms):
        for other_at_zero, other_slope in terms[:place]:
            if slope != other_slope:
                meet = (other_at_zero - at_zero) // (slope - other_slope)
                found |= {min(max(one, 1), most) for one in (meet, meet + 1)}
    return found
