"""What every memory holds while every operation is executed: how far each element of each array has got there.

*Progress* is the place that a chain's loop had got to, 1 for an array without a chain, and for a sum in any order the
number of terms that are in; 0: nothing is there. Under a mask the chains of a box are as far as the loop: a line none
of whose steps have come by then has not begun, and places between which a line has no steps are the same to it.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import count_nonzero

from pebble.common.errors import TooManyOperations
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.chain_steps import ChainSteps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.nodes import Interval

__all__ = [
    "FAST",
    "MOST_ELEMENTS",
    "SLOW",
    "Box",
    "Storage",
    "SumBox",
    "refuse_too_many_elements",
]

FAST, SLOW = 0, 1
"""The two memories that a box is asked about."""

MOST_ELEMENTS = 2**27

Progress = Any  # an array of whole numbers, of the type that is large enough


def refuse_too_many_elements(family: Family) -> None:
    """Say before the work that there is no room to note the progress of every element."""
    total = 0
    for array in family.arrays:
        terms = 1 if array.sum is None else family.extents[array.sum]
        total += terms * prod(family.extents[axis] for axis in array.axes)
    if total > MOST_ELEMENTS:
        raise TooManyOperations(
            f"not verified at this size: operation by operation, the state of {total:,} elements would "
            f"have to be kept; the limit is {MOST_ELEMENTS:,}: use a smaller problem"
        )


class Storage:
    """The state of slow memory, and of one fast memory or several memory levels.

    A computed word takes room at every level of an inclusive hierarchy, but has its value only where it was computed
    until it is stored outwards: what a level holds and what it has the value of differ.

    Attributes
    ----------
    measured : int
        The level whose words are counted.
    held, valid : list of dict of str to ndarray
        For each level, the innermost first, the progress of what takes room, and of what has a value.
    slow : dict of str to ndarray
        Progress in slow memory.
    terms : dict of str to (ndarray of bool, ndarray of bool)
        For each sum in any order, which terms fast and slow memory have, the terms along the last axis.
    first : dict of str to ndarray
        Of arrays along a masked axis: an element is there where its progress is above this. It is the first step of a
        masked chain, else 0; where an element does not exist, the length of the chain.
    length : dict of str to int
        Lengths of all chains.
    steps : dict of str to ndarray
        For each axis with masked chains along it, how many steps each line has before each place.
    tiles : dict of str to (int, int)
        The current tile of every axis that has one.
    """

    def __init__(self, family: Family, levels: int = 1, inclusive: bool = True, measured: int = 1) -> None:
        refuse_too_many_elements(family)
        self.family, self.levels, self.inclusive, self.measured = family, levels, inclusive, measured
        self.held: list[dict[str, Progress]] = [self._zeros() for _ in range(levels)]
        self.valid = [self.held[0], *(self._zeros() for _ in self.held[1:])] if inclusive else self.held
        self.slow = self._zeros()
        self.terms: dict[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {}
        self.first: dict[str, Progress] = {}
        self.length = {array.name: family.chain_length(array.name) for array in family.arrays}
        self.steps: dict[str, Progress] = {}
        for array in family.arrays:
            if array.is_input:
                self.slow[array.name][...] = 1
            if array.sum is not None:
                shape = family.shape(array.name)
                self.terms[array.name] = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
            if any(axis in family.masked_axes for axis in array.axes):
                self.first[array.name] = self._first(array)
        self.tiles: dict[str, Interval] = {}
        self._slices = {axis: slice(0, extent) for axis, extent in family.extents.items()}
        self._along = {
            axis: [array.name for array in family.arrays if axis in array.axes] for axis in family.extents
        }
        self._parts: dict[str, dict[int, Box]] = {array.name: {} for array in family.arrays}

    def _zeros(self) -> dict[str, Progress]:
        return {array.name: np.zeros(self._shape(array), self._type(array)) for array in self.family.arrays}

    def _shape(self, array: Array) -> tuple[int, ...]:
        return tuple(self.family.extents[axis] for axis in array.axes)

    def _type(self, array: Array) -> np.dtype[Any]:
        return np.min_scalar_type(self.family.chain_length(array.name))

    def _first(self, array: Array) -> Progress:
        """Return above which progress the elements of a masked array are there; note the steps of masked chains."""
        family, axis = self.family, self.family.line_axis(array)
        lines = [one for one in array.axes if one in family.masked_axes]
        assert family.mask is not None
        first: NDArray[Any]
        if axis is not None:
            first = family.mask.first(axis)
            if axis not in self.steps:
                self.steps[axis] = self._steps(axis)
        elif len(lines) == 2:
            whole = [(0, family.extents[one]) for one in lines]
            first = ~family.mask.lines_matrix(lines[0], whole[0], whole[1])
        else:
            first = family.mask.last(lines[0]) < 0
        first = first * (1 if axis else family.chain_length(array.name))
        form = [family.extents[one] if one in lines else 1 for one in array.axes]
        return np.broadcast_to(first.astype(self._type(array)).reshape(form), self._shape(array))

    def _steps(self, axis: str) -> Progress:
        """Return how many partners each line of an axis has before each place."""
        lines, partners = self.family.extents[axis], self.family.extents[OTHER_AXIS[axis]]
        assert self.family.mask is not None
        steps = np.zeros((lines, partners + 1), np.min_scalar_type(partners))
        allowed = self.family.mask.lines_matrix(axis, (0, lines), (0, partners))
        np.cumsum(allowed, axis=1, dtype=steps.dtype, out=steps[:, 1:])
        return steps

    def enter(self, axis: str, tile: Interval | None) -> None:
        """Make a tile of an axis the current one; None: the whole axis."""
        if tile is None:
            self.tiles.pop(axis, None)
            self._slices[axis] = slice(0, self.family.extents[axis])
        else:
            self.tiles[axis], self._slices[axis] = tile, slice(*tile)
        for name in self._along[axis]:
            self._parts[name].clear()

    def part(self, array: Array, level: int = 1) -> Box:
        """Return the current box of an array at a level."""
        parts = self._parts[array.name]
        found = parts.get(level)
        if found is None:
            found = parts[level] = (Box if array.sum is None else SumBox)(self, array, level)
        return found

    def box(self, array: Array) -> tuple[Any, ...]:
        """Return the current tiles of an array's axes, to index with."""
        slices = self._slices
        return (*[slices[axis] for axis in array.axes], ...)

    def final(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the progress of every element of an array in the innermost level and in slow memory.

        It is 0 for what does not exist or has not begun; the progress of a masked chain is the index of its last
        allowed step so far, plus one.
        """
        array, first = self.family[name], self.first.get(name, 0)
        both = [
            np.where(one > first, one, 0).astype(np.int64) for one in (self.held[0][name], self.slow[name])
        ]
        if self.family.line_axis(array) is not None:
            upto = ChainSteps(self.family, array).upto + 1
            upto = np.broadcast_to(upto, (*both[0].shape, upto.shape[-1]))
            both = [np.take_along_axis(upto, one[..., None], axis=-1)[..., 0] for one in both]
        return both[0], both[1]


class Box:
    """The current box of an array at one level, with the next level out as its slow memory.

    What is computed is placed in level 1, and in an inclusive hierarchy in all levels.
    """

    __slots__ = (
        "_words", "array", "fast", "first", "length", "level", "masked", "next", "outer", "outer_valid", "rows",
        "slow", "state", "valid",
    )  # fmt: skip

    def __init__(self, state: Storage, array: Array, level: int) -> None:
        box, name = state.box(array), array.name
        self.state, self.array, self.level = state, array, level
        self.length = state.length[name]
        held, valid = state.held[level - 1], state.valid[level - 1]
        self.fast: Progress = held[name][box]
        self.valid: Progress = self.fast if valid is held else valid[name][box]
        if level == state.levels:
            self.slow: Progress = state.slow[name][box]
            self.next: Progress = None
        else:
            self.slow, self.next = state.valid[level][name][box], state.held[level][name][box]
        self.outer: list[Progress] = []
        self.outer_valid: list[Progress] = []
        if level == 1 < state.levels and state.inclusive:
            self.outer = [plane[name][box] for plane in state.held[1:]]
            self.outer_valid = [plane[name][box] for plane in state.valid[1:]]
        self.rows: tuple[Progress, Progress] | None = None
        self.masked = name in state.first
        self.first: Progress = 0
        self._words = -1
        if self.masked:
            self.first = state.first[name][box]
            if array.chain in state.family.masked_axes:
                self.rows = self._rows(box)

    def _rows(self, box: tuple[Any, ...]) -> tuple[Progress, Progress]:
        """Return how many steps the lines of a masked chain have before each place, and the lines' numbers."""
        axis = OTHER_AXIS[str(self.array.chain)]
        at, shape = self.array.axes.index(axis), [1] * self.fast.ndim
        shape[at] = -1
        return self.state.steps[axis][box[at]], np.arange(self.fast.shape[at]).reshape(shape)

    @property
    def words(self) -> int:
        """Words of the box."""
        if self._words < 0:
            self._words = int(count_nonzero(self.first < self.length)) if self.masked else self.fast.size
        return self._words

    # Questions about progress, element by element

    def _lacks(self, progress: Progress) -> bool:
        """Whether nothing is there of some element that has begun by now.

        Inside a loop over a masked chain's axis, a line has begun if it has a step before the current tile; outside,
        if it has any.
        """
        tile = None if self.rows is None else self.state.tiles.get(self.array.chain or "")
        by_now = tile[0] if tile else self.length
        return bool(count_nonzero((self.first < by_now) & (progress <= self.first)))

    def _differ(self, one: Progress, other: Progress) -> Any:
        """Return of which elements two states of progress are not the same."""
        differ = one != other
        if self.rows is not None:
            if count_nonzero(differ):
                steps, numbers = self.rows
                differ = steps[numbers, one] != steps[numbers, other]
        elif self.masked:
            differ &= self.first < self.length
        return differ

    def _are_same(self, one: Progress, other: Progress) -> bool:
        return one is other or not count_nonzero(self._differ(one, other))

    def _count(self, progress: Progress) -> int:
        return int(count_nonzero(progress > self.first if self.masked else progress))

    def _missing(self, fast: Progress, slow: Progress) -> int | None:
        """Words that one memory lacks and another has; None if the first has another partial result."""
        here = self._count(fast)
        if here and count_nonzero((fast > self.first) & self._differ(fast, slow)):
            return None
        return self._count(slow) - here

    def _whole(self, progress: Progress) -> int | None:
        """Words that are there; None if some are lacking."""
        words = self._count(progress)
        return None if words < progress.size and self._lacks(progress) else words

    # What the rules ask

    def held(self, memory: int) -> int | None:
        """Words that the level holds of the box, or that the next one out has the value of; None if it lacks some."""
        if memory != SLOW:
            return self._whole(self.fast)
        # In an inclusive hierarchy the next level may hold a newer result, of which it has no value.
        current = self.next is None or self._are_same(self.slow, self.next)
        return self._whole(self.slow) if current else None

    def values(self) -> int | None:
        """Words of the box whose value the level has; None if it lacks some."""
        return self._whole(self.valid) if self._are_same(self.valid, self.fast) else None

    def is_held_within(self) -> bool:
        """Whether the next level in holds any of the box."""
        if self.level == 1:
            return False
        within = self.state.held[self.level - 2][self.array.name][self.state.box(self.array)]
        return self._count(within) > 0

    def next_absent(self) -> int | None:
        """Words that the next level out lacks, if it is bounded; None if it has another partial result."""
        return 0 if self.next is None else self._missing(self.next, self.valid)

    def absent(self) -> int | None:
        """Words that the level lacks and the next one out has; None if it has another partial result."""
        return self._missing(self.fast, self.slow)

    def vacant(self) -> int:
        """Words of the box that are not in the measured level, if computing places them there."""
        level = min(self.state.measured - 1, len(self.outer))
        return self.words - self._count(self.outer[level - 1] if level else self.fast)

    def is_complete(self, memory: int) -> bool:
        """Whether a memory holds the final result of every element."""
        return self._are_same(self.slow if memory == SLOW else self.fast, self.length)

    def is_at(self, step: str, tile: Interval) -> bool:
        """Whether fast memory holds a chain's element at or before a tile of one step, for its readers."""
        asked = tile[step == "after"]
        if step == "before" and asked == 0:
            return True
        wrong = self._differ(self.fast, asked)
        if self.rows is not None:
            steps, numbers = self.rows
            wrong &= steps[numbers, tile[0]] < steps[numbers, tile[1]]
            if step == "before":
                wrong &= self.first < tile[0]
        return not count_nonzero(wrong)

    def other_than(self, progress: int) -> tuple[int, list[int]] | None:
        """Return the first level that holds what has not got exactly so far, and that as sorted progress; or None.

        Without a mask, level 1 tells of all that it holds.
        """
        for level, plane in enumerate((self.fast, *self.outer), start=1):
            other = self._differ(plane, progress)
            if count_nonzero(other):
                found = plane[other] if level > 1 or self.state.family.masked_axes else plane
                return level, np.unique(found).tolist()
        return None

    def advance(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the vertices that a chain computes, the words that begin, and the transient word of a step."""
        if self.rows is None:
            words = self.words
            step = words > 0 and (start > 0 or stop - start > 1)
            return words * (stop - start), 0 if start else words, int(step)
        steps, rest = self.rows[0], self.fast.size // len(self.rows[0])
        inside = steps[:, stop] - steps[:, start]
        pairs = int(inside.sum())
        begun = np.flatnonzero((steps[:, start] == 0) & (inside > 0))
        if not len(begun):
            return pairs * rest, 0, min(pairs, 1)
        return pairs * rest, len(begun) * rest, int(inside[begun[-1] :].sum() > 1)

    # Changes

    def load(self) -> None:
        """Copy the box from the next level out."""
        self.fast[...] = self.slow
        if self.valid is not self.fast:
            self.valid[...] = self.slow

    def store(self) -> None:
        """Copy the box to the next level out, where that has not got further already."""
        np.maximum(self.slow, self.fast, out=self.slow)

    def clear(self) -> None:
        """Delete the box at this level."""
        self.fast[...] = 0
        if self.valid is not self.fast:
            self.valid[...] = 0

    def place(self, progress: int) -> None:
        """Note the box's progress where computing places it; farther out only what was the same keeps a value."""
        self.fast[...] = progress
        for plane in self.outer:
            plane[...] = progress
        for plane in self.outer_valid:
            plane[self._differ(plane, progress)] = 0

    def reach(self, start: int, stop: int) -> None:
        """Note that a chain has got from one place to another."""
        self.place(stop)


class SumBox(Box):
    """The current box of a sum in any order, in one fast memory and slow memory."""

    __slots__ = ("_fast_terms", "_slow_terms")

    def __init__(self, state: Storage, array: Array, level: int) -> None:
        super().__init__(state, array, level)
        box = state.box(array)
        self._fast_terms, self._slow_terms = (terms[box] for terms in state.terms[array.name])

    def absent(self) -> int | None:
        """Words that fast memory lacks and slow memory has; None if it has another partial sum."""
        other = (self._fast_terms != self._slow_terms).any(axis=-1)
        return None if (other & (self.fast > 0)).any() else self._count(self.slow) - self._count(self.fast)

    def counted_twice(self, start: int, stop: int) -> bool:
        """Whether fast memory holds a word that has absorbed some of these terms."""
        return bool(self._fast_terms[..., start:stop].any())

    def comparable(self) -> bool:
        """Whether of every word fast memory holds more of the terms than slow memory, or no more than that."""
        more = (self._fast_terms & ~self._slow_terms).any(axis=-1)
        return not (more & (self._slow_terms & ~self._fast_terms).any(axis=-1)).any()

    def advance(self, start: int, stop: int) -> tuple[int, int, int]:
        """Return the vertices computed by absorbing terms, the words that begin, and the transient word of a step.

        Words are taken one after the other: a step needs a word more if it comes after the last word that begins.
        """
        step = stop - start > 1 or bool(self.fast.flat[-1] > 0)
        return self.words * (stop - start), self.vacant(), int(step)

    def load(self) -> None:
        """Copy the box from slow to fast memory."""
        super().load()
        self._fast_terms[...] = self._slow_terms

    def store(self) -> None:
        """Copy the box from fast to slow memory, where that has not got further already."""
        super().store()
        self._slow_terms |= self._fast_terms

    def clear(self) -> None:
        """Delete the box."""
        super().clear()
        self._fast_terms[...] = False

    def place(self, progress: int) -> None:
        """Delete the box."""
        assert progress == 0
        self.clear()

    def reach(self, start: int, stop: int) -> None:
        """Note that the box's words have absorbed terms."""
        self.fast += self.fast.dtype.type(stop - start)
        self._fast_terms[..., start:stop] = True
