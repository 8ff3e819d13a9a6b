"""Convex min-cuts, of a DAG and of disjoint parts of it: what they cost above the compulsory words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import tell
from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag, Vertex
from pebble.lower_bounds.bound import ELANGO, ONCE_ONLY, Statement
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.needed_part import Needed, maximum_flow, needed_part
from pebble.lower_bounds.requirements import require_no_recomputation

CONVEX_MIN_CUT = Statement(
    "convex min-cut",
    "I/O ≥ compulsory + max over computed vertices v of max(0, w₂(v) − 2M, w₁(v) − M), w₁ and w₂ the least number and "
    "the least cost of the vertices that are alive just after v is computed",
    "any DAG",
    f"{PAGE}, convex min-cut",
    rules=ONCE_ONLY,
    after=(ELANGO,),
)

_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]
_SIDES = {"io": 2, "words": 1}
_FEW = 4


def convex_min_cut(
    dag: Dag,
    M: int,
    rules: Rules,
    sample: int | None = None,
    seed: int | np.random.Generator = 0,
    vertices: Iterable[Vertex] | None = None,
) -> GraphBound:
    """Compulsory I/O plus what the values alive when a vertex is computed cost beyond M words.

    Parameters
    ----------
    dag : Dag
    M : int
        Words of fast memory.
    rules : Rules
        Recomputation must be forbidden.
    sample : int, optional
        How many vertices to look at, drawn at random; all by default.
    seed : int or numpy Generator
        Of the drawing.
    vertices : iterable of vertices, optional
        Look at these instead.

    Notes
    -----
    What is alive, and its weights, are defined in docs/proofs/graphs.md, convex min-cut. Costs two maximum flows on 2 V
    nodes for each vertex that a quick look does not rule out.

    Examples
    --------
    >>> from pebble.computations.classic_dags import diamond
    >>> convex_min_cut(diamond(8, 8), 3, Rules(recomputation=False)).value
    12
    """
    M = fast_memory_words(M)
    require_no_recomputation(rules, "the convex min-cut bound")
    part = needed_part(dag)
    chosen = _chosen(dag, part, sample, seed, vertices)
    best = _search(part, M, chosen)
    seen = f"{len(chosen):,} of {len(part.computed):,} vertices examined"
    base = part.loads + part.stores
    if best is None:
        note, inputs = f"no cut beyond the compulsory I/O; {seen}", {}
    else:
        v = int(part.vertices[best.vertex])
        note = f"least cut of weight {best.weight:,} ({best.side}) at {dag.name(v)}; {seen}"
        inputs = {"vertex": v, "side": best.side, "weight": best.weight}
    gain = 0 if best is None else best.gain
    return GraphBound.of(CONVEX_MIN_CUT, base + gain, note, inputs)


def greatest_cut(part: Needed, M: int, sample: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return what the values alive at some moment cost beyond M words, 0 if nothing, and where: a few cuts are tried.

    Parameters
    ----------
    part : Needed
        A DAG, or what some of its vertices induce.
    M, sample : int
    rng : numpy Generator
    """
    drawn = rng.permutation(part.computed)[:sample]
    best = _search(part, M, [int(v) for v in np.sort(drawn)], _FEW)
    return (0, -1) if best is None else (best.gain, int(part.vertices[best.vertex]))


@dataclass(frozen=True)
class _Found:
    gain: int
    weight: int
    side: str
    vertex: int


def _chosen(
    dag: Dag,
    part: Needed,
    sample: int | None,
    seed: int | np.random.Generator,
    vertices: Iterable[Vertex] | None,
) -> list[int]:
    """Return the positions to look at; those that every pebbling may leave out say nothing."""
    if vertices is not None:
        wanted = np.array(sorted({dag.vertex(v) for v in vertices}), dtype=np.int64)
        positions = np.flatnonzero(np.isin(part.vertices, wanted) & ~part.is_input)
        return [int(v) for v in positions]
    if sample is None or (isinstance(sample, int) and sample >= len(part.computed)):
        return [int(v) for v in part.computed]
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 1:
        raise InvalidInput(f"the sample is a positive whole number of vertices, not {sample!r}")
    drawn = np.random.default_rng(seed).choice(part.computed, size=sample, replace=False)
    return [int(v) for v in np.sort(drawn)]


def _search(part: Needed, M: int, chosen: list[int], most: int | None = None) -> _Found | None:
    """Return the greatest positive gain, looking first where the simple cuts are heavy, at most this many times."""
    sides = [(side, _weights(part, side), words * M) for side, words in _SIDES.items()]
    hopes = []
    for place, v in enumerate(chosen):
        tell(f"cuts: {place:,} of {len(chosen):,} vertices")
        before, after = _reached(part.predecessors, v), _reached(part.successors, v)
        for side, weights, spared in sides:
            hope = min(_weight(part, weights, before), _weight(part, weights, ~_without(after, v))) - spared
            if hope > 0:
                hopes.append((hope, side, v))
    hopes.sort(key=lambda entry: (-entry[0], entry[2], entry[1]))
    best: _Found | None = None
    for hope, side, v in hopes[:most]:
        if best is not None and hope <= best.gain:
            break
        weight = _least_cut(part, _weights(part, side), v)
        gain = weight - _SIDES[side] * M
        if gain > (0 if best is None else best.gain):
            best = _Found(gain, weight, side, v)
    return best


def _weights(part: Needed, side: str) -> _Ints:
    """What an alive vertex costs at least, if it is not red, beyond its compulsory I/O."""
    dear = _SIDES[side]
    return np.where(part.is_input | part.is_output, 1, dear).astype(np.int64)


def _reached(rows: list[list[int]], v: int) -> _Bools:
    """Return v and everything reached from it."""
    seen = bytearray(len(rows))
    seen[v] = 1
    stack = [v]
    while stack:
        for w in rows[stack.pop()]:
            if not seen[w]:
                seen[w] = 1
                stack.append(w)
    return np.frombuffer(bytes(seen), dtype=np.bool_)


def _without(marks: _Bools, v: int) -> _Bools:
    marks = marks.copy()
    marks[v] = False
    return marks


def _weight(part: Needed, weights: _Ints, fired: _Bools) -> int:
    """Return the weight of what is alive when the vertices of ``fired`` that are not inputs are computed."""
    done = fired & ~part.is_input
    used = np.zeros(part.n, dtype=np.bool_)
    used[part.tails[done[part.heads]]] = True
    awaited = np.zeros(part.n, dtype=np.bool_)
    awaited[part.tails[~done[part.heads]]] = True
    return int(weights[np.where(part.is_input, used, done) & awaited].sum())


def _least_cut(part: Needed, weights: _Ints, v: int, library: str | None = None) -> int:
    """Return the least weight of what is alive just after v is computed, by a maximum flow.

    Node x stands for "x is computed" (an input: "some successor is"), node n + x for "and all successors of x
    are"; x without n + x is alive, and its weight is the capacity of the arc between them. Arcs that may not be
    cut lead from y to its predecessors, and from n + x to the successors of x. The ancestors of v, and v, are
    one with the source, its descendants with the sink.
    """
    n = part.n
    node = np.arange(n, dtype=np.int64)
    source, sink = 2 * n, 2 * n + 1
    before, after = _reached(part.predecessors, v), _without(_reached(part.successors, v), v)
    node[before], node[after] = source, sink
    free = ~(before | after)
    whole = int(weights.sum()) + 1
    alive = np.flatnonzero(~after)
    back = free[part.heads] & free[part.tails]
    on = ~after[part.tails] & ~before[part.heads]
    tails = np.concatenate([node[alive], node[part.heads[back]], n + part.tails[on]])
    heads = np.concatenate([n + alive, node[part.tails[back]], node[part.heads[on]]])
    capacities = np.full(len(tails), whole, dtype=np.int64)
    capacities[: len(alive)] = weights[alive]
    return maximum_flow(2 * n + 2, tails, heads, capacities, source, sink, library)


CUTS_OF_PARTS = Statement(
    "convex min-cuts of parts",
    "I/O ≥ compulsory + the sum over disjoint sets of vertices P of max over computed vertices v of P of max(0, "
    "w₂(v) − 2M, w₁(v) − M), w₁ and w₂ as for the convex min-cut, of the DAG that P induces",
    "any DAG",
    f"{PAGE}, convex min-cuts of parts",
    rules=ONCE_ONLY,
    after=(ELANGO,),
)

_SAMPLE = 20
_SMALL = 120
_ORDERS = (("depth",), ("distance",), ("depth", "distance"))
_MOST_EDGES = 20_000


def cuts_of_parts(dag: Dag, M: int, rules: Rules, seed: int = 0) -> GraphBound:
    """Compulsory I/O plus what the least cuts of disjoint parts cost beyond M words each.

    The DAG is halved again and again, by the length of the longest path to a vertex, or by the distance from a vertex
    at its edge; a part counts by itself or as its halves, whichever comes to more.

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
    note = f"{len(parts):,} parts, halved by {name}" if parts else "no part has a cut beyond M words"
    inputs = {"seed": seed, "parts": [[v, part.vertices[inside].tolist()] for v, inside in parts]}
    return GraphBound.of(CUTS_OF_PARTS, part.loads + part.stores + gain, note, inputs)


class _Halving:
    """Halves sets of vertices by one order after the other, and cuts them."""

    def __init__(self, dag: Dag, part: Needed, M: int, seed: int) -> None:
        self._part, self._M = part, M
        self._rng = np.random.default_rng(seed)
        self._depth = _depth(dag, part)

    def best(self, inside: _Ints, orders: tuple[str, ...]) -> tuple[int, list[tuple[int, _Ints]]]:
        """Return the most that some vertices cost beyond the compulsory words, and the parts with their cuts."""
        if len(inside) <= self._M:
            return 0, []
        induced = _induced(self._part, inside)
        sample = _SAMPLE if len(inside) > _SMALL else _SMALL
        whole, v = greatest_cut(induced, self._M, sample, self._rng)
        order = self._depth[inside] if orders[0] == "depth" else _distance(induced)
        by_order = inside[np.argsort(order, kind="stable")]
        turned, half = (*orders[1:], orders[0]), len(inside) // 2
        first, second = (self.best(np.sort(some), turned) for some in (by_order[:half], by_order[half:]))
        if first[0] + second[0] > whole:
            return first[0] + second[0], first[1] + second[1]
        return whole, [(v, inside)] if whole > 0 else []


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
