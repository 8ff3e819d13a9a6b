"""The FFT's bound for any DAG that is a butterfly, whatever its vertices are called and numbered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.graph.dag import Dag
from pebble.graph.order import joined
from pebble.lower_bounds.bound import HONG_KUNG, Statement
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.matmul_fft import fft_cut

BUTTERFLY = Statement(
    "butterfly",
    "I/O ≥ n + M + 1 + X·(⌈n·log₂n / F(M + X)⌉ − 1), F(T) twice the number of one-bits in 0, …, T − 1, for every "
    "integer X ≥ 1 with at least two segments",
    "a DAG whose edges are those of the FFT on n points under any names and numbers",
    f"{PAGE}, butterflies",
    after=(HONG_KUNG,),
)

_Ints = NDArray[np.int64]


def butterfly(dag: Dag, M: int) -> GraphBound:
    """Return the FFT's bound for a DAG that is a butterfly.

    Examples
    --------
    >>> from pebble.computations.classic_dags import diamond, fft
    >>> edges = [(int(p) * 7 % 32, v * 7 % 32) for v in range(32) for p in fft(8).predecessors_of(v)]
    >>> butterfly(Dag.from_edges(edges), 3).value
    16
    """
    M = fast_memory_words(M)
    labels = butterfly_labels(dag)
    if labels is None:
        raise BoundDoesNotApply("the DAG is not a butterfly: its edges are not those of an FFT")
    n = len(dag.inputs)
    bound = fft_cut(n, M)
    return GraphBound.of(BUTTERFLY, bound.value, f"the FFT on {n:,} points, {bound.note}", {})


def butterfly_labels(dag: Dag) -> _Ints | None:
    """Return the place i of each vertex x[s,i] of the FFT that a DAG is; None if it is none.

    Examples
    --------
    >>> from pebble.computations.classic_dags import diamond, fft
    >>> butterfly_labels(fft(2)).tolist(), butterfly_labels(diamond(2, 2))
    ([0, 1, 0, 1], None)
    """
    n = len(dag.inputs)
    levels = n.bit_length() - 1
    computed = n * levels
    if n < 2 or n != 1 << levels or dag.n_vertices != n + computed or dag.n_edges != 2 * computed:
        return None
    if not (dag.indegree[dag.indegree > 0] == 2).all():
        return None
    level = _levels(dag)
    heads = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    if (np.bincount(level, minlength=levels + 1) != n).any() or (
        level[dag.predecessors] + 1 != level[heads]
    ).any():
        return None
    labels = _upper_bits(dag.predecessors, heads, level) + _lower_bits(dag.predecessors, heads, level)
    last = np.flatnonzero(level == levels)
    return labels if _is_butterfly(dag, level, labels) and np.isin(last, dag.outputs).all() else None


def _levels(dag: Dag) -> _Ints:
    """Return for each vertex the length of a path to it; all have the same length where it matters."""
    level = [0] * dag.n_vertices
    start, before = dag.predecessor_start.tolist(), dag.predecessors.tolist()
    for v in dag.topological_order().tolist():
        if start[v] < start[v + 1]:
            level[v] = level[before[start[v]]] + 1
    return np.array(level, dtype=np.int64)


def _upper_bits(tails: _Ints, heads: _Ints, level: _Ints) -> _Ints:
    """Return the bits of the labels from the vertex's level on.

    The vertices up to a level fall into components, one for each value of the bits from this level on; two of them make
    one of the next level. The one with the least vertex has bit 0: exchanging the two makes no other graph.
    """
    place = np.empty(len(level), dtype=np.int64)
    place[np.argsort(level, kind="stable")] = np.arange(len(level))
    component, bits = np.arange(len(level)), np.zeros(len(level), dtype=np.int64)
    for s in range(1, int(level.max()) + 1):
        inside = level[heads] == s
        larger = joined(component, place[tails[inside]], place[heads[inside]])
        bits += ((larger != component)[place] & (level < s)) << (s - 1)
        component = larger
    return bits


def _lower_bits(tails: _Ints, heads: _Ints, level: _Ints) -> _Ints:
    """Return the bits of the labels below the vertex's level: the upper ones of the butterfly turned around."""
    levels = int(level.max())
    upper = _upper_bits(heads, tails, levels - level)
    return sum(((upper >> s & 1) << (levels - 1 - s) for s in range(levels)), np.zeros_like(upper))


def _is_butterfly(dag: Dag, level: _Ints, labels: _Ints) -> bool:
    """Whether the labels of each level are all different, and every edge is one of the FFT."""
    heads = np.repeat(np.arange(dag.n_vertices), dag.indegree)
    n = len(dag.inputs)
    if len(np.unique(level * n + labels)) != dag.n_vertices or labels.max() >= n:
        return False
    difference = labels[dag.predecessors] ^ labels[heads]
    return bool(((difference == 0) | (difference == 1 << (level[heads] - 1))).all())
