"""The part of a DAG that every complete pebbling has to go through, and maximum flows in it."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pebble.graph.dag import Dag
from pebble.graph.statistics import compulsory_io

_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Needed:
    """The vertices that some output depends on, without those that have no edge among them.

    A pebbling of the whole DAG, without its moves on other vertices (a slide to one of them becomes a deletion),
    is a legal pebbling of this part that costs no more. What is left out here otherwise, outputs that are
    inputs and lead to no other output, never has to be touched.

    Attributes
    ----------
    vertices : array of int64, shape (n,)
        Numbers in the whole DAG, ascending; everything else here uses positions in this array.
    tails, heads : array of int64, shape (e,)
        The edges, from predecessor to vertex.
    is_input, is_output : array of bool, shape (n,)
    loads, stores : int
        The compulsory ones: inputs here, and outputs here that are not inputs.
    """

    vertices: _Ints
    tails: _Ints
    heads: _Ints
    is_input: _Bools
    is_output: _Bools
    loads: int
    stores: int

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.vertices)

    @property
    def computed(self) -> _Ints:
        """Positions of the vertices that are not inputs."""
        return np.flatnonzero(~self.is_input)

    @cached_property
    def outdegree(self) -> _Ints:
        """Number of successors in this part, shape (n,)."""
        return np.bincount(self.tails, minlength=self.n)

    @cached_property
    def predecessors(self) -> list[list[int]]:
        """Predecessors of each position."""
        rows: list[list[int]] = [[] for _ in range(self.n)]
        for tail, head in zip(self.tails.tolist(), self.heads.tolist(), strict=True):
            rows[head].append(tail)
        return rows

    @cached_property
    def successors(self) -> list[list[int]]:
        """Successors of each position."""
        rows: list[list[int]] = [[] for _ in range(self.n)]
        for tail, head in zip(self.tails.tolist(), self.heads.tolist(), strict=True):
            rows[tail].append(head)
        return rows


def needed_part(dag: Dag) -> Needed:
    """Return the part of a DAG that every complete pebbling has to go through; costs O(V + E).

    Examples
    --------
    Vertex 3 is not an output and leads to none, so that neither it nor input 1 has to be touched:

    >>> part = needed_part(Dag.from_edges([(0, 2), (1, 3)], outputs=[0, 2]))
    >>> part.vertices.tolist(), part.loads, part.stores
    ([0, 2], 1, 1)
    """
    wanted = dag.ancestors_of_outputs
    heads = np.repeat(np.arange(dag.n_vertices, dtype=np.int64), dag.indegree)
    inside = wanted[heads]
    heads, tails = heads[inside], dag.predecessors[inside]
    touched = np.zeros(dag.n_vertices, dtype=np.bool_)
    touched[heads] = True
    touched[tails] = True
    vertices = np.flatnonzero(touched)
    position = np.cumsum(touched) - 1
    is_output = np.zeros(dag.n_vertices, dtype=np.bool_)
    is_output[dag.outputs] = True
    loads, stores = compulsory_io(dag)
    return Needed(
        vertices,
        position[tails],
        position[heads],
        dag.indegree[vertices] == 0,
        is_output[vertices],
        loads,
        stores,
    )


def has_scipy() -> bool:
    """Tell whether scipy is installed."""
    return importlib.util.find_spec("scipy") is not None


def maximum_flow(
    n: int, tails: _Ints, heads: _Ints, capacities: _Ints, source: int, sink: int, library: str | None = None
) -> int:
    """Return the value of a maximum flow, by the max-flow min-cut theorem the weight of a least cut.

    Parameters
    ----------
    n : int
        Number of nodes.
    tails, heads, capacities : array of int64, shape (a,)
        Arcs; of parallel arcs the one of greatest capacity counts.
    source, sink : int
    library : {"scipy", "networkx"}, optional
        Whose algorithm; scipy's if it is installed.

    Examples
    --------
    >>> arcs = np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([5, 3, 1])
    >>> maximum_flow(3, *arcs, 0, 2, "networkx")
    4
    """
    if library is None:
        library = "scipy" if has_scipy() else "networkx"
    order = np.lexsort((-capacities, heads, tails))
    tails, heads, capacities = tails[order], heads[order], capacities[order]
    first = np.ones(len(tails), dtype=np.bool_)
    first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    arcs = tails[first], heads[first], capacities[first]
    return (_by_scipy if library == "scipy" else _by_networkx)(n, *arcs, source, sink)


def _by_scipy(n: int, tails: _Ints, heads: _Ints, capacities: _Ints, source: int, sink: int) -> int:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped,unused-ignore]
    from scipy.sparse.csgraph import maximum_flow as solve  # type: ignore[import-untyped,unused-ignore]

    matrix = csr_matrix((capacities.astype(np.int32), (tails, heads)), shape=(n, n))
    return int(solve(matrix, source, sink).flow_value)


def _by_networkx(n: int, tails: _Ints, heads: _Ints, capacities: _Ints, source: int, sink: int) -> int:
    import networkx

    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    for tail, head, capacity in zip(tails.tolist(), heads.tolist(), capacities.tolist(), strict=True):
        graph.add_edge(tail, head, capacity=capacity)
    return int(networkx.maximum_flow_value(graph, source, sink))
