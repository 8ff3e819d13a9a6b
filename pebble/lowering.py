"""Lowering a program to the elementary game: the same loops, vertex by vertex, streamed as columns of moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pebble.errors import InvalidInput
from pebble.family import Array, Family
from pebble.program import Operation, Program, Step, validate, walk

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["lower"]

LOAD, STORE, COMPUTE, DELETE = range(4)
Columns = tuple["NDArray[np.int8]", "NDArray[np.int64]"]


def lower(program: Program, family: Family, *, chunk: int = 1 << 16) -> Iterator[Columns]:
    """Yield the elementary moves of a program in chunks of columns.

    Parameters
    ----------
    program : Program
    family : Family
    chunk : int
        Least number of moves in a chunk (the last one excepted).

    Yields
    ------
    op : ndarray of int8, shape (n,)
        0 load, 1 store, 2 compute, 3 delete.
    vertex : ndarray of int64, shape (n,)
        Vertex numbers of ``family.dag()``.

    Raises
    ------
    InvalidInput
        If a partial result is moved that is not there; the game itself is what checks legality.

    Notes
    -----
    Memory: one integer for each element of the family's arrays in fast and in slow memory, and one chunk.
    """
    validate(program, family)
    lowering = _Lowering(family)
    waiting: list[Columns] = []
    size = 0
    for step in walk(program, family):
        columns = lowering.moves(step)
        waiting.append(columns)
        size += len(columns[0])
        if size >= chunk:
            yield _join(waiting)
            waiting, size = [], 0
    if size:
        yield _join(waiting)


def _join(columns: list[Columns]) -> Columns:
    return np.concatenate([op for op, _ in columns]), np.concatenate([vertex for _, vertex in columns])


class _Lowering:
    """Progress of every chain element by element, which tells what ``load``, ``store`` and ``delete`` mean."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.fast, self.slow, self.base = {}, {}, {}
        for array in family.arrays:
            shape = tuple(family.extents[axis] for axis in array.axes)
            self.fast[array.name] = np.zeros(shape, dtype=np.int64)
            self.slow[array.name] = np.full(shape, 1 if array.is_input else 0, dtype=np.int64)
            elements = np.arange(family.words(array.name), dtype=np.int64).reshape(shape)
            self.base[array.name] = family.offset(array.name) + elements * family.chain_length(array.name)

    def moves(self, step: Step) -> Columns:
        """Moves of one operation."""
        operation = step.operation
        array = self.family[operation.array]
        box = self._box(step, array)
        if operation.action == "compute":
            return self._compute(step, array, box)
        fast, slow = self.fast[array.name], self.slow[array.name]
        if operation.action == "load":
            vertices = self._current(operation, array, box, slow)
            fast[box] = slow[box]
            return _same(LOAD, vertices)
        vertices = self._current(operation, array, box, fast)
        if operation.action == "store":
            slow[box] = np.maximum(slow[box], fast[box])
            return _same(STORE, vertices)
        fast[box] = 0
        return _same(DELETE, vertices)

    def _box(self, step: Step, array: Array) -> tuple[slice, ...]:
        return tuple(slice(a, b) for a, b in step.box(array.name, self.family))

    def _current(
        self, operation: Operation, array: Array, box: tuple[slice, ...], progress: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Vertices that hold the current (partial) results of a box."""
        got = progress[box]
        if not got.all():
            raise InvalidInput(f"{operation} on {array.name}: nothing of some element is there to be moved")
        return (self.base[array.name][box] + got - 1).ravel()

    def _compute(self, step: Step, array: Array, box: tuple[slice, ...]) -> Columns:
        start, stop = step.interval(array.chain, self.family) if array.chain else (0, 1)
        vertices = (self.base[array.name][box].ravel()[:, None] + np.arange(start, stop)).astype(np.int64)
        op = np.full((len(vertices), 2 * (stop - start)), DELETE, dtype=np.int8)
        op[:, ::2] = COMPUTE
        column = np.repeat(vertices, 2, axis=1)
        column[:, 1::2] -= 1
        keep = np.ones(op.shape[1], dtype=bool)
        if start == 0:
            keep[1] = False
        op, column = op[:, keep], column[:, keep]
        self.fast[array.name][box] = stop
        if step.operation.replacing is not None:
            replaced = self.family[step.operation.replacing]
            gone = self._replaced(step, array, replaced)
            op = np.concatenate([op, np.full((len(op), 1), DELETE, dtype=np.int8)], axis=1)
            column = np.concatenate([column, gone[:, None]], axis=1)
        return op.ravel(), column.ravel()

    def _replaced(self, step: Step, array: Array, replaced: Array) -> NDArray[np.int64]:
        """Vertices of the replaced array, in the order of the replacing one's elements."""
        box = self._box(step, replaced)
        self._current(step.operation, replaced, box, self.fast[replaced.name])
        vertices = self.base[replaced.name][box] + self.fast[replaced.name][box] - 1
        self.fast[replaced.name][box] = 0
        return vertices.transpose([replaced.axes.index(axis) for axis in array.axes]).ravel()


def _same(op: int, vertices: NDArray[np.int64]) -> Columns:
    return np.full(len(vertices), op, dtype=np.int8), vertices
