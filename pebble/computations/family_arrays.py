"""Families of computations: arrays of vertices with affine predecessors, known without being built.

A family is a list of arrays. A vertex is an element of an array, written ``S[1,0,3]``, the index along the
array's chain (its reduction axis) last. Two arrays that use the same axis name mean the same index by it, so
the predecessors of a vertex follow from the names alone:

- an operand contributes its element at the same indices; if the operand is itself a chain, its last element, or that
  at the reader's index of the chain's axis (``"m@after"``), or the one before that (``"m@before"``);
- a chain contributes its previous element, except at the start.

Under a mask, only the allowed pairs of an array indexed by query and key exist, and chains over keys (or queries)
skip what is masked out. A query (key) without any pair has no vertices at all: its output is zero and costs
nothing. Names keep the indices they have without a mask, so ``U[3,0,7]`` is still the partial result after key 7.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.family_checks import family_faults
from pebble.graph.names import ArrayNames, NamedArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.masks.mask import Mask


class FamilyArrays:
    """Arrays of vertices: how many there are, their numbers, and their names; the parameters are those of a family."""

    def __init__(
        self,
        name: str,
        arrays: tuple[Array, ...],
        extents: Mapping[str, int],
        symbols: Mapping[str, str],
        parameters: Mapping[str, str],
        mask: Mask | None = None,
    ) -> None:
        self.name = name
        self.arrays = tuple(arrays)
        self.extents = dict(extents)
        self.symbols = dict(symbols)
        self.parameters = dict(parameters)
        self.mask = mask
        self._by_name = {array.name: array for array in self.arrays}
        self.masked_axes: tuple[str, ...] = () if mask is None else ("i", "j")
        for fault in family_faults(self.arrays, self.extents, self.masked_axes, mask):
            raise InvalidInput(f"{name}: {fault}")

    @property
    def _allowed(self) -> Mask:
        """The mask; asked for only where an axis is masked."""
        assert self.mask is not None
        return self.mask

    @property
    def accumulated(self) -> frozenset[str]:
        """The arrays whose partial sums are added in slow memory."""
        return frozenset(array.name for array in self.arrays if array.accumulated)

    @property
    def has_free_sums(self) -> bool:
        """Whether some array adds its terms in any order."""
        return any(array.sum is not None for array in self.arrays)

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

    @cached_property
    def own_arrays(self) -> tuple[Array, ...]:
        """The arrays that have vertices of their own: all but inputs read backward."""
        return tuple(array for array in self.arrays if array.backward is None)

    @cached_property
    def read_both_ways(self) -> dict[str, str]:
        """The input that an array is, for inputs that are read backward: for them and for how they are read."""
        backward = {array.name: array.backward[0] for array in self.arrays if array.backward is not None}
        return backward | {name: name for name in backward.values()}

    @property
    def inputs(self) -> tuple[Array, ...]:
        """The arrays that are given in slow memory, each once."""
        return tuple(array for array in self.own_arrays if array.is_input)

    @property
    def outputs(self) -> tuple[Array, ...]:
        """The arrays that must be in slow memory at the end."""
        return tuple(array for array in self.arrays if array.output)

    # Sizes, in closed form

    def shape(self, name: str) -> tuple[int, ...]:
        """Extents of all indices of a vertex, the chain's last."""
        return tuple(self.extents[axis] for axis in self[name].indices)

    def chain_length(self, name: str) -> int:
        """Number of steps of the array's chain, masked ones included; 1 without a chain."""
        chain = self[name].chain
        return 1 if chain is None else self.extents[chain]

    def words(self, name: str) -> int:
        """Number of words the whole array takes (one per element that exists, whatever its chain)."""
        return self._count(self[name].axes)

    def words_needed(self, name: str) -> int:
        """Number of words of an array that others read, or that are output: but those of a first step not read."""
        reads = [
            (array, operand) for array in self.arrays for operand in array.reads if operand.array == name
        ]
        if not reads or any(operand.step != "later" for _, operand in reads):
            return self.words(name)
        return self.words(name) - self._firsts(self[name], str(reads[0][0].chain))

    def size(self, name: str) -> int:
        """Number of vertices of an array."""
        return self._count(self[name].indices)

    def _count(self, axes: tuple[str, ...]) -> int:
        """Return how many indices along some axes exist."""
        lines = [axis for axis in axes if axis in self.masked_axes]
        rest = math.prod(self.extents[axis] for axis in axes if axis not in lines)
        if len(lines) == 2:
            return rest * self._allowed.pairs
        return rest * math.prod(self._allowed.present(axis) for axis in lines)

    @property
    def n_vertices(self) -> int:
        """Number of vertices, in closed form."""
        return sum(self.size(array.name) for array in self.own_arrays)

    @property
    def n_edges(self) -> int:
        """Number of edges, in closed form."""
        return sum(
            self.size(array.name) * (len(array.operands) + (array.chain is not None))
            - sum(self._firsts(array, axis) for axis in self._steps_before(array))
            for array in self.arrays
        )

    @property
    def max_indegree(self) -> int:
        """Largest number of predecessors of a vertex."""
        return max(map(self._most_predecessors, self.arrays))

    def _steps_before(self, array: Array) -> list[str]:
        """Return the axes of the chains of which a vertex reads the element before its own step; its own included."""
        own = [] if array.chain is None else [array.chain, *self._not_at_first(array)]
        return own + [str(self[name].chain) for name, step in array.reads if step == "before"]

    def _not_at_first(self, array: Array) -> list[str]:
        """Return the axis of an array's own chain for each operand that is not read at the first step of it."""
        return [str(array.chain) for operand in array.reads if operand.step == "later"]

    def _firsts(self, array: Array, axis: str) -> int:
        """Return how many vertices of an array are the first along an axis."""
        return self._count(tuple(one for one in array.indices if one != axis))

    def _most_predecessors(self, array: Array) -> int:
        always = sum(operand.step not in ("before", "later") for operand in array.reads)
        before = self._steps_before(array)
        if len(set(before) & set(self.masked_axes)) < 2:
            return always + sum(self.size(array.name) > self._firsts(array, axis) for axis in before)
        exists = self.exists(array.name)
        found = np.zeros(exists.shape, dtype=np.int64)
        for axis in before:
            position = array.indices.index(axis)
            found += np.cumsum(exists, axis=position) > exists
        return always + int(found[exists].max(initial=0))

    # Which vertices exist, and what they read

    def exists(self, name: str) -> NDArray[np.bool_]:
        """Which vertices of an array exist, as booleans of shape ``shape(name)``."""
        indices = self[name].indices
        lines = [axis for axis in indices if axis in self.masked_axes]
        allowed: NDArray[np.bool_] = np.ones((), dtype=bool)
        if len(lines) == 2:
            one, other = ((0, self.extents[axis]) for axis in lines)
            allowed = self._allowed.lines_matrix(lines[0], one, other)
        elif lines:
            allowed = self._allowed.last(lines[0]) >= 0
        form = [self.extents[axis] if axis in lines else 1 for axis in indices]
        return np.broadcast_to(allowed.reshape(form), self.shape(name))

    def line_axis(self, array: Array) -> str | None:
        """Return the axis whose lines say which steps of the array's chain exist; None if all do."""
        if array.chain not in self.masked_axes:
            return None
        return next(axis for axis in array.axes if axis in self.masked_axes)

    # Numbers and names of vertices, and the explicit DAG

    @cached_property
    def _offsets(self) -> dict[str, int]:
        offsets, total = {}, 0
        for array in self.own_arrays:
            offsets[array.name] = total
            total += self.size(array.name)
        return offsets

    @cached_property
    def named_arrays(self) -> dict[str, NamedArray]:
        """Which vertices are the elements of each array: all, or under a mask those that exist, numbered without gaps.

        Memory: one integer for each vertex of the arrays under a mask that are asked about.
        """
        return {
            array.name: NamedArray(
                array.name,
                self.shape(array.name),
                self._offsets[array.name],
                partial(self._places, array.name) if set(array.indices) & set(self.masked_axes) else None,
            )
            for array in self.own_arrays
        }

    def _places(self, name: str) -> NDArray[np.int64]:
        return np.flatnonzero(self.exists(name))

    def offset(self, name: str) -> int:
        """Number of the array's first vertex in the explicit DAG; it has vertices of its own."""
        return self._offsets[self[name].name]

    def vertex(self, name: str, index: tuple[int, ...]) -> int:
        """Number of a vertex in the explicit DAG."""
        array, text = self.named_arrays[self[name].name], f"{name}[{','.join(map(str, index))}]"
        shape = array.shape
        if len(index) != len(shape) or any(not 0 <= i < n for i, n in zip(index, shape, strict=False)):
            raise InvalidInput(f"{text} is outside {name} of shape {shape}")
        found = array.vertex(index)
        if found is None:
            raise InvalidInput(f"{text} is masked out by {self._allowed.spec}")
        return found

    def compact(self, name: str, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Vertex numbers of places of an array (row-major, chain last) that exist."""
        if (backward := self[name].backward) is not None:
            name, axis = backward
            shape = self.shape(name)
            at = self[name].axes.index(axis)
            inner, length = math.prod(shape[at + 1 :]), shape[at]
            # The place along the axis is p; what it is counted from the end is length - 1 - p.
            places = places + (length - 1 - 2 * (places // inner % length)) * inner
        array = self.named_arrays[name]
        return array.first + (places if array.places is None else np.searchsorted(array.places, places))

    @property
    def names(self) -> ArrayNames:
        """Names of all vertices, computed when asked for."""
        return ArrayNames([*self.named_arrays.values()], self.n_vertices)
