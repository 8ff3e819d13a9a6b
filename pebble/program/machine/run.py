"""Running a program on the machine: the one place where storage and shortcuts are chosen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pebble.common.errors import InvalidInput, TooManyOperations, Violation
from pebble.common.units import fast_memory_words
from pebble.program.counting.counted import Run
from pebble.program.counting.rules import Machine
from pebble.program.machine.field_state import FieldState
from pebble.program.machine.foretold_runs import MOST_RUNS, foretold_runs
from pebble.program.machine.foretold_tiles import MOST_TILES, foretold_tiles
from pebble.program.machine.grid_state import GridState
from pebble.program.machine.loops import ClassesFail, LastRoundFails, Loops, ShortcutFails, ShortcutOverflow
from pebble.program.machine.lump import LumpedLoops
from pebble.program.machine.memo import RememberedLoops
from pebble.program.machine.run_parts import Ran, run_parts
from pebble.program.parts_in_turn import written_out
from pebble.program.validation import validate

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.counting.state import State
    from pebble.program.nodes import Program

__all__ = ["LOCATE_LIMIT", "STEP_LIMIT", "executed", "fits", "refuse_too_many", "run", "run_of"]

LOCATE_LIMIT = 200_000
"""Operations executed to find the place of a violation that a shortcut met."""
STEP_LIMIT = 5_000_000
MASKED_STEP_LIMIT = 600_000
"""Under a mask an operation takes some tens of microseconds."""
_LEFT_AGAIN, _MOST_LEFT = 8, 32
"""How many times as far from the end a last round is tried again, and how far from it none is."""


def run(
    program: Program,
    family: Family,
    M: int | None = None,
    *,
    induction: bool = True,
    observe: Callable[[Machine], None] | None = None,
    step_limit: int | None = None,
) -> Run:
    """Run a program on the machine: :func:`pebble.run`, whose parameters and errors these are, for one family.

    Returns
    -------
    Run
    """
    if M is not None:
        M = fast_memory_words(M)
    if observe is not None and induction:
        raise InvalidInput("only a run without induction executes every operation, to be observed")
    if program.parts and induction:
        _refuse_masked_sums(family)
        return run_parts(program, family, M, partial(_ran, step_limit=step_limit))
    return _ran(written_out(program, family), family, M, induction, observe, step_limit).run


def _ran(
    program: Program,
    family: Family,
    M: int | None,
    induction: bool = True,
    observe: Callable[[Machine], None] | None = None,
    step_limit: int | None = None,
) -> Ran:
    """Run one nest of loops; what is asked is as of :func:`run`."""
    validate(program, family)
    _refuse_masked_sums(family)
    if induction:
        refuse_too_many(program, family)
    kind = _kind(family)
    loops = (kind.shortened if induction else Loops)(family, step_limit or kind.step_limit)
    try:
        machine = _executed(program, family, M, loops, observe)
    except ShortcutOverflow as overflow:
        _locate(program, family, M)
        raise Violation(str(overflow), "memory-full") from None
    return Ran(run_of(machine, loops, partial(_final_state, machine)), dict(machine.held))


def _refuse_masked_sums(family: Family) -> None:
    if family.masked_axes and family.has_free_sums:
        raise InvalidInput(
            "sums in any order are verified without a mask only: leave the mask out, or take chains"
        )


def refuse_too_many(program: Program, family: Family) -> None:
    """Say before the work that the mask's blocks are too many to be verified, or repeat too late with the loops."""
    tiles = foretold_tiles(program, family)
    if tiles > MOST_TILES and family.mask:
        raise TooManyOperations(
            f"under the mask {family.mask.spec} about {tiles:,} tiles would have to be looked at, and at most "
            f"{MOST_TILES:,} are: take tiles whose lengths have large common factors with {family.mask.period:,}"
        )
    runs = foretold_runs(program, family)
    if runs > MOST_RUNS and family.mask:
        raise TooManyOperations(
            f"under the mask {family.mask.spec} about {runs:,} runs of tiles would have to be executed, and at most "
            f"{MOST_RUNS:,} are: take larger tiles, a mask of larger blocks, or fewer queries and keys"
        )


def run_of(machine: Machine, loops: Loops, final_state: Callable[[], State]) -> Run:
    """Return what a machine has counted, with what tells the state at the end."""
    return Run(
        family=machine.family,
        M=machine.M,
        reads=machine.counts["load"],
        writes=machine.counts["store"],
        computes=machine.counts["compute"],
        peak=machine.peak,
        steps=machine.steps,
        proved=False,
        _peak_words=lambda: machine.peak_words,
        _state=final_state,
    )


def fits(program: Program, family: Family, M: int) -> bool:
    """Return whether a program runs within M words of fast memory; quick where it does not.

    Raises
    ------
    Violation
        If an operation breaks another rule.
    """
    if program.parts:
        return _parts_fit(program, family, M)
    validate(program, family)
    _refuse_masked_sums(family)
    refuse_too_many(program, family)
    kind = _kind(family)
    try:
        _executed(program, family, M, kind.shortened(family, kind.step_limit))
    except ShortcutOverflow:
        return False
    except Violation as violation:
        if violation.rule != "memory-full":
            raise
        return False
    return True


def _parts_fit(program: Program, family: Family, M: int) -> bool:
    """Return whether a program for each part of the mask runs within M words."""
    try:
        run(program, family, M)
    except Violation as violation:
        if violation.rule != "memory-full":
            raise
        return False
    return True


def _final_state(machine: Machine) -> State:
    """Return the state in which a run ended, all of it."""
    if machine.state.unsure is None:
        return machine.state
    loops = Loops(machine.family, machine.loops.step_limit)
    return _executed(machine.program, machine.family, None, loops).state


class _Kind(NamedTuple):
    """The storage, the shortcut and the greatest number of operations that go together."""

    state: Callable[[Program, Loops], State]
    shortened: type[Loops]
    step_limit: int


def _kind(family: Family) -> _Kind:
    """Choose: a fixed grid and three iterations of a loop, or under a mask cuts that come and go, and memory."""
    if family.masked_axes:
        return _Kind(lambda program, loops: FieldState(family), RememberedLoops, MASKED_STEP_LIMIT)
    return _Kind(lambda program, loops: GridState(program, family, loops), LumpedLoops, STEP_LIMIT)


def _executed(
    program: Program,
    family: Family,
    M: int | None,
    loops: Loops,
    observe: Callable[[Machine], None] | None = None,
) -> Machine:
    return executed(
        lambda: Machine(program, family, M, _kind(family).state(program, loops), loops, observe), loops
    )


def executed(made: Callable[[], Machine], loops: Loops) -> Machine:
    """Execute a program on new machines, again and again until every shortcut that is taken applies."""
    while True:
        machine = made()
        try:
            machine.execute()
        except ClassesFail as failure:
            loops.unclassed.add(id(failure.loop))
        except LastRoundFails as failure:
            if failure.left < _MOST_LEFT:
                loops.left[id(failure.loop)] = _LEFT_AGAIN * failure.left
            else:
                loops.unrolled[id(failure.loop)] = str(failure)
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
