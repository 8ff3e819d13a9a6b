"""The plain machine: every iteration of every loop is executed, and every rule is checked at every operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from pebble.common.errors import InvalidInput, TooManyOperations
from pebble.common.units import fast_memory_words
from pebble.program.counting.counted import Run
from pebble.program.counting.levels import LevelMachine
from pebble.program.counting.rules import Machine
from pebble.program.counting.storage import Storage
from pebble.program.hierarchy import Hierarchy
from pebble.program.parts_in_turn import written_out
from pebble.program.validation import validate
from pebble.program.visits import visited

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.nodes import Interval, Loop, Program

__all__ = ["MASKED_STEP_LIMIT", "STEP_LIMIT", "PlainLoops", "execute", "execute_levels"]

STEP_LIMIT = 5_000_000
MASKED_STEP_LIMIT = 600_000


class PlainLoops:
    """Every iteration of every loop is executed.

    Parameters
    ----------
    family : Family
    step_limit : int, optional
        Most operations to execute; by default five million, 600,000 under a mask.
    """

    def __init__(self, family: Family, step_limit: int | None = None) -> None:
        self.family = family
        self.step_limit = step_limit or (MASKED_STEP_LIMIT if family.masked_axes else STEP_LIMIT)

    def execute(self, machine: Machine, node: Loop, whole: Interval) -> None:
        """Execute a loop over what is not empty."""
        for index in visited(node.axis, whole, node.tile, machine.tiles, self.family):
            machine.iteration(node, whole, index)

    def give_up(self) -> NoReturn:
        """Say that there are too many operations."""
        mask = f"under the mask {self.family.mask.spec} " if self.family.mask else ""
        raise TooManyOperations(
            f"{mask}the program takes more than {self.step_limit:,} operations, executed one by one; "
            "take larger tiles, or a smaller problem"
        )


def execute(
    program: Program,
    family: Family,
    M: int | None = None,
    *,
    observe: Callable[[Machine], None] | None = None,
    step_limit: int | None = None,
) -> Run:
    """Execute a program operation by operation.

    Parameters
    ----------
    program : Program
    family : Family
    M : int, optional
        Words of fast memory; without it they are only counted.
    observe : callable, optional
        Called with the machine after every operation.
    step_limit : int, optional
        Most operations to execute; by default five million, 600,000 under a mask.

    Raises
    ------
    Violation
        Where an operation breaks a rule, or an output is not in slow memory at the end.
    InvalidInput
        If the program makes no sense for the family.
    TooManyOperations
        If the computation or the number of operations is too large.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program import compute, load, phase, program, store
    >>> text = program(phase("", load("A", "B"), compute("C"), store("C")))
    >>> run = execute(text, matmul_family(2, 2, 3))
    >>> run.io, run.peak
    (16, 17)
    """
    if M is not None:
        M = fast_memory_words(M)
    program = written_out(program, family)
    validate(program, family)
    if family.masked_axes and family.has_free_sums:
        raise InvalidInput(
            "sums in any order are verified without a mask only: leave the mask out, or take chains"
        )
    machine = Machine(program, family, M, Storage(family), PlainLoops(family, step_limit), observe)
    return _run(machine)


def execute_levels(
    program: Program,
    family: Family,
    capacities: Sequence[int | None],
    *,
    inclusive: bool = True,
    step_limit: int | None = None,
) -> tuple[Run, ...]:
    """Execute a program for several memory levels operation by operation, once for each level that is counted.

    Parameters
    ----------
    program : Program
    family : Family
    capacities : sequence of int or None
        Words of each level, the innermost first; None measures without a limit.
    inclusive : bool
        Whether each level holds all that the levels within hold.
    step_limit : int, optional
        As of :func:`execute`, whose errors these are too.
    """
    hierarchy = Hierarchy(tuple(capacities), inclusive)
    program = written_out(program, family)
    validate(program, family, hierarchy.levels)
    if family.has_free_sums:
        raise InvalidInput(
            "programs for several memory levels are verified with chains, not with sums in any order"
        )
    runs = []
    for level, M in enumerate(hierarchy.capacities, start=1):
        storage = Storage(family, hierarchy.levels, inclusive, level)
        runs.append(_run(LevelMachine(program, family, M, storage, PlainLoops(family, step_limit))))
    return tuple(runs)


def _run(machine: Machine) -> Run:
    """Execute a machine's program; return what it has counted."""
    machine.execute()
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
        _state=lambda: machine.state,
    )
