"""Loops without a mask: of a long loop the first, second and last iteration are executed, the others accounted for.

The body of a loop is data, so every iteration is the same sequence of operations, shifted by one tile. If the
second iteration starts from a state that is the first's final state shifted by one tile, and ends in the same
state shifted again, then so does every further full tile. The conditions checked here make that precise:

- the tiles not yet visited look like the second tile did, all alike (arrays indexed by the loop's axis);
- everything that is not indexed by the loop's axis is, after the second iteration, what it was after the first,
  except chains over the loop's own axis, which may instead have advanced to the end of the tile just done.
  A chain over the loop's axis that is neither absent, complete, nor at the end of the tile just done would
  compare differently with later tiles, so induction refuses it. It is looked at too where the body only
  reads it at a step (``m@after``): then absent or complete will not do either, but the second iteration, neither
  the axis's first nor its last, has found that out;
- a sum over the loop's own axis, added in any order, has before the second iteration some terms in, but none of the
  tiles ahead, and absorbs those of the second tile; or it has all of the tiles ahead in, or nothing, and stays so;
- the second tile's final state is uniform along the axis, so that it can be written to all tiles between.

An operation inside the loop touches an array only inside the current tiles of the enclosing loops over its axes,
this loop's own included: the language leaves no other way to say it. So what lies outside these tiles is neither
compared nor changed; nor is what slow memory holds of an array that the body neither loads nor stores. What the body
does in the loop's first or last iteration only, these do when they are executed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from numpy import count_nonzero

from pebble.program.machine.grid_state import GridState, terms_of_cells
from pebble.program.machine.loops import Loops, ShortcutFails, ShortcutOverflow, touched_by
from pebble.program.nodes import Operation, When
from pebble.program.steps import tile_at, tile_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.counting.rules import Machine
    from pebble.program.nodes import Interval, Loop, Node

__all__ = ["LumpedLoops"]


class LumpedLoops(Loops):
    """Of a loop with more than four iterations three are executed, if the conditions of induction hold."""

    def __init__(self, family: Family, step_limit: int, levels: int = 1) -> None:
        super().__init__(family, step_limit, levels)
        self._bodies: dict[int, _Body] = {}

    def lumps(self, node: Loop) -> bool:
        """Whether a long loop executes its first, second and last iteration only."""
        return id(node) not in self.unrolled

    def _body(self, node: Loop) -> _Body:
        known = self._bodies.get(id(node))
        if known is None:
            touched = touched_by(_of_the_middle(node.body, node.label), self.family)
            used = sorted(touched.changed | touched.read)
            at_step = {name for name in touched.read_at_step if self.family[name].chain == node.axis}
            others = sorted(touched.changed | at_step)
            known = self._bodies[id(node)] = _Body(
                [self.family[name] for name in used if node.axis in self.family[name].axes],
                [self.family[name] for name in others if node.axis not in self.family[name].axes],
                touched.moved(self.levels),
            )
        return known

    def execute(self, machine: Machine, node: Loop, whole: Interval) -> None:
        """Execute a loop; where it is long, three of its iterations."""
        count = tile_count(*whole, node.tile)
        if count <= 4 or not self.lumps(node):
            for index in range(count):
                machine.iteration(node, whole, index)
            return
        machine.iteration(node, whole, 0)
        lump = _Lump(machine, node, self._body(node), whole, count)
        old_peak, old_words = machine.peak, machine.peak_words
        machine.peak, machine.peak_words = 0, {}
        machine.iteration(node, whole, 1)
        growth = lump.apply()
        top = machine.peak + max(0, sum(growth.values()))
        if machine.M is not None and top > machine.M:
            raise ShortcutOverflow(
                f"loop over {node.label}: by iteration {count - 2} of {count} it holds {top} words, "
                f"and fast memory has {machine.M}; what each iteration leaves behind does not fit"
            )
        if top > old_peak:
            machine.peak = top
            if sum(growth.values()) > 0:
                machine.peak_words = {n: w + growth.get(n, 0) for n, w in machine.peak_words.items()}
        else:
            machine.peak, machine.peak_words = old_peak, old_words
        machine.iteration(node, whole, count - 1)


def _of_the_middle(nodes: tuple[Node, ...], label: str) -> tuple[Node, ...]:
    """Return what a loop's iterations do that are neither the first nor the last: those two are executed."""
    kept: list[Node] = []
    for node in nodes:
        if isinstance(node, Operation):
            kept.append(node)
        elif not (isinstance(node, When) and node.condition.label == label and not node.condition.negated):
            kept.append(replace(node, body=_of_the_middle(node.body, label)))
    return tuple(kept)


class _Body(NamedTuple):
    """What a loop's body touches.

    Attributes
    ----------
    indexed : list of Array
        Those along the loop's axis.
    others : list of Array
        Those that it changes besides, or reads at a step of the loop's axis.
    moved : set of str
        Names of those that it loads from, or stores to, the outermost memory.
    """

    indexed: list[Array]
    others: list[Array]
    moved: set[str]


class _Lump:
    """What is noted after the first iteration, to be compared after the second.

    Parameters
    ----------
    machine : Machine
        Right after the loop's first iteration.
    node : Loop
    body : _Body
        What the loop's body touches.
    whole : (int, int)
        What the loop runs over.
    count : int
        Its number of tiles, more than four.
    """

    def __init__(self, machine: Machine, node: Loop, body: _Body, whole: Interval, count: int) -> None:
        assert isinstance(machine.state, GridState)
        self.machine, self.state, self.node, self.body = machine, machine.state, node, body
        self.ends = tuple(tile_at(*whole, node.tile, index)[1] for index in (0, 1, count - 2))
        self.before = [
            (array, view, view.copy()) for array in body.others for view in self._views(array, slice(None))
        ]
        self.waiting = self.state.grid.cells(node.axis, (self.ends[0], self.ends[2]))
        for array in self.body.indexed:
            self._require_uniform(array, self.waiting, "the tiles ahead are not all alike")
        self.counts = {action: dict(counts) for action, counts in machine.counts.items()}
        self.held = dict(machine.held)
        self.repeats = count - 3

    def _views(self, array: Array, cells: slice) -> list[NDArray[np.int64]]:
        """State of an array in fast memory, and in slow memory if the body loads or stores it, as far as it can.

        That is in the current tile of every enclosing loop, and in ``cells`` along the loop's own axis.
        """
        slices, own = self.state.slices, self.node.axis
        box = (*[cells if axis == own else slices[axis] for axis in array.axes], ...)
        return [plane[box] for plane in self.state.planes(array.name, array.name in self.body.moved)]

    def apply(self) -> dict[str, int]:
        """Check the conditions, account for all iterations but the last, and return the growth by array."""
        second = self.state.grid.cells(self.node.axis, (self.ends[0], self.ends[1]))
        for array in self.body.indexed:
            self._require_uniform(array, second, "a tile ends in a mixed state")
        for array, view, before in self.before:
            self._advance_unindexed(array, view, before)
        for array in self.body.indexed:
            model = self._views(array, slice(second.start, second.start + 1))
            for view, state in zip(self._views(array, self.waiting), model, strict=True):
                view[...] = state
        return self._account()

    def _advance_unindexed(self, array: Array, state: NDArray[np.int64], before: NDArray[np.int64]) -> None:
        if array.sum == self.node.axis:
            self._absorb_unindexed(array, state, before)
            return
        if array.chain != self.node.axis:
            if count_nonzero(state != before):
                raise ShortcutFails(self.node, f"{array.name} is not left as it was found")
            return
        constant = (state == before) & ((state == 0) | (state == self.machine.family.extents[array.chain]))
        advanced = (before == self.ends[0]) & (state == self.ends[1])
        if not (constant | advanced).all():
            raise ShortcutFails(self.node, f"the chain of {array.name} does not advance tile by tile")
        state[advanced] = self.ends[2]

    def _absorb_unindexed(self, array: Array, state: NDArray[np.int64], before: NDArray[np.int64]) -> None:
        """The same of a sum: no term ahead was in, and the second tile's are now; or all were in, or nothing was."""
        cells = self.state.grid.cells
        done = terms_of_cells(cells(self.node.axis, (self.ends[0], self.ends[1])))
        ahead = terms_of_cells(self.waiting)
        constant = (state == before) & ((state == 0) | ((state & ahead) == ahead))
        absorbed = (before != 0) & ((before & ahead) == 0) & (state == before | done)
        if not (constant | absorbed).all():
            raise ShortcutFails(self.node, f"the terms of {array.name} are not absorbed tile by tile")
        state[absorbed] |= ahead

    def _require_uniform(self, array: Array, cells: slice, why: str) -> None:
        if cells.stop - cells.start == 1:
            return
        one = self._views(array, slice(cells.start, cells.start + 1))
        for view, state in zip(self._views(array, cells), one, strict=True):
            if count_nonzero(view != state):
                raise ShortcutFails(self.node, f"{why} ({array.name})")

    def _account(self) -> dict[str, int]:
        machine = self.machine
        for action, counts in machine.counts.items():
            for name, count in counts.items():
                if count != self.counts[action][name]:
                    counts[name] = count + self.repeats * (count - self.counts[action][name])
        growth = {}
        for name, words in machine.held.items():
            if words != self.held[name]:
                growth[name] = self.repeats * (words - self.held[name])
                machine.held[name] = words + growth[name]
                machine.occupied += growth[name]
        return growth
