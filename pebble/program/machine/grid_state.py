"""State on a fixed grid: tile boundaries cut every axis into a few cells, each in one state."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import count_nonzero

from pebble.program.counting.state import SLOW, CurrentBox, State
from pebble.program.machine.grid import make_grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.machine.loops import Loops
    from pebble.program.nodes import Interval, Program

__all__ = ["GridState", "SumBox", "terms_of_cells"]

_WORD_BITS = 62


def _terms_type(cells: int) -> Any:
    """Return the type of numpy's that holds a set of so many cells, a bit each."""
    return np.int64 if cells <= _WORD_BITS else object


def terms_of_cells(cells: slice) -> int:
    """Return a range of cells of the summed axis as a set.

    >>> bin(terms_of_cells(slice(1, 4)))
    '0b1110'
    """
    terms: int = (1 << cells.stop) - (1 << cells.start)
    return terms


def _all_terms(cells: int) -> int:
    """Return the set of all cells of the summed axis."""
    return (1 << cells) - 1


class GridState(State):
    """The state of both memories on the grid of all tiles that a program executes.

    Attributes
    ----------
    grid : Grid
    fast, slow : dict of str to ndarray of int64
        Progress of the cells of every array.
    slices : dict of str to slice
        Cells of the current tile of every axis.
    """

    def __init__(self, program: Program, family: Family, loops: Loops) -> None:
        self.family = family
        self.grid = make_grid(program, family, loops.lumps)
        self.fast: dict[str, NDArray[np.int64]] = {}
        self.slow: dict[str, NDArray[np.int64]] = {}
        self.final_progress: dict[str, int] = {}
        for array in family.arrays:
            shape = tuple(self.grid.count(axis) for axis in array.axes)
            terms = None if array.sum is None else self.grid.count(array.sum)
            kind = np.int64 if terms is None else _terms_type(terms)
            self.fast[array.name] = np.zeros(shape, dtype=kind)
            self.slow[array.name] = np.full(shape, 1 if array.is_input else 0, dtype=kind)
            final = family.chain_length(array.name) if terms is None else _all_terms(terms)
            self.final_progress[array.name] = final
        self._wholes = {axis: slice(0, self.grid.count(axis)) for axis in family.extents}
        self.slices = dict(self._wholes)
        self.lengths = dict(family.extents)
        self._along = {
            axis: [array.name for array in family.arrays if axis in array.axes] for axis in family.extents
        }
        self._parts: dict[str, GridBox] = {}

    def enter(self, axis: str, tile: Interval | None) -> None:
        """Make a tile of an axis the current one; None: the whole axis."""
        if tile is None:
            self.slices[axis], self.lengths[axis] = self._wholes[axis], self.family.extents[axis]
        else:
            self.slices[axis], self.lengths[axis] = self.grid.cells(axis, tile), tile[1] - tile[0]
        for name in self._along[axis]:
            self._parts.pop(name, None)

    def part(self, array: Array) -> GridBox:
        """Return the current box of an array."""
        found = self._parts.get(array.name)
        if found is None:
            kind = GridBox if array.sum is None else SumBox
            found = self._parts[array.name] = kind(self, array)
        return found

    def tidy(self, axis: str) -> None:
        """Do nothing: the grid is fixed."""

    def planes(self, name: str, moved: bool) -> list[NDArray[np.int64]]:
        """Return all that is known of an array's cells; of slow memory only if words are moved to or from it."""
        return [self.fast[name], self.slow[name]] if moved else [self.fast[name]]

    def count(self, array: Array, chosen: NDArray[np.bool_]) -> int:
        """Return the exact number of words in chosen cells of the current box."""
        total: Any = chosen.astype(object)
        for axis in reversed(array.axes):
            lengths = self.grid.lengths(axis)[self.slices[axis]]
            total = total @ np.array(lengths, dtype=object)
        return int(total)

    def final(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the progress of every element of an array in fast and in slow memory (small sizes only)."""
        fast, slow = self.fast[name], self.slow[name]
        for position, axis in enumerate(self.family[name].axes):
            lengths = self.grid.lengths(axis)
            fast = np.repeat(fast, lengths, axis=position)
            slow = np.repeat(slow, lengths, axis=position)
        return fast, slow


class GridBox(CurrentBox):
    """The current box of an array, a whole number of cells."""

    __slots__ = ("array", "fast", "final", "slow", "state")

    def __init__(self, state: GridState, array: Array) -> None:
        slices, lengths = state.slices, state.lengths
        self.state, self.array = state, array
        cells: tuple[Any, ...] = (*[slices[axis] for axis in array.axes], ...)
        self.words = prod([lengths[axis] for axis in array.axes])
        self.fast, self.slow = state.fast[array.name][cells], state.slow[array.name][cells]
        self.final = state.final_progress[array.name]

    def held(self, memory: int) -> int | None:
        """Words that a memory holds of the box; None if it lacks some."""
        view = self.slow if memory == SLOW else self.fast
        return self.words if count_nonzero(view) == view.size else None

    def absent(self) -> int | None:
        """Words that fast memory lacks; None if it has another partial result."""
        fast = self.fast
        if not count_nonzero(fast):
            return self.words
        present = fast > 0
        return None if (fast[present] != self.slow[present]).any() else self.vacant()

    def vacant(self) -> int:
        """Words of the box that are not in fast memory."""
        present = count_nonzero(self.fast)
        if present == self.fast.size:
            return 0
        return self.state.count(self.array, self.fast == 0) if present else self.words

    def is_complete(self, memory: int) -> bool:
        """Whether a memory holds the final result of every element."""
        view = self.slow if memory == SLOW else self.fast
        return not count_nonzero(view != self.final)

    def is_at(self, step: str, tile: Interval) -> bool:
        """Whether fast memory holds a chain's element at or before a tile of one step; before the first is none."""
        if step == "before" and tile[0] == 0:
            return True
        return not count_nonzero(self.fast != tile[step == "after"])

    def other_than(self, progress: int) -> list[int]:
        """What fast memory holds that has not got exactly so far; the progress of all cells, if there is any."""
        if not count_nonzero(self.fast != progress):
            return []
        return [int(found) for found in np.unique(self.fast)]

    def advance(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the vertices that a chain computes, the words that begin, and the transient word of a step."""
        return self.words * (stop - start), 0 if start else self.words, int(start > 0 or stop - start > 1)

    def load(self) -> None:
        """Copy the box from slow to fast memory."""
        self.fast[...] = self.slow

    def store(self) -> None:
        """Copy the box from fast to slow memory, where that has not got further already."""
        np.maximum(self.slow, self.fast, out=self.slow)

    def place(self, progress: int) -> None:
        """Note the box's progress in fast memory; 0 deletes it."""
        self.fast[...] = progress


class SumBox(GridBox):
    """The current box of a sum: *progress* is the set of the cells of the summed axis whose terms are in.

    Words with no term in are not there, so no set is empty.
    """

    __slots__ = ()

    def _terms(self, start: int, stop: int) -> int:
        assert self.array.sum is not None
        return terms_of_cells(self.state.grid.cells(self.array.sum, (start, stop)))

    def counted_twice(self, start: int, stop: int) -> bool:
        """Whether fast memory holds a word that has absorbed some of these terms."""
        return bool(count_nonzero(self.fast & self._terms(start, stop)))

    def advance(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the vertices computed by absorbing terms, the words that begin, and the transient word of a step.

        Words are taken one after the other: a step needs a word more if it comes after the last word that begins.
        """
        steps = stop - start > 1 or bool(self.fast.flat[-1] != 0)
        return self.words * (stop - start), self.vacant(), int(steps)

    def reach(self, start: int, stop: int) -> None:
        """Note that the box's words have absorbed terms."""
        self.fast[...] = self.fast | self._terms(start, stop)

    def comparable(self) -> bool:
        """Whether of every word fast memory holds more of the terms than slow memory, or no more than that."""
        both: NDArray[Any] = self.fast & self.slow
        return not count_nonzero((both != self.fast) & (both != self.slow))

    def store(self) -> None:
        """Copy the box from fast to slow memory, where that has not got further already."""
        self.slow[...] = self.slow | self.fast

    def is_at(self, step: str, tile: Interval) -> bool:
        """A sum has no steps, and nobody reads it at one."""
        raise NotImplementedError
