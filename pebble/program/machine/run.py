"""Running a program on the machine: the one place where storage and shortcuts are chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput, Violation
from pebble.common.units import fast_memory_words
from pebble.program.machine.counted import Run
from pebble.program.machine.loops import Loops, ShortcutFails, ShortcutOverflow
from pebble.program.machine.rules import Machine
from pebble.program.validation import validate

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.machine.state import State
    from pebble.program.nodes import Program

__all__ = ["run"]

LOCATE_LIMIT = 200_000
"""Operations executed to find the place of a violation that a shortcut met."""
STEP_LIMIT = 5_000_000
MASKED_STEP_LIMIT = 600_000
"""Under a mask an operation takes some tens of microseconds."""


def run(
    program: Program,
    family: Family,
    M: int | None = None,
    *,
    induction: bool = True,
    observe: Callable[[Machine], None] | None = None,
    step_limit: int | None = None,
) -> Run:
    """Run a program on the machine.

    Parameters
    ----------
    program : Program
    family : Family
    M : int, optional
        Words of fast memory to enforce. None measures without a limit.
    induction : bool
        Whether iterations may be accounted for without being executed. Where the conditions fail every iteration
        is executed, and ``Run.unrolled`` says so.
    observe : callable, optional
        Called with the machine after every operation; needs ``induction=False``.
    step_limit : int, optional
        Most operations to execute; five million by default, 600,000 under a mask.

    Returns
    -------
    Run

    Raises
    ------
    Violation
        If an operation breaks a rule of the game, or an output is not in slow memory at the end.
    InvalidInput
        If the program does not make sense for the family, or would take too many operations.

    Notes
    -----
    Cost: about 10 µs for each executed operation, some hundreds of operations for a nest of three or four
    loops at any size; under a mask some tens of µs. docs/induction.md proves that shortcuts change no count.
    """
    if M is not None:
        M = fast_memory_words(M)
    if observe is not None and induction:
        raise InvalidInput("only a run without induction executes every operation, to be observed")
    validate(program, family)
    if step_limit is None:
        step_limit = MASKED_STEP_LIMIT if family.masked_axes else STEP_LIMIT
    try:
        machine = _executed(program, family, M, _loops(family, induction, step_limit), observe)
    except ShortcutOverflow as overflow:
        _locate(program, family, M)
        raise Violation(str(overflow), "memory-full") from None
    return Run(
        family=family,
        M=M,
        reads=machine.counts["load"],
        writes=machine.counts["store"],
        computes=machine.counts["compute"],
        peak=machine.peak,
        peak_words={name: words for name, words in machine.peak_words.items() if words},
        steps=machine.steps,
        unrolled=tuple(machine.loops.unrolled.values()),
        _state=machine.state,
    )


def _loops(family: Family, induction: bool, step_limit: int) -> Loops:
    """Return how loops are executed."""
    if not induction:
        return Loops(family, step_limit)
    if family.masked_axes:
        from pebble.program.machine.memo import RememberedLoops

        return RememberedLoops(family, step_limit)
    from pebble.program.machine.lump import LumpedLoops

    return LumpedLoops(family, step_limit)


def _state(program: Program, family: Family, loops: Loops) -> State:
    """Return the storage: cuts that come and go under a mask, a fixed grid without."""
    if family.masked_axes:
        from pebble.program.machine.field_state import FieldState

        return FieldState(family)
    from pebble.program.machine.grid_state import GridState

    return GridState(program, family, loops)


def _executed(
    program: Program,
    family: Family,
    M: int | None,
    loops: Loops,
    observe: Callable[[Machine], None] | None = None,
) -> Machine:
    """Execute a program, again and again until every shortcut that is taken applies."""
    while True:
        machine = Machine(program, family, M, _state(program, family, loops), loops, observe)
        try:
            machine.execute()
        except ShortcutFails as failure:
            loops.unrolled[id(failure.loop)] = str(failure)
        else:
            return machine


def _locate(program: Program, family: Family, M: int | None) -> None:
    """Execute every iteration to raise the violation at its exact place, where that is affordable."""
    try:
        _executed(program, family, M, Loops(family, LOCATE_LIMIT))
    except InvalidInput:
        return
