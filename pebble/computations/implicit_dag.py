"""The DAG of a family without its edges: predecessors are computed for the vertices that are asked about."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.graph.any_dag import Rows, Vertex
from pebble.graph.names import VertexNames, vertex_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pebble.computations.array import Array, Operand
    from pebble.computations.family_arrays import FamilyArrays


class ImplicitDag:
    """The DAG of a family, with the vertices and the rows of :meth:`Family.dag`, but none of its edges in memory.

    Parameters
    ----------
    family : Family

    Notes
    -----
    Memory: nothing for each vertex without a mask; under a mask eight bytes, for its place among the masked ones.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> dag = ImplicitDag(matmul_family(2, 2, 2))
    >>> [dag.name(v) for v in dag.predecessors_of("C[1,0,1]")]
    ['C[1,0,0]', 'A[1,1]', 'B[1,0]']
    """

    def __init__(self, family: FamilyArrays) -> None:
        self._family = family
        self._names = family.names
        self._arrays = family.named_arrays
        self._firsts = np.array([array.first for array in self._arrays.values()], dtype=np.int64)
        self._last_partners: dict[str, NDArray[np.int64]] = {}

    def __repr__(self) -> str:
        return f"ImplicitDag({self._family!r})"

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self._names)

    @property
    def names(self) -> VertexNames:
        """Names of the vertices."""
        return self._names

    @cached_property
    def inputs(self) -> NDArray[np.int64]:
        """The vertices without predecessors, ascending."""
        return np.concatenate([self._ends(array, last=False) for array in self._family.inputs])

    @cached_property
    def outputs(self) -> NDArray[np.int64]:
        """The vertices that must be blue at the end, ascending."""
        return np.concatenate([self._ends(array, last=True) for array in self._family.outputs])

    def name(self, vertex: int | np.integer[Any]) -> str:
        """Return the name of a vertex."""
        return self._names[self.vertex(vertex)]

    def vertex(self, vertex: Vertex) -> int:
        """Return the number of a vertex given by name or number."""
        return vertex_in(self._names, vertex)

    def predecessors_of(self, vertex: Vertex) -> NDArray[np.int64]:
        """Return the predecessors of a vertex."""
        return self.rows_of(np.array([self.vertex(vertex)])).predecessors

    def rows_of(self, vertices: NDArray[np.int64]) -> Rows:
        """Return the rows of predecessors of some vertices, array by array."""
        owner = np.searchsorted(self._firsts, vertices, side="right") - 1
        row = np.empty(len(vertices), dtype=np.int64)
        degrees, predecessors, rows = [np.zeros(1, dtype=np.int64)], [np.empty(0, dtype=np.int64)], 0
        for number in np.flatnonzero(np.bincount(owner)).tolist():
            owned = np.flatnonzero(owner == number)
            degree, part = self._rows(self._family.own_arrays[number], vertices[owned])
            degrees.append(degree)
            predecessors.append(part)
            row[owned] = np.arange(rows, rows + len(owned))
            rows += len(owned)
        return Rows(np.cumsum(np.concatenate(degrees)), np.concatenate(predecessors), row)

    def _rows(self, array: Array, vertices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return of vertices of one array how many predecessors each has, and all of them."""
        at = self._indices(array, self._arrays[array.name].elements(vertices))
        columns = [] if array.chain is None else [self._before(array, vertices)]
        columns += [self._read(array, operand, at, len(vertices)) for operand in array.reads]
        degree = np.zeros(len(vertices), dtype=np.int64)
        for column in columns:
            degree += column >= 0
        if not columns:
            return degree, np.empty(0, dtype=np.int64)
        matrix = np.stack(columns, axis=1)
        return degree, matrix[matrix >= 0]

    def _indices(self, array: Array, places: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Return the indices of places of an array, by axis."""
        at = {}
        for axis in reversed(array.indices[1:]):
            above = (
                places // self._family.extents[axis]
            )  # by one number, which numpy does faster than a remainder
            at[axis] = places - above * self._family.extents[axis]
            places = above
        return at | dict.fromkeys(array.indices[:1], places)

    def _before(self, array: Array, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the vertices one step before in their chains, -1 where a chain begins."""
        elements, length = self._arrays[array.name], self._family.chain_length(array.name)
        begin = elements.elements(vertices) // length
        before = np.maximum(vertices - 1, elements.first)
        begun = (elements.elements(before) // length == begin) & (before < vertices)
        return np.where(begun, before, -1)

    def _read(
        self, array: Array, read: Operand, at: Mapping[str, NDArray[np.int64]], count: int
    ) -> NDArray[np.int64]:
        """Return the vertex of an operand that is read at each of some indices of an array; -1 for none."""
        operand = self._family[read.array]
        places = np.zeros(count, dtype=np.int64)
        for axis in operand.axes:
            places = places * self._family.extents[axis] + at[axis]
        if operand.chain is not None:
            step = at[operand.chain] if read.at_step else self._last_step(operand, at)
            places = places * self._family.extents[operand.chain] + step
        vertices = self._family.compact(read.array, places)
        if read.step == "before":
            return self._before(operand, vertices)
        return vertices if read.step != "later" else np.where(at[str(array.chain)] > 0, vertices, -1)

    def _last_step(self, array: Array, at: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64] | int:
        """Return the last step of an array's chain; under a mask it depends on the line."""
        axis, mask = self._family.line_axis(array), self._family.mask
        if axis is None or mask is None:
            return self._family.chain_length(array.name) - 1
        if axis not in self._last_partners:
            self._last_partners[axis] = mask.last(axis)
        return self._last_partners[axis][at[axis]]

    def _ends(self, array: Array, last: bool) -> NDArray[np.int64]:
        """Return the vertices of an array that are the first, or the last, of their chains."""
        first, length = self._family.offset(array.name), self._family.chain_length(array.name)
        vertices = np.arange(first, first + self._family.size(array.name), dtype=np.int64)
        chain = self._arrays[array.name].elements(vertices) // length
        ends = np.ones(len(vertices), dtype=np.bool_)
        (ends[:-1] if last else ends[1:])[:] = chain[1:] != chain[:-1]
        return vertices[ends]
