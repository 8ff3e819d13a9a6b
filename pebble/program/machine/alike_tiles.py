"""Outer loops under a butterfly: of the tiles that lie alike, in classes, the first is executed and stands for all.

Before every tile the state is then the same but for how far the loop has got: what lies along its axis is as the loop
found it, or as a tile leaves it, and chains along its axis have got to the tile. So the machine is put from the first
tile of one class to that of the next; docs/induction.md proves it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.masks.butterfly_tiles import TileClass, frame_of, tile_classes
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.bodies import outermost_loops
from pebble.program.machine.effects import Ledger
from pebble.program.machine.field_state import UNKNOWN
from pebble.program.machine.loops import ClassesFail
from pebble.program.machine.segments import is_without_places
from pebble.program.machine.state import SLOW
from pebble.program.steps import tile_at

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.machine.bodies import Body
    from pebble.program.machine.effects import Effect
    from pebble.program.machine.field_state import Box, FieldState
    from pebble.program.machine.rules import Machine
    from pebble.program.nodes import Interval, Loop

__all__ = ["AlikeTiles", "classes_of_tiles"]

_FEWEST = 8
"""Tiles of a loop for which classes are looked for."""


def classes_of_tiles(family: Family, node: Loop, body: Body, whole: Interval) -> list[TileClass]:
    """Return the classes of a loop's tiles; none if its body asks for more than a class tells, or they are of no use.

    Parameters
    ----------
    family : Family
        Under a mask.
    node : Loop
        With no loop over an axis of the mask around it.
    body : Body
        What is known of its body.
    whole : (int, int)
        What the loop runs over.
    """
    mask = family.mask
    count = -(-(whole[1] - whole[0]) // node.tile)
    if not isinstance(mask, ButterflyMask) or whole != (0, mask.extents[node.axis]) or count < _FEWEST:
        return []
    if body.reach is None or not is_without_places(family, node, body):
        return []
    other = OTHER_AXIS[node.axis]
    digits = frame_of(mask, other, frozenset(loop.tile for loop in outermost_loops(node.body, other)))
    found = [] if digits is None else tile_classes(mask, node.axis, node.tile, digits, body.asks_begun)
    return found if len(found) < count else []


class AlikeTiles:
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
        self.machine, self.state, self.family = machine, state, state.family
        self.node, self.body, self.whole, self.moved = node, body, whole, moved
        self.axis, self.other = node.axis, OTHER_AXIS[node.axis]
        self.found: dict[tuple[str, int], int] = {}
        self.left: dict[tuple[str, int], int | None] = {}
        self.stale: set[str] = set()

    def begins(self) -> bool:
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

    def execute(self, classes: list[TileClass], iteration: Callable[[int], None]) -> None:
        """Execute the first tile of every class.

        Parameters
        ----------
        classes : list of TileClass
            In order.
        iteration : callable
            Executes the tile of a number.

        Raises
        ------
        ClassesFail
            If what a tile leaves is not what the shortcut needs.
        """
        for number, tiles in enumerate(classes):
            lines = tile_at(*self.whole, self.node.tile, tiles.first)
            if tiles.first:
                self._put(lines[0])
            ledger = Ledger(self.machine)
            iteration(tiles.first)
            effect = ledger.close()
            self._account(effect, tiles.times - 1)
            self.machine.put(self.axis, None)
            self._check(lines, learns=number == 0)
        self._put(self.whole[1])
        for name in self.stale:
            # What a line's last tile used at once it did not store.
            self.state.fields[name].view(self.state.box(self.family[name]))[SLOW] = UNKNOWN
            self.state.unsure = self.node
        self._join()

    def _account(self, effect: Effect, times: int) -> None:
        """Count what the other tiles of a class move."""
        if effect.held:
            raise ClassesFail(self.node, "a tile leaves other words in fast memory than it found")
        for action, name, count in effect.counts:
            self.machine.counts[action][name] += count * times

    def _put(self, place: int) -> None:
        """Write the state in which all tiles before a place have been executed."""
        for (name, memory), left in self.left.items():
            array, found = self.family[name], self.found[name, memory]
            field, box = self.state.fields[name], self.state.box(array)
            if self.axis not in array.axes:
                field.view(box)[memory] = place if left is None else left
                continue
            assert left is not None
            for interval, value in (((0, place), left), ((place, self.whole[1]), found)):
                if interval[0] < interval[1]:
                    field.view(self._along(array, interval))[memory] = value
        self._join()

    def _join(self) -> None:
        for axis in (self.axis, self.other):
            self.state.join(axis, self.body.changed)

    def _along(self, array: Array, lines: Interval) -> Box:
        """Return an array's box, of it only some lines of the loop's axis."""
        return tuple(lines if axis == self.axis else self.state.interval(axis) for axis in array.axes)

    def _check(self, lines: Interval, learns: bool) -> None:
        """See that a tile leaves what the first one does, or take note of it if it is the first.

        Of an array along the loop's axis that is one state in the tile; of others one state, or that a chain has got
        to the tile's end (None).
        """
        for name in self.body.changed:
            array = self.family[name]
            for memory in range(self.state.planes):
                key = name, memory
                if key not in self.found:
                    continue
                if self.axis in array.axes:
                    left = self._value(array, self._along(array, lines), memory)
                    if left is None:
                        raise ClassesFail(self.node, f"a tile leaves {name} in more than one state")
                    fits = learns or left == self.left[key]
                else:
                    left = None if self._has_got_to(array, memory, lines) else self.found[key]
                    fits = (learns or self.left[key] is None) if left is None else True
                    if left is not None or not fits:
                        left = self._value(array, self.state.box(array), memory)
                        fits = left == self.found[key] and (learns or self.left[key] == left)
                if not fits:
                    raise ClassesFail(self.node, f"tiles leave {name} in different states")
                self.left.setdefault(key, left)

    def _has_got_to(self, array: Array, memory: int, tile: Interval) -> bool:
        """Whether a chain along the loop's axis has got to a tile's end, on all lines that have pairs behind it.

        In fast memory on all others too; in slow memory these may be at any place.
        """
        if array.chain != self.axis:
            return False
        stale = False
        for cell, progress in self.state.cells(array, self.state.box(array)):
            got = int(progress[memory])
            if self.state.alike(array, cell, got, tile[1]):
                continue
            if memory != SLOW:
                return False
            axis, lines, _ = self.state.line(array, cell)
            marks = [lines[0], *self.state.mask.breaks(axis, lines, tile).tolist(), lines[1]]
            for start, stop in zip(marks[:-1], marks[1:], strict=True):
                part = tuple((start, stop) if one == axis else at for one, at in zip(array.axes, cell, strict=True))
                if not self.state.alike(array, part, got, tile[1]):
                    if self.state.mask.unfinished(axis, (start, stop), tile[1]):
                        return False
                    stale = True
        if stale:
            self.stale.add(array.name)
        return True

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
