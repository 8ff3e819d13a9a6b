"""What an iteration of a loop sees but for the mask, as a number, and how far ahead all looks the same."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.sight import is_level, is_same_along, is_unlike, visible

if TYPE_CHECKING:
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.bodies import Body
    from pebble.program.machine.field_state import FieldState
    from pebble.program.nodes import Condition, Interval, Loop
    from pebble.program.visits import Visit

__all__ = ["LoopSights", "SightNumbers"]


@dataclass
class SightNumbers:
    """The sights of all loops, numbered.

    Attributes
    ----------
    numbers : dict
        The number of each.
    unlike : set of int
        Those in which something equals nothing else.
    """

    numbers: dict[Hashable, int] = field(default_factory=dict)
    unlike: set[int | None] = field(default_factory=set)


class LoopSights:
    """What the iterations of one execution of a loop see.

    Parameters
    ----------
    machine : Machine
    state : FieldState
    node : Loop
    body : Body
    whole : (int, int)
        What the loop runs over.
    known : SightNumbers
        Of all loops; filled here.
    moved : set of str
        The arrays that are loaded from slow memory or stored to it.
    masked : bool
        Whether the loop is over an axis of the mask.
    uniform : bool
        Whether each array must be in one state throughout.
    """

    def __init__(
        self,
        machine: Machine,
        state: FieldState,
        node: Loop,
        body: Body,
        whole: Interval,
        known: SightNumbers,
        moved: set[str],
        masked: bool,
        uniform: bool,
    ) -> None:
        self.machine, self.state, self.family, self.mask = machine, state, state.family, state.mask
        self.node, self.body, self.whole, self.known = node, body, whole, known
        self.moved, self.masked, self.uniform = moved, masked, uniform
        # Conditions on the loop itself are told by signatures: which lines have pairs before a tile, and behind it.
        self.split = [condition for condition in body.split_conditions if condition.label != node.label]

    def level_to(self, index: int, ends: tuple[int, ...]) -> int:
        """Return up to which tile all looks as it does at one that is still to be run.

        That is, the arrays along the loop's axis, and the conditions that a signature does not tell.
        """
        axis = self.node.axis
        for end in ends:
            start, stop = self.whole[0] + index * self.node.tile, self.whole[0] + end * self.node.tile
            if not all(self._is_steady(condition, index, end) for condition in self.split):
                continue
            self.machine.put(axis, (start, min(stop, self.whole[1])))
            if all(self._is_level(name) for name in self.body.used if axis in self.family[name].axes):
                return end
        return index + 1

    def _is_level(self, name: str) -> bool:
        """Whether an array along the loop's axis looks the same all over the tiles that are put."""
        array, slow = self.family[name], name in self.moved
        if self.masked:
            return is_level(self.state, array, slow)
        return is_same_along(self.state, array, self.node.axis, slow)

    def _is_steady(self, condition: Condition, index: int, end: int) -> bool:
        """Whether a condition on a split tile is the same for all lines at all of some tiles."""
        visit = self._masked_visit(condition)
        if visit is None or not self.masked or visit.axis == self.node.axis:
            return True  # A tile of a loop around over the same axis stays what it is.
        start, stop = self.whole[0] + index * self.node.tile, self.whole[0] + end * self.node.tile
        lines = start, min(stop, self.whole[1])
        if condition.which == "first":
            found = self.mask.started(self.node.axis, lines, visit.tile[0])
        else:
            found = self.mask.unfinished(self.node.axis, lines, visit.tile[1])
        return found in (0, lines[1] - lines[0])

    def at(self, index: int) -> int:
        """Return what an iteration sees but for the mask, as a number: equal numbers for what is equal."""
        machine, names = self.machine, self.body.used
        machine.enter(self.node, self.whole, index)
        start, stop = machine.tiles[self.node.axis]
        # Whether a tile begins or ends its axis matters to chains over it only.
        context = tuple(
            (axis, b - a, axis in self.body.chains and (a == 0, b == self.family.extents[axis]))
            for axis, (a, b) in sorted(machine.tiles.items())
            if axis not in self.family.masked_axes
        )
        conditions = tuple(
            condition.holds(visit, machine.tiles, self.family)
            for condition in self.body.conditions
            if (visit := machine.visits.get(condition.label)) and visit.axis not in self.family.masked_axes
        )
        split = tuple(self._around(condition) for condition in self.split)
        states = tuple(
            visible(self.state, self.family[name], name in self.moved, self.uniform) for name in names
        )
        numbers = self.known.numbers
        seen = stop - start, context, conditions, split, states
        known = numbers.get(seen)
        if known is not None:
            return known
        number = numbers[seen] = len(numbers)
        if is_unlike(states):
            self.known.unlike.add(number)
        return number

    def _around(self, condition: Condition) -> bytes | None:
        """Which lines of the current tile have pairs before (after) the tile that a condition is about."""
        visit = self._masked_visit(condition)
        if visit is None:
            return None
        lines, other = self.machine.interval(OTHER_AXIS[visit.axis]), OTHER_AXIS[visit.axis]
        if condition.which == "first":
            return (self.mask.first(other, lines) < visit.tile[0]).tobytes()
        return (self.mask.last(other, lines) >= visit.tile[1]).tobytes()

    def _masked_visit(self, condition: Condition) -> Visit | None:
        """Return the visit of the loop around with a condition's label, if that is over a masked axis."""
        visit = self.machine.visits.get(condition.label)
        return visit if visit is not None and visit.axis in self.family.masked_axes else None
