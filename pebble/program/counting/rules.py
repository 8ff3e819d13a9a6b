"""The rules of the game on boxes: what every operation of a program needs, moves, takes and leaves.

This is the only place that says what is legal; how the state is stored is the business of :mod:`.storage`.

Levels are numbered from the inside: ``load l`` copies from level l + 1 to level l, ``store l`` back, ``compute`` works
in level 1. In an inclusive hierarchy each level holds all that the levels within hold; in an exclusive one copies may
be anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from pebble.common.errors import TooManyOperations, Violation
from pebble.program.counting.storage import FAST, SLOW, SumBox
from pebble.program.nodes import Operation
from pebble.program.visits import Visit

if TYPE_CHECKING:
    from pebble.computations.array import Array, Operand
    from pebble.computations.family import Family
    from pebble.program.counting.storage import Box, Storage
    from pebble.program.nodes import Interval, Program


class BoxRules:
    """One or several memory levels in which operations are executed, one after the other.

    Every rule is enforced at all levels, and one is counted: counts, occupancy, peak and M are those of the level that
    ``state`` measures. The state goes the same way whichever that is, so a run for each level verifies them all.

    Parameters
    ----------
    program : Program
    family : Family
    M : int or None
        Words of the measured level to enforce.
    state : Storage
        What all memories hold.
    step_limit : int
        Most operations to execute.
    observe : callable, optional
        Called with the machine after every operation.

    Attributes
    ----------
    counts : dict of str to dict of str to int
        Words loaded, words stored and vertices computed so far, by action and array.
    held : dict of str to int
        Words in fast memory, by array; ``occupied`` is their sum.
    top : int
        Largest number of words in fast memory during the last operation.
    peak : int
        Largest number of words in fast memory so far; ``peak_words`` says of which arrays.
    tiles : dict of str to (int, int)
        The current tile of every axis that a loop (or an explicit box) is on.
    visits : dict of str to Visit
        The current iteration of every loop around, by label.
    around : dict of str to Visit or None
        Where a loop stands in another with the same label: the current iteration of the outer one.
    steps : int
        Operations executed.
    """

    def __init__(
        self,
        program: Program,
        family: Family,
        M: int | None,
        state: Storage,
        step_limit: int,
        observe: Callable[[Any], None] | None = None,
    ) -> None:
        self.program, self.family, self.M = program, family, M
        self.state, self.step_limit, self.observe = state, step_limit, observe
        self.counts: dict[str, dict[str, int]] = {
            action: {array.name: 0 for array in family.arrays} for action in ("load", "store", "compute")
        }
        self.held = {array.name: 0 for array in family.arrays}
        self.resumed = {name: np.zeros(state.slow[name].shape, dtype=bool) for name in family.accumulated}
        """Of sums added in slow memory, the elements whose word in fast memory lacks what was there."""
        self.occupied = self.top = self.peak = 0
        self.peak_words: dict[str, int] = {}
        self.tiles: dict[str, Interval] = {}
        self.visits: dict[str, Visit] = {}
        self.around: dict[str, Visit | None] = {}
        self.steps = 0

    # Operations

    def put(self, axis: str, tile: Interval | None) -> None:
        """Make a tile the current one of an axis; None: the whole axis."""
        if tile is None:
            self.tiles.pop(axis, None)
        else:
            self.tiles[axis] = tile
        self.state.enter(axis, tile)

    def operation(self, op: Operation) -> None:
        """Execute one operation."""
        self.steps += 1
        if self.steps > self.step_limit:
            mask = f"under the mask {self.family.mask.spec} " if self.family.mask else ""
            raise TooManyOperations(
                f"{mask}the program takes more than {self.step_limit:,} operations, executed one by one; "
                "use larger tiles, or a smaller problem"
            )
        self.top = self.occupied
        if op.at:
            outside = {axis: self.tiles.get(axis) for axis, _, _ in op.at}
            for axis, start, stop in op.at:
                self.put(axis, (start, stop))
            self._execute(op)
            for axis, tile in outside.items():
                self.put(axis, tile)
        else:
            self._execute(op)
        if self.observe is not None:
            self.observe(self)

    def _execute(self, op: Operation) -> None:
        """Execute an operation on the current box of its array."""
        array = self.family[op.array]
        part = self.state.part(array, op.level)
        if op.action == "compute":
            self._need_operands(op, array)
            if array.chain is None:
                self._compute(op, array, part)
            else:
                self._advance(op, array, part)
        elif op.action == "load":
            self._load(op, array, part)
        elif op.action == "store":
            self._store(op, array, part)
        else:
            self._delete(op, array, part)

    def _load(self, op: Operation, array: Array, part: Box) -> None:
        words = part.held(SLOW)
        if words is None:
            self._refuse(op, "load-needs-blue", f"not all of {self._box(array)} is in {self.slow(op)}")
        new = part.absent()
        if new is None:
            self._refuse(
                op,
                "one-partial-result",
                f"{self.fast(op)} already holds another partial result of {self._box(array)}; delete it first",
            )
        self._occupy(op, array, new, 0)
        part.load()
        self._count(op, array, words)
        if array.accumulated:
            self.resumed[array.name][self.state.box(array)] = op.resumes & (part.slow > part.first)

    def _store(self, op: Operation, array: Array, part: Box) -> None:
        words = part.values()
        if words is None and self.state.levels == 1:
            self._refuse(op, "store-needs-red", f"not all of {self._box(array)} is in {self.fast(op)}")
        if words is None:
            first = "load or compute it" if op.level == 1 else f"store it from level {op.level - 1}"
            self._refuse(
                op,
                "store-needs-red",
                f"level {op.level} does not have the value of all of {self._box(array)}; {first} first",
            )
        if isinstance(part, SumBox) and not part.comparable():
            self._refuse(
                op,
                "one-partial-result",
                f"slow memory holds a partial sum of {self._box(array)} with other terms in; load it and add to it",
            )
        if not self.state.inclusive:
            self._occupy_next(op, array, part)
        part.store()
        self._count(op, array, words)

    def _occupy_next(self, op: Operation, array: Array, part: Box) -> None:
        """Take the room that a store needs in the next level out."""
        new = part.next_absent()
        if new is None:
            self._refuse(
                op,
                "one-partial-result",
                f"level {op.level + 1} holds another partial result of {self._box(array)}; delete it there first",
            )
        self._occupy(op, array, new, 0, op.level + 1)

    def _delete(self, op: Operation, array: Array, part: Box) -> None:
        if self.state.inclusive and part.is_held_within():
            self._refuse(
                op,
                "inclusive",
                f"level {op.level - 1} still holds some of {self._box(array)}; delete it there first",
            )
        words = part.held(FAST)
        if words is None:
            self._refuse(op, "delete-needs-red", f"not all of {self._box(array)} is in {self.fast(op)}")
        part.clear()
        self._release(op, array, words)

    def _compute(self, op: Operation, array: Array, part: Box) -> None:
        """Compute the box of an array without a chain, element by element."""
        new = part.vacant()
        if op.replacing is None:
            self._occupy(op, array, new, 0)
        elif new not in (0, part.words):
            self._refuse(
                op, "whole-box", f"{self._box(array)} is partly in fast memory; it must be all or none"
            )
        else:
            self._replace(op, array, new, min(new, 1))
        part.place(1)
        self._count(op, array, part.words)

    def _advance(self, op: Operation, array: Array, part: Box) -> None:
        """Advance a chain over the current tile of its axis, element by element."""
        assert array.chain is not None
        start, stop = self.interval(array.chain)
        if isinstance(part, SumBox):
            self._need_new_terms(op, array, part, (start, stop))
        elif others := part.other_than(start):
            self._refuse(op, *self._chain_fault(array, start, stop, *others))
        vertices, new, step = part.advance(start, stop)
        if op.replacing is None:
            self._occupy(op, array, new, step)
        else:
            self._replace(op, array, new, step + min(new, 1))
        part.reach(start, stop)
        self._count(op, array, vertices)

    def _need_new_terms(self, op: Operation, array: Array, part: SumBox, terms: Interval) -> None:
        """Require that no word of a sum has absorbed any of the terms."""
        if part.counted_twice(*terms):
            self._refuse(
                op,
                "term-counted-twice",
                f"some of {self._box(array)} has absorbed {array.sum}={terms[0]}:{terms[1]} already, or a part of it",
            )

    def _chain_fault(
        self, array: Array, start: int, stop: int, level: int, others: list[int]
    ) -> tuple[str, str]:
        box, chain = self._box(array), array.chain
        if start == 0:
            return "one-partial-result", (
                f"the chain starts anew, but fast memory still holds a partial result of {box}; delete it first"
            )
        if level > 1:
            return "one-partial-result", (
                f"a level beyond level 1 holds another partial result of {box}; delete it there first"
            )
        return "compute-needs-predecessors", (
            f"to advance over {chain}={start}:{stop} all of {box} must have got to {chain}={start} in fast "
            f"memory; it has got to {', '.join(map(str, others))}"
        )

    def _need_operands(self, op: Operation, array: Array) -> None:
        for read in array.reads:
            operand = self.family[read.array]
            if read.step == "later" and self.interval(str(array.chain)) == (0, 1):
                continue
            if read.at_step:
                self._need_step(op, read, operand)
            elif not self.state.part(operand).is_complete(FAST):
                what = "in fast memory" if operand.chain is None else "complete in fast memory"
                self._refuse(
                    op,
                    "compute-needs-predecessors",
                    f"not all of {self._box(operand)} is {what}; {read} is read",
                )
            elif operand.accumulated and self.resumed[operand.name][self.state.box(operand)].any():
                self._refuse(
                    op,
                    "compute-needs-predecessors",
                    f"{self._box(operand)} was resumed, so its first terms are in slow memory; load it to read it",
                )

    def _need_step(self, op: Operation, read: Operand, operand: Array) -> None:
        """Require an operand's partial result at the current step of its chain: memory holds one only."""
        axis = operand.chain
        assert axis is not None
        start, stop = self.interval(axis)
        if stop - start > 1:
            self._refuse(
                op,
                "compute-needs-predecessors",
                f"{read} is read step by step, and at most one partial result of {read.array} is held: "
                f"compute {op.array} in a loop over {axis} in tiles of 1, not at {axis}={start}:{stop}",
            )
        if not self.state.part(operand).is_at(read.step, (start, stop)):
            when = "just after" if read.step == "after" else "just before"
            self._refuse(
                op,
                "compute-needs-predecessors",
                f"not all of {self._box(operand)} has got in fast memory to {when} {axis}={start}; {read} is read",
            )

    def _replace(self, op: Operation, array: Array, new: int, most: int) -> None:
        """Place the box element by element, each time deleting the replaced array's element."""
        assert op.replacing is not None
        replaced = self.family[op.replacing]
        part = self.state.part(replaced)
        words = part.held(FAST)
        if words is None or words < part.words:
            self._refuse(op, "delete-needs-red", f"not all of {self._box(replaced)} is in fast memory")
        self._occupy(op, array, 0, most)
        part.place(0)
        self._release(op, replaced, words)
        if self._is_counted(op):
            self.held[array.name] += new * array.width
            self.occupied += new * array.width

    # Memory

    def fast(self, op: Operation) -> str:
        """Return what an operation calls the memory that it fills or empties."""
        if self.state.levels == 1:
            return "fast memory"
        return f"level {self.state.measured if op.action == 'compute' else op.level}"

    def slow(self, op: Operation) -> str:
        """Return what an operation calls the memory that it loads from, and what to do where a word is not there."""
        if op.level == self.state.levels:
            return "slow memory; store it first"
        return f"level {op.level + 1} with its value; load or store it there first"

    def _is_counted(self, op: Operation, level: int | None = None) -> bool:
        """Whether the measured level is one that an operation works in, or the one given."""
        if op.action == "compute":
            return self.state.measured == 1 or self.state.inclusive
        return (level or op.level) == self.state.measured

    def _count(self, op: Operation, array: Array, number: int) -> None:
        if self._is_counted(op):
            self.counts[op.action][array.name] += number * array.cost(op.action, op.resumes)

    def _occupy(self, op: Operation, array: Array, new: int, step: int, level: int | None = None) -> None:
        if not self._is_counted(op, level):
            return
        new, step = new * array.width, step * array.width
        total = self.top = self.occupied + new + step
        if self.M is not None and total > self.M:
            self._refuse(
                op,
                "memory-full",
                f"{self.fast(op)} holds {self.occupied} of {self.M} words, and this needs {new + step} "
                "more; delete something first, or use smaller tiles",
            )
        self.occupied += new
        self.held[array.name] += new
        if total > self.peak:
            self.peak = total
            self.peak_words = {**self.held, "(step)": step}

    def _release(self, op: Operation, array: Array, words: int) -> None:
        if self._is_counted(op):
            self.held[array.name] -= words * array.width
            self.occupied -= words * array.width

    # Places

    def interval(self, axis: str) -> Interval:
        """Return the current tile of an axis, or the whole axis."""
        return self.tiles.get(axis) or (0, self.family.extents[axis])

    def _box(self, array: Array) -> str:
        intervals = (self.interval(axis) for axis in array.axes)
        return f"{array.name}[{', '.join(f'{a}' if b == a + 1 else f'{a}:{b}' for a, b in intervals)}]"

    def _refuse(self, op: Operation, rule: str, why: str) -> NoReturn:
        place = ", ".join(f"{label} iteration {visit.number}" for label, visit in self.visits.items())
        raise Violation(
            f"{op} on {self._box(self.family[op.array])} ({place or 'outside all loops'}): {why}", rule
        )
