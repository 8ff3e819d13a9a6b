"""A bound for causal masks where M is of the order of N·d, and for masks that contain causal ones.

Queries and keys form a *triangle* where the first query sees the first key, the second one the first two keys, and so
on: a causal mask, whatever else is allowed. The bound on a causal mask is proved in docs/bounds-causal.md; other pairs
are left out as in docs/bounds.md ("Under a mask").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.attention.compulsory import compulsory_words
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.requirements import require_mask, require_pass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks import Mask
    from pebble.computations.problem import Problem

    Ends = NDArray[np.int64]

__all__ = ["Triangle", "causal_triangles", "triangles_of_band", "words_above_compulsory"]

_MOST_TRIES = 4096
"""So many triangles are looked for; what comes after them counts as compulsory words only."""


class Triangle(NamedTuple):
    """Some queries of an interval, as many as there are keys, of which the n-th sees at least the first n keys.

    Attributes
    ----------
    size : int
        Number of queries, and of keys.
    queries, keys : tuple of int
        First query and the one behind the last; so with the keys, which are all taken.
    """

    size: int
    queries: tuple[int, int]
    keys: tuple[int, int]


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

    Returns
    -------
    Bound
        Words of I/O of one copy; more than the compulsory words.

    Raises
    ------
    InvalidInput
        If ``M`` is not a positive whole number.
    BoundDoesNotApply
        If the problem is not a forward pass, has all pairs or another mask, or has no triangle of more than ``2d``
        queries that is worth more than its compulsory words.

    Notes
    -----
    Some passes over the mask's queries. At most 4,096 triangles are taken, each as large as can be.

    Examples
    --------
    >>> from pebble.computations.problem import Problem
    >>> causal_triangles(Problem.square(4096, 64, mask="causal"), 4096 * 64).value
    1161535
    """
    M = fast_memory_words(M)
    require_pass(problem, "forward", "the bound by causal triangles")
    start, stop = _band(require_mask(problem, "the bound by causal triangles"))
    least = _least_size(problem.d, problem.dv, M)
    sizes = [triangle.size for triangle in triangles_of_band(start, stop, least)]
    if not sizes:
        raise BoundDoesNotApply(
            f"with M = {M:,} and d = {problem.d:,} a causal triangle is worth more than its compulsory words from "
            f"{least:,} queries on (always more than 2d); no such triangle was found under this mask"
        )
    worth = sum(words_above_compulsory(n, problem.d, problem.dv, M) for n in sizes)
    few = f"{sizes[0]:,} queries" if len(sizes) == 1 else f"{min(sizes):,} to {max(sizes):,} queries"
    note = f"{len(sizes):,} causal triangle{'s' * (len(sizes) > 1)} of {few}"
    words = compulsory_words(problem) + worth
    return Bound("causal triangles", words, "proved", "docs/bounds-causal.md", note=note)


def words_above_compulsory(n: int, d: int, dv: int, M: int) -> int:
    """By how much the I/O of a causal mask of ``n`` queries and keys is at least above its compulsory words.

    Proved for ``n > 2d``; negative where nothing is proved that is worth saying.

    >>> words_above_compulsory(4096, 64, 64, 4096 * 64)
    112959
    """
    return max((d + 1) * (n - 2 * d + 1) + h * (n - 5 * d + 2) - M for h in _half_widths(d, dv))


def _half_widths(d: int, dv: int) -> tuple[int, int]:
    """Return h for 2h + 1 columns of V: the bound is linear in h, so the least or the greatest is the best."""
    return 0, min(d, (dv - 1) // 2)


def _least_size(d: int, dv: int, M: int) -> int:
    """Return the least n > 2d with :func:`words_above_compulsory` above 0."""
    found = (((d + 1) * (2 * d - 1) + h * (5 * d - 2) + M) // (d + 1 + h) + 1 for h in _half_widths(d, dv))
    return max(2 * d + 1, min(found))


def _band(mask: Mask) -> tuple[Ends, Ends]:
    """Return the first key of every query with a key, and the one behind its last, by rising ends.

    Raises
    ------
    BoundDoesNotApply
        If the keys of some query are no interval, if an interval begins and ends inside another, or if no pair is
        masked out.
    """
    start, stop = mask.first("i"), mask.last("i") + 1
    taken = stop > 0
    if mask.pairs != int((stop - start)[taken].sum()):
        raise BoundDoesNotApply(
            f"causal triangles are looked for where each query's keys are an interval; not so for {mask.spec}"
        )
    if mask.pairs == mask.present("i") * mask.present("j"):
        raise BoundDoesNotApply("the bound by causal triangles is about masks; here no pair is masked out")
    start, stop = start[taken], stop[taken]
    order = np.lexsort((start, stop))
    start, stop = start[order], stop[order]
    if (np.diff(start) < 0).any():
        raise BoundDoesNotApply(
            f"causal triangles are looked for where the ends of the queries' intervals rise together; not so for "
            f"{mask.spec}"
        )
    return start, stop


def triangles_of_band(start: Ends, stop: Ends, least: int) -> list[Triangle]:
    """Return triangles of at least ``least`` queries, without a query or a key in common.

    Parameters
    ----------
    start, stop : ndarray of int
        Query i sees the keys ``start[i]`` to ``stop[i] - 1``, at least one; both never decrease.
    least : int

    Examples
    --------
    A window of four keys, and a causal mask after a prefix of two keys:

    >>> import numpy as np
    >>> rows = np.arange(10)
    >>> for triangle in triangles_of_band(np.maximum(rows - 3, 0), rows + 1, 3):
    ...     print(triangle)
    Triangle(size=4, queries=(0, 4), keys=(0, 4))
    Triangle(size=4, queries=(4, 8), keys=(4, 8))
    >>> triangles_of_band(rows * 0, np.maximum(rows + 1, 2), 3)
    [Triangle(size=10, queries=(0, 10), keys=(0, 10))]
    """
    # The first query of a triangle and one that is least - 1 queries further see its first key.
    first_queries = np.flatnonzero(start[least - 1 :] < stop[: max(len(stop) - least + 1, 0)])
    found, query, key = list[Triangle](), 0, 0
    for _ in range(_MOST_TRIES):
        place = int(np.searchsorted(first_queries, query))
        if place == len(first_queries):
            break
        query = int(first_queries[place])
        # A query's first key is the better one under a prefix, its last key under a window.
        first_keys = {max(int(start[query]), key), max(int(stop[query]) - 1, key)}
        triangle = max(_largest(start, stop, query, first) for first in first_keys)
        if triangle.size >= least:
            found.append(triangle)
            query, key = triangle.queries[1], triangle.keys[1]
        else:
            query += 1
    return found


def _largest(start: Ends, stop: Ends, query: int, key: int) -> Triangle:
    """Return the largest triangle from a query and a key on.

    The queries from ``query`` on that see ``key`` are taken one after the other, each for the next key if it sees that.
    """
    behind = int(np.searchsorted(start, key, side="right"))
    visible = np.maximum(stop[query:behind] - key, 0)
    # After a query that is left out there are as many keys as it sees; each query that is taken adds one.
    size = int((visible + np.arange(len(visible) - 1, -1, -1)).min(initial=len(visible)))
    return Triangle(size, (query, behind), (key, key + size))
