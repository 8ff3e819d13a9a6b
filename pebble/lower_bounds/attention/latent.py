"""Bounds of latent attention: MLA, and heads whose keys share their rotary words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.forward import t1
from pebble.lower_bounds.attention.large_cache import LARGE_CACHE
from pebble.lower_bounds.bound import HONG_KUNG, LOOMIS_WHITNEY, Bound, Statement, by_hand
from pebble.lower_bounds.cutting import SegmentBound
from pebble.lower_bounds.requirements import Part
from pebble.lower_bounds.rounding import sqrt_above

if TYPE_CHECKING:
    from pebble.computations.problem import Problem

MLA = Statement(
    "MLA",
    "I/O ≥ M + 1 + X·(⌈z·dv / F(M + X)⌉ − 1) for every integer X ≥ 1 with at least two segments; F(T) the integer "
    "part of the greater of (T/3)^(3/2) and the maximum over 0 ≤ w ≤ T of w·√(T − w)/(2√β) + dv·w²/(4d(d + dv)), "
    "β = d(d + dv)/dv²; Nq more if the row sums are outputs",
    "attention whose values are the first dv of the d words of its keys (multi-head latent attention, absorbed), any "
    "sizes and any mask; z is the number of pairs; chains in a fixed order",
    "docs/proofs/latent.md, MLA",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)

_BITS = 96
"""Roots are rounded up to this many binary places, so that rounding cannot be seen in an integer."""


def latent_events(T: int, d: int, dv: int) -> int:
    """The most multiply-adds of P times the values that a segment that reaches ``T`` words can do.

    A key has ``d`` words, of which ``dv`` are its value.

    Examples
    --------
    >>> latent_events(12, 3, 2), latent_events(10**6, 576, 512)
    (8, 257492956)
    """
    return max(math.isqrt(T**3 // 27), math.floor(_greatest_with_whole_keys(T, d, dv)))


@lru_cache(maxsize=4096)
def _greatest_with_whole_keys(T: int, d: int, dv: int) -> Fraction:
    """Return a fraction hardly above the maximum over u from 0 to 1 of A·(u − u³) + B·(1 − u²)², where w = T·(1 − u²).

    The derivative A·(1 − 3u²) − 4B·u·(1 − u²) falls from u = 0 to 1/√3 and is negative from there on, so that it has
    one root; from a place where it is not negative to one where it is not positive, its value at the first bounds how
    much is gained.
    """
    if T == 0:
        return Fraction(0)
    A = T * sqrt_above(Fraction(T * dv * dv, 4 * d * (d + dv)), _BITS)
    B = Fraction(T * T * dv, 4 * d * (d + dv))

    def slope(u: Fraction) -> Fraction:
        return A * (1 - 3 * u * u) - 4 * B * u * (1 - u * u)

    near, width = Fraction(_root(float(A / B))), Fraction(1, 1 << 48)
    low, high = max(near - width, Fraction(0)), near + width
    while slope(low) < 0 or slope(high) > 0:
        width *= 4
        low, high = max(near - width, Fraction(0)), near + width
    at_low = A * (low - low**3) + B * (1 - low * low) ** 2
    return at_low + slope(low) * (high - low)


def _root(quotient: float) -> float:
    """Return about where A·(1 − 3u²) = 4B·u·(1 − u²), with A/B given."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if quotient * (1 - 3 * middle * middle) >= 4 * middle * (1 - middle * middle):
            low = middle
        else:
            high = middle
    return low


def latent_peak(T: int, d: int, dv: int) -> tuple[int, int]:
    """Return p, q with p/q at least the v where the second case of F(T) is greatest, w = T·(1 − v²), and hardly more.

    There d·(d + dv)·(1 − 3v²)² = 4T·v²·(1 − v²)²; from there to 1/√3 the right side is the greater one.

    Examples
    --------
    >>> p, q = latent_peak(10**6, 576, 512)
    >>> round(p / q, 6)
    0.311032
    """
    q = 1 << _BITS
    low, high = 0, math.isqrt((q * q - 1) // 3)
    while high - low > 1:
        p = (low + high) // 2
        left = d * (d + dv) * (q * q - 3 * p * p) ** 2 * q * q
        low, high = (low, p) if left <= 4 * T * p * p * (q * q - p * p) ** 2 else (p, high)
    return high, q


latent_bound = SegmentBound(
    MLA,
    "forward",
    work=lambda problem: problem.pairs * problem.dv,
    events=lambda T, problem: latent_events(T, problem.d, problem.dv),
    more=lambda problem: problem.queries * problem.stats,
    place=lambda T, problem: latent_peak(T, problem.d, problem.dv),
    form="latent",
)
"""The bound where the values are part of the keys, from the product of P and the values alone.

Leading term with ``z`` pairs, for ``M`` much larger than ``(d (d + dv) / dv)²``: ``z d (d + dv) / M``.
"""


WITHOUT_ROPE = Statement(
    "without rope",
    "I/O ≥ H·B + (H·Nq + Nk)·r, B any bound on one head of attention with the d − r words of a key that are the head's "
    "own",
    "attention of H heads whose keys share r of their d words, forward pass, any sizes and any mask; as sure as B",
    "docs/proofs/latent.md, without rope",
)


def t1_of_all_heads(problem: Problem, M: int) -> Bound:
    """T1 with the pairs of all heads, whose keys share their rotary words.

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
    """Return what is left of all heads without the shared words, which are loaded besides."""
    M = fast_memory_words(M)
    _require(problem, "the bound without rotary words")
    head = best(one_head(problem), M)
    rotary = (problem.heads * problem.queries + problem.keys) * problem.shared_rope
    words = problem.heads * int(head.value) + rotary
    status = by_hand(head).status if head.name == LARGE_CACHE.name else head.status
    bound = WITHOUT_ROPE.bound(words, f"each head bounded by {head.name}", status=status)
    rows = {key: head.facts[key] for key in ("row", "rows") if key in head.facts}
    return replace(bound, facts={**bound.facts, "head": {"name": head.name, "note": head.note, **rows}})


def _require(problem: Problem, bound: str) -> None:
    if problem.form != "shared-rope":
        raise BoundDoesNotApply(f"{bound} is for heads whose keys share rotary words (shared_rope)")
