"""State of several memory levels under a mask, on cuts that come and go: what each level holds, and has the value of.

How far a level has got with a chain, and how far it had when it was given the value, are told apart: of a line that
had no pair in between the value is still what the level holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.program.counting.level_storage import ComputedPart, LevelPart, LevelStorage
from pebble.program.counting.state import FAST, SLOW
from pebble.program.machine.field_state import FieldBox, FieldState

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.machine.field_state import Box

__all__ = ["LevelFieldState"]


class LevelFieldState(LevelStorage, FieldState):
    """The state of all levels under a mask.

    Attributes
    ----------
    held_at, valid_at : list of int
        For each level, the innermost first, the planes of what takes room and of what has a value.
    """

    def __init__(self, family: Family, levels: int, inclusive: bool, measured: int) -> None:
        outer = levels - 1
        super().__init__(family, 2 + (2 * outer if inclusive else outer))
        self.levels, self.inclusive, self.measured = levels, inclusive, measured
        self.held_at = [FAST, *range(2, 2 + outer)]
        self.valid_at = [FAST, *range(2 + outer, 2 + 2 * outer)] if inclusive else self.held_at

    def beyond(self, level: int) -> int:
        """Return the plane of what has a value in the next level out."""
        return self.valid_at[level] if level < self.levels else SLOW

    def part(self, array: Array) -> FieldBox:
        """Return the current box of an array as the operation at hand sees it; at the end, at the outermost level."""
        op = self.acting
        if op is None:
            return _LevelFieldBox(self, array, self.levels)
        return (
            _ComputedFieldBox(self, array)
            if op.action == "compute"
            else _LevelFieldBox(self, array, op.level)
        )

    def still_has(self, array: Array, cell: Box, then: int, now: int) -> bool:
        """Whether a level that had the value of some lines when they had got to ``then`` still has it for any."""
        if then == 0 or not self.has_masked_chain(array):
            return False
        axis, lines, _ = self.line(array, cell)
        return self._any_unchanged(axis, lines, then, now)

    def _any_unchanged(self, axis: str, lines: tuple[int, int], then: int, now: int) -> bool:
        """Whether some line has a pair before ``then`` and none from there up to ``now``."""
        mask, (start, stop) = self.mask, lines
        if not mask.started(axis, lines, then):
            return False
        pairs = mask.box(axis, lines, (then, now))
        if pairs in (0, (stop - start) * (now - then)) or stop - start == 1:
            return pairs == 0
        middle = (start + stop) // 2
        return any(self._any_unchanged(axis, half, then, now) for half in ((start, middle), (middle, stop)))


class _LevelFieldBox(FieldBox, LevelPart):
    """The current box of an array at one level, with the next level out as its slow memory."""

    __slots__ = ("level", "levels")

    def __init__(self, state: LevelFieldState, array: Array, level: int) -> None:
        super().__init__(state, array, (state.held_at[level - 1], state.beyond(level)))
        self.levels, self.level = state, level

    def held(self, memory: int) -> int | None:
        """Words that the level holds of the box, or that the next one out has the value of; None if it lacks some."""
        if memory == SLOW and self.level < self.levels.levels:
            return self._values(self.level + 1)
        return super().held(memory)

    def values(self) -> int | None:
        """Words of the box whose value the level has; None if it lacks some."""
        return self._values(self.level)

    def _values(self, level: int) -> int | None:
        held, valid = self.levels.held_at[level - 1], self.levels.valid_at[level - 1]
        words = 0
        for cell, state in self.state.cells(self.array, self.box):
            has, progress = int(state[valid]), int(state[held])
            if self.state.lacks(self.array, cell, has) or not self._alike(cell, has, progress):
                return None
            words += self.state.held(self.array, cell, has)
        return words

    def _alike(self, cell: Box, one: int, other: int) -> bool:
        return self.state.alike(self.array, cell, one, other) or not self.state.words(self.array, cell)

    def is_held_within(self) -> bool:
        """Whether the next level in holds any of the box."""
        if self.level == 1:
            return False
        plane = self.levels.held_at[self.level - 2]
        return any(
            self.state.held(self.array, cell, int(state[plane]))
            for cell, state in self.state.cells(self.array, self.box)
        )

    def next_absent(self) -> int | None:
        """Words that the next level out lacks, if it is bounded; None if it has another partial result."""
        if self.level == self.levels.levels:
            return 0
        planes = self.levels.held_at[self.level], self.levels.valid_at[self.level - 1]
        return FieldBox(self.state, self.array, planes).absent()

    def load(self) -> None:
        """Copy the box from the next level out."""
        super().load()
        self._note_values()

    def place(self, progress: int) -> None:
        """Note the box's progress at this level; 0 deletes it."""
        super().place(progress)
        self._note_values()

    def _note_values(self) -> None:
        """Note that the level has the values of all that it holds of the box."""
        view = self.state.fields[self.array.name].view(self.box)
        view[self.levels.valid_at[self.level - 1]] = view[self.at[FAST]]


class _ComputedFieldBox(FieldBox, ComputedPart):
    """The current box of an array where it is computed: placed at every level that computing places words in."""

    __slots__ = ("counted", "levels")

    def __init__(self, state: LevelFieldState, array: Array) -> None:
        super().__init__(state, array)
        self.levels = state
        self.counted = state.measured == 1 or state.inclusive

    def vacant(self) -> int:
        """Words of the box that the measured level does not hold and will."""
        if not self.counted:
            return 0
        plane = self.levels.held_at[self.levels.measured - 1]
        return sum(
            self.state.words(self.array, cell)
            for cell, state in self.state.cells(self.array, self.box)
            if not state[plane]
        )

    def advance(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the vertices that a chain computes, the words that begin, and the transient word of a step."""
        vertices, new, step = super().advance(start, stop)
        return (vertices, new, step) if self.counted else (vertices, 0, 0)

    def other_than(self, progress: int) -> list[int]:
        """What is held that has not got exactly so far, in level 1, or if there is none at any level."""
        others = self.other_in_level_1(progress)
        for plane in self._placed()[1:]:
            others = others or FieldBox(self.state, self.array, (plane, SLOW)).other_than(progress)
        return others

    def other_in_level_1(self, progress: int) -> list[int]:
        """What level 1 holds that has not got exactly so far, as sorted progress."""
        return super().other_than(progress)

    def _placed(self) -> list[int]:
        """Return the planes of the levels that computing places words in."""
        return self.levels.held_at if self.levels.inclusive else self.levels.held_at[:1]

    def place(self, progress: int) -> None:
        """Note the box's progress at all levels; farther out only what was the same before keeps a value."""
        state, array = self.levels, self.array
        view = state.fields[array.name].view(self.box)
        for plane in self._placed():
            view[plane] = progress
        for plane in state.valid_at[1:] if state.inclusive else ():
            for cell, planes in state.cells(array, self.box):
                if planes[plane] != progress and not state.still_has(
                    array, cell, int(planes[plane]), progress
                ):
                    planes[plane] = 0
