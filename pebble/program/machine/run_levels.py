"""Running a program for several memory levels: every rule at every level, a run for each level's counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pebble.common.errors import InvalidInput, Violation
from pebble.program.counting.levels import LevelMachine
from pebble.program.hierarchy import Hierarchy
from pebble.program.machine.level_field import LevelFieldState
from pebble.program.machine.level_state import LevelState
from pebble.program.machine.loops import Loops, ShortcutOverflow
from pebble.program.machine.lump import LumpedLoops
from pebble.program.machine.memo import RememberedLoops
from pebble.program.machine.run import (
    LOCATE_LIMIT,
    MASKED_STEP_LIMIT,
    STEP_LIMIT,
    executed,
    refuse_too_many,
    run_of,
)
from pebble.program.parts_in_turn import written_out
from pebble.program.validation import validate

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.counting.counted import Run
    from pebble.program.counting.level_storage import LevelStorage
    from pebble.program.counting.state import State
    from pebble.program.nodes import Program

__all__ = ["run_levels"]


def run_levels(
    program: Program,
    family: Family,
    capacities: Sequence[int | None],
    *,
    inclusive: bool = True,
    induction: bool = True,
    step_limit: int | None = None,
) -> tuple[Run, ...]:
    """Run a program for several memory levels on the machine.

    Parameters
    ----------
    program : Program
    family : Family
    capacities : sequence of int or None
        Words of each level, the innermost first; beyond the last there is room for everything. None measures without
        a limit.
    inclusive : bool
        Whether each level holds all that the levels within hold, so that ``compute`` takes room at all of them;
        otherwise ``compute`` takes room in level 1, and copies may be anywhere.
    induction : bool
        Whether iterations may be accounted for without being executed.
    step_limit : int, optional
        Most operations to execute; five million by default, 600,000 under a mask.

    Returns
    -------
    tuple of Run
        One for each level: the words that it loads from the next level out and stores to it, and its peak. The
        computations are counted at every level that they take room in.

    Raises
    ------
    Violation
        If an operation breaks a rule at any level, or an output is not beyond the last level at the end.
    InvalidInput
        If the program does not make sense for the family and the levels, or there would be too many operations.

    Notes
    -----
    Every run enforces the rules of all levels; each counts and limits one. docs/levels.md proves that shortcuts change
    no count. Cost: as ``run``, for each level.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, delete, load, loop, phase, program, store
    >>> sums = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"))
    >>> text = program(phase("", load("A", "B", level=2), loop("i", 1, loop("j", 1, sums, store("C"), delete("C"))),
    ...     store("C", level=2)))
    >>> [(one.io, one.peak) for one in run_levels(text, matmul_family(4, 4, 3), (4, 50))]
    [(112, 4), (40, 41)]
    """
    hierarchy = Hierarchy(tuple(capacities), inclusive)
    program = written_out(program, family)
    validate(program, family, hierarchy.levels)
    if family.has_free_sums:
        raise InvalidInput(
            "programs for several memory levels are verified with chains, not with sums in any order"
        )
    if induction:
        refuse_too_many(program, family)
    return tuple(
        _run_level(program, family, hierarchy, level, induction, step_limit)
        for level in range(1, hierarchy.levels + 1)
    )


def _run_level(
    program: Program,
    family: Family,
    hierarchy: Hierarchy,
    level: int,
    induction: bool,
    step_limit: int | None,
) -> Run:
    def executed_with(loops: Loops, M: int | None) -> LevelMachine:
        def made() -> LevelMachine:
            return LevelMachine(program, family, M, _storage(program, family, loops, hierarchy, level), loops)

        machine = executed(made, loops)
        assert isinstance(machine, LevelMachine)
        return machine

    M = hierarchy.capacities[level - 1]
    limit = step_limit or (MASKED_STEP_LIMIT if family.masked_axes else STEP_LIMIT)
    shortened = RememberedLoops if family.masked_axes else LumpedLoops
    loops = (shortened if induction else Loops)(family, limit, hierarchy.levels)
    try:
        machine = executed_with(loops, M)
    except ShortcutOverflow as overflow:
        _locate(partial(executed_with, Loops(family, LOCATE_LIMIT, hierarchy.levels), M))
        raise Violation(f"level {level}: {overflow}", "memory-full") from None
    return run_of(machine, loops, partial(_final_state, machine, partial(executed_with, M=None)))


def _locate(executed_plainly: partial[LevelMachine]) -> None:
    """Execute every iteration to raise the violation at its exact place, where that is affordable."""
    try:
        executed_plainly()
    except InvalidInput:
        return


def _final_state(machine: LevelMachine, executed_with: Callable[[Loops], LevelMachine]) -> State:
    """Return the state in which a run ended, all of it."""
    if machine.state.unsure is None:
        return machine.state
    return executed_with(Loops(machine.family, machine.loops.step_limit, machine.state.levels)).state


def _storage(
    program: Program, family: Family, loops: Loops, hierarchy: Hierarchy, level: int
) -> LevelStorage:
    """Choose: a fixed grid, or under a mask cuts that come and go."""
    levels, inclusive = hierarchy.levels, hierarchy.inclusive
    if family.masked_axes:
        return LevelFieldState(family, levels, inclusive, level)
    return LevelState(program, family, loops, levels, inclusive, level)
