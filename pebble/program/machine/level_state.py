"""State of several memory levels on a fixed grid: what each level holds of every array, and which copies are valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import count_nonzero

from pebble.program.counting.level_storage import ComputedPart, LevelPart, LevelStorage
from pebble.program.machine.grid_state import GridBox, GridState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.machine.loops import Loops
    from pebble.program.nodes import Program

__all__ = ["LevelState"]

Plane = dict[str, "NDArray[np.int64]"]


class LevelState(LevelStorage, GridState):
    """The state of all levels on the grid of all tiles that a program executes.

    Attributes
    ----------
    held, valid : list of dict of str to ndarray of int64
        Progress of the cells of every array at each level, the innermost first: what takes room, what has a value.
    """

    def __init__(
        self, program: Program, family: Family, loops: Loops, levels: int, inclusive: bool, measured: int
    ) -> None:
        super().__init__(program, family, loops)
        self.levels, self.inclusive, self.measured = levels, inclusive, measured
        self.held: list[Plane] = [self.fast, *(self._empty() for _ in range(levels - 1))]
        self.valid = [self.fast, *(self._empty() for _ in range(levels - 1))] if inclusive else self.held

    def _empty(self) -> Plane:
        return {name: np.zeros_like(cells) for name, cells in self.fast.items()}

    def beyond(self, level: int) -> Plane:
        """Return what has a value in the next level out."""
        return self.valid[level] if level < self.levels else self.slow

    def part(self, array: Array) -> GridBox:
        """Return the current box of an array as the operation at hand sees it; at the end, at the outermost level."""
        op = self.acting
        if op is None:
            return LevelBox(self, array, self.levels)
        return ComputedBox(self, array) if op.action == "compute" else LevelBox(self, array, op.level)

    def cells(self, plane: Plane, array: Array) -> NDArray[np.int64]:
        """Return the current box of an array in one plane."""
        box: tuple[Any, ...] = (*[self.slices[axis] for axis in array.axes], ...)
        found: NDArray[np.int64] = plane[array.name][box]
        return found

    def planes(self, name: str, moved: bool) -> list[NDArray[np.int64]]:
        """Return all that is known of an array's cells."""
        bounded = [*self.held, *self.valid[1:]] if self.inclusive else self.held
        return [plane[name] for plane in bounded] + ([self.slow[name]] if moved else [])


class LevelBox(GridBox, LevelPart):
    """The current box of an array at one level, with the next level out as its slow memory."""

    __slots__ = ("next_held", "valid", "within")

    def __init__(self, state: LevelState, array: Array, level: int) -> None:
        super().__init__(state, array)
        self.fast = state.cells(state.held[level - 1], array)
        self.valid = state.cells(state.valid[level - 1], array)
        self.slow = state.cells(state.beyond(level), array)
        self.within = None if level == 1 else state.cells(state.held[level - 2], array)
        self.next_held = None if level == state.levels else state.cells(state.held[level], array)

    def load(self) -> None:
        """Copy the box from the next level out."""
        self.fast[...] = self.slow
        self.valid[...] = self.slow

    def store(self) -> None:
        """Copy the box to the next level out."""
        np.maximum(self.slow, self.valid, out=self.slow)

    def place(self, progress: int) -> None:
        """Note the box's progress at this level; 0 deletes it."""
        self.fast[...] = progress
        self.valid[...] = progress

    def values(self) -> int | None:
        """Words of the box if the level has the value of all of it."""
        return self.words if count_nonzero(self.valid) == self.valid.size else None

    def is_held_within(self) -> bool:
        """Whether the next level in holds any of the box."""
        return self.within is not None and bool(count_nonzero(self.within))

    def next_absent(self) -> int | None:
        """Words that the next level out lacks, if it is bounded; None if it has another partial result."""
        if self.next_held is None:
            return 0
        present = self.next_held > 0
        if (self.next_held[present] != self.valid[present]).any():
            return None
        return self.state.count(self.array, ~present)


class ComputedBox(GridBox, ComputedPart):
    """The current box of an array where it is computed: placed at every level that computing places words in."""

    __slots__ = ("all_held", "counted", "outer_valid")

    def __init__(self, state: LevelState, array: Array) -> None:
        super().__init__(state, array)
        planes = state.held if state.inclusive else state.held[:1]
        self.all_held = [state.cells(plane, array) for plane in planes]
        self.outer_valid = [state.cells(plane, array) for plane in state.valid[1:]] if state.inclusive else []
        measured = state.measured - 1
        self.counted = self.all_held[measured] if measured < len(planes) else None

    def vacant(self) -> int:
        """Words of the box that the measured level does not hold and will."""
        return 0 if self.counted is None else self.state.count(self.array, self.counted == 0)

    def advance(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the vertices that a chain computes, the words that begin, and the transient word of a step."""
        vertices, new, step = super().advance(start, stop)
        return (vertices, 0, 0) if self.counted is None else (vertices, new, step)

    def other_than(self, progress: int) -> list[int]:
        """What is held that has not got exactly so far; where a chain starts anew, at any level."""
        planes = self.all_held if progress == 0 else self.all_held[:1]
        found = {int(one) for plane in planes for one in np.unique(plane)}
        return sorted(found) if found != {progress} else []

    def other_in_level_1(self, progress: int) -> list[int]:
        """What level 1 holds that has not got exactly so far, as sorted progress."""
        return super().other_than(progress)

    def place(self, progress: int) -> None:
        """Note the box's progress at all levels; farther out only what was the same before keeps a value."""
        for plane in self.all_held:
            plane[...] = progress
        for plane in self.outer_valid:
            plane[plane != progress] = 0
