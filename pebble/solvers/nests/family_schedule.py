"""A program for a family, found from its arrays alone: phases, loop orders and tiles, verified by the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pebble.common.errors import CacheTooSmall, InvalidInput, Violation
from pebble.common.units import fast_memory_words
from pebble.computations.family import Family
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run
from pebble.program.language import phase
from pebble.program.nodes import Program
from pebble.solvers.nests.divided_phase import DividedPhase, refined, unmasked, with_a_short_tile_first
from pebble.solvers.nests.fusion import Fusion
from pebble.solvers.nests.phase_search import SizedPhase

__all__ = ["FamilySchedule", "schedule_family"]


@dataclass(frozen=True)
class FamilySchedule:
    """A program that was found, and what the machine counted.

    Attributes
    ----------
    program : Program
    run : Run
        Reads, writes and peak, verified with M words of fast memory.
    """

    program: Program
    run: Run


def schedule_family(
    family: Family,
    M: int,
    *,
    progress: Callable[[str], None] | None = None,
) -> FamilySchedule:
    """Find a program that moves few words, from nothing but a family's arrays.

    Parameters
    ----------
    family : Family
        Every operand is read complete. Under a mask the program is chosen as if there were none, and run under it.
    M : int
        Words of fast memory.
    progress : callable, optional
        Called with a line of text before each search.

    Returns
    -------
    FamilySchedule

    Raises
    ------
    CacheTooSmall
        If M words hold no vertex with its operands; ``least_M`` says how many do.
    InvalidInput
        If the family has operands that are read at a step.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> found = schedule_family(matmul_family(60, 60, 60), 200)
    >>> print(found.program)
    # C
    for i in tiles of 12:
        for j in tiles of 15:
            for each k:
                load B
                for each i (one i): load A; compute C; delete A
                delete B
            store C; delete C
    >>> found.run.io, found.run.peak
    (36000, 197)
    """
    M = fast_memory_words(M)
    _check(family)
    least = family.max_indegree + 1
    if least > M:
        raise CacheTooSmall(
            f"{family.name} needs at least {least} words: a vertex, and what it reads; M is {M}", least
        )
    fusion = Fusion(unmasked(family, family.extents), M, progress)
    division = fusion.division()
    better = [refined(fusion.phases[frozenset(one.group.names)], M) for one in division]
    # Formulas only propose; what the machine refuses is never shown.
    proposals: list[Sequence[SizedPhase | DividedPhase]] = [better, division]
    if family.masked_axes:
        proposals.append([with_a_short_tile_first(one, family.masked_axes[0], M) for one in division])
    while True:
        found = _first_or_best(proposals, family, M)
        if found is not None:
            return found
        fusion.refuse(_refused(division, family, M))
        division = fusion.division()
        proposals = [division]


def _first_or_best(
    proposals: Sequence[Sequence[SizedPhase | DividedPhase]], family: Family, M: int
) -> FamilySchedule | None:
    """Return the first proposal that the machine accepts; under a mask, of which formulas know nothing, the best."""
    best: FamilySchedule | None = None
    for text in dict.fromkeys(map(_program, proposals)):
        with suppress(Violation):
            found = FamilySchedule(text, run(text, family, M))
            if best is None or found.run.io < best.run.io:
                best = found
            if not family.masked_axes:
                return best
    return best


def _check(family: Family) -> None:
    for array in family.arrays:
        for operand in array.reads:
            if operand.step != "last":
                raise InvalidInput(
                    f"{array.name} reads {operand}, a partial result; loop nests are found for complete operands only"
                )


def _program(phases: Sequence[SizedPhase | DividedPhase]) -> Program:
    return Program(tuple(phase(", ".join(one.group.names), *one.nodes()) for one in phases))


def _refused(division: list[SizedPhase], family: Family, M: int) -> SizedPhase:
    """Return the first phase that the machine refuses."""
    for number in range(1, len(division)):
        try:
            run(_program(division[:number]), family, M)
        except Violation as violation:
            if violation.rule != "output-missing":
                return division[number - 1]
    return division[-1]
