"""The explicit DAG of a loop nest, and where in the nest each vertex stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.dag_names import MOST_EDGES
from pebble.computations.nests.element_vertices import ElementVertices, named_block
from pebble.computations.nests.points import TooManyPoints, affine_values, count_points, points_of
from pebble.computations.nests.statement import Assignment, LoopNest
from pebble.graph.dag import Dag
from pebble.graph.names import ArrayNames, NamedArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class NestDag:
    """The DAG of a loop nest with the coordinates of its vertices.

    Parameters
    ----------
    nest : LoopNest
    dag : Dag
        The inputs first, array by array, each in row-major order; then the points of the statements, in their order.
    first : tuple of int
        Number of the first vertex of each statement; the inputs are all before the first of them.
    points : tuple of ndarray
        For each statement the values of its loop indices, shape (vertices, indices), in lexicographic order.
    reads : tuple of tuple of ndarray
        For each statement and each of its reads, the vertex that each point reads; two reads may mean the same one.
    before : tuple of ndarray
        For each statement the vertex of the same element before each point; −1 for none.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> found = nest_dag(loop_nest("y[i] += L[i,j]*x[j] for j <= i", {"i": 3, "j": 3}))
    >>> found.dag
    Dag(nest: 15 vertices, 15 edges, 9 inputs, 3 outputs)
    >>> found.dag.names[11], found.coordinates(11), [found.dag.names[v] for v in found.dag.predecessors_of(11)]
    ('y[1,1]', (0, (1, 1)), ['y[1,0]', 'L[1,1]', 'x[1]'])
    """

    nest: LoopNest
    dag: Dag
    first: tuple[int, ...]
    points: tuple[NDArray[np.int64], ...]
    reads: tuple[tuple[NDArray[np.int64], ...], ...]
    before: tuple[NDArray[np.int64], ...]

    def coordinates(self, vertex: int) -> tuple[int, tuple[int, ...]] | None:
        """Return which statement computes a vertex, and at which loop indices; None for an input."""
        number = int(np.searchsorted(np.array(self.first), vertex, side="right")) - 1
        if number < 0:
            return None
        return number, tuple(self.points[number][vertex - self.first[number]].tolist())

    @property
    def statements(self) -> NDArray[np.int64]:
        """The number of the statement that computes each vertex; −1 for inputs."""
        found = np.full(self.dag.n_vertices, -1, dtype=np.int64)
        for number, (first, points) in enumerate(zip(self.first, self.points, strict=True)):
            found[first : first + len(points)] = number
        return found


def nest_dag(nest: LoopNest, description: str = "nest") -> NestDag:
    """Build the explicit DAG.

    Raises
    ------
    TooManyPoints
        If it is too large, which is said before it is built.

    Notes
    -----
    A vertex of a sum over k, l is named ``C[i,j,k,l]``. Where two statements would give the same names, those of the
    later one are ``C@2[…]``, with the number of the statement. Time and memory are proportional to the edges: a million
    vertices take some seconds.
    """
    _check_size(nest)
    points = tuple(points_of(statement, nest.extents) for statement in nest.statements)
    if not sum(map(len, points)):
        raise InvalidInput("nothing is computed: no index values satisfy the conditions")
    builder = _Builder(nest, points)
    start, predecessors, names = builder.rows()
    dag = Dag(start, predecessors, names, builder.outputs(), description)
    return NestDag(nest, dag, builder.first, points, builder.reads, builder.before)


def count_edges(nest: LoopNest) -> tuple[int, int]:
    """Return how many vertices are computed, and an upper bound on the edges; nothing is built.

    >>> from pebble.computations.nests.read_text import loop_nest
    >>> count_edges(loop_nest("C[i,j] += A[i,k]*B[k,j]", {"i": 100, "j": 100, "k": 100}))
    (1000000, 3000000)
    """
    vertices = edges = 0
    for statement in nest.statements:
        count = count_points(statement, nest.extents)
        vertices += count
        edges += count * (len(statement.reads) + statement.adds)
    return vertices, edges


def _check_size(nest: LoopNest) -> None:
    vertices, edges = count_edges(nest)
    if max(vertices, edges) > MOST_EDGES:
        raise TooManyPoints(
            f"{vertices:,} vertices and up to {edges:,} edges are too many to build one by one (limit "
            f"{MOST_EDGES:,}); choose smaller extents"
        )


class _Builder:
    """Numbers of the elements of every array, and the rows of predecessors made from them."""

    def __init__(self, nest: LoopNest, points: Sequence[NDArray[np.int64]]) -> None:
        self._nest, self._points = nest, points
        self._elements = {name: ElementVertices(name, nest, points) for name in _arrays(nest)}
        begins = np.cumsum([0, *(len(array.inputs) for array in self._elements.values())]).tolist()
        first = begins[-1] + np.cumsum([0, *map(len, points)])
        self.first = tuple(first[:-1].tolist())
        for begin, array in zip(begins, self._elements.values(), strict=False):
            array.number(begin, self.first)
        self.reads = tuple(
            tuple(self._elements[access.array].read(number, at) for at, access in enumerate(one.reads))
            for number, one in enumerate(nest.statements)
        )
        self.before = tuple(
            self._elements[one.target.array].before(number) for number, one in enumerate(nest.statements)
        )

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64], ArrayNames]:
        """Return the compressed rows as (start, predecessors), and the names."""
        names = ArrayNames(self._blocks(), self.first[0] + sum(map(len, self._points)))
        counts = [np.zeros(self.first[0], dtype=np.int64)]
        found = [np.zeros(0, dtype=np.int64)]
        for number in range(len(self._points)):
            matrix = self._matrix(number)
            self._check_own(number, matrix, names)
            present = matrix >= 0
            counts.append(present.sum(axis=1))
            found.append(matrix[present])
        start = np.zeros(sum(map(len, counts)) + 1, dtype=np.int64)
        np.cumsum(np.concatenate(counts), out=start[1:])
        return start, np.concatenate(found), names

    def outputs(self) -> NDArray[np.int64]:
        """Return the vertices that must be in slow memory at the end."""
        parts = [
            array.finals if name in self._nest.outputs else array.unread
            for name, array in self._elements.items()
        ]
        return np.concatenate(parts)

    def _matrix(self, number: int) -> NDArray[np.int64]:
        """Return the predecessors of every point of a statement, one row each; −1 for none."""
        statement = self._nest.statements[number]
        columns = [self.before[number]]
        for at, column in enumerate(self.reads[number]):
            for earlier in range(at):
                if statement.reads[earlier].array == statement.reads[at].array:
                    column = np.where(column == self.reads[number][earlier], -1, column)
            columns.append(column)
        return np.stack(columns, axis=1)

    def _check_own(self, number: int, matrix: NDArray[np.int64], names: ArrayNames) -> None:
        own = np.arange(self.first[number], self.first[number] + len(matrix), dtype=np.int64)
        rows = np.flatnonzero((matrix == own[:, None]).any(axis=1))
        if len(rows):
            name = names[int(own[rows[0]])]
            raise InvalidInput(
                f"{self._nest.statements[number]}: the graph has a cycle: {name} -> {name}; an element cannot be "
                "computed from itself"
            )

    def _blocks(self) -> list[NamedArray]:
        """Return the names of all vertices; what adds to elements that have names already gets another label."""
        blocks = [array.input_block() for array in self._elements.values() if len(array.inputs)]
        taken: set[tuple[str, int]] = set()
        for number, (statement, points) in enumerate(zip(self._nest.statements, self._points, strict=True)):
            columns = _name_columns(statement, points)
            label = statement.target.array
            if statement.adds and (label, len(columns)) in taken:
                label = f"{label}@{number + 1}"
            taken.add((label, len(columns)))
            if len(points):
                blocks.append(named_block(label, self.first[number], columns, len(points)))
        return blocks


def _arrays(nest: LoopNest) -> tuple[str, ...]:
    """Return all arrays, those that are read only first."""
    return (*nest.read_only, *nest.computed)


def _name_columns(statement: Assignment, points: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the indices in the names of a statement's vertices, a column each.

    Those of a sum are the element's and then the sum's indices; all loop indices where the element does not say those
    of the target, as in ``C[i+j] += …``.
    """
    target = statement.target.places
    columns = [affine_values(place, statement.indices, points) for place in target]
    if not statement.adds:
        return columns
    alone = {place.names[0] for place in target if len(place.names) == 1}
    told = all(name in alone for place in target for name in place.names)
    after = statement.sum_indices if told else statement.indices
    return columns + [points[:, statement.indices.index(name)] for name in after]
