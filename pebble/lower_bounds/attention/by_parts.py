"""A bound for masks: the mask is taken apart, and what is left over counts as compulsory words.

Two facts, proved in docs/proofs/forward.md ("Under a mask"). Parts of a mask that have no query and no key in common
share nothing, so their bounds add up. And pairs may be left out: what is left bounds the I/O from below, and the inputs
and outputs of the queries and keys that are then left without pairs are loaded and stored on top of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.attention.part_counts import in_pieces, part_counts
from pebble.lower_bounds.bound import Bound, Status
from pebble.lower_bounds.counts import Part
from pebble.lower_bounds.requirements import require_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks import Mask
    from pebble.computations.problem import Problem
from pebble.lower_bounds.statement import Statement

__all__ = ["BY_PARTS", "MOST_LINES", "by_parts"]

BY_PARTS = Statement(
    "by parts",
    "I/O ≥ the sum over the parts of a mask of B(Z') + c(Z) − c(Z'), B(Z') a bound on a part without some queries and "
    "keys, c the compulsory words of the part with and without them",
    "attention, any pass with other bounds, any mask whose queries and keys fall into parts that share no pair; "
    "computer-assisted if the bound on a part is",
    "docs/proofs/forward.md, under a mask",
)

MOST_LINES = 2**21
"""With more queries and keys than this, no pairs are left out of a mask that is not a band; only the quality of the
bound depends on it."""

_MOST_SHAPES = 32
"""So many different shapes of parts, the most frequent ones, are looked at; of others the compulsory words count."""


@dataclass(frozen=True)
class _Choice:
    """The best found for one shape of part."""

    words: int
    name: str
    status: Status
    left_out: bool


def by_parts(problem: Problem, M: int, bounds: Callable[[Part, int], list[Bound]]) -> Bound:
    """Bound a masked problem by the sum over its parts of the best bound known for each.

    Parameters
    ----------
    problem : Problem
        One copy of a forward or a backward pass, with a mask.
    M : int
        Words of fast memory.
    bounds : callable
        The bounds of a part, the best first; the compulsory words must be among them.

    Returns
    -------
    Bound
        One of several to take the greatest of: with several parts it may be a little less than a bound on the whole.

    Raises
    ------
    BoundDoesNotApply
        If there is no mask.

    Notes
    -----
    Costs a few milliseconds for every shape of part, and some passes over the mask, or over the pieces of a band.
    """
    M = fast_memory_words(M)
    mask = require_mask(problem, "the bound by parts")
    tables, repeats = part_counts(mask, _thresholds(problem, mask, M))
    n_parts = int(repeats.sum())
    rows, repeats = _different(np.hstack(tables), repeats)
    order = np.argsort(-repeats, kind="stable")
    total, statuses, names, left_out = 0, set[Status](), set[str](), False
    for number, index in enumerate(order.tolist()):
        parts = [_part(problem, counted) for counted in rows[index].reshape(-1, 3)]
        choice = _best(parts[0], dict.fromkeys(parts) if number < _MOST_SHAPES else (), M, bounds)
        total += choice.words * int(repeats[index])
        statuses.add(choice.status)
        names.add(choice.name)
        left_out |= choice.left_out
    status: Status = "computer-assisted" if "computer-assisted" in statuses else "proved"
    of = f"{n_parts:,} parts that share nothing" if n_parts > 1 else "1 part"
    note = f"{of}, bounded by {', '.join(sorted(names))}"
    if left_out:
        note += "; of queries and keys with few pairs only the compulsory words"
    return BY_PARTS.bound(total, note, status=status)


def _thresholds(problem: Problem, mask: Mask, M: int) -> list[int]:
    """With how many pairs a query or key may be worth more than its pairs: near where T1's marginal value is."""
    if problem.Nq + problem.Nk > MOST_LINES and in_pieces(mask) is None:
        return []
    large = M // (2 * min(problem.d, problem.dv))
    found = {math.isqrt(M) // 2, large // 2, large, M // (problem.d + problem.dv)}
    return sorted(least for least in found if 1 < least <= max(problem.Nq, problem.Nk))


def _different(
    table: NDArray[np.int64], repeats: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different rows of a table and how often each occurs; numpy's own is slow for a million rows."""
    codes = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        values, code = np.unique(column, return_inverse=True)
        codes = np.unique(codes * len(values) + code, return_inverse=True)[1]
    _, first, of = np.unique(codes, return_index=True, return_inverse=True)
    times = np.zeros(len(first), dtype=np.int64)
    np.add.at(times, of, repeats)
    return table[first], times


def _part(problem: Problem, counted: NDArray[np.int64]) -> Part:
    """Return a part with this many pairs, queries and keys."""
    pairs, queries, keys = counted.tolist()
    sizes = problem.d, problem.dv, problem.stats, pairs, queries, keys
    return Part(problem.pass_name, *sizes, sums=problem.sums, sum_width=problem.sum_width)


def _best(
    whole: Part, candidates: Iterable[Part], M: int, bounds: Callable[[Part, int], list[Bound]]
) -> _Choice:
    """Choose among the compulsory words of a part and its candidates: itself, and what is left without some lines."""
    best = _Choice(compulsory_words(whole), "compulsory", "machine-checked", False)
    for part in candidates:
        if part.pairs:
            found = bounds(part, M)[0]
            words = int(found.value) + compulsory_words(whole) - compulsory_words(part)
            if words > best.words:
                best = _Choice(words, found.name, found.status, part != whole)
    return best
