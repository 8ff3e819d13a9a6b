"""The bound for few queries of latent attention: keys that are loaded again where queries and outputs do not fit."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import Bound, Statement
from pebble.lower_bounds.requirements import require_fixed_order, require_pass

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

FEW_QUERIES = Statement(
    "few queries",
    "I/O ≥ Nk·(d + C), C the lesser of dv + min(d − dv, max(0, Nq − ⌊M/(d + dv)⌋)) and the least integer with G(C) ≥ "
    "Nq·(d + dv) − M; G(s) the greatest of A(s), 2Nq·(s − 2Nq), for s ≥ Nq (d − dv)·Nq + A(s − Nq), and for s ≥ 3Nq "
    "(d − dv)·Nq + 2Nq·(s − 3Nq); A(s) = ⌊s²/4⌋ for s ≤ 2Nq and Nq·(s − Nq) beyond; under a mask the sum over the "
    "keys, with the queries that see a key for Nq; Nq more if the row sums are outputs",
    "attention whose values are the first dv of the d words of its keys (multi-head latent attention, absorbed), any "
    "sizes and any mask; chains in a fixed order",
    "docs/proofs/latent.md, few queries",
)

_MOST_LEVELS = 64
"""Under a mask keys are sorted into at most this many classes by how many queries see them; each class counts as its
least, which gives a bound."""


def few_queries(problem: Problem, M: int) -> Bound:
    """Lower bound on latent attention where queries and outputs take a little more than fast memory.

    Every key is loaded once, d words. If the rows of Q and U that its multiply-adds use do not fit, some of its words
    enter fast memory again, or words of its scores do.

    Parameters
    ----------
    problem : Problem
        Latent attention, with or without a mask.
    M : int
        Words of fast memory.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> few_queries(Problem(128, 4096, 576, 512, shared_values=True), 98_304).value == 4096 * (576 + 416)
    True
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "the bound for few queries")
    require_fixed_order(problem, "the bound for few queries")
    if problem.form != "latent":
        raise BoundDoesNotApply("the bound for few queries is only for latent attention (shared values)")
    d, dv = problem.d, problem.dv
    again = [(keys, entering_again(queries, d, dv, M)) for queries, keys in _classes(problem)]
    most = max(words for _, words in again)
    if not most:
        raise BoundDoesNotApply(
            "the rows of Q and U that a key needs fit in M words, so no key is loaded again"
        )
    words = problem.keys * d + sum(keys * more for keys, more in again)
    note = f"C = {most:,}" if len(again) == 1 else f"C up to {most:,}"
    return FEW_QUERIES.bound(words + problem.queries * problem.stats, note)


def entering_again(queries: int, d: int, dv: int, M: int) -> int:
    """Return C: at least how many words of a key and its scores enter fast memory beside the d words of the key.

    Examples
    --------
    >>> [entering_again(128, 576, 512, M) for M in (70_000, 98_304, 116_224, 130_000, 139_263, 139_264)]
    [527, 416, 308, 193, 2, 0]
    """
    missing = queries * (d + dv) - M
    if missing <= 0:
        return 0
    most = dv + min(d - dv, max(0, queries - M // (d + dv)))
    return bisect_left(range(most), missing, key=lambda words: _saved(words, queries, d - dv))


def _saved(words: int, queries: int, rope: int) -> int:
    """Return G: the most multiply-adds of a key that entering words can move away from the others."""
    more = words - queries, words - 2 * queries, words - 3 * queries
    return max(
        _rectangle(words, queries),
        rope * queries + _rectangle(more[0], queries) if more[0] >= 0 else 0,
        2 * queries * more[1],
        rope * queries + 2 * queries * more[2] if more[2] >= 0 else 0,
    )


def _rectangle(words: int, queries: int) -> int:
    """Return A: the greatest product of two integers, one at most the number of queries, with a given sum."""
    return words * words // 4 if words <= 2 * queries else queries * (words - queries)


def _classes(problem: Problem) -> list[tuple[int, int]]:
    """Return classes of keys: at least how many queries see each key of a class, and how many keys it has."""
    if problem.mask is None:
        return [(problem.Nq, problem.Nk)]
    import numpy as np

    keys = np.arange(problem.Nk)
    whole = np.zeros_like(keys), np.full_like(keys, problem.Nq)
    seen = np.sort(problem.mask.questions.pairs("j", keys, keys + 1, *whole))[::-1]
    sizes = [len(part) for part in np.array_split(seen, min(_MOST_LEVELS, len(seen)))]
    ends = np.cumsum(sizes)
    return [(int(seen[end - 1]), size) for end, size in zip(ends, sizes, strict=True)]
