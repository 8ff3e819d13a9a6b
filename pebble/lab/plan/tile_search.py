"""The search for tiles: those that a schedule chooses itself, and whole tiles of queries and keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pebble.common.errors import CacheTooSmall
from pebble.computations.problem import Problem
from pebble.lab.asked_schedules import asked_schedules
from pebble.lab.plan.constraints import AXES, Constraints
from pebble.lab.plan.memory_need import Room, room
from pebble.lab.plan.roofline import moved_bytes
from pebble.program.closed_forms.count import closed_form
from pebble.program.machine.counted import Run
from pebble.program.schedule import Schedule, Tiles, offered

__all__ = ["Candidate", "Setting", "candidates", "contenders"]

ATTEMPTS = 6
SPREAD = 8


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
    """

    problem: Problem
    M: int
    constraints: Constraints
    dtype: str


@dataclass(frozen=True)
class Candidate:
    """One schedule with tiles that are allowed and fit.

    Attributes
    ----------
    schedule : Schedule
    form : {"own tiles", "whole tiles"}
        Whether the schedule chose its tiles itself, mostly streaming vectors or elements through them, or loads
        whole tiles of queries and keys as in FlashAttention's algorithm boxes.
    tiles : dict of str to int
    room : Room
    run : Run
        The machine's run, for one copy.
    moved : int
        Bytes, for one copy.
    """

    schedule: Schedule
    form: str
    tiles: dict[str, int]
    room: Room
    run: Run
    moved: int

    @property
    def order(self) -> tuple[int, int, int]:
        """Sort key: fewest bytes, then fewest words, then the largest tile of scores."""
        area = self.tiles.get("rows", 1) * self.tiles.get("cols", 1)
        return self.moved, self.run.io, -area


def contenders(problem: Problem, names: Sequence[str | Schedule] | None) -> list[Schedule]:
    """Return the schedules to try: the named ones, or all that do not merely pick among others."""
    if names is None:
        return [schedule for schedule in offered(problem) if not hasattr(schedule, "candidates")]
    return asked_schedules(names, problem)


def candidates(schedules: Sequence[Schedule], setting: Setting) -> list[Candidate]:
    """Return the best candidate of each schedule and form, the best first."""
    found = [_own(schedule, setting) for schedule in schedules]
    found += [_whole(schedule, setting) for schedule in schedules if "literal" in schedule.presets]
    return sorted((one for one in found if one is not None), key=lambda one: one.order)


def measured_room(schedule: Schedule, tiles: Tiles, setting: Setting) -> tuple[Room, Run]:
    """Measure what a schedule with tiles needs under the constraints."""
    problem = setting.problem
    measured = schedule.measure(problem, tiles)
    program = schedule.program(problem, tiles)
    need = room(program, schedule.family, problem, measured, setting.constraints, setting.dtype)
    return need, measured


def _candidate(schedule: Schedule, form: str, tiles: Tiles, setting: Setting) -> Candidate:
    """Return the candidate of tiles that are allowed and fit."""
    need, measured = measured_room(schedule, tiles, setting)
    moved = moved_bytes(measured, setting.dtype, setting.constraints.accumulate)
    return Candidate(schedule, form, dict(tiles), need, measured, moved)


def _allowed(schedule: Schedule, tiles: Tiles, setting: Setting) -> bool:
    program = schedule.program(setting.problem, tiles)
    return setting.constraints.allow(program, schedule.family(setting.problem))


# A schedule's own choice of tiles


def _own(schedule: Schedule, setting: Setting) -> Candidate | None:
    """Let the schedule choose its tiles for less and less memory, until they fit with buffers and wide accumulators.

    Each offer is scaled by what the tiles needed, so the tiles are nearly, but not surely, the largest.
    """
    low, high, aim = 0, setting.M + 1, setting.M
    best: Candidate | None = None
    for _ in range(ATTEMPTS):
        tiles = _rounded(schedule, aim, setting)
        if tiles is None:
            return best
        need, _run = measured_room(schedule, tiles, setting)
        if need.words <= setting.M:
            found = _candidate(schedule, "own tiles", tiles, setting)
            best = found if best is None or found.order < best.order else best
            low = aim
        else:
            high = aim
        scaled = aim * setting.M // need.words
        aim = scaled if low < scaled < high else (low + high) // 2
        close = best is not None and best.room.words >= setting.M - setting.M // 100
        if close or high - low <= max(1, setting.M // 512):
            break
    return best


def _rounded(schedule: Schedule, aim: int, setting: Setting) -> dict[str, int] | None:
    """Return the schedule's tiles for so many words, cut down to keep the constraints; None if they cannot."""
    try:
        choose = getattr(schedule, "rectangles", schedule.tiles)
        tiles = dict(choose(setting.problem, aim))
    except CacheTooSmall:
        return None
    if _allowed(schedule, tiles, setting):
        return tiles
    extents = schedule.family(setting.problem).extents
    zero = schedule.may_be_zero
    for name, size in tiles.items():
        if name in zero:
            continue
        most = setting.constraints.at_most.get(name, size)
        axis = AXES.get(name)
        whole = axis is not None and min(size, most) >= extents[axis]
        tiles[name] = min(size, most) if whole else setting.constraints.down(min(size, most))
        if tiles[name] < 1:
            return None
    return tiles if _allowed(schedule, tiles, setting) else None


# Whole tiles


def _whole(schedule: Schedule, setting: Setting) -> Candidate | None:
    """Search rows and columns of whole tiles; the machine judges what fits.

    One side decides the I/O: it is made as long as fits beside the shortest other side. Among lengths that make
    equally many tiles, the one that leaves room for the largest tile of scores is taken.
    """
    problem, constraints = setting.problem, setting.constraints
    extents = {"rows": problem.Nq, "cols": problem.Nk}
    outer, inner = _sides(schedule, problem)
    sizes = {name: constraints.sizes(name, extent) for name, extent in extents.items()}
    if not sizes[outer] or not sizes[inner]:
        return None
    if not _allowed(schedule, {outer: sizes[outer][0], inner: sizes[inner][0]}, setting):
        return None

    def fits(tiles: dict[str, int]) -> bool:
        return measured_room(schedule, tiles, setting)[0].words <= setting.M

    longest = _last(sizes[outer], lambda size: fits({outer: size, inner: sizes[inner][0]}))
    if longest is None:
        return None
    trips = -(-extents[outer] // longest)
    equal = [size for size in sizes[outer] if size <= longest and -(-extents[outer] // size) == trips]
    found = []
    for size in _spread(equal):
        other = _last(sizes[inner], lambda one, size=size: fits({outer: size, inner: one}))  # type: ignore[misc]
        if other is not None:
            tiles = schedule.check_tiles({outer: size, inner: other})
            found.append(_candidate(schedule, "whole tiles", tiles, setting))
    return min(found, key=lambda one: one.order, default=None)


def _sides(schedule: Schedule, problem: Problem) -> tuple[str, str]:
    """Return the side whose length decides the I/O, and the other one."""
    small = Problem(64, 64, 1, 1, pass_name=problem.pass_name)
    family = schedule.family(small)
    io = {
        name: int(closed_form(schedule.program(small, {"rows": 8, "cols": 8, name: 32}), family).io)
        for name in ("rows", "cols")
    }
    return ("rows", "cols") if io["rows"] < io["cols"] else ("cols", "rows")


def _last(sizes: Sequence[int], fits: Callable[[int], bool]) -> int | None:
    """Return the last size that fits, if every size before it fits too."""
    low, high = -1, len(sizes)
    step = 1
    while low + 1 < high:
        middle = min(low + step, high - 1)
        if fits(sizes[middle]):
            low, step = middle, 2 * step
        else:
            high, step = middle, max(1, (middle - low) // 2)
    return None if low < 0 else sizes[low]


def _spread(sizes: list[int]) -> list[int]:
    """Return at most a few of the sizes, the first and the last among them."""
    if len(sizes) <= SPREAD:
        return sizes
    return sorted({sizes[i * (len(sizes) - 1) // (SPREAD - 1)] for i in range(SPREAD)})
