"""The bound by keys: how many words of a key, its value and its scores enter fast memory where there are many keys."""

from __future__ import annotations

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.bound import Bound, Statement
from pebble.lower_bounds.requirements import Counts, require_fixed_order, require_pass
from pebble.lower_bounds.rounding import ceil_sqrt

BY_KEYS = Statement(
    "by keys",
    "I/O ≥ Nk·(d + dv + C), C the least of Nq, ⌈2√D⌉ and (κ − 1)·d + dv − min(dv, κ·g) over the integers κ ≥ 2, D = "
    "Nq·(d + dv) − M > 0 and g = max(0, ⌊M/Nq⌋ − d); Nq more if the row sums are outputs",
    "attention, forward pass, Nq ≥ d and Nq ≥ dv, every pair of query and key; chains in a fixed order",
    "docs/proofs/large-cache.md, by keys",
)


def by_keys(problem: Counts, M: int) -> Bound:
    """Lower bound for many more keys than queries, whose rows of Q and U take up to twice M words.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy, all pairs. With ``stats`` the row sums are added.
    M : int
        Words of fast memory.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> by_keys(Problem(512, 10**6, 128, 128), 100_000).value
    384000000
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "the bound by keys")
    require_fixed_order(problem, "the bound by keys")
    if problem.pairs != problem.queries * problem.keys:
        raise BoundDoesNotApply("the bound by keys is for queries that all see the same keys")
    again = entering_again(problem.queries, problem.d, problem.dv, M)
    words = problem.keys * (problem.d + problem.dv + again) + problem.queries * problem.stats
    if words <= compulsory_words(problem):
        raise BoundDoesNotApply("the bound by keys gives no more than the compulsory words here")
    return BY_KEYS.bound(words, f"C = {again:,}")


def entering_again(queries: int, d: int, dv: int, M: int) -> int:
    """Return C: at least how many words of a key, its value and its scores enter beside the first load of each.

    >>> [entering_again(512, 128, 128, M) for M in (65_536, 80_000, 98_304, 131_000, 131_072)]
    [256, 200, 128, 17, 0]
    """
    missing = queries * (d + dv) - M
    if missing <= 0 or queries < max(d, dv):
        return 0
    single = max(0, M // queries - d)
    sweeps = range(2, max(2, -(-dv // single) if single else 2) + 1)
    swept = min((number - 1) * d + dv - min(dv, number * single) for number in sweeps)
    return min(queries, ceil_sqrt(4 * missing), swept)
