"""What is planned, and what it asks of tiles in the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import CacheTooSmall, InvalidInput, TooManyOperations
from pebble.common.units import bytes_per_word
from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.lab.hardware import Device
from pebble.lab.plan.constraints import AXES, Constraints
from pebble.lab.plan.memory_need import Room, second_buffers, wide_arrays, widened, width_ratio
from pebble.lab.plan.roofline import Traffic, moved_bytes
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.table import bounds
from pebble.program import Program
from pebble.program.counting.counted import Run
from pebble.program.counting.effects import MOST_BOXES
from pebble.program.counting.measure import Moves, measure
from pebble.program.counting.run import run
from pebble.program.schedule import Schedule, Tiles, fitting
from pebble.program.schedule.tile_demands import NO_DEMANDS, TileDemands
from pebble.program.schedule.tile_last_size import nearest
from pebble.program.schedule.tiled_programs import TiledPrograms
from pebble.program.schedule.words_text import words_moved_by

if TYPE_CHECKING:
    Whole = NDArray[np.int64]

MASKED_STEPS = 60_000
"""Most operations of a run under a mask: some seconds. What takes more is left unverified."""


@dataclass(frozen=True)
class Setting:
    """What is planned: the problem, the words of fast memory, the constraints, the data type.

    M is in words of the inputs' data type; the device is for times, and the level what of it is fast memory.
    """

    problem: Problem
    M: int
    constraints: Constraints
    dtype: str
    device: Device | None = None
    level: str | None = None

    @property
    def bound(self) -> Bound:
        """The greatest proved bound, for all copies."""
        return _bound(self.problem, self.M)

    def best_tiles(self, schedule: Schedule, names: tuple[str, ...] | None) -> dict[str, int]:
        """Return the tiles that the search finds, of some names or the schedule's own.

        Raises
        ------
        CacheTooSmall
            If none are found that keep the constraints and fit.
        """
        best = failure = None
        try:
            best = fitting(schedule, self.problem, self.M, demands_of(self.constraints, self.dtype, names))
        except CacheTooSmall as error:
            failure = error
        free = self.constraints.of_memory
        if self.constraints.multiple_of == 1 and self.constraints != free:
            # A size is free where products take its lines one by one.
            with suppress(CacheTooSmall, TooManyOperations):
                other = fitting(schedule, self.problem, self.M, demands_of(free, self.dtype, names))
                if (best is None or other.words < best.words) and self._allows(schedule, other.tiles):
                    best = other
        if best is None:
            assert failure is not None
            raise failure
        return best.tiles

    def _allows(self, schedule: Schedule, tiles: Tiles) -> bool:
        program = schedule.program(self.problem, tiles)
        return self.constraints.allow(program, schedule.family(self.problem))

    def run(self, schedule: Schedule, tiles: Tiles, width: int = 1) -> Run:
        """Run a program without a limit on fast memory; ``width`` words are an element of what is computed."""
        return _run(schedule.program(self.problem, tiles), schedule.family, self.problem, width)

    def room(self, schedule: Schedule, tiles: Tiles) -> Room:
        """Return the room that a program needs with buffers and wide accumulators, measured by machine runs."""
        peak = self.run(schedule, tiles).peak
        wide = self.run(schedule, tiles, width_ratio(self.dtype, self.constraints.accumulate)).peak - peak
        program, family = schedule.program(self.problem, tiles), schedule.family(self.problem)
        return Room(peak, wide, second_buffers(program, family, self.constraints, self.dtype))


@lru_cache(maxsize=16)
def _bound(problem: Problem, M: int) -> Bound:
    return bounds(problem, M).best


@lru_cache(maxsize=256)
def _run(program: Program, family: Callable[[Problem], Family], problem: Problem, width: int) -> Run:
    """Run a program once, however often it is asked for."""
    steps = None if problem.mask is None else MASKED_STEPS
    return run(program, widened(family(problem), width), step_limit=steps)


def demands_of(constraints: Constraints, dtype: str, names: tuple[str, ...] | None = None) -> TileDemands:
    """Return what constraints ask of tiles of some names, if anything."""
    if constraints == Constraints():
        return NO_DEMANDS if names is None else TileDemands(names)
    return _Demands(constraints, dtype, names)


class _Demands(TileDemands):
    """Sizes that keep constraints; wide words count as several, and room is with buffers and wide accumulators."""

    def __init__(self, constraints: Constraints, dtype: str, names: tuple[str, ...] | None) -> None:
        super().__init__(names, str(constraints), dtype)
        self.constraints, self.dtype = constraints, dtype
        self.width = width_ratio(dtype, constraints.accumulate)

    def sizes(self, schedule: TiledPrograms, problem: Problem, tiles: Tiles) -> dict[str, Sequence[int]]:
        """Return the sizes that keep the constraints, but of what products keep them with whatever it is."""
        if self.constraints == self.constraints.of_memory:
            return {}
        greatest, family = schedule.greatest(problem), schedule.family(problem)
        kept = {
            name: self._along(schedule.axis_of(name), greatest[name], problem)
            for name in tiles
            if name not in schedule.numbers_of_tiles
        }
        least = {name: nearest(size, kept.get(name)) for name, size in tiles.items()}

        def keep(name: str, size: int) -> bool:
            with suppress(InvalidInput):
                return self.allow(schedule.program(problem, {**least, name: max(size, 1)}), family)
            return False

        some = {name: (1, greatest[name] - 2, greatest[name] - 1) for name in kept}
        return {name: kept[name] for name in kept if not all(keep(name, size) for size in some[name])}

    def _along(self, axis: str, extent: int, problem: Problem) -> Sequence[int]:
        if axis:
            side = next((side for side, one in AXES.items() if one == axis), "")
            return self.constraints.sizes(side, extent)
        sides = {"rows": problem.Nq, "cols": problem.Nk}
        least = max(min(self.constraints.at_least.get(side, 1), sides[side]) for side in sides)
        return [size for size in self.constraints.sizes("", extent) if size >= least]

    def allow(self, program: Program, family: Family) -> bool:
        """Tell whether the constraints allow the tiles of all matrix products."""
        return self.constraints.allow(program, family)

    def measure(
        self, programs: Sequence[Program], family: Family, most: int = MOST_BOXES
    ) -> tuple[Whole, Whole]:
        """Return the words and the room of programs."""
        weigh = partial(self._weighed, family, self.width)
        moved, room = measure(programs, widened(family, self.width), most, weigh)
        more = [second_buffers(program, family, self.constraints, self.dtype) for program in programs]
        return moved, room + more

    def words(self, programs: Sequence[Program], family: Family, most: int) -> Whole:
        """Return the words alone."""
        return words_moved_by(programs, family, most, partial(self._weighed, family, 1))

    def _weighed(self, family: Family, width: int, moves: Moves) -> Any:
        """Return the bytes in words of the inputs' type, where an element of what is computed is told as ``width``."""
        wide = wide_arrays(family)
        reads, writes = (
            {
                name: words // (width if name in wide else 1)
                for (action, name), words in moves.items()
                if action == which
            }
            for which in ("load", "store")
        )
        traffic = Traffic(family, reads, writes)
        return moved_bytes(traffic, self.dtype, self.constraints.accumulate) // bytes_per_word(self.dtype)
