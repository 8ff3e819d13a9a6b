"""The moves of loops without a mask: an iteration that does what the one before it did is shifted, not executed.

Why that gives the same moves. Take a loop over an axis in tiles of b. Its second iteration is executed, and what is in
fast and slow memory just before it and just after it is compared. The moves of an iteration follow from its tiles and
from the progress of the arrays it touches, that is, of how many steps of each chain are there. From the second
iteration to the last but one, all tiles are full, no chain along the axis begins, and conditions on the loop have one
answer. So if

- of arrays with the axis, the parts for all these iterations look the same before the loop gets to them,
- of arrays with a chain along the axis that the body computes, every progress that is not 0 grows by b, and
- all else is as it was,

then each further iteration starts from the shifted state of the one before, and every move is the same one on a
vertex further on, by a number that depends on its array alone. By induction this holds up to the last but one.
Where it does not hold, or explicit intervals stand in the body, every iteration is executed.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np

from pebble.computations.family import Family
from pebble.program.nodes import Interval, Loop, Node, Operation, Program
from pebble.program.steps import Step, loop_range, tile_at, tile_count
from pebble.program.visits import Visit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array

Columns = tuple["NDArray[np.int8]", "NDArray[np.int64]"]
LEAST = 4
"""Iterations that must be saved, or looking for them costs more."""
LARGEST = 1 << 19
"""Moves of an iteration that are kept."""


class Lowering(Protocol):
    """What executes single operations: see :mod:`pebble.program.lowering`."""

    family: Family
    fast: dict[str, NDArray[np.int64]]
    slow: dict[str, NDArray[np.int64]]

    def moves(self, step: Step) -> Columns:
        """Moves of one operation."""
        ...


class ShiftedLoops:
    """The columns of moves of a program's loops.

    Parameters
    ----------
    lowering : Lowering
        Of a family without a mask; its progress is kept up to date.
    chunk : int
        About how many moves of repeated iterations are made at a time.
    """

    def __init__(self, lowering: Lowering, chunk: int) -> None:
        self._chunk = chunk
        self._lowering, self._family = lowering, lowering.family
        self._starts = np.array([self._family.offset(array.name) for array in self._family.own_arrays])
        self._touched: dict[int, tuple[Loop, _Touched | None]] = {}

    def columns(self, program: Program) -> Iterator[Columns]:
        """Yield the moves of all operations in order, those of one or of several operations at a time."""
        for part in program.phases:
            for node in part.nodes():
                yield from self._node(node, {}, {})

    def _node(self, node: Node, tiles: dict[str, Interval], visits: dict[str, Visit]) -> Iterator[Columns]:
        if isinstance(node, Operation):
            own = {**tiles, **{axis: (a, b) for axis, a, b in node.at}} if node.at else tiles
            yield self._lowering.moves(Step(node, own, ()))
        elif isinstance(node, Loop):
            yield from self._loop(node, tiles, visits)
        elif node.condition.holds(visits[node.condition.label], tiles, self._family):
            for inner in node.body:
                yield from self._node(inner, tiles, visits)

    def _loop(self, node: Loop, tiles: dict[str, Interval], visits: dict[str, Visit]) -> Iterator[Columns]:
        whole = loop_range(node, tiles, self._family)
        index, count = 0, tile_count(*whole, node.tile)
        while index < count:
            if index == 1 and count >= LEAST + 3:
                index = yield from self._shifted(node, tiles, visits, whole, count)
            else:
                yield from self._iteration(node, tiles, visits, whole, index)
                index += 1

    def _iteration(
        self,
        node: Loop,
        tiles: dict[str, Interval],
        visits: dict[str, Visit],
        whole: Interval,
        index: int,
    ) -> Iterator[Columns]:
        tile, count = tile_at(*whole, node.tile, index), tile_count(*whole, node.tile)
        inside = {**visits, node.label: Visit(node.axis, index, count, whole, tile, visits.get(node.label))}
        inside_tiles = {**tiles, node.axis: tile}
        for inner in node.body:
            yield from self._node(inner, inside_tiles, inside)

    def _shifted(
        self,
        node: Loop,
        tiles: dict[str, Interval],
        visits: dict[str, Visit],
        whole: Interval,
        count: int,
    ) -> Generator[Columns, None, int]:
        """Execute the second iteration, shift it if that is right, and return the number of the next one."""
        touched = self._touched_by(node)
        if touched is None:
            yield from self._iteration(node, tiles, visits, whole, 1)
            return 2
        saved = count - 3
        start = whole[0] + node.tile
        state = _State(self._lowering, touched, tiles, node, (start, start + (saved + 1) * node.tile))
        kept, size = list[Columns](), 0
        for columns in self._iteration(node, tiles, visits, whole, 1):
            yield columns
            size += len(columns[0])
            if size <= LARGEST:
                kept.append(columns)
        if size > LARGEST or not state.is_shifted():
            return 2
        if size:
            yield from self._repeated(kept, touched.strides(self._family, node), saved)
        state.shift(saved)
        return count - 1

    def _repeated(self, kept: list[Columns], strides: NDArray[np.int64], times: int) -> Iterator[Columns]:
        op, vertex = (np.concatenate(column) for column in zip(*kept, strict=True))
        stride = strides[np.searchsorted(self._starts, vertex, side="right") - 1]
        at_once = max(1, self._chunk // len(op))
        operations = np.tile(op, min(times, at_once))
        for first in range(1, times + 1, at_once):
            by = np.arange(first, min(times + 1, first + at_once))
            vertices = vertex + stride * by[:, None]
            yield operations[: vertices.size], vertices.ravel()

    def _touched_by(self, node: Loop) -> _Touched | None:
        """Return what the body touches, found once; None if it has explicit intervals."""
        if id(node) not in self._touched:
            operations = list(_operations(node))
            plain = not any(operation.at for operation in operations)
            self._touched[id(node)] = node, _Touched(self._family, operations) if plain else None
        return self._touched[id(node)][1]


class _Touched:
    """Which arrays operations touch, and which they compute."""

    def __init__(self, family: Family, operations: list[Operation]) -> None:
        names = {name for one in operations for name in (one.array, one.replacing) if name}
        self.arrays: list[Array] = [array for array in family.arrays if array.name in names]
        self.computed = {one.array for one in operations if one.action == "compute"}

    def grows(self, array: Array, axis: str) -> bool:
        """Whether a loop over an axis makes progress with the chains of an array."""
        return array.chain == axis and array.name in self.computed

    def strides(self, family: Family, node: Loop) -> NDArray[np.int64]:
        """Return, for each array, how much further on the vertices are that the next iteration names."""
        found = np.zeros(len(family.own_arrays), dtype=np.int64)
        backward = {one.backward[0]: one.backward[1] for one in self.arrays if one.backward is not None}
        for number, array in enumerate(family.own_arrays):
            if node.axis in array.axes or self.grows(array, node.axis):
                behind = family.shape(array.name)[array.indices.index(node.axis) + 1 :]
                found[number] = math.prod(behind) * node.tile
                found[number] *= -1 if backward.get(array.name) == node.axis else 1
        return found


class _State:
    """The progress that the second to the last iteration but one of a loop find, compared and shifted."""

    def __init__(
        self,
        lowering: Lowering,
        touched: _Touched,
        tiles: dict[str, Interval],
        node: Loop,
        part: Interval,
    ) -> None:
        self._alike, self._tile = True, node.tile
        self._rows: list[NDArray[np.int64]] = []
        self._others: list[tuple[NDArray[np.int64], NDArray[np.int64], bool]] = []
        within = {**tiles, node.axis: part}
        for array in touched.arrays:
            box = tuple(slice(*within[axis]) if axis in within else slice(None) for axis in array.axes)
            for progress in (lowering.fast[array.name][box], lowering.slow[array.name][box]):
                if node.axis in array.axes:
                    rows = np.moveaxis(progress, array.axes.index(node.axis), 0)
                    rows = rows.reshape(
                        -1, node.tile, *rows.shape[1:]
                    )  # a view: only the first axis is split
                    self._alike = self._alike and bool((rows == rows[:1]).all())
                    self._rows.append(rows)
                else:
                    self._others.append((progress, progress.copy(), touched.grows(array, node.axis)))

    def is_shifted(self) -> bool:
        """Whether the state is now, after one of the iterations, the shifted one."""
        return self._alike and all(
            np.array_equal(now, before + (before > 0) * self._tile if grows else before)
            for now, before, grows in self._others
        )

    def shift(self, times: int) -> None:
        """Leave the state as it would be after ``times`` more iterations."""
        for rows in self._rows:
            rows[1:] = rows[:1]
        for now, _, grows in self._others:
            if grows:
                now += (now > 0) * (times * self._tile)


def _operations(node: Node) -> Iterator[Operation]:
    if isinstance(node, Operation):
        yield node
    else:
        for inner in node.body:
            yield from _operations(inner)
