"""State under a mask, on cuts that come and go: a box of S, P, dP or dS has a word for each allowed pair.

A chain over keys (queries) is as far as the loops have got, for all lines of a cell alike: a line of which nothing
was allowed so far has not begun and takes no room, and to have got to key 7 or to key 9 is the same for a line that
has no pair with keys 7 and 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.chain_steps import ChainSteps
from pebble.program.counting.state import FAST, SLOW, CurrentBox, State
from pebble.program.machine.field import Field
from pebble.program.machine.loops import ShortcutFails

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.nodes import Interval

__all__ = ["MANY", "UNKNOWN", "Box", "FieldState"]

Box = tuple["Interval", ...]
Cells = list[tuple[Box, "NDArray[np.int64]"]]
_REMEMBERED = 4096
"""Boxes whose pairs are not counted again."""

UNKNOWN = -1
"""What slow memory holds of partial results that differ from tile to tile behind a loop that was not executed."""

MANY = 8
"""Cells of an axis after which a loop that is still going on joins those that are alike."""


class FieldState(State):
    """The state of both memories under a mask, with more planes where there are memory levels between.

    Attributes
    ----------
    fields : dict of str to Field
        The state of every array.
    tiles : dict of str to (int, int)
        The current tile of every axis that has one.
    """

    def __init__(self, family: Family, planes: int = 2) -> None:
        assert family.mask is not None
        self.family, self.mask, self.planes = family, family.mask, planes
        self.fields = {
            array.name: Field(tuple(family.extents[axis] for axis in array.axes), int(array.is_input), planes)
            for array in family.arrays
        }
        self.tiles: dict[str, Interval] = {}
        self._pairs = lru_cache(_REMEMBERED)(self.mask.count)
        self._told_apart = {array.name for array in family.arrays if self._is_told_apart(array)}

    def need(self, *progress: int) -> None:
        """Fail where something depends on what is unknown: then the loop must be executed tile by tile."""
        if UNKNOWN in progress:
            assert self.unsure is not None
            raise ShortcutFails(self.unsure, "partial results it leaves in slow memory are used later")

    def enter(self, axis: str, tile: Interval | None) -> None:
        """Make a tile of an axis the current one; None: the whole axis."""
        if tile is None:
            self.tiles.pop(axis, None)
        else:
            self.tiles[axis] = tile

    def part(self, array: Array) -> FieldBox:
        """Return the current box of an array."""
        return FieldBox(self, array)

    def interval(self, axis: str) -> Interval:
        """Return the current tile of an axis, or the whole axis."""
        return self.tiles.get(axis) or (0, self.family.extents[axis])

    def box(self, array: Array) -> Box:
        """Return the current tiles of an array's axes."""
        tiles, extents = self.tiles, self.family.extents
        return tuple([tiles.get(axis) or (0, extents[axis]) for axis in array.axes])

    def cells(self, array: Array, box: Box) -> Cells:
        """Return the cells that make up a box, each with its state; nothing is cut."""
        field = self.fields[array.name]
        one = field.cell(box)
        if one is not None:
            return [(box, one)]
        pieces, states = field.covering(box)
        return [
            (tuple(piece[i] for piece, i in zip(pieces, index, strict=True)), states[(slice(None), *index)])
            for index in np.ndindex(*states.shape[1:])
        ]

    # Words and progress

    def words(self, array: Array, cell: Box) -> int:
        """Words of a box of an array, whatever memory holds of it."""
        words, at = 1, {}
        for axis, interval in zip(array.axes, cell, strict=True):
            if axis in self.family.masked_axes:
                at[axis] = interval
            else:
                words *= interval[1] - interval[0]
        if len(at) == 2:
            return words * self._pairs(at["i"], at["j"])
        for axis, (start, stop) in at.items():
            words *= self.mask.present(axis, start, stop)
        return words

    def is_empty(self, array: Array, cell: Box) -> bool:
        """Whether a cell has no words."""
        at = {axis: lines for axis, lines in zip(array.axes, cell, strict=True) if axis in OTHER_AXIS}
        if len(at) == 2:
            return not self.mask.has_pairs("i", at["i"], at["j"])
        return any(self.mask.present(axis, *lines) == 0 for axis, lines in at.items())

    def has_masked_chain(self, array: Array) -> bool:
        """Whether an array's chain is over queries or keys."""
        return array.chain in self.family.masked_axes

    def line(self, array: Array, cell: Box) -> tuple[str, Interval, int]:
        """Return the axis and the interval of the lines of a masked chain's box, and its words per line."""
        rest = 1
        axis, lines = "", (0, 0)
        for one, interval in zip(array.axes, cell, strict=True):
            if one in self.family.masked_axes:
                axis, lines = one, interval
            else:
                rest *= interval[1] - interval[0]
        return axis, lines, rest

    def held(self, array: Array, cell: Box, progress: int) -> int:
        """Words a memory holds of a cell in which an array has got so far."""
        if progress == 0:
            return 0
        if not self.has_masked_chain(array):
            return self.words(array, cell)
        self.need(progress)
        axis, lines, rest = self.line(array, cell)
        return rest * self.mask.started(axis, lines, progress)

    def lacks(self, array: Array, cell: Box, progress: int) -> bool:
        """Whether a memory in which an array has got so far holds nothing of some element that has begun by now.

        Inside a loop over a masked chain's axis, a line has begun if it has a pair before the current tile; outside,
        if it has any.
        """
        if not self.has_masked_chain(array):
            return progress == 0 and self.words(array, cell) > 0
        assert array.chain is not None
        axis, lines, _ = self.line(array, cell)
        self.need(progress)
        tile = self.tiles.get(array.chain)
        by_now = tile[0] if tile else self.family.extents[array.chain]
        if by_now <= progress:
            return False
        return self.mask.started(axis, lines, by_now) > self.mask.started(axis, lines, progress)

    def alike(self, array: Array, cell: Box, one: int, other: int) -> bool:
        """Whether two states of progress are the same for all lines of a cell."""
        if one == other:
            return True
        if not self.has_masked_chain(array):
            return False
        self.need(one, other)
        axis, lines, _ = self.line(array, cell)
        return not self.mask.has_pairs(axis, lines, (min(one, other), max(one, other)))

    def conflict(self, array: Array, cell: Box, fast: int, slow: int) -> bool:
        """Whether fast memory holds another result than slow memory of some element."""
        if self.alike(array, cell, fast, slow):
            return False
        if not self.has_masked_chain(array) or slow < fast:
            return True
        axis, lines, _ = self.line(array, cell)
        return self.mask.have_begun(axis, lines, fast, (fast, slow))

    def is_complete(self, array: Array, cell: Box, progress: int) -> bool:
        """Whether an array has got to its final results all over a cell."""
        return self.alike(array, cell, progress, self.family.chain_length(array.name))

    def is_at(self, array: Array, cell: Box, progress: int, step: str, tile: Interval) -> bool:
        """Whether an array has got to (``after``) or just ``before`` a tile of one step, on the lines that have it.

        A line that begins with the step has nothing before it, and nothing is asked of it.
        """
        asked = tile[step == "after"]
        if progress == asked or (asked == 0 and step == "before"):
            return True
        if not self.has_masked_chain(array):
            return self.words(array, cell) == 0
        axis, lines, _ = self.line(array, cell)
        self.need(progress)
        between = min(progress, asked), max(progress, asked)
        return self._are_at(axis, lines, tile, between, (0, tile[0]) if step == "before" else None)

    def _are_at(
        self, axis: str, lines: Interval, tile: Interval, between: Interval, before: Interval | None
    ) -> bool:
        """Whether of some lines those that have a step have no pairs in between, or, where asked, none before."""
        if not self.mask.has_pairs(axis, lines, tile) or not self.mask.has_pairs(axis, lines, between):
            return True
        start, stop = lines
        if stop - start == 1:
            return before is not None and not self.mask.has_pairs(axis, lines, before)
        middle = (start + stop) // 2
        return all(
            self._are_at(axis, half, tile, between, before) for half in ((start, middle), (middle, stop))
        )

    # Joining cells

    def tidy(self, axis: str) -> None:
        """Join the cells that are alike along an axis, of the arrays that have many."""
        self.join(axis, self.fields, MANY)

    def join(self, axis: str, names: Iterable[str], many: int = 0, within: Interval | None = None) -> None:
        """Join the cells that are alike along an axis, of arrays that have more than ``many``: :meth:`.Field.tidy`."""
        for name in names:
            array = self.family[name]
            if axis in array.axes:
                position = array.axes.index(axis)
                if len(self.fields[name].cuts[position]) > many + 1:
                    join = None if name in self._told_apart else partial(self._join, array)
                    self.fields[name].tidy(position, join, within)

    def _is_told_apart(self, array: Array) -> bool:
        """Whether cells are alike only if their states are the same: no cell is empty, no chain passes lines by."""
        lines = [axis for axis in array.axes if axis in self.family.masked_axes]
        present = all(self.mask.present(axis) == self.family.extents[axis] for axis in lines)
        return len(lines) < 2 and present and not self.has_masked_chain(array)

    def _join(
        self,
        array: Array,
        position: int,
        one: Interval,
        two: Interval,
        first: NDArray[np.int64],
        second: NDArray[np.int64],
    ) -> bool:
        """Whether neighbouring cells of an array are alike; if so both get the state they have in common."""
        if first.tobytes() == second.tobytes():
            return True
        merged = first.copy()
        others = [cuts for place, cuts in enumerate(self.fields[array.name].cuts) if place != position]
        for index in np.argwhere((first != second).any(axis=0)).tolist():
            rest = [(cuts[at], cuts[at + 1]) for cuts, at in zip(others, index, strict=True)]
            cells = tuple((*rest[:position], lines, *rest[position:]) for lines in (one, two))
            for memory in range(self.planes):
                mine, other = (int(states[(memory, *index)]) for states in (first, second))
                common = self._common(array, cells, mine, other)
                if common is None:
                    return False
                merged[(memory, *index)] = common
        first[...] = second[...] = merged
        return True

    def _common(self, array: Array, cells: tuple[Box, ...], one: int, other: int) -> int | None:
        """Return a state of progress that stands for both those of two cells; None if there is none."""
        if one == other:
            return one
        if self.is_empty(array, cells[0]):
            return other
        if self.is_empty(array, cells[1]):
            return one
        if UNKNOWN in (one, other):
            return None
        most = max(one, other)
        alike = self.alike(array, cells[0], one, most) and self.alike(array, cells[1], other, most)
        return most if alike else None

    # The end

    def final(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the progress of every element of an array in fast and in slow memory (small sizes only).

        Where a mask leaves an element out, or had it not begun, that is 0; else the progress of a masked chain is the
        index of its last allowed step so far, plus one.
        """
        family, array = self.family, self.family[name]
        shape = tuple(family.extents[axis] for axis in array.axes)
        both = np.zeros((2, *shape), dtype=np.int64)
        for box, state in self.fields[name].boxes():
            both[(slice(None), *(slice(a, b) for a, b in box))] = state[:2].reshape(2, *(1 for _ in box))
        exists = family.exists(name)
        both[:, ~(exists if array.chain is None else exists.any(axis=-1))] = 0
        if self.has_masked_chain(array):
            upto = np.broadcast_to(
                ChainSteps(family, array).upto + 1, (*shape, family.chain_length(name) + 1)
            )
            both = np.stack([np.take_along_axis(upto, one[..., None], axis=-1)[..., 0] for one in both])
        return both[FAST], both[SLOW]


class FieldBox(CurrentBox):
    """The current box of an array, cut only where it is changed; ``at`` says which planes count as both memories."""

    __slots__ = ("array", "at", "box", "state")

    def __init__(self, state: FieldState, array: Array, at: tuple[int, int] = (FAST, SLOW)) -> None:
        self.state, self.array, self.box, self.at = state, array, state.box(array), at

    @property
    def words(self) -> int:  # type: ignore[override]
        """Words of the box."""
        return self.state.words(self.array, self.box)

    def _cells(self) -> Iterator[tuple[Box, int, int]]:
        """Yield the cells of the box with what fast and slow memory hold."""
        fast, slow = self.at
        for cell, state in self.state.cells(self.array, self.box):
            yield cell, int(state[fast]), int(state[slow])

    def held(self, memory: int) -> int | None:
        """Words that a memory holds of the box; None if it lacks some."""
        words = 0
        for cell, state in self.state.cells(self.array, self.box):
            progress = int(state[self.at[memory]])
            if self.state.lacks(self.array, cell, progress):
                return None
            words += self.state.held(self.array, cell, progress)
        return words

    def absent(self) -> int | None:
        """Words that fast memory lacks and slow memory has; None if fast memory has another partial result."""
        words = 0
        for cell, fast, slow in self._cells():
            here = self.state.held(self.array, cell, fast)
            if here and self.state.conflict(self.array, cell, fast, slow):
                return None
            words += self.state.held(self.array, cell, slow) - here
        return words

    def vacant(self) -> int:
        """Words of the box that are not in fast memory."""
        return sum(self.state.words(self.array, cell) for cell, fast, _ in self._cells() if not fast)

    def is_complete(self, memory: int) -> bool:
        """Whether a memory holds the final result of every element that exists."""
        return all(
            self.state.is_complete(self.array, cell, int(state[self.at[memory]]))
            or not self.state.words(self.array, cell)
            for cell, state in self.state.cells(self.array, self.box)
        )

    def is_at(self, step: str, tile: Interval) -> bool:
        """Whether fast memory holds a chain's element at or before a tile of one step, for its readers."""
        return all(self.state.is_at(self.array, cell, fast, step, tile) for cell, fast, _ in self._cells())

    def other_than(self, progress: int) -> list[int]:
        """What fast memory holds that has not got exactly so far, for a line that exists."""
        return sorted(
            {
                fast
                for cell, fast, _ in self._cells()
                if fast != progress
                and not self.state.alike(self.array, cell, fast, progress)
                and self.state.words(self.array, cell)
            }
        )

    def advance(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the vertices that a chain computes, the words that begin, and the transient word of a step."""
        if not self.state.has_masked_chain(self.array):
            words = self.words
            step = words > 0 and (start > 0 or stop - start > 1)
            return words * (stop - start), 0 if start else words, int(step)
        axis, lines, rest = self.state.line(self.array, self.box)
        mask = self.state.mask
        begin, latest = mask.beginning(axis, lines, (start, stop))
        pairs = mask.box(axis, lines, (start, stop))
        if not begin:
            return pairs * rest, 0, min(pairs, 1)
        after = mask.box(axis, (latest, lines[1]), (start, stop))
        return pairs * rest, begin * rest, int(after > 1)

    def load(self) -> None:
        """Copy the box from slow to fast memory."""
        view, (fast, slow) = self.state.fields[self.array.name].view(self.box), self.at
        view[fast] = view[slow]

    def store(self) -> None:
        """Copy the box from fast to slow memory, where that has not got further already."""
        view, (fast, slow) = self.state.fields[self.array.name].view(self.box), self.at
        self.state.need(*np.unique(view[slow]).tolist())
        np.maximum(view[slow], view[fast], out=view[slow])

    def place(self, progress: int) -> None:
        """Note the box's progress in fast memory; 0 deletes it."""
        self.state.fields[self.array.name].view(self.box)[self.at[FAST]] = progress
