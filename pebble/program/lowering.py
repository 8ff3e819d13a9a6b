"""Lowering a program to the elementary game: the same loops, vertex by vertex, streamed as columns of moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program.nodes import Program
from pebble.program.steps import Step, walk
from pebble.program.validation import validate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["lower", "lower_steps"]

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
    waiting: list[Columns] = []
    size = 0
    for _, columns in lower_steps(program, family):
        waiting.append(columns)
        size += len(columns[0])
        if size >= chunk:
            yield _join(waiting)
            waiting, size = [], 0
    if size:
        yield _join(waiting)


def lower_steps(program: Program, family: Family) -> Iterator[tuple[Step, Columns]]:
    """Yield every executed operation of a program with its elementary moves, as columns.

    Raises
    ------
    InvalidInput
        As :func:`lower` does.
    """
    validate(program, family)
    lowering = _MaskedLowering(family) if family.masked_axes else _Lowering(family)
    for step in walk(program, family):
        yield step, lowering.moves(step)


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
            elements = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
            self.base[array.name] = self._offset(array) + elements * family.chain_length(array.name)

    def _offset(self, array: Array) -> int:
        return self.family.offset(array.name)

    def moves(self, step: Step) -> Columns:
        """Moves of one operation."""
        operation = step.operation
        array = self.family[operation.array]
        box = self._box(step, array)
        if operation.action == "compute":
            return self._compute(step, array, box)
        fast, slow = self.fast[array.name], self.slow[array.name]
        if operation.action == "load":
            vertices = self._current(step, array, box, slow)
            fast[box] = slow[box]
            return _same(LOAD, vertices)
        vertices = self._current(step, array, box, fast)
        if operation.action == "store":
            slow[box] = np.maximum(slow[box], fast[box])
            return _same(STORE, vertices)
        fast[box] = 0
        return _same(DELETE, vertices)

    def _box(self, step: Step, array: Array) -> tuple[slice, ...]:
        return tuple(slice(a, b) for a, b in step.box(array.name, self.family))

    def _current(
        self, step: Step, array: Array, box: tuple[slice, ...], progress: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Vertices that hold the current (partial) results of a box."""
        got = progress[box]
        if not got.all():
            raise _nothing_there(step, array)
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
        self._current(step, replaced, box, self.fast[replaced.name])
        vertices = self.base[replaced.name][box] + self.fast[replaced.name][box] - 1
        self.fast[replaced.name][box] = 0
        return vertices.transpose([replaced.axes.index(axis) for axis in array.axes]).ravel()


def _nothing_there(step: Step, array: Array) -> InvalidInput:
    return InvalidInput(f"{step.operation} on {array.name}: nothing of some element is there to be moved")


class _MaskedLowering(_Lowering):
    """Lowering under a mask: what does not exist makes no moves.

    Vertices are numbered as if there were no mask until the moves are given out; the progress of a chain that is
    masked is the index of its last step, plus one.
    """

    def __init__(self, family: Family) -> None:
        super().__init__(family)
        self.exists = {array.name: family.exists(array.name) for array in family.arrays}

    def _offset(self, array: Array) -> int:
        return 0

    def moves(self, step: Step) -> Columns:
        """Moves of one operation."""
        op, place = super().moves(step)
        operation = step.operation
        vertex = np.empty_like(place)
        gone = place < 0 if operation.replacing else np.zeros(len(place), dtype=bool)
        vertex[~gone] = self.family.compact(operation.array, place[~gone])
        if operation.replacing:
            vertex[gone] = self.family.compact(operation.replacing, -1 - place[gone])
        return op, vertex

    def _alive(self, array: Array, box: tuple[slice, ...]) -> NDArray[np.bool_]:
        """Which elements of a box exist."""
        exists = self.exists[array.name][box]
        return np.asarray(exists if array.chain is None else exists.any(axis=-1))

    def _current(
        self, step: Step, array: Array, box: tuple[slice, ...], progress: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        got = progress[box]
        alive = self._alive(array, box)
        if array.chain is not None and array.chain in self.family.masked_axes and array.chain in step.tiles:
            # A chain of which nothing was allowed so far has not begun; there is nothing of it to be moved.
            reached = slice(0, step.tiles[array.chain][0])
            begun = self.exists[array.name][(*box, reached)].any(axis=-1)
            alive = alive & (begun | (got > 0))
        if not got[alive].all():
            raise _nothing_there(step, array)
        return np.asarray((self.base[array.name][box] + got - 1)[alive])

    def _compute(self, step: Step, array: Array, box: tuple[slice, ...]) -> Columns:
        if array.chain in self.family.masked_axes:
            if step.operation.replacing is not None:
                raise InvalidInput(f"{step.operation}: a chain that is masked cannot replace another array")
            return self._advance(step, array, box)
        op, place = super()._compute(step, array, box)
        alive = self._alive(array, box).ravel()
        if not len(alive):
            return op, place
        return (column.reshape(len(alive), -1)[alive].ravel() for column in (op, place))  # type: ignore[return-value]

    def _replaced(self, step: Step, array: Array, replaced: Array) -> NDArray[np.int64]:
        return -1 - super()._replaced(step, array, replaced)

    def _advance(self, step: Step, array: Array, box: tuple[slice, ...]) -> Columns:
        """Advance a masked chain over the allowed steps of the current tile, element by element."""
        assert array.chain is not None
        start, stop = step.interval(array.chain, self.family)
        exists = self.exists[array.name][box][..., :stop]
        steps = np.where(exists, np.arange(stop), -1).reshape(-1, stop)
        last = np.maximum.accumulate(steps, axis=1)
        before = np.concatenate([np.full((len(last), 1), -1), last[:, :-1]], axis=1)[:, start:]
        allowed = steps[:, start:] >= 0
        base = self.base[array.name][box].ravel()[:, None]
        place = np.stack([base + np.arange(start, stop), base + before], axis=2)
        keep = np.stack([allowed, allowed & (before >= 0)], axis=2)
        op = np.broadcast_to(np.array([COMPUTE, DELETE], dtype=np.int8), place.shape)
        fast = self.fast[array.name][box]
        fast[...] = np.where(
            allowed.any(axis=1).reshape(fast.shape), last[:, -1].reshape(fast.shape) + 1, fast
        )
        return op[keep], place[keep]


def _same(op: int, vertices: NDArray[np.int64]) -> Columns:
    return np.full(len(vertices), op, dtype=np.int8), vertices
