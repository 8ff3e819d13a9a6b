"""The part of a DAG that every complete pebbling has to go through."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pebble.graph.dag import Dag
from pebble.graph.statistics import compulsory_io

__all__ = ["Needed", "needed_part"]

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
