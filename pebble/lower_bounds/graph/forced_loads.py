"""Words that M words of fast memory force out and in again, also where vertices may be computed twice."""

from __future__ import annotations

import numpy as np

from pebble.common.clock import tell
from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import ANY_RULES, Statement
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.needed_part import Needed, needed_part

FORCED_LOADS = Statement(
    "forced loads",
    "I/O ≥ compulsory + 2·(C + S): C is the least number of vertices that have to be taken out of the trees of values "
    "with one use so that M words suffice for each piece; S a number of disjoint sets of other values, each too large "
    "for M words to compute a certain vertex without a load of one of them",
    "any DAG; exact for trees",
    f"{PAGE}, forced loads",
)

_MOST = 10
"""How many vertices a set has at most; a search looks at all of its subsets."""
_UP_TO = 6000
"""How many computed vertices a DAG has at most for sets to be looked for."""


def forced_loads(dag: Dag, M: int, rules: Rules) -> GraphBound:
    """Compulsory I/O plus two words for each value that does not stay in fast memory until it is used.

    Parameters
    ----------
    dag : Dag
    M : int
        Words of fast memory.
    rules : Rules
        Any; without sliding the bound is greater.

    Notes
    -----
    Trees cost O(V + E) and a little for sorting. Each of the sets is found by searches of up to 1,024 states.

    Examples
    --------
    >>> from pebble.computations.classic_dags import pyramid, tree
    >>> forced_loads(tree(3), 3, Rules()).value, forced_loads(pyramid(3), 4, Rules()).value
    (15, 7)
    """
    M = fast_memory_words(M)
    if dag.least_M(sliding=rules.sliding) > M:
        raise BoundDoesNotApply(f"no pebbling with M = {M} exists")
    part = needed_part(dag)
    position = np.full(dag.n_vertices, -1, dtype=np.int64)
    position[part.vertices] = np.arange(part.n)
    order = [v for v in position[dag.topological_order()].tolist() if v >= 0 and not part.is_input[v]]
    cuts, rest = _cut_trees(part, order, M, rules.sliding)
    sets = 0
    if len(order) <= _UP_TO:
        sets = _disjoint_sets(part, order, rest, M, rules.sliding)
        inner = {v for v in order if not part.is_output[v]}
        alone = _disjoint_sets(part, order, inner, M, rules.sliding) if cuts and rest else 0
        cuts, sets = (0, alone) if alone > cuts + sets else (cuts, sets)
    note = f"{cuts:,} vertices of trees, {sets:,} disjoint sets"
    needs = ANY_RULES if rules.sliding else "recomputation allowed, sliding forbidden"
    value = part.loads + part.stores + 2 * (cuts + sets)
    return GraphBound.of(FORCED_LOADS, value, note, {}, rules=needs)


def _cut_trees(part: Needed, order: list[int], M: int, sliding: bool) -> tuple[int, set[int]]:
    """Return how many vertices are taken out of trees, and the computed vertices that may be in other sets.

    Goes up from the leaves; the fewest vertices are taken out, and of those the ones that need the most words.
    """
    once = ((part.outdegree == 1) & ~part.is_output).tolist()
    root, needs = list(range(part.n)), [1] * part.n
    for v in reversed(order):
        if once[v]:
            root[v] = root[part.successors[v][0]]
    cuts = dict.fromkeys(order, 0)
    for v in order:
        words = sorted((needs[p] for p in part.predecessors[v] if once[p]), reverse=True)
        while (most := max((i + need for i, need in enumerate(words)), default=0)) > M:
            words = [*words[1:], 1]
            cuts[root[v]] += 1
        needs[v] = max(most, len(part.predecessors[v]) + (not sliding))
    free = {v for v in order if not part.is_output[v] and not (once[v] and cuts[root[v]])}
    return sum(cuts.values()), free


def _disjoint_sets(part: Needed, order: list[int], free: set[int], M: int, sliding: bool) -> int:
    """Return a number of disjoint sets of free vertices, each of which forces a load."""
    free, found = set(free), 0
    search = _MOST + max(map(len, part.predecessors), default=0) > M
    for place, v in enumerate(order):
        tell(f"forced loads: {place:,} of {len(order):,} vertices")
        while chosen := (search and _small_set(part, v, free, M, sliding)) or _layers(
            part, v, free, M, sliding
        ):
            free -= chosen
            found += 1
    return found


def _layers(part: Needed, v: int, free: set[int], M: int, sliding: bool) -> set[int]:
    """Return layers below v that force a load; empty if there are none.

    In each layer, any vertices of the layer above read at least one vertex more than they are: each of them has a pair
    that it reads, and the pairs are the edges of a forest.
    """
    layer, chosen = [v], {v}
    for height in range(1, M + 1):
        tree: dict[int, int] = {}
        for u in layer:
            reads = [p for p in part.predecessors[u] if p in free and p not in chosen]
            for p in reads:
                tree.setdefault(p, p)
            other = next((p for p in reads if tree[p] != tree[reads[0]]), None)
            if other is None:
                return set()
            old, new = tree[reads[0]], tree[other]
            tree.update([(p, new) for p, of in tree.items() if of == old])
        layer = list(tree)
        chosen |= set(layer)
        fewest = min(sum(p not in chosen for p in part.predecessors[u]) for u in layer)
        if height + 1 - sliding + fewest > M:
            return chosen - {v}
    return set()


def _small_set(part: Needed, v: int, free: set[int], M: int, sliding: bool) -> set[int]:
    """Return a small set that forces a load before v is computed; empty if there is none."""
    near = _nearest(part, v, free)
    if _without_loads(part, near, v, M, sliding):
        return set()
    for u in reversed(near):
        fewer = [w for w in near if w != u]
        if not _without_loads(part, fewer, v, M, sliding):
            near = fewer
    return set(near)


def _nearest(part: Needed, v: int, free: set[int]) -> list[int]:
    """Return the free vertices that v depends on, the nearest first, at most as many as a set has."""
    seen, near = {v}, [v]
    for u in near:
        for p in part.predecessors[u]:
            if p in free and p not in seen and len(near) <= _MOST:
                seen.add(p)
                near.append(p)
    return near[1:]


def _without_loads(part: Needed, inside: list[int], v: int, M: int, sliding: bool) -> bool:
    """Tell whether v can be computed with M words while no vertex of a set is loaded, and others cost nothing."""
    bits = {u: 1 << i for i, u in enumerate(inside)}
    steps = []
    for u in (v, *inside):
        needed = sum(bits.get(p, 0) for p in part.predecessors[u])
        steps.append((bits.get(u, 0), needed, len(part.predecessors[u]) - needed.bit_count()))
    seen, stack = {0}, [0]
    while stack:
        red = stack.pop()
        afters = [red & ~bit for bit in bits.values()]
        for bit, needed, others in steps:
            room = M - red.bit_count() - others
            if needed & ~red or bit & red or room < (not sliding):
                continue
            if not bit:
                return True
            if room or others:
                afters.append(red | bit)
            else:
                afters += [(red | bit) & ~one for one in bits.values() if one & needed]
        new = set(afters) - seen
        seen |= new
        stack += new
    return False
