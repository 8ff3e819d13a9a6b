"""A bound for causal masks where M is of the order of N·d, and for masks that contain causal ones.

Queries and keys form a *triangle* where the first query sees the first key, the second one the first two keys, and so
on: a causal mask, whatever else is allowed. The bound on a causal mask is proved in docs/proofs/causal.md; other pairs
are left out as in docs/proofs/forward.md ("Under a mask").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.attention.triangles import QueryIntervals, find_triangles
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.requirements import require_fixed_order, require_mask, require_pass

if TYPE_CHECKING:
    from pebble.computations.problem import Problem
from pebble.lower_bounds.bound import Statement

CAUSAL_TRIANGLES = Statement(
    "causal triangles",
    "I/O ≥ c + the sum over triangles of n > 2d queries of max(0, (d + 1)·(n − 2d + 1) + h·(n − 5d + 2) − M), "
    "c the compulsory words, h whole with 0 ≤ h ≤ d and 2h + 1 ≤ dv",
    "attention, forward pass, any mask with triangles (causal masks inside it) that share no query and no "
    "key; chains in the order of the keys",
    "docs/proofs/causal.md",
)


def causal_triangles(problem: Problem, M: int) -> Bound:
    """Lower bound from moments at which most of Q and U, or of K and V, of a causal mask is needed again.

    For a causal mask, ``Nq = Nk = N > 2d``, and every whole ``h`` with ``2h + 1 <= dv`` and ``h <= d`` it is
    ``2N(d + dv) + (d + 1)(N - 2d + 1) + h(N - 5d + 2) - M``: about ``5.5 N d - M`` for ``dv = d``. Of other masks it
    takes triangles that have no query and no key in common, and what each is worth above its compulsory words.

    Parameters
    ----------
    problem : Problem
        Forward pass of one copy with a mask under which the keys of every query are an interval whose ends never
        decrease from query to query, in some order of the queries. With ``stats`` the row sums are added.
    M : int
        Words of fast memory.

    Notes
    -----
    Some passes over the pieces of a band, or the queries of another mask. At most 4,096 triangles are taken, those that
    repeat counted once.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> causal_triangles(Problem.square(4096, 64, mask="causal"), 4096 * 64).value
    1161535
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "the bound by causal triangles")
    require_fixed_order(problem, "the bound by causal triangles")
    mask = require_mask(problem, "the bound by causal triangles")
    if problem.pairs == problem.queries * problem.keys:
        raise BoundDoesNotApply("the bound by causal triangles is for masks; here no pair is masked out")
    least = least_size(problem.d, problem.dv, M)
    triangles = find_triangles(QueryIntervals.from_mask(mask), least)
    if not triangles:
        raise BoundDoesNotApply(
            f"with M = {M:,} and d = {problem.d:,} a causal triangle beats its compulsory words from "
            f"{least:,} queries on (always more than 2d); this mask has no such triangle"
        )
    worth = sum(t.repeats * words_above_compulsory(t.size, problem.d, problem.dv, M) for t in triangles)
    number, sizes = sum(t.repeats for t in triangles), sorted({t.size for t in triangles})
    queries = " to ".join(f"{size:,}" for size in dict.fromkeys((sizes[0], sizes[-1])))
    note = f"{number:,} causal triangle{'s' * (number > 1)} of {queries} queries"
    words = compulsory_words(problem) + worth
    return CAUSAL_TRIANGLES.bound(words, note)


def words_above_compulsory(n: int, d: int, dv: int, M: int) -> int:
    """How far, at least, the I/O of a causal mask of ``n`` queries and keys is above its compulsory words.

    Proved for ``n > 2d``; negative where nothing is proved that is worth saying.

    >>> words_above_compulsory(4096, 64, 64, 4096 * 64)
    112959
    """
    return max((d + 1) * (n - 2 * d + 1) + h * (n - 5 * d + 2) - M for h in _half_widths(d, dv))


def _half_widths(d: int, dv: int) -> tuple[int, int]:
    """Return h for 2h + 1 columns of V: the bound is linear in h, so the least or the greatest is the best."""
    return 0, min(d, (dv - 1) // 2)


def least_size(d: int, dv: int, M: int) -> int:
    """Return the least n > 2d with :func:`words_above_compulsory` above 0."""
    found = (((d + 1) * (2 * d - 1) + h * (5 * d - 2) + M) // (d + 1 + h) + 1 for h in _half_widths(d, dv))
    return max(2 * d + 1, min(found))
