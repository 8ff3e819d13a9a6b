"""Bounds for DAGs in layers of equal size, each value spreading in the next: stencils over time, under any numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import ONCE_ONLY
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.needed_part import Needed, needed_part
from pebble.lower_bounds.references import HONG_KUNG
from pebble.lower_bounds.rounding import ceil_div
from pebble.lower_bounds.statement import Statement

__all__ = ["LAYERS", "LAYERS_ONCE", "Layers", "expanding_layers", "layers_of", "longest_path_layers"]

_SAYS = (
    "F(T) = (T − k) + (T − 2k) + … as long as these are positive, "
    "W the vertices of r layers of n vertices each, for every whole X ≥ 1 with M + X < n"
)
LAYERS = Statement(
    "expanding layers",
    f"I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) + outputs, {_SAYS}",
    "a DAG in which any a ≤ n − k vertices of one of these layers read a + k vertices of the layer before, at least",
    f"{PAGE}, layers",
    after=(HONG_KUNG,),
)
LAYERS_ONCE = Statement(
    "expanding layers, once only",
    f"I/O ≥ M + 1 + 2X·(⌈W / (F(M + X) + M + X)⌉ − 1) − n if the last layer is not all outputs, {_SAYS}",
    "a DAG in which any a ≤ n − k vertices of one of these layers read a + k vertices of the layer before, at least",
    f"{PAGE}, layers",
    rules=ONCE_ONLY,
    after=(HONG_KUNG,),
)

_MOST_STEPS = 4_000_000
"""Of searches that look whether layers spread by two; above, it is taken to be one."""


@dataclass(frozen=True)
class Layers:
    """The first layers of a DAG that spread.

    Parameters
    ----------
    size : int
        Vertices of each layer.
    number : int
        Layers above the first computed one.
    spread : int
        How many more vertices of the layer before some vertices read, if they do not read all of it.
    ends : bool
        Whether the last of these layers is all outputs.
    """

    size: int
    number: int
    spread: int
    ends: bool

    def growth(self, T: int) -> int:
        """Return how many vertices of these layers T < n words dominate at most, and at least 1."""
        whole = T // self.spread
        return max(1, whole * T - self.spread * whole * (whole + 1) // 2)


def expanding_layers(dag: Dag, M: int, rules: Rules) -> list[GraphBound]:
    """Return what the first layers of a DAG cost if each spreads in the next.

    Parameters
    ----------
    dag : Dag
    M : int
        Words of fast memory, fewer than a layer has vertices.
    rules : Rules
        With recomputation allowed the second bound is left out.

    Raises
    ------
    InvalidInput
        If M is not a positive whole number.
    BoundDoesNotApply
        If there are no such layers, or they say nothing.

    Examples
    --------
    >>> edges = [((t, j), (t + 1, i)) for t in range(200) for i in range(64) for j in (i - 1, i, i + 1) if 0 <= j < 64]
    >>> stencil = Dag.from_edges([(f"{t},{j}", f"{s},{i}") for (t, j), (s, i) in edges])
    >>> [(bound.name, bound.value) for bound in expanding_layers(stencil, 8, Rules())]
    [('expanding layers', 921)]
    """
    M = fast_memory_words(M)
    part = needed_part(dag)
    layers = layers_of(part)
    if layers is None:
        raise BoundDoesNotApply("its first layers are not of equal size, or do not spread in each other")
    W, longest = layers.size * layers.number, range(1, layers.size - M)
    if not longest:
        raise BoundDoesNotApply(f"a layer of {layers.size:,} vertices fits into {M:,} words")
    note = f"{layers.number:,} layers of {layers.size:,} vertices, spreading by {layers.spread}"
    X = max(longest, key=lambda X: X * (ceil_div(W, layers.growth(M + X)) - 1))
    value = M + 1 + X * (ceil_div(W, layers.growth(M + X)) - 1)
    found = [GraphBound.of(LAYERS, value + part.stores, f"{note}, X = {X:,}", {})] if value > M + 1 else []
    if not rules.recomputation:
        X = max(longest, key=lambda X: X * (ceil_div(W, layers.growth(M + X) + M + X) - 1))
        value = M + 1 + 2 * X * (ceil_div(W, layers.growth(M + X) + M + X) - 1)
        if value > M + 1:
            charge = 0 if layers.ends else layers.size
            found.append(GraphBound.of(LAYERS_ONCE, value - charge, f"{note}, X = {X:,}", {}))
    if not found:
        raise BoundDoesNotApply("a single segment computes all of its layers")
    return found


def layers_of(part: Needed) -> Layers | None:
    """Return the first layers, by the longest path to a vertex, that are as large as the first and spread."""
    rows = longest_path_layers(part)
    if len(rows) < 2 or len(_matching(part.predecessors, rows[1], rows[0])) < len(rows[1]):
        return None
    size, spreads = len(rows[1]), list[int]()
    for before, row in pairwise(rows[1:]):
        spread = _spread(part, row, before, len(rows)) if len(row) == size else 0
        if not spread:
            break
        spreads.append(spread)
    if not spreads:
        return None
    last = rows[1 + len(spreads)]
    return Layers(size, len(spreads), min(spreads), all(part.is_output[v] for v in last))


def longest_path_layers(part: Needed) -> list[list[int]]:
    """Return the vertices by the length of the longest path to them."""
    depth, missing = [0] * part.n, [len(before) for before in part.predecessors]
    ready = deque(v for v in range(part.n) if not missing[v])
    rows: list[list[int]] = []
    while ready:
        v = ready.popleft()
        while len(rows) <= depth[v]:
            rows.append([])
        rows[depth[v]].append(v)
        for after in part.successors[v]:
            depth[after] = max(depth[after], depth[v] + 1)
            missing[after] -= 1
            if not missing[after]:
                ready.append(after)
    return rows


def _matching(
    predecessors: Sequence[Sequence[int]], row: Iterable[int], before: Iterable[int]
) -> dict[int, int]:
    """Return different predecessors in the layer before for as many vertices of a row as can be."""
    inside, user, partner = set(before), dict[int, int](), dict[int, int]()
    for start in row:
        came, waiting, free = dict[int, int](), deque([start]), None
        while waiting and free is None:
            v = waiting.popleft()
            for p in predecessors[v]:
                if p in inside and p not in came:
                    came[p] = v
                    if p not in user:
                        free = p
                        break
                    waiting.append(user[p])
        if free is not None:
            _exchange(free, came, user, partner)
    return partner


def _exchange(p: int, came: dict[int, int], user: dict[int, int], partner: dict[int, int]) -> None:
    """Give a predecessor to the vertex that the search came from, and that one's to the vertex before, and so on."""
    while True:
        v = came[p]
        earlier = partner.get(v)
        user[p], partner[v] = v, p
        if earlier is None:
            return
        p = earlier


def _spread(part: Needed, row: list[int], before: list[int], layers: int) -> int:
    """Return by how much vertices of a row spread at least in the layer before: 0, 1 or 2."""
    partner = _matching(part.predecessors, row, before)
    if len(partner) < len(row):
        return 0
    owner = {p: at for at, p in enumerate(partner[v] for v in row)}
    reads = [[owner[p] for p in part.predecessors[v] if p in owner] for v in row]
    read_by: list[list[int]] = [[] for _ in row]
    for at, others in enumerate(reads):
        for other in others:
            read_by[other].append(at)
    if not _is_connected(reads, read_by, None):
        return 0
    steps = 2 * len(row) * sum(map(len, reads)) * layers
    if len(row) < 3 or steps > _MOST_STEPS:
        return 1
    return 2 if all(_is_connected(reads, read_by, left_out) for left_out in range(len(row))) else 1


def _is_connected(reads: list[list[int]], read_by: list[list[int]], left_out: int | None) -> bool:
    """Whether every place leads to every other one, without one of them."""
    wanted = len(reads) - (left_out is not None)
    return all(_reached(arcs, left_out) == wanted for arcs in (reads, read_by))


def _reached(arcs: list[list[int]], left_out: int | None) -> int:
    start = 1 if left_out == 0 else 0
    seen = {start} if left_out is None else {start, left_out}
    waiting = [start]
    while waiting:
        for other in arcs[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return len(seen) - (left_out is not None)
