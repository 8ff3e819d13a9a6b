"""What is planned, and the candidates for it: schedules with tiles, not verified yet."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from pebble.common.errors import TooManyOperations
from pebble.computations.problem import Problem
from pebble.lab.plan.constraints import Constraints
from pebble.lab.plan.evaluations import Evaluations
from pebble.lab.plan.memory_need import Room
from pebble.lab.plan.roofline import moved_bytes
from pebble.program.schedule import Schedule, Tiles
from pebble.program.schedule.sequence_cuts import SEQUENCES

__all__ = ["Candidate", "Setting", "candidate_of"]

_SHORT = 16
"""On longer axes the runs under the mask of all tiles take too long."""


@dataclass(frozen=True)
class Setting:
    """What is planned: the problem, the words of fast memory, the constraints, the data type.

    Attributes
    ----------
    problem : Problem
    M : int
        Words of the inputs' data type.
    constraints : Constraints
    dtype : str
    evaluations : Evaluations
        Of this problem and data type.
    """

    problem: Problem
    M: int
    constraints: Constraints
    dtype: str
    evaluations: Evaluations = field(compare=False, repr=False)

    @property
    def short(self) -> bool:
        """Whether axes are so short that all is measured under the mask."""
        return max(self.problem.Nq, self.problem.Nk) <= _SHORT

    def room(self, schedule: Schedule, tiles: Tiles, *, parts: bool = True) -> Room:
        """Return the room that tiles need: without the mask, or where a schedule fits only under it, with it.

        On short axes it is measured under the mask, which takes milliseconds there; so it is for tiles that are cut
        where sequences end, which there are only under a mask.

        Without ``parts``, what wide accumulators add is not told apart: one run instead of two.
        """
        if self.short or SEQUENCES in tiles:
            with suppress(TooManyOperations):
                return self.evaluations.room(schedule, tiles, self.constraints, parts=parts)
        need = self.evaluations.room(schedule, tiles, self.constraints, masked=False, parts=parts)
        if need.words > self.M and schedule.follows_mask and self.problem.mask is not None:
            return self.evaluations.room(schedule, tiles, self.constraints, parts=parts)
        return need

    def fits(self, schedule: Schedule, tiles: Tiles) -> bool:
        """Tell whether tiles fit, as far as is known without the mask."""
        return self.room(schedule, tiles, parts=False).words <= self.M

    def allows(self, schedule: Schedule, tiles: Tiles) -> bool:
        """Tell whether the constraints allow tiles."""
        program = schedule.program(self.problem, tiles)
        return self.constraints.allow(program, self.evaluations.family(schedule))


@dataclass(frozen=True)
class Candidate:
    """One schedule with tiles that are allowed and that fit, as far as is known without a run under the mask.

    Attributes
    ----------
    schedule : Schedule
    form : {"own tiles", "whole tiles"}
        Whether the schedule chose its tiles itself, mostly streaming vectors or elements through them, or loads
        whole tiles of queries and keys as in FlashAttention's algorithm boxes.
    tiles : dict of str to int
    room : Room
    reads, writes : int
        Words, for one copy.
    moved : int
        Bytes, for one copy.
    """

    schedule: Schedule
    form: str
    tiles: dict[str, int]
    room: Room
    reads: int
    writes: int
    moved: int

    @property
    def io(self) -> int:
        """Words moved."""
        return self.reads + self.writes

    @property
    def order(self) -> tuple[int, int, int]:
        """Sort key: fewest bytes, then fewest words, then the largest tile of scores."""
        area = self.tiles.get("rows", 1) * self.tiles.get("cols", 1)
        return self.moved, self.io, -area


def candidate_of(schedule: Schedule, form: str, tiles: Tiles, setting: Setting) -> Candidate:
    """Return the candidate of tiles that are allowed and fit."""
    traffic = setting.evaluations.traffic(schedule, tiles)
    return Candidate(
        schedule=schedule,
        form=form,
        tiles=dict(tiles),
        room=setting.room(schedule, tiles),
        reads=sum(traffic.reads.values()),
        writes=sum(traffic.writes.values()),
        moved=moved_bytes(traffic, setting.dtype, setting.constraints.accumulate),
    )
