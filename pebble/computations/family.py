"""Families of computations: arrays of vertices with affine predecessors, known without being built.

A family is a list of arrays. A vertex is an element of an array, written ``S[1,0,3]``, the index along the
array's chain (its reduction axis) last. Two arrays that use the same axis name mean the same index by it, so
the predecessors of a vertex follow from the names alone:

- an operand contributes its element at the same indices; if the operand is itself a chain, its last element;
- a chain contributes its previous element, except at the start.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks import Mask
    from pebble.graph.dag import Dag

__all__ = ["Array", "Family", "FamilyNames"]

_NAME = re.compile(r"([A-Za-z_]\w*)\[(\d+(?:,\d+)*)\]")


@dataclass(frozen=True)
class Array:
    """An array of vertices.

    Parameters
    ----------
    name : str
    axes : tuple of str
        Index axes: one word of memory per element.
    chain : str, optional
        Axis of the reduction. The array then has one vertex per element and step of the chain, and only the
        last is what consumers read.
    operands : tuple of str
        Names of the arrays read by every vertex; none for an input.
    output : bool
        Whether the (last) vertices must be in slow memory at the end.
    function : callable, optional
        What a vertex computes on numbers, given the operands' values. A chain without a function adds the
        product of its operands.
    meaning : str
        One line for people.
    """

    name: str
    axes: tuple[str, ...]
    chain: str | None = None
    operands: tuple[str, ...] = ()
    output: bool = False
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    meaning: str = ""

    @property
    def is_input(self) -> bool:
        """Whether the vertices are sources."""
        return not self.operands

    @property
    def indices(self) -> tuple[str, ...]:
        """All index names of a vertex, the chain's last."""
        return self.axes if self.chain is None else (*self.axes, self.chain)


class Family:
    """A computation given as arrays of vertices; nothing is built until :meth:`dag` is called.

    Parameters
    ----------
    name : str
        As written in the header of a pebbling file, such as ``attention-forward``.
    arrays : sequence of Array
        In an order in which they can be computed.
    extents : mapping of str to int
        Length of every axis.
    symbols : mapping of str to str
        How formulas write the length of an axis: ``{"i": "N", "k": "d"}``.
    parameters : mapping of str to str
        The header's parameters, from which the family can be built again.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> family = matmul_family(2, 3, 4)
    >>> family.n_vertices, family.n_edges
    (44, 66)
    >>> family.predecessors("C", (1, 2, 3))
    [('C', (1, 2, 2)), ('A', (1, 3)), ('B', (3, 2))]
    """

    def __init__(
        self,
        name: str,
        arrays: tuple[Array, ...],
        extents: Mapping[str, int],
        symbols: Mapping[str, str],
        parameters: Mapping[str, str],
    ) -> None:
        self.name = name
        self.arrays = tuple(arrays)
        self.extents = dict(extents)
        self.symbols = dict(symbols)
        self.parameters = dict(parameters)
        self._by_name = {array.name: array for array in self.arrays}
        self._check()

    def _check(self) -> None:
        known: set[str] = set()
        for axis, extent in self.extents.items():
            if extent < 1:
                raise InvalidInput(f"{self.name}: axis {axis} has length {extent}; it must be at least 1")
        for array in self.arrays:
            if array.name in known:
                raise InvalidInput(f"{self.name}: array {array.name} is given twice")
            for axis in array.indices:
                if axis not in self.extents:
                    raise InvalidInput(f"{self.name}: array {array.name} has an unknown axis {axis!r}")
            if len(set(array.indices)) < len(array.indices):
                raise InvalidInput(f"{self.name}: array {array.name} uses an axis twice: {array.indices}")
            for operand in array.operands:
                if operand not in known:
                    raise InvalidInput(
                        f"{self.name}: array {array.name} reads {operand}, which is not given before it"
                    )
                missing = set(self._by_name[operand].axes) - set(array.indices)
                if missing:
                    raise InvalidInput(
                        f"{self.name}: array {array.name} cannot index {operand} along {', '.join(missing)}"
                    )
            known.add(array.name)

    def __repr__(self) -> str:
        parameters = " ".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"<Family {self.name} {parameters}: {self.n_vertices} vertices, {self.n_edges} edges>"

    def __getitem__(self, name: str) -> Array:
        try:
            return self._by_name[name]
        except KeyError:
            raise InvalidInput(
                f"{self.name} has no array {name!r}; it has {', '.join(self._by_name)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def mask(self) -> Mask | None:
        """Which pairs of queries and keys take part; None for all."""
        return None

    @property
    def inputs(self) -> tuple[Array, ...]:
        """The arrays that are given in slow memory."""
        return tuple(array for array in self.arrays if array.is_input)

    @property
    def outputs(self) -> tuple[Array, ...]:
        """The arrays that must be in slow memory at the end."""
        return tuple(array for array in self.arrays if array.output)

    def shape(self, name: str) -> tuple[int, ...]:
        """Extents of all indices of a vertex, the chain's last."""
        return tuple(self.extents[axis] for axis in self[name].indices)

    def words(self, name: str) -> int:
        """Number of words the whole array takes (one per element, whatever its chain)."""
        return math.prod(self.extents[axis] for axis in self[name].axes)

    def chain_length(self, name: str) -> int:
        """Number of steps of the array's chain; 1 without a chain."""
        chain = self[name].chain
        return 1 if chain is None else self.extents[chain]

    def size(self, name: str) -> int:
        """Number of vertices of an array."""
        return self.words(name) * self.chain_length(name)

    @property
    def n_vertices(self) -> int:
        """Number of vertices, in closed form."""
        return sum(self.size(array.name) for array in self.arrays)

    @property
    def n_edges(self) -> int:
        """Number of edges, in closed form."""
        return sum(
            self.size(array.name) * len(array.operands)
            + (self.size(array.name) - self.words(array.name) if array.chain else 0)
            for array in self.arrays
        )

    @property
    def max_indegree(self) -> int:
        """Largest number of predecessors of a vertex."""
        return max(
            len(array.operands) + (1 if self.chain_length(array.name) > 1 else 0) for array in self.arrays
        )

    def predecessors(self, name: str, index: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        """Predecessors of one vertex, by the affine rule."""
        array = self[name]
        at = dict(zip(array.indices, index, strict=True))
        found: list[tuple[str, tuple[int, ...]]] = []
        if array.chain is not None and at[array.chain] > 0:
            found.append((name, (*index[:-1], index[-1] - 1)))
        for operand_name in array.operands:
            operand = self[operand_name]
            element = tuple(at[axis] for axis in operand.axes)
            if operand.chain is not None:
                element = (*element, self.extents[operand.chain] - 1)
            found.append((operand_name, element))
        return found

    @cached_property
    def _offsets(self) -> dict[str, int]:
        offsets, total = {}, 0
        for array in self.arrays:
            offsets[array.name] = total
            total += self.size(array.name)
        return offsets

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {array.name: self.shape(array.name) for array in self.arrays}

    def offset(self, name: str) -> int:
        """Number of the array's first vertex in the explicit DAG."""
        return self._offsets[self[name].name]

    def vertex(self, name: str, index: tuple[int, ...]) -> int:
        """Number of a vertex in the explicit DAG."""
        shape = self._shapes[self[name].name]
        if len(index) != len(shape) or any(not 0 <= i < n for i, n in zip(index, shape, strict=False)):
            raise InvalidInput(f"{name}[{','.join(map(str, index))}] is outside {name} of shape {shape}")
        number = 0
        for i, extent in zip(index, shape, strict=True):
            number = number * extent + i
        return self.offset(name) + number

    @property
    def names(self) -> FamilyNames:
        """Names of all vertices, computed when asked for."""
        return FamilyNames(self)

    def dag(self) -> Dag:
        """Build the explicit DAG (memory proportional to the number of edges)."""
        from pebble.graph.dag import Dag

        counts, columns = [], []
        for array in self.arrays:
            matrix = self._predecessor_matrix(array)
            present = matrix >= 0
            counts.append(present.sum(axis=1))
            columns.append(matrix[present])
        start = np.zeros(self.n_vertices + 1, dtype=np.int64)
        np.cumsum(np.concatenate(counts), out=start[1:])
        outputs = np.concatenate([self._final_vertices(array) for array in self.outputs])
        return Dag(start, np.concatenate(columns), names=self.names, outputs=outputs, description=repr(self))

    def _final_vertices(self, array: Array) -> NDArray[np.int64]:
        length = self.chain_length(array.name)
        return (
            self.offset(array.name) + np.arange(self.words(array.name), dtype=np.int64) * length + length - 1
        )

    def _predecessor_matrix(self, array: Array) -> NDArray[np.int64]:
        shape = self.shape(array.name)
        size = self.size(array.name)
        at = dict(zip(array.indices, np.indices(shape, sparse=True, dtype=np.int64), strict=True))
        columns = []
        if array.chain is not None:
            own = self.offset(array.name) + np.arange(size, dtype=np.int64).reshape(shape)
            columns.append(np.where(at[array.chain] > 0, own - 1, -1).ravel())
        for name in array.operands:
            operand = self[name]
            number: Any = np.int64(0)
            for axis in operand.axes:
                number = number * self.extents[axis] + at[axis]
            length = self.chain_length(name)
            vertices = self.offset(name) + number * length + length - 1
            columns.append(np.broadcast_to(vertices, shape).ravel())
        return np.stack(columns, axis=1) if columns else np.empty((size, 0), dtype=np.int64)


class FamilyNames:
    """The names of a family's vertices as a sequence that is computed on demand.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> names = matmul_family(2, 2, 2).names
    >>> names[8], names.index("C[0,0,0]")
    ('C[0,0,0]', 8)
    """

    def __init__(self, family: Family) -> None:
        self._family = family
        self._length = family.n_vertices
        self._starts = [family.offset(array.name) for array in family.arrays]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, vertex: int) -> str:
        if not 0 <= vertex < self._length:
            raise IndexError(vertex)
        array, rest = self._array_of(vertex)
        index = []
        for extent in reversed(self._family._shapes[array.name]):
            rest, i = divmod(rest, extent)
            index.append(str(i))
        return f"{array.name}[{','.join(reversed(index))}]"

    def _array_of(self, vertex: int) -> tuple[Array, int]:
        """Return the array that a vertex belongs to, and its rank there."""
        place = bisect_right(self._starts, vertex) - 1
        return self._family.arrays[place], int(vertex) - self._starts[place]

    def __iter__(self) -> Iterator[str]:
        return (self[vertex] for vertex in range(len(self)))

    def index(self, name: str) -> int:
        """Return the number of the vertex with this name; KeyError if there is none."""
        match = _NAME.fullmatch(name)
        if match is None or match.group(1) not in self._family:
            raise KeyError(name)
        try:
            return self._family.vertex(match.group(1), tuple(map(int, match.group(2).split(","))))
        except InvalidInput:
            raise KeyError(name) from None
