"""Loops by induction: the iterations between the second and the last, accounted for without being run.

The body of a loop is data, so every iteration is the same sequence of operations, shifted by one tile. If the
second iteration starts from a state that is the first's final state shifted by one tile, and ends in the same
state shifted again, then so does every further full tile. The conditions checked here make that precise:

- the tiles not yet visited look like the second tile did, all alike (arrays indexed by the loop's axis);
- everything that is not indexed by the loop's axis is, after the second iteration, what it was after the first,
  except chains over the loop's own axis, which may instead have advanced to the end of the tile just done.
  A chain over the loop's axis that is neither absent, complete, nor at the end of the tile just done would
  compare differently with later tiles, so induction refuses it;
- the second tile's final state is uniform along the axis, so that it can be written to all tiles between.

An operation inside the loop touches an array only inside the current tiles of the enclosing loops over its axes,
this loop's own included: the language leaves no other way to say it. So what lies outside these tiles is neither
compared nor changed; nor is what slow memory holds of an array that the body neither loads nor stores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from numpy import count_nonzero

from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.program.nodes import Loop, Node, Operation
from pebble.program.steps import tile_at

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pebble.program.machine.run import _Machine

__all__ = ["InductionFails", "Lump", "Touched"]


class InductionFails(Exception):
    """The conditions of induction do not hold for a loop; it must be run iteration by iteration."""

    def __init__(self, loop: Loop, reason: str) -> None:
        super().__init__(f"loop over {loop.label} in tiles of {loop.tile}: {reason}")
        self.loop = loop


@dataclass
class Touched:
    """Names of the arrays that a body uses, by what it does to them."""

    changed: set[str] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)


def touched_by(nodes: tuple[Node, ...], family: Family, found: Touched | None = None) -> Touched:
    """Collect the arrays a body changes in fast memory, moves to or from slow memory, or reads as operands."""
    found = Touched() if found is None else found
    for node in nodes:
        if not isinstance(node, Operation):
            touched_by(node.body, family, found)
            continue
        found.changed.add(node.array)
        if node.replacing:
            found.changed.add(node.replacing)
        if node.action in ("load", "store"):
            found.moved.add(node.array)
        elif node.action == "compute":
            found.read.update(family[node.array].operands)
    return found


class Lump:
    """What is remembered after the first iteration, to be compared after the second.

    Parameters
    ----------
    machine : _Machine
        Right after the loop's first iteration.
    node : Loop
    start, stop, count : int
        What the loop runs over and its number of tiles, more than four.
    """

    def __init__(self, machine: _Machine, node: Loop, start: int, stop: int, count: int) -> None:
        self.machine, self.node = machine, node
        self.ends = tuple(tile_at(start, stop, node.tile, index)[1] for index in (0, 1, count - 2))
        self.touched = self._touched()
        family = machine.family
        names = sorted(self.touched.changed | self.touched.read)
        self.indexed = [family[name] for name in names if node.axis in family[name].axes]
        others = [family[name] for name in sorted(self.touched.changed) if node.axis not in family[name].axes]
        self.before = [(array, view, view.copy()) for array in others for view in self._views(array, None)]
        self.waiting = machine.grid.cells(node.axis, (self.ends[0], self.ends[2]))
        for array in self.indexed:
            self._require_uniform(array, self.waiting, "the tiles ahead are not all alike")
        self.counts = {action: dict(counts) for action, counts in machine.counts.items()}
        self.held = dict(machine.held)
        self.repeats = count - 3

    def _touched(self) -> Touched:
        known = self.machine.touched.get(id(self.node))
        if known is None:
            known = self.machine.touched[id(self.node)] = touched_by(self.node.body, self.machine.family)
        return known

    def _views(self, array: Array, cells: slice | None) -> list[NDArray[np.int64]]:
        """State of an array in fast memory, and in slow memory if the body loads or stores it, as far as it can.

        That is in the current tile of every enclosing loop, and in ``cells`` along the loop's own axis.
        """
        slices = self.machine.slices
        own = self.node.axis
        box = (*[cells if cells and axis == own else slices[axis] for axis in array.axes], ...)
        views = [self.machine.fast[array.name][box]]
        return [*views, self.machine.slow[array.name][box]] if array.name in self.touched.moved else views

    def apply(self) -> dict[str, int]:
        """Check the conditions, account for all iterations but the last, and return the growth by array."""
        second = self.machine.grid.cells(self.node.axis, (self.ends[0], self.ends[1]))
        for array in self.indexed:
            self._require_uniform(array, second, "a tile ends in a mixed state")
        for array, view, before in self.before:
            self._advance_unindexed(array, view, before)
        for array in self.indexed:
            model = self._views(array, slice(second.start, second.start + 1))
            for view, state in zip(self._views(array, self.waiting), model, strict=True):
                view[...] = state
        return self._account()

    def _advance_unindexed(self, array: Array, state: NDArray[np.int64], before: NDArray[np.int64]) -> None:
        if array.chain != self.node.axis:
            if count_nonzero(state != before):
                raise InductionFails(self.node, f"{array.name} is not left as it was found")
            return
        constant = (state == before) & ((state == 0) | (state == self.machine.family.extents[array.chain]))
        advanced = (before == self.ends[0]) & (state == self.ends[1])
        if not (constant | advanced).all():
            raise InductionFails(self.node, f"the chain of {array.name} does not advance tile by tile")
        state[advanced] = self.ends[2]

    def _require_uniform(self, array: Array, cells: slice, why: str) -> None:
        if cells.stop - cells.start == 1:
            return
        one = self._views(array, slice(cells.start, cells.start + 1))
        for view, state in zip(self._views(array, cells), one, strict=True):
            if count_nonzero(view != state):
                raise InductionFails(self.node, f"{why} ({array.name})")

    def _account(self) -> dict[str, int]:
        for action, counts in self.machine.counts.items():
            for name, count in counts.items():
                if count != self.counts[action][name]:
                    counts[name] = count + self.repeats * (count - self.counts[action][name])
        growth = {}
        for name, words in self.machine.held.items():
            if words != self.held[name]:
                growth[name] = self.repeats * (words - self.held[name])
                self.machine.held[name] = words + growth[name]
                self.machine.occupied += growth[name]
        return growth
