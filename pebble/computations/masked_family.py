"""A family of arrays under a mask: the pairs that are masked out, and what would depend on them alone, are left out.

Of the arrays indexed by query and key only the allowed pairs exist. Chains over the keys (or queries) skip what is
masked out. A query (key) without any pair has no vertices at all: its output is zero and costs nothing.
Names keep the indices of the dense family, so ``U[3,0,7]`` is still the partial result after key 7.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.family import Array, Family, FamilyNames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks import Mask
    from pebble.graph.dag import Dag

__all__ = ["MaskedFamily"]

_MASKED = ("i", "j")


class MaskedFamily(Family):
    """A family whose axes ``i`` and ``j`` are the queries and the keys of a mask.

    Parameters
    ----------
    family : Family
        The computation without a mask.
    mask : Mask
        Of its numbers of queries and keys.

    Examples
    --------
    >>> import numpy as np
    >>> from pebble.computations.attention import attention_family
    >>> from pebble.computations.masks import DenseMask
    >>> from pebble.computations.problem import Problem
    >>> causal = MaskedFamily(attention_family(Problem.square(2, 1)), DenseMask("causal", np.tri(2, dtype=bool)))
    >>> causal
    <Family attention-forward Nq=2 Nk=2 d=1 dv=1 mask=causal: 20 vertices, 24 edges>
    >>> causal.predecessors("O", (0, 0)), causal.predecessors("O", (1, 0))
    ([('U', (0, 0, 0)), ('l', (0, 0))], [('U', (1, 0, 1)), ('l', (1, 1))])
    """

    def __init__(self, family: Family, mask: Mask) -> None:
        if (family.extents["i"], family.extents["j"]) != (mask.Nq, mask.Nk):
            raise InvalidInput(f"{family.name}: the mask is for {mask.Nq} queries and {mask.Nk} keys")
        self._mask = mask
        parameters = {**family.parameters, "mask": mask.spec}
        super().__init__(family.name, family.arrays, family.extents, family.symbols, parameters)

    @property
    def mask(self) -> Mask:
        """Which pairs take part."""
        return self._mask

    # Sizes in closed form

    def words(self, name: str) -> int:
        """Number of words the whole array takes: its pairs or its lines that have pairs, whatever its chain."""
        axes = self[name].axes
        rest = math.prod(self.extents[axis] for axis in axes if axis not in _MASKED)
        if "i" in axes and "j" in axes:
            return rest * self.mask.pairs
        return rest * math.prod(self.mask.present(axis) for axis in axes if axis in _MASKED)

    def size(self, name: str) -> int:
        """Number of vertices of an array: a chain over keys (queries) has one for each pair of its line."""
        array = self[name]
        if array.chain not in _MASKED:
            return super().size(name)
        lines = [axis for axis in array.axes if axis in _MASKED]
        if len(lines) != 1:
            raise InvalidInput(f"{self.name}: the chain of {name} over {array.chain} cannot be masked")
        rest = math.prod(self.extents[axis] for axis in array.axes if axis not in _MASKED)
        return rest * self.mask.pairs

    @property
    def max_indegree(self) -> int:
        """Largest number of predecessors of a vertex."""
        return max(
            len(array.operands) + (1 if self.size(array.name) > self.words(array.name) else 0)
            for array in self.arrays
        )

    # Vertices: numbers as if there were no mask ("places"), and which of them exist

    def exists(self, name: str) -> NDArray[np.bool_]:
        """Which elements of an array with its chain exist, as booleans of shape ``shape(name)``."""
        array = self[name]
        allowed = np.ones((), dtype=bool)
        if set(_MASKED) <= set(array.indices):
            allowed = self.mask.matrix((0, self.mask.Nq), (0, self.mask.Nk))
            order = [axis for axis in array.indices if axis in _MASKED]
            allowed = allowed if order == list(_MASKED) else allowed.T
        else:
            for axis in _MASKED:
                if axis in array.indices:
                    allowed = self.mask.last(axis) >= 0
        shape = [self.extents[axis] if axis in _MASKED else 1 for axis in array.indices]
        return np.broadcast_to(allowed.reshape(shape), self.shape(name))

    @cached_property
    def _places(self) -> dict[str, NDArray[np.int64]]:
        """The places of every array's vertices, ascending."""
        return {array.name: np.flatnonzero(self.exists(array.name)) for array in self.arrays}

    def compact(self, name: str, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Vertex numbers of places of an array (row-major, chain last) that exist."""
        return np.asarray(self.offset(name) + np.searchsorted(self._places[name], places), dtype=np.int64)

    def final_places(self, name: str) -> NDArray[np.int64]:
        """Place of the last vertex of every element of an array, of shape ``shape(name)`` without the chain."""
        array = self[name]
        shape = tuple(self.extents[axis] for axis in array.axes)
        length = self.chain_length(name)
        last: NDArray[np.int64] = np.full(shape, length - 1, dtype=np.int64)
        if array.chain in _MASKED:
            line = next(axis for axis in array.axes if axis in _MASKED)
            form = [self.extents[axis] if axis == line else 1 for axis in array.axes]
            last = np.broadcast_to(self.mask.last(line).reshape(form), shape)
        return np.arange(math.prod(shape), dtype=np.int64).reshape(shape) * length + last

    def predecessors(self, name: str, index: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        """Predecessors of one vertex."""
        array = self[name]
        at = dict(zip(array.indices, index, strict=True))
        found: list[tuple[str, tuple[int, ...]]] = []
        if array.chain is not None:
            before = self._before(array, at)
            if before >= 0:
                found.append((name, (*index[:-1], before)))
        for operand_name in array.operands:
            operand = self[operand_name]
            element = tuple(at[axis] for axis in operand.axes)
            if operand.chain is not None:
                element = (*element, self._last(operand, at))
            found.append((operand_name, element))
        return found

    def _before(self, array: Array, at: dict[str, int]) -> int:
        """Return the index of a chain's step before the one at hand; -1 at its start."""
        assert array.chain is not None
        if array.chain not in _MASKED:
            return at[array.chain] - 1
        line = next(axis for axis in array.axes if axis in _MASKED)
        row = self.mask.lines_matrix(line, (at[line], at[line] + 1), (0, at[array.chain]))[0]
        steps = np.flatnonzero(row)
        return int(steps[-1]) if len(steps) else -1

    def _last(self, operand: Array, at: dict[str, int]) -> int:
        assert operand.chain is not None
        if operand.chain not in _MASKED:
            return self.extents[operand.chain] - 1
        line = next(axis for axis in operand.axes if axis in _MASKED)
        return int(self.mask.last(line)[at[line]])

    def vertex(self, name: str, index: tuple[int, ...]) -> int:
        """Number of a vertex in the explicit DAG."""
        shape = self.shape(name)
        if len(index) != len(shape) or any(not 0 <= i < n for i, n in zip(index, shape, strict=False)):
            raise InvalidInput(f"{name}[{','.join(map(str, index))}] is outside {name} of shape {shape}")
        place = int(np.ravel_multi_index(index, shape))
        places = self._places[name]
        rank = int(np.searchsorted(places, place))
        if rank == len(places) or places[rank] != place:
            raise InvalidInput(f"{name}[{','.join(map(str, index))}] is masked out by {self.mask.spec}")
        return self.offset(name) + rank

    @property
    def names(self) -> FamilyNames:
        """Names of all vertices, computed when asked for."""
        return _MaskedNames(self)

    def place_of(self, name: str, rank: int) -> tuple[int, ...]:
        """Index of the vertex of an array with this rank among those that exist."""
        return tuple(int(i) for i in np.unravel_index(self._places[name][rank], self.shape(name)))

    def dag(self) -> Dag:
        """Build the explicit DAG (memory proportional to the size without a mask)."""
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
        places = self.final_places(array.name)
        alive = self.exists(array.name)
        if array.chain is not None:
            alive = np.asarray(alive.any(axis=-1))
        return self.compact(array.name, places[alive])

    def _predecessor_matrix(self, array: Array) -> NDArray[np.int64]:
        shape, places = self.shape(array.name), self._places[array.name]
        at = dict(zip(array.indices, np.unravel_index(places, shape), strict=True))
        columns = []
        if array.chain is not None:
            # The step before is the vertex before, unless that belongs to another element.
            length = self.chain_length(array.name)
            same = np.zeros(len(places), dtype=bool)
            same[1:] = places[1:] // length == places[:-1] // length
            own = self.offset(array.name) + np.arange(len(places), dtype=np.int64)
            columns.append(np.where(same, own - 1, -1))
        for name in array.operands:
            operand = self[name]
            element = tuple(at[axis] for axis in operand.axes)
            columns.append(self.compact(name, self.final_places(name)[element]))
        return np.stack(columns, axis=1) if columns else np.empty((len(places), 0), dtype=np.int64)


class _MaskedNames(FamilyNames):
    """Names of the vertices that exist."""

    def __init__(self, family: MaskedFamily) -> None:
        super().__init__(family)
        self._masked = family

    def __getitem__(self, vertex: int) -> str:
        if not 0 <= vertex < len(self):
            raise IndexError(vertex)
        array, rank = self._array_of(vertex)
        return f"{array.name}[{','.join(map(str, self._masked.place_of(array.name, rank)))}]"
