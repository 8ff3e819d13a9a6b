"""D: the lower bounds where fast memory is of the order of Q, K, V and O, from one moment of a pebbling."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.bound import Bound, Statement, in_any_order
from pebble.lower_bounds.requirements import Counts, require_fixed_order, require_mask, require_pass

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

_MOST_TAUS = 4096
"""So many values of τ are tried at most; every value gives a bound."""

_MOST_PARAMETERS = 24
"""So many values of each parameter of the backward pass are tried, the greatest among them."""


@lru_cache(maxsize=1024)
def needed_again(queries: int, keys: int, d: int, dv: int) -> tuple[int, int, int]:
    """Return the words that are needed again at a moment of a forward pass, with the best τ and σ.

    Notes
    -----
    For each τ the three terms are linear in σ, so their minimum is greatest at an end or next to where two meet.

    Examples
    --------
    >>> needed_again(4096, 4096, 64, 64)
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


@lru_cache(maxsize=1024)
def needed_again_backward(queries: int, keys: int, d: int, dv: int) -> tuple[int, int, int]:
    """Return the words that are needed again at a moment of a backward pass, with a good τ and σ.

    Examples
    --------
    >>> needed_again_backward(4096, 4096, 64, 64)
    (766016, 128, 128)
    """
    taus, sigmas = _parameters(min(d + dv, queries)), _parameters(min(d + dv, keys))
    return max(
        (
            min(
                others_begun(queries, keys, d, tau, sigma, taus[0])[0],
                others_begun(keys, queries, d, sigma, tau, sigmas[0])[0],
            ),
            tau,
            sigma,
        )
        for tau, sigma in product(taus, sigmas)
    )


def _parameters(most: int) -> list[int]:
    """Return the values of a parameter to try, the greatest first."""
    return list(range(most, 0, -(-most // _MOST_PARAMETERS) * -1))


def others_begun(lines: int, others: int, d: int, tau: int, sigma: int, most: int) -> tuple[int, int]:
    """Return the greater of two sums over their own parameter, up to ``most``, and that parameter.

    A line is a query, and the others are keys, or the other way round.

    >>> others_begun(4096, 4096, 64, 128, 128, 128)
    (766016, 66)
    """
    begun = (lines - tau + 1) * sigma
    meet = d * (lines + 1) // (d + others - sigma)
    return max(
        (begun + min(d * (lines - own + 1), (others - sigma) * own), own)
        for own in (min(max(one, 1), most) for one in (meet, meet + 1))
    )


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
    from pebble.lower_bounds.attention.triangles import QueryIntervals, find_rectangle

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
