"""Trials of tiles under a mask: the words that they move, and whether they fit."""

from __future__ import annotations

from collections.abc import Sequence

from pebble.common.errors import NoClosedForm
from pebble.computations.problem import Problem
from pebble.program.closed_forms.count import closed_form
from pebble.program.machine.run import fits
from pebble.program.nodes import Program
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.tile_groups import TileGroup

__all__ = ["Trials"]


class Trials:
    """What a schedule moves with given tiles, by closed form, and whether they fit, by the machine.

    The words of a group's phases are counted alone where the phases' words add up to those of the program.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
    M : int
        Words of fast memory.
    """

    def __init__(self, schedule: Schedule, problem: Problem, M: int) -> None:
        self.schedule, self.problem, self.M = schedule, problem, M
        self.family = schedule.family(problem)
        self.greatest = dict(schedule.greatest(problem))
        self._plain = problem.without_mask()
        self._fits: dict[tuple[tuple[str, int], ...], bool] = {}

    def fits(self, tiles: Tiles) -> bool:
        """Whether the machine runs the program within M words; quick where it does not."""
        key = tuple(sorted(tiles.items()))
        if key not in self._fits:
            self._fits[key] = fits(self.schedule.program(self.problem, tiles), self.family, self.M)
        return self._fits[key]

    def peak(self, tiles: Tiles) -> int:
        """Words of fast memory that the machine measures under the mask."""
        return self.schedule.measure(self.problem, tiles).peak

    def plain_peak(self, tiles: Tiles) -> int:
        """Words of fast memory without the mask: measured quickly, and about as many unless tiles of S stay."""
        return self.schedule.measure(self._plain, tiles).peak

    def whole(self, tiles: Tiles) -> int:
        """Words of the whole program."""
        try:
            return self._words(self.schedule.program(self.problem, tiles))
        except NoClosedForm:
            return self.schedule.measure(self.problem, tiles).io

    def group(self, tiles: Tiles, group: TileGroup, additive: bool) -> int:
        """Words of a group's phases; of the whole program unless these add up."""
        if not additive:
            return self.whole(tiles)
        program = self.schedule.program(self.problem, tiles)
        return self._words(Program(tuple(program.phases[number] for number in group.phases)))

    def additive(self, tiles: Tiles, groups: Sequence[TileGroup]) -> bool:
        """Whether the words of the groups' phases, and of the other phases, add up to those of the program."""
        program = self.schedule.program(self.problem, tiles)
        shaped = {number for group in groups for number in group.phases}
        if max(shaped, default=-1) >= len(program.phases):
            return False
        rest = tuple(part for number, part in enumerate(program.phases) if number not in shaped)
        try:
            parts = sum(self.group(tiles, group, True) for group in groups)
            return parts + self._words(Program(rest)) == self._words(program)
        except NoClosedForm:
            return False

    def _words(self, program: Program) -> int:
        return int(closed_form(program, self.family).io)
