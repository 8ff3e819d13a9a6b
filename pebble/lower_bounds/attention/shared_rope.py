"""Bounds where all heads share the rotary words of the keys: T1 for all heads at once, and heads without these words.

The proofs are in docs/proofs/latent.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.large_cache import LARGE_CACHE
from pebble.lower_bounds.attention.t1 import t1
from pebble.lower_bounds.bound import Bound, by_hand
from pebble.lower_bounds.counts import Part
from pebble.lower_bounds.statement import Statement

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

__all__ = ["WITHOUT_ROPE", "all_heads", "one_head", "t1_of_all_heads", "without_rope"]

WITHOUT_ROPE = Statement(
    "without rope",
    "I/O ≥ H·B + (H·Nq + Nk)·r, B any bound on one head of attention with the d − r words of a key that are the head's "
    "own",
    "attention of H heads whose keys share r of their d words, forward pass, any sizes and any mask; as sure as B",
    "docs/proofs/latent.md, without rope",
)


def t1_of_all_heads(problem: Problem, M: int) -> Bound:
    """T1 with the pairs of all heads, whose keys share their rotary words.

    Parameters
    ----------
    problem : Problem
        With ``shared_rope``, any shape and mask.
    M : int
        Words of fast memory.

    Returns
    -------
    Bound
        Words of I/O of one copy, which is all heads of a batch element.

    Raises
    ------
    BoundDoesNotApply
        If the heads share no words.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> t1_of_all_heads(Problem(4096, 4096, 192, 128, heads=8, shared_rope=64), 10**5).value
    132768901
    """
    _require(problem, "T1 for all heads at once")
    bound = t1(all_heads(problem), M)
    note = f"{bound.note}; {problem.heads:,} heads at once"
    return replace(bound, source="docs/proofs/latent.md, T1", note=note)


def all_heads(problem: Problem) -> Part:
    """Return the pairs, queries and keys of all heads together."""
    pairs, queries, keys = (problem.heads * count for count in (problem.pairs, problem.queries, problem.keys))
    return Part("forward", problem.d, problem.dv, problem.stats, pairs, queries, keys)


def one_head(problem: Problem) -> Problem:
    """Return one head without the words that it shares."""
    return replace(problem, d=problem.d - problem.shared_rope, heads=1, batch=1, shared_rope=0)


def without_rope(problem: Problem, M: int, best: Callable[[Problem, int], Bound]) -> Bound:
    """Return what is left of all heads without the shared words, which are loaded besides.

    Parameters
    ----------
    problem : Problem
        With ``shared_rope``, any shape and mask.
    M : int
        Words of fast memory.
    best : callable
        The best bound on one copy of attention whose heads share nothing.

    Raises
    ------
    BoundDoesNotApply
        If the heads share no words.
    """
    M = fast_memory_words(M)
    _require(problem, "the bound without rotary words")
    head = best(one_head(problem), M)
    rotary = (problem.heads * problem.queries + problem.keys) * problem.shared_rope
    words = problem.heads * int(head.value) + rotary
    status = by_hand(head).status if head.name == LARGE_CACHE.name else head.status
    return WITHOUT_ROPE.bound(words, f"each head bounded by {head.name}", status=status)


def _require(problem: Problem, bound: str) -> None:
    if problem.form != "shared-rope":
        raise BoundDoesNotApply(f"{bound} is for heads whose keys share rotary words (shared_rope)")
