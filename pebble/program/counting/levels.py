"""The rules of the game with several memory levels, on boxes: where they differ from those with one fast memory.

Levels are numbered from the inside: ``load l`` copies from level l + 1 to level l, ``store l`` back, ``compute`` works
in level 1. In an inclusive hierarchy each level holds all that the levels within hold; in an exclusive one copies may
be anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.program.counting.rules import Machine
from pebble.program.counting.storage import ComputedBox

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.program.counting.storage import Box
    from pebble.program.nodes import Operation

__all__ = ["LevelMachine"]


class LevelMachine(Machine):
    """Several memory levels that run one program; every rule is enforced at all of them, and one is counted.

    Counts, occupancy, peak and M are those of the level that ``state`` measures. The state goes the same way whatever
    level is measured, so a run for each level verifies them all.

    Parameters
    ----------
    program : Program
    family : Family
    M : int or None
        Words of the measured level.
    state : Storage
    loops : LoopRunner
    """

    def fast(self, op: Operation) -> str:
        """Return the level that an operation fills or empties."""
        return f"level {self.state.measured if op.action == 'compute' else op.level}"

    def slow(self, op: Operation) -> str:
        """Return the level that an operation loads from, and what to do where a value is not there."""
        if op.level == self.state.levels:
            return super().slow(op)
        return f"level {op.level + 1} with its value; load or store it there first"

    def _execute(self, op: Operation) -> None:
        self.state.acting = op
        super()._execute(op)
        self.state.acting = None

    def _store(self, op: Operation, array: Array, part: Box) -> None:
        words = part.values()
        if words is None:
            self._refuse(
                op,
                "store-needs-red",
                f"level {op.level} does not have the value of all of {self._box(array)}; "
                + (
                    "load or compute it first"
                    if op.level == 1
                    else f"store it from level {op.level - 1} first"
                ),
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
        if op.level + 1 == self.state.measured:
            super()._occupy(op, array, new, 0)

    def _delete(self, op: Operation, array: Array, part: Box) -> None:
        if self.state.inclusive and part.is_held_within():
            self._refuse(
                op,
                "inclusive",
                f"level {op.level - 1} still holds some of {self._box(array)}; delete it there first",
            )
        super()._delete(op, array, part)

    def _chain_fault(self, array: Array, start: int, stop: int, others: list[int]) -> tuple[str, str]:
        part = self.state.part(array)
        assert isinstance(part, ComputedBox)
        if start == 0 or part.other_in_level_1(start):
            return super()._chain_fault(array, start, stop, others)
        return "one-partial-result", (
            f"a level beyond level 1 holds another partial result of {self._box(array)}; delete it there first"
        )

    # Only the measured level is counted

    def _is_counted(self, op: Operation) -> bool:
        computed_in = self.state.levels if self.state.inclusive else 1
        return (
            self.state.measured <= computed_in if op.action == "compute" else op.level == self.state.measured
        )

    def _count(self, op: Operation, array: Array, number: int) -> None:
        if self._is_counted(op):
            super()._count(op, array, number)

    def _occupy(self, op: Operation, array: Array, new: int, step: int) -> None:
        if self._is_counted(op):
            super()._occupy(op, array, new, step)

    def _release(self, op: Operation, array: Array, words: int) -> None:
        if self._is_counted(op):
            super()._release(op, array, words)
