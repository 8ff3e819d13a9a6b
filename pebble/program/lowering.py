"""Lowering a program to the elementary game: the same loops, vertex by vertex, streamed as columns of moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.game.level_game import LevelMove
from pebble.game.moves import Op
from pebble.program.chain_steps import ChainSteps
from pebble.program.nodes import Program
from pebble.program.parts_in_turn import written_out
from pebble.program.shifted_loops import Columns, ShiftedLoops
from pebble.program.steps import Step, walk
from pebble.program.validation import validate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Columns", "columns", "lower", "lower_levels", "lower_steps"]

LOAD, STORE, COMPUTE, DELETE, RESUME = range(5)
_COMPUTE_DELETE = np.array([COMPUTE, DELETE], dtype=np.int8)


def lower(program: Program, family: Family, *, chunk: int = 1 << 16) -> Iterator[Columns]:
    """Yield the elementary moves of a program in chunks of columns; the game is what checks that they are legal.

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

    Notes
    -----
    Memory: one integer for each element of the family's arrays in fast and in slow memory, and one chunk.
    """
    if family.accumulated:
        raise InvalidInput("single moves need sums in index order: use sums='chain'")
    program = written_out(program, family)
    waiting: list[Columns] = []
    size = 0
    for found in columns(program, family, chunk):
        waiting.append(found)
        size += len(found[0])
        if size >= chunk:
            yield _join(waiting)
            waiting, size = [], 0
    if size:
        yield _join(waiting)


def columns(program: Program, family: Family, chunk: int = 1 << 16) -> Iterator[Columns]:
    """Yield the moves of a program; without a mask, loops may be shortened.

    Where the family's sums are added in slow memory, 4 is a partial sum that is resumed.
    """
    if family.masked_axes:
        return (found for _, found in lower_steps(program, family))
    _validate(program, family)
    return ShiftedLoops(_Lowering(family), chunk).columns(program)


def lower_steps(program: Program, family: Family) -> Iterator[tuple[Step, Columns]]:
    """Yield every executed operation of a program with its elementary moves, as columns."""
    program = written_out(program, family)
    _validate(program, family)
    lowering = _Lowering(family)
    for step in walk(program, family):
        yield step, lowering.moves(step)


def lower_levels(
    program: Program, family: Family, levels: int, *, inclusive: bool = True
) -> Iterator[LevelMove]:
    """Yield the moves of a program in the game with several memory levels.

    Parameters
    ----------
    program : Program
    family : Family
    levels : int
        How many bounded levels there are.
    inclusive : bool
        Whether a computed vertex takes a word at every level, and what it replaces frees one at every level.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, load, phase, program
    >>> text = program(phase("", load("A", level=2), load("B", level=2), load("A", "B"), compute("C")))
    >>> [str(move) for move in lower_levels(text, matmul_family(1, 1, 1), 2)]
    ['load 2 vertex 0', 'load 2 vertex 1', 'load 1 vertex 0', 'load 1 vertex 1', 'compute vertex 2']
    """
    program = written_out(program, family)
    validate(program, family, levels)
    pair = _Lowering(family)  # is lent the places on both sides of a boundary
    inner = [{name: np.zeros_like(cells) for name, cells in pair.slow.items()} for _ in range(levels - 1)]
    places, placed = [pair.fast, *inner, pair.slow], levels if inclusive else 1
    for step in walk(program, family):
        op = step.operation
        pair.fast, pair.slow = places[op.level - 1], places[op.level]
        codes, vertices = pair.moves(step)
        computes = op.action == "compute"
        for name in filter(None, (op.array, op.replacing)) if computes else ():
            box = pair.box(step, family[name])
            for place in places[1:placed]:
                place[name][box] = places[0][name][box]
        for code, vertex in zip(codes.tolist(), vertices.tolist(), strict=True):
            everywhere = computes and code == DELETE
            for level in range(1, placed + 1) if everywhere else (op.level,):
                yield LevelMove(Op(code), level, vertex)


def _validate(program: Program, family: Family) -> None:
    validate(program, family)
    if any(array.width > 1 for array in family.arrays):
        raise InvalidInput("single moves need words of one size: leave out sum_width (--sum-width)")
    if family.has_free_sums:
        raise InvalidInput("single moves need sums in index order: use sums='chain'")


def _join(columns: list[Columns]) -> Columns:
    return np.concatenate([op for op, _ in columns]), np.concatenate([vertex for _, vertex in columns])


class _Lowering:
    """Progress of every chain element by element, which tells what ``load``, ``store`` and ``delete`` mean.

    Progress is the last step so far, plus one. What does not exist makes no moves.
    """

    def __init__(self, family: Family) -> None:
        self.family = family
        self.fast: dict[str, NDArray[np.int64]] = {}
        self.slow: dict[str, NDArray[np.int64]] = {}
        self.place: dict[str, NDArray[np.int64]] = {}
        self.exists: dict[str, NDArray[np.bool_]] = {}
        self.steps: dict[str, ChainSteps] = {}
        whole = {axis: slice(0, extent) for axis, extent in family.extents.items()}
        self.axes = {array.name: [(axis, whole[axis]) for axis in array.axes] for array in family.arrays}
        for array in family.arrays:
            name, shape = array.name, tuple(family.extents[axis] for axis in array.axes)
            self.fast[name] = np.zeros(shape, dtype=np.int64)
            self.slow[name] = np.full(shape, 1 if array.is_input else 0, dtype=np.int64)
            elements = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
            self.place[name] = elements * family.chain_length(name)
            exists = family.exists(name)
            self.exists[name] = exists if array.chain is None else np.asarray(exists.any(axis=-1))
            self.steps[name] = ChainSteps(family, array)

    def moves(self, step: Step) -> Columns:
        """Moves of one operation."""
        operation = step.operation
        array = self.family[operation.array]
        box = self.box(step, array)
        if operation.action == "compute":
            return self._compute(step, array, box)
        fast, slow = self.fast[array.name], self.slow[array.name]
        if operation.action == "load":
            vertices = self._current(step, array, box, slow)
            fast[box] = slow[box]
            return _same(RESUME if operation.resumes and array.accumulated else LOAD, vertices)
        vertices = self._current(step, array, box, fast)
        if operation.action == "store":
            slow[box] = np.maximum(slow[box], fast[box])
            return _same(STORE, vertices)
        fast[box] = 0
        return _same(DELETE, vertices)

    def box(self, step: Step, array: Array) -> tuple[slice, ...]:
        """Return the box of an array that an operation is on."""
        tiles = step.tiles
        return tuple(slice(*tiles[axis]) if axis in tiles else whole for axis, whole in self.axes[array.name])

    def _current(
        self, step: Step, array: Array, box: tuple[slice, ...], progress: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Vertices that hold the current (partial) results of a box."""
        got, there = progress[box], self.exists[array.name][box]
        if array.chain in self.family.masked_axes and array.chain in step.tiles:
            # A chain of which nothing was allowed so far has not begun; there is nothing of it to be moved.
            start = step.tiles[array.chain][0]
            begun = self.steps[array.name].before(box, start, start + 1)[..., 0] >= 0
            there = there & (begun | (got > 0))
        if not got[there].all():
            raise _nothing_there(step, array)
        return self.family.compact(array.name, (self.place[array.name][box] + got - 1)[there])

    def _compute(self, step: Step, array: Array, box: tuple[slice, ...]) -> Columns:
        """Compute the current tile of the chain step by step, each time deleting the step before, then the replaced."""
        start, stop = step.interval(array.chain, self.family) if array.chain else (0, 1)
        steps, there = self.steps[array.name], self.exists[array.name][box][..., None]
        allowed, before = steps.exist(box, start, stop) & there, steps.before(box, start, stop)
        place = np.empty((*there.shape[:-1], stop - start, 2), dtype=np.int64)
        place[..., 0] = self.place[array.name][box][..., None] + np.arange(start, stop)
        place[..., 1] = self.place[array.name][box][..., None] + before
        keep = np.stack([allowed, allowed & (before >= 0)], axis=-1)
        self._advance(array, box, allowed, stop)
        own = self.family.compact(array.name, place[keep])
        if step.operation.replacing is None:
            return np.broadcast_to(_COMPUTE_DELETE, place.shape)[keep], own
        place[keep] = own
        replaced = self._replaced(step, array, self.family[step.operation.replacing])
        return _with_replaced(place, keep, replaced, there)

    def _advance(self, array: Array, box: tuple[slice, ...], allowed: NDArray[np.bool_], stop: int) -> None:
        fast = self.fast[array.name]
        reached = self.steps[array.name].before(box, stop, stop + 1)[..., 0] + 1
        fast[box] = np.where(allowed.any(axis=-1), reached, fast[box])

    def _replaced(self, step: Step, array: Array, replaced: Array) -> NDArray[np.int64]:
        """Vertices of the replaced array that exist, in the order of the replacing one's elements."""
        box = self.box(step, replaced)
        got, there = self.fast[replaced.name][box], self.exists[replaced.name][box]
        if not got[there].all():
            raise _nothing_there(step, replaced)
        places = self.place[replaced.name][box] + got - 1
        self.fast[replaced.name][box] = 0
        order = [replaced.axes.index(axis) for axis in array.axes]
        return self.family.compact(replaced.name, places.transpose(order)[there.transpose(order)])


def _with_replaced(
    vertex: NDArray[np.int64],
    keep: NDArray[np.bool_],
    replaced: NDArray[np.int64],
    there: NDArray[np.bool_],
) -> Columns:
    """Put the deletion of the replaced element behind the moves of every element."""
    moves = vertex.shape[-2] * vertex.shape[-1]
    column = np.empty((there.size, moves + 1), dtype=np.int64)
    kept = np.empty(column.shape, dtype=bool)
    column[:, :-1], kept[:, :-1], kept[:, -1] = (
        vertex.reshape(-1, moves),
        keep.reshape(-1, moves),
        there.ravel(),
    )
    column[kept[:, -1], -1] = replaced
    op = np.full(column.shape, DELETE, dtype=np.int8)
    op[:, :-1:2] = COMPUTE
    return op[kept], column[kept]


def _nothing_there(step: Step, array: Array) -> InvalidInput:
    return InvalidInput(f"{step.operation} on {array.name}: some element has no value to move")


def _same(op: int, vertices: NDArray[np.int64]) -> Columns:
    return np.full(len(vertices), op, dtype=np.int8), vertices
