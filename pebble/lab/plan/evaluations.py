"""What a plan asks about schedules with tiles: words moved, room, machine runs; each is worked out once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pebble.common.errors import NoClosedForm
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.memory_need import Room, surcharges, widened, width_ratio
from pebble.program.closed_forms.count import words_by_array
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run
from pebble.program.schedule import Schedule, Tiles

__all__ = ["MASKED_STEPS", "Evaluations", "Traffic"]

MASKED_STEPS = 60_000
"""Most operations of a run under a mask: some seconds. What takes more is left unverified."""

FamilyOf: TypeAlias = Callable[[Problem], Family]


@dataclass(frozen=True)
class Traffic:
    """Words that a program moves, by array, known without running it.

    Attributes
    ----------
    family : Family
    reads, writes : dict of str to int
        An array that is left out is not moved.
    """

    family: Family
    reads: Mapping[str, int]
    writes: Mapping[str, int]

    @property
    def io(self) -> int:
        """Words moved: loads plus stores."""
        return sum(self.reads.values()) + sum(self.writes.values())


class Evaluations:
    """Closed forms and machine runs of one problem, kept.

    Parameters
    ----------
    problem : Problem
    dtype : str
        Of the inputs.

    Attributes
    ----------
    plain : Problem
        Without its mask. Its runs take milliseconds at any size; a program takes hardly more room under a mask.
    closed_forms, masked_runs : int
        How many were made.
    """

    def __init__(self, problem: Problem, dtype: str) -> None:
        self.problem, self.plain, self.dtype = problem, problem.without_mask(), dtype
        self.closed_forms = self.masked_runs = 0
        self._families: dict[tuple[FamilyOf, bool], Family] = {}
        self._traffic: dict[object, Traffic] = {}
        self._runs: dict[object, Run] = {}

    def family(self, schedule: Schedule, masked: bool = True) -> Family:
        """Return the computation of a schedule, with or without the mask."""
        key = schedule.family, masked
        if key not in self._families:
            self._families[key] = schedule.family(self.problem if masked else self.plain)
        return self._families[key]

    def traffic(self, schedule: Schedule, tiles: Tiles) -> Traffic:
        """Return the words moved under the mask: by closed form, or where there is none by a run.

        Raises
        ------
        TooManyOperations
            If there is no closed form and the run takes too long.
        """
        key = schedule, tuple(tiles.items())
        if key not in self._traffic:
            family = self.family(schedule)
            self.closed_forms += 1
            try:
                reads, writes = words_by_array(schedule.program(self.problem, tiles), family)
            except NoClosedForm:
                counted = self.run(schedule, tiles)
                reads, writes = counted.reads, counted.writes
            self._traffic[key] = Traffic(family, reads, writes)
        return self._traffic[key]

    def run(self, schedule: Schedule, tiles: Tiles, *, masked: bool = True, width: int = 1) -> Run:
        """Run a program without a limit on fast memory.

        Parameters
        ----------
        masked : bool
            Whether under the problem's mask.
        width : int
            Words that an element of what is computed takes.

        Raises
        ------
        TooManyOperations
            If it takes more than :data:`MASKED_STEPS` operations under a mask.
        """
        masked = masked and self.problem.mask is not None
        family = self.family(schedule, masked)
        program = schedule.program(self.problem if masked else self.plain, tiles)
        key = program, schedule.family, masked, width  # two schedules may write the same program
        if key not in self._runs:
            self.masked_runs += masked
            self._runs[key] = run(
                program,
                family if width == 1 else widened(family, width),
                step_limit=MASKED_STEPS if masked else None,
            )
        return self._runs[key]

    def room(
        self,
        schedule: Schedule,
        tiles: Tiles,
        constraints: Constraints,
        *,
        masked: bool = True,
        parts: bool = True,
    ) -> Room:
        """Return the room that a program needs with buffers and wide accumulators, measured by machine runs.

        Without ``parts`` the peak is the one with wide accumulators, and no run is made to tell their share.
        """
        width = width_ratio(self.dtype, constraints.accumulate)
        wide_peak = self.run(schedule, tiles, masked=masked, width=width).peak
        peak = self.run(schedule, tiles, masked=masked).peak if parts else wide_peak
        family = self.family(schedule, masked)
        program = schedule.program(self.problem if masked else self.plain, tiles)
        return surcharges(program, family, constraints, self.dtype, peak, wide_peak)
