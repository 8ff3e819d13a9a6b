"""Convex min-cuts of disjoint parts of a DAG: what each costs above the compulsory words adds up."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import ONCE_ONLY
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.min_cut import greatest_cut
from pebble.lower_bounds.graph.needed_part import Needed, needed_part
from pebble.lower_bounds.references import ELANGO
from pebble.lower_bounds.requirements import require_no_recomputation
from pebble.lower_bounds.statement import Statement

__all__ = ["CUTS_OF_PARTS", "cuts_of_parts"]

CUTS_OF_PARTS = Statement(
    "convex min-cuts of parts",
    "I/O ≥ compulsory + the sum over disjoint sets of vertices P of max over computed vertices v of P of max(0, "
    "w₂(v) − 2M, w₁(v) − M), w₁ and w₂ as for the convex min-cut, of the DAG that P induces",
    "any DAG",
    f"{PAGE}, convex min-cuts of parts",
    rules=ONCE_ONLY,
    after=(ELANGO,),
)

_Ints = NDArray[np.int64]
_SAMPLE = 20
_SMALL = 120
_ORDERS = (("depth",), ("distance",), ("depth", "distance"))
_MOST_EDGES = 20_000


def cuts_of_parts(dag: Dag, M: int, rules: Rules, seed: int = 0) -> GraphBound:
    """Compulsory I/O plus what the least cuts of disjoint parts cost beyond M words each.

    The DAG is halved again and again, by the length of the longest path to a vertex, or by the distance from a vertex
    at its edge; a part counts by itself or as its halves, whichever comes to more.

    Parameters
    ----------
    dag : Dag
        At most 20,000 edges.
    M : int
        Words of fast memory.
    rules : Rules
        Recomputation must be forbidden.
    seed : int
        Of the drawing of vertices in each part.

    Returns
    -------
    GraphBound
        A whole number, at least the compulsory I/O.

    Raises
    ------
    InvalidInput
        If M is not a positive whole number.
    BoundDoesNotApply
        If the rules allow recomputation, or the DAG is too large.

    Examples
    --------
    >>> from pebble.computations.classic_dags import diamond
    >>> cuts_of_parts(diamond(24, 24), 3, Rules(recomputation=False)).value
    64
    """
    M = fast_memory_words(M)
    require_no_recomputation(rules, "the bound of convex min-cuts of parts")
    part = needed_part(dag)
    if len(part.tails) > _MOST_EDGES:
        raise BoundDoesNotApply(
            f"{len(part.tails):,} edges are too many to bisect; the limit is {_MOST_EDGES:,}"
        )
    halving = _Halving(dag, part, M, seed)
    gain, parts, name = max(
        ((*halving.best(np.arange(part.n), orders), " and ".join(orders)) for orders in _ORDERS),
        key=lambda one: one[0],
    )
    note = f"{parts:,} parts, halved by {name}" if parts else "no part has a cut beyond M words"
    return GraphBound.of(CUTS_OF_PARTS, part.loads + part.stores + gain, note, {"seed": seed})


class _Halving:
    """Halves sets of vertices by one order after the other, and cuts them."""

    def __init__(self, dag: Dag, part: Needed, M: int, seed: int) -> None:
        self._part, self._M = part, M
        self._rng = np.random.default_rng(seed)
        self._depth = _depth(dag, part)

    def best(self, inside: _Ints, orders: tuple[str, ...]) -> tuple[int, int]:
        """Return the most that some vertices cost beyond the compulsory words, and of how many parts."""
        if len(inside) <= self._M:
            return 0, 0
        induced = _induced(self._part, inside)
        sample = _SAMPLE if len(inside) > _SMALL else _SMALL
        whole = greatest_cut(induced, self._M, sample, self._rng)
        order = self._depth[inside] if orders[0] == "depth" else _distance(induced)
        by_order = inside[np.argsort(order, kind="stable")]
        turned, half = (*orders[1:], orders[0]), len(inside) // 2
        first, second = (self.best(np.sort(some), turned) for some in (by_order[:half], by_order[half:]))
        if first[0] + second[0] > whole:
            return first[0] + second[0], first[1] + second[1]
        return whole, int(whole > 0)


def _induced(part: Needed, inside: _Ints) -> Needed:
    """Return the DAG that some vertices induce; what was computed counts as computed."""
    position = np.full(part.n, -1, dtype=np.int64)
    position[inside] = np.arange(len(inside))
    tails, heads = position[part.tails], position[part.heads]
    kept = (tails >= 0) & (heads >= 0)
    return Needed(
        part.vertices[inside], tails[kept], heads[kept], part.is_input[inside], part.is_output[inside], 0, 0
    )


def _depth(dag: Dag, part: Needed) -> _Ints:
    """Return the length of the longest path to each vertex."""
    position = np.full(dag.n_vertices, -1, dtype=np.int64)
    position[part.vertices] = np.arange(part.n)
    depth = [0] * part.n
    for v in position[dag.topological_order()].tolist():
        if v >= 0 and part.predecessors[v]:
            depth[v] = 1 + max(depth[p] for p in part.predecessors[v])
    return np.array(depth, dtype=np.int64)


def _distance(part: Needed) -> _Ints:
    """Return in which order a search by distance meets the vertices, from one that is far from others."""
    rows = [[*before, *after] for before, after in zip(part.predecessors, part.successors, strict=True)]
    met = _search_from(rows, 0)
    met = _search_from(rows, met[-1])
    place = np.zeros(part.n, dtype=np.int64)
    place[met] = np.arange(part.n)
    return place


def _search_from(rows: list[list[int]], start: int) -> list[int]:
    seen, met = bytearray(len(rows)), list[int]()
    for root in (start, *range(len(rows))):
        if seen[root]:
            continue
        seen[root] = 1
        queue = deque([root])
        while queue:
            v = queue.popleft()
            met.append(v)
            for w in rows[v]:
                if not seen[w]:
                    seen[w] = 1
                    queue.append(w)
    return met
