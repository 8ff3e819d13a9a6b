"""Theorem M: what a bound for one fast memory says about a boundary between memory levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.lower_bounds.bound import Statement, by_hand
from pebble.lower_bounds.table import bounds

if TYPE_CHECKING:
    from pebble.computations.problem import Problem
    from pebble.lower_bounds.bound import Bound

LEVELS = Statement(
    "levels",
    "I/O at the boundary of memory level l ≥ Q(M₁ + … + M_l), and ≥ Q(M_l) in an inclusive hierarchy, where Q(M) is "
    "the least I/O with one fast memory of M words",
    "any DAG, any number of memory levels (Theorem M); the value is that of the greatest bound for that many words",
    "docs/proofs/levels.md, Theorem M",
)


def boundary_bound(problem: Problem, words: int) -> Bound:
    """Return the bound on what moves through a boundary: the greatest for one fast memory with that many words.

    Parameters
    ----------
    problem : Problem
    words : int
        How many words can be on the inner side: of the level in an inclusive hierarchy, else of all levels within.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> bound = boundary_bound(Problem.square(4096, 64), 25000)
    >>> bound.name, bound.value, bound.note
    ('levels', 11020013, 'T1 for 25,000 words, by Theorem M')
    """
    best = by_hand(bounds(problem, words).best)
    return LEVELS.bound(best.value, f"{best.name} for {words:,} words, by Theorem M", status=best.status)
