"""Outer loops under a butterfly: of the tiles that lie alike, in classes, the first is executed and stands for all.

Before every tile the state is then the same but for how far the loop has got: what lies along its axis is as the loop
found it, or as a tile leaves it, and chains along its axis have got to the tile. So the machine is put from the first
tile of one class to that of the next; docs/induction.md proves it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.masks.butterfly_tiles import TileClass, frame_of, tile_classes
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.counting.state import SLOW
from pebble.program.machine.bodies import outermost_loops
from pebble.program.machine.effects import Ledger
from pebble.program.machine.field_state import UNKNOWN
from pebble.program.machine.loops import ClassesFail
from pebble.program.machine.segments import is_without_places
from pebble.program.steps import tile_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.computations.masks import Mask
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.bodies import Body
    from pebble.program.machine.effects import Effect
    from pebble.program.machine.field_state import Box, FieldState
    from pebble.program.nodes import Interval, Loop

__all__ = ["TilesInClasses", "classes_of_tiles"]

_FEWEST = 8
"""Tiles of a loop for which classes are looked for."""
_MOVING = "moving"
"""A chain along the loop's axis has got to where the loop has."""
_UNBEGUN, _RUNNING, _FINISHED = range(3)
"""Lines that have no pairs before a place, such that have pairs on both sides of it, and such that have none behind."""


def classes_of_tiles(mask: Mask | None, family: Family, node: Loop, body: Body) -> Sequence[TileClass]:
    """Return the classes of a loop's tiles; none if its body asks for more than a class tells, or they are of no use.

    Parameters
    ----------
    mask : Mask
    family : Family
    node : Loop
        With no loop over an axis of the mask around it.
    body : Body
        What is known of its body.
    """
    if not isinstance(mask, ButterflyMask) or (node.start, node.stop) != (0, None):
        return ()
    count = -(-mask.extents[node.axis] // node.tile)
    if count < _FEWEST:
        return ()
    if body.reach is None or not is_without_places(family, node, body):
        return ()
    other = OTHER_AXIS[node.axis]
    digits = frame_of(mask, other, frozenset(loop.tile for loop in outermost_loops(node.body, other)))
    found = () if digits is None else tile_classes(mask, node.axis, node.tile, digits, body.asks_begun)
    return found if len(found) < count else ()


class TilesInClasses:
    """One execution of a loop whose tiles lie alike in classes.

    Parameters
    ----------
    machine : Machine
    state : FieldState
    node : Loop
    body : Body
        What is known of its body.
    whole : (int, int)
        What the loop runs over.
    moved : set of str
        The arrays that are loaded from slow memory or stored to it.
    """

    def __init__(
        self,
        machine: Machine,
        state: FieldState,
        node: Loop,
        body: Body,
        whole: Interval,
        moved: set[str],
    ) -> None:
        assert isinstance(state.mask, ButterflyMask)
        self.machine, self.state, self.family, self.mask = machine, state, state.family, state.mask
        self.node, self.body, self.whole, self.moved = node, body, whole, moved
        self.axis, self.other = node.axis, OTHER_AXIS[node.axis]
        tiles = frozenset(loop.tile for loop in outermost_loops(node.body, self.other))
        self.frame = self.mask.sides[self.other] << (frame_of(self.mask, self.other, tiles) or 0)
        self.found: dict[tuple[str, int], int] = {}
        self.left: dict[tuple[str, int], int] = {}
        self.lines: dict[tuple[str, int], dict[int, int | str]] = {}
        self.stale: set[str] = set()

    def _begins(self) -> bool:
        """Whether the loop finds each array in one state all over, as it must."""
        for name in self.body.used:
            array = self.family[name]
            for memory in range(self.state.planes):
                if memory == SLOW and name not in self.moved:
                    continue
                value = self._value(array, self.state.box(array), memory)
                if value is None:
                    return False
                self.found[name, memory] = value
        return True

    def execute(self, classes: Sequence[TileClass], iteration: Callable[[int], None]) -> bool:
        """Execute the first tile of every class; whether the loop finds each array as it must, and it is done.

        Parameters
        ----------
        classes : sequence of TileClass
            In order.
        iteration : callable
            Executes the tile of a number.

        Raises
        ------
        ClassesFail
            If what a tile leaves is not what the shortcut needs.
        """
        if not self._begins():
            return False
        for tiles in classes:
            lines = tile_at(*self.whole, self.node.tile, tiles.first)
            if tiles.first:
                self._put(lines[0])
            ledger = Ledger(self.machine)
            iteration(tiles.first)
            self._account(ledger.close(), tiles.times - 1)
            self.machine.put(self.axis, None)
            self._check(lines)
        self._put(self.whole[1])
        for name in self.stale:
            # What a line's last tile used at once it did not store.
            self.state.fields[name].view(self.state.box(self.family[name]))[SLOW] = UNKNOWN
            self.state.unsure = self.node
        self._join()
        return True

    def _account(self, effect: Effect, times: int) -> None:
        """Count what the other tiles of a class move."""
        if effect.held:
            raise ClassesFail(self.node, "a tile leaves other words in fast memory than it found")
        for action, name, count in effect.counts:
            self.machine.counts[action][name] += count * times

    # The state before a tile

    def _put(self, place: int) -> None:
        """Write the state in which all tiles before a place have been executed."""
        for (name, memory), left in self.left.items():
            for lines, value in (((0, place), left), ((place, self.whole[1]), self.found[name, memory])):
                if lines[0] < lines[1]:
                    self._write(name, memory, self.axis, lines, value)
        # Lines of which nobody asks who has begun are left as they were found.
        sorts = self._sorts(place) if self.body.asks_begun else []
        for (name, memory), values in self.lines.items():
            if not sorts:
                self._write(
                    name, memory, self.other, (0, self.mask.extents[self.other]), self.found[name, memory]
                )
                continue
            if values.get(_RUNNING) == _MOVING and not self.found[name, memory]:
                # That is nothing of lines that have not begun, and all of those that have ended.
                self._write(name, memory, self.other, (0, self.mask.extents[self.other]), place)
                continue
            for some, sort in sorts:
                if sort not in values:
                    raise ClassesFail(self.node, f"it is not known what tiles leave of {name}")
                kept = values[sort]
                self._write(name, memory, self.other, some, place if isinstance(kept, str) else kept)
        self._join()

    def _sorts(self, place: int) -> list[tuple[Interval, int]]:
        """Return the lines of the other axis in intervals of one sort, by their pairs before a place and behind it."""
        whole = 0, self.mask.extents[self.other]
        changes = self.mask.flag_changes(self.other, whole, (place, place))
        starts = np.append(0, changes)
        stops = np.append(changes, whole[1]).tolist()
        return [
            ((start, stop), sort)
            for start, stop, sort in zip(starts.tolist(), stops, self._sort_of(starts, place), strict=True)
        ]

    def _sort_of(self, lines: NDArray[np.int64], place: int) -> list[int]:
        begun = self.mask.first_of(self.other, lines) < place
        ended = self.mask.last_of(self.other, lines) < place
        found: list[int] = np.where(ended, _FINISHED, np.where(begun, _RUNNING, _UNBEGUN)).tolist()
        return found

    def _write(self, name: str, memory: int, axis: str, lines: Interval, value: int) -> None:
        self.state.fields[name].view(self._along(self.family[name], axis, lines))[memory] = value

    def _join(self) -> None:
        for axis in (self.axis, self.other):
            self.state.join(axis, self.body.changed)

    def _along(self, array: Array, along: str, lines: Interval) -> Box:
        """Return an array's box, of it only some lines of an axis."""
        return tuple(lines if axis == along else self.state.interval(axis) for axis in array.axes)

    # The state behind a tile

    def _check(self, lines: Interval) -> None:
        """See that a tile leaves what those before have left, and take note of what none has left so far."""
        seen = self._seen(lines)
        for name in self.body.changed:
            array = self.family[name]
            for memory in range(self.state.planes):
                if (name, memory) not in self.found:
                    continue
                if self.axis in array.axes:
                    left = self._value(array, self._along(array, self.axis, lines), memory)
                    if left is None or self.left.setdefault((name, memory), left) != left:
                        raise ClassesFail(self.node, f"tiles leave {name} in different states")
                elif not (
                    all(self._leaves(array, memory, block, sort, lines[1]) for block, sort in seen)
                    if self.other in array.axes
                    else self._value(array, self.state.box(array), memory) == self.found[name, memory]
                ):
                    raise ClassesFail(self.node, f"tiles leave {name} in different states")

    def _seen(self, lines: Interval) -> list[tuple[Interval, int]]:
        """Return the blocks of the other axis that the loops over it see, with their sort behind a tile.

        Those that are finished come last: what is left of them is told by what is left of others.
        """
        blocks = self.mask.partners_of(np.arange(*self.mask.around(self.axis, lines)))
        side, extent = self.mask.sides[self.other], self.mask.extents[self.other]
        frames = np.unique(blocks * side // self.frame)
        starts = (frames[:, None] * self.frame + np.arange(0, self.frame, side)).ravel()
        starts = starts[starts < extent]
        sorts = self._sort_of(starts, lines[1])
        found = [
            ((start, min(start + side, extent)), sort)
            for start, sort in zip(starts.tolist(), sorts, strict=True)
        ]
        return sorted(found, key=lambda one: one[1] == _FINISHED)

    def _leaves(self, array: Array, memory: int, block: Interval, sort: int, place: int) -> bool:
        """Whether the lines of a block are left as others of their sort are; what no other shows is noted."""
        key = array.name, memory
        values = self.lines.setdefault(key, {_UNBEGUN: self.found[key]})
        box = self._along(array, self.other, block)
        cells = [(cell, int(state[memory])) for cell, state in self.state.cells(array, box)]
        moves = array.chain == self.axis and (
            sort == _RUNNING or (sort == _FINISHED and values.get(_RUNNING) == _MOVING)
        )
        value: int | str | None = self._value(array, box, memory)
        if moves and all(self.state.alike(array, *cell, place) for cell in cells):
            value = _MOVING
        if values.get(_RUNNING) == _MOVING and sort == _FINISHED and value != _MOVING and memory == SLOW:
            # It is never asked for again, if a tile of a loop never holds lines of another block.
            self.stale.add(array.name)
            return self.frame == self.mask.sides[self.other]
        if value is None or (not self.body.asks_begun and value != self.found[key]):
            return False
        return values.setdefault(sort, value) == value

    def _value(self, array: Array, box: Box, memory: int) -> int | None:
        """Return the state of all of a box in one memory; None if it is not one, or hangs on a place."""
        cells = [(cell, int(state[memory])) for cell, state in self.state.cells(array, box)]
        cells = [(cell, value) for cell, value in cells if not self.state.is_empty(array, cell)]
        values = {value for _, value in cells}
        if UNKNOWN in values:
            return None
        if not self.state.has_masked_chain(array):
            return values.pop() if len(values) == 1 else None if values else 0
        for value in (0, self.family.chain_length(array.name)):
            if all(self.state.alike(array, cell, got, value) for cell, got in cells):
                return value
        return None
