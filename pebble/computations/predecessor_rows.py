"""The predecessors of every vertex of a family, as the compressed rows of its explicit DAG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array, Operand

__all__ = ["PredecessorRows"]


class PredecessorRows:
    """Predecessors by the affine rule, array by array.

    Parameters
    ----------
    arrays : mapping of str to Array
        In the order of their vertices.
    offsets : mapping of str to int
        Number of the first vertex of every array.
    exists : callable
        Takes the name of an array; returns which of its vertices exist, as booleans of the array's shape.
    of_vertices : callable
        Takes the name of an array and values of its shape; returns the values of the vertices that exist.
    """

    def __init__(
        self,
        arrays: Mapping[str, Array],
        offsets: Mapping[str, int],
        exists: Callable[[str], NDArray[np.bool_]],
        of_vertices: Callable[[str, NDArray[Any]], NDArray[Any]],
    ) -> None:
        self._arrays, self._offsets = arrays, offsets
        self._exists, self._of_vertices = exists, of_vertices

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the compressed rows as (start, predecessors)."""
        counts, columns = [], []
        for array in self._arrays.values():
            matrix = self._matrix(array)
            present = matrix >= 0
            counts.append(present.sum(axis=1))
            columns.append(matrix[present])
        start = np.zeros(sum(map(len, counts)) + 1, dtype=np.int64)
        np.cumsum(np.concatenate(counts), out=start[1:])
        return start, np.concatenate(columns)

    def outputs(self) -> NDArray[np.int64]:
        """Return the vertices that must be in slow memory at the end."""
        outputs = (array for array in self._arrays.values() if array.output)
        found = [self._last_vertices(array)[self._steps(array) > 0] for array in outputs]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def _matrix(self, array: Array) -> NDArray[np.int64]:
        """Return the predecessors of every vertex of an array, one row each; -1 where a chain begins."""
        offset, steps = self._offsets[array.name], self._steps(array).ravel()
        size = int(steps.sum())
        columns = []
        if array.chain is not None:
            before = np.arange(offset - 1, offset + size - 1, dtype=np.int64)
            begins = np.cumsum(steps) - steps
            before[begins[steps > 0]] = -1
            columns.append(before)
        for operand in array.reads:
            columns.append(self._of_vertices(array.name, self._read_by(array, operand)))
        return np.stack(columns, axis=1) if columns else np.empty((size, 0), dtype=np.int64)

    def _read_by(self, array: Array, read: Operand) -> NDArray[np.int64]:
        """Return the vertex of an operand that each vertex of an array reads, of the array's shape; -1 for none."""
        shape, operand = self._exists(array.name).shape, self._arrays[read.array]
        axes = operand.indices if read.at_step else operand.axes
        found = self._at_steps(operand, read.step) if read.at_step else self._last_vertices(operand)
        order = [axes.index(axis) for axis in array.indices if axis in axes]
        form = [n if axis in axes else 1 for axis, n in zip(array.indices, shape, strict=True)]
        read_by = np.broadcast_to(found.transpose(order).reshape(form), shape)
        return np.where(np.arange(shape[-1]) > 0, read_by, -1) if read.step == "later" else read_by

    def _at_steps(self, array: Array, step: str) -> NDArray[np.int64]:
        """Return the vertex at (before) every step of a chain, -1 for none; meaningless for steps that do not exist."""
        exists = self._exists(array.name)
        vertices = self._offsets[array.name] + np.cumsum(exists, dtype=np.int64).reshape(exists.shape) - 1
        if step == "after":
            return vertices
        begun = np.cumsum(exists, axis=-1, dtype=np.int64) > exists
        return np.where(begun, vertices - 1, -1)

    def _last_vertices(self, array: Array) -> NDArray[np.int64]:
        """Return the last vertex of every element's chain; meaningless for elements that do not exist."""
        steps = self._steps(array)
        return self._offsets[array.name] + np.cumsum(steps, dtype=np.int64).reshape(steps.shape) - 1

    def _steps(self, array: Array) -> NDArray[np.int64]:
        """Return how many vertices every element of an array has; 0 where it does not exist."""
        exists = self._exists(array.name)
        return exists.astype(np.int64) if array.chain is None else np.count_nonzero(exists, axis=-1)
