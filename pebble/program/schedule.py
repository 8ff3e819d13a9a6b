"""Schedules: the base class, the registry, and the door through which third parties add their own."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.computations.family import Family
from pebble.computations.problem import LARGEST_SIZE, PASSES, Problem
from pebble.computations.registry import family_of
from pebble.program.machine.run import Run, run
from pebble.program.nodes import Program

__all__ = [
    "GROUP",
    "Schedule",
    "Tiles",
    "available",
    "fitting_tiles",
    "get",
    "largest",
    "offered",
    "registered",
    "resolve_tiles",
]

GROUP = "pebble.schedules"
Tiles = Mapping[str, int]


class Schedule(ABC):
    """A way to compute attention: how to choose tiles for a cache of M words, and the program they give.

    A subclass sets the class attributes and implements :meth:`tiles`, :meth:`smallest` and :meth:`program`.
    It is registered by one line in the project that ships it, under the entry-point group
    ``pebble.schedules``, and checked with :func:`pebble.testing.check_schedule`.

    Attributes
    ----------
    name : str
        As used on the command line.
    summary : str
        One line.
    source : str
        The paper, or how else it came about.
    passes : tuple of str
        Passes it serves.
    tile_names : tuple of str
        The tile sizes it takes, in the order in which they are shown.
    presets : tuple of str
        Names of published or otherwise fixed choices of tiles, see :meth:`preset`.
    follows_mask : bool
        Whether tiles are chosen by looking at the mask. If not they are chosen as for the problem without one, which
        never needs less room; the program skips what is masked out either way.
    masks_only : bool
        Whether it is of interest under a mask only; it is then counted without one only if it is named.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    passes: ClassVar[tuple[str, ...]] = ("forward",)
    tile_names: ClassVar[tuple[str, ...]] = ()
    presets: ClassVar[tuple[str, ...]] = ()
    follows_mask: ClassVar[bool] = False
    masks_only: ClassVar[bool] = False

    @abstractmethod
    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Choose tiles for a cache of M words: the cheapest that fit.

        Raises
        ------
        CacheTooSmall
            If not even the smallest tiles fit; carries the least M.
        """

    @abstractmethod
    def smallest(self, problem: Problem) -> Tiles:
        """Return the tiles that need the least room."""

    @abstractmethod
    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program for given tiles, whether or not they fit any cache."""

    def preset(self, problem: Problem, M: int, name: str) -> Tiles:
        """Tiles by a published rule; they need not fit M."""
        raise InvalidInput(
            f"{self.name} has no tiles called {name!r}"
            + (f"; it has {', '.join(self.presets)}" if self.presets else "")
        )

    @staticmethod
    def family(problem: Problem) -> Family:
        """Return the computation that the schedule's program is about."""
        return family_of(problem)

    def measure(self, problem: Problem, tiles: Tiles) -> Run:
        """Run the program without a limit on fast memory, to see what it needs and costs."""
        return _measure(self.program(problem, tiles), self.family, problem)

    def seen(self, problem: Problem) -> Problem:
        """Return the problem that tiles are chosen for: without its mask, unless the schedule follows masks."""
        return problem if self.follows_mask else problem.without_mask()

    def least_M(self, problem: Problem) -> int:
        """Return the least number of words of fast memory the schedule needs, measured by the machine."""
        problem = self.seen(problem)
        return self.measure(problem, self.smallest(problem)).peak

    def check_tiles(self, tiles: Tiles) -> dict[str, int]:
        """Return the tiles in canonical order; InvalidInput for unknown names or sizes below one."""
        unknown = sorted(set(tiles) - set(self.tile_names))
        if unknown:
            takes = ", ".join(self.tile_names) or "no tiles"
            raise InvalidInput(f"{self.name} does not take tiles {', '.join(unknown)}; it takes {takes}")
        least = {name: 0 if name in self.may_be_zero() else 1 for name in tiles}
        for name, size in tiles.items():
            if isinstance(size, bool) or not isinstance(size, int) or size < least[name]:
                raise InvalidInput(
                    f"{self.name}: tile {name}={size!r} must be a whole number ≥ {least[name]}"
                )
        return {name: tiles[name] for name in self.tile_names if name in tiles}

    def may_be_zero(self) -> tuple[str, ...]:
        """Names of the tile sizes for which zero makes sense."""
        return ()

    def too_small(self, problem: Problem, M: int) -> CacheTooSmall:
        """Return the error that says how many words the schedule needs."""
        least = self.least_M(problem)
        return CacheTooSmall(f"{self.name} needs at least {least} words of fast memory here; M is {M}", least)

    def require(self, problem: Problem, M: int) -> None:
        """Raise CacheTooSmall if not even the smallest tiles fit."""
        if self.least_M(problem) > M:
            raise self.too_small(problem, M)

    def __repr__(self) -> str:
        return f"<Schedule {self.name}: {self.summary}>"


@lru_cache(maxsize=512)
def _measure(program: Program, family: Callable[[Problem], Family], problem: Problem) -> Run:
    """Run a program once, however many schedules come to it."""
    return run(program, family(problem))


def largest(
    schedule: Schedule,
    problem: Problem,
    M: int,
    name: str,
    high: int,
    guess: int,
    fixed: Tiles | None = None,
) -> dict[str, int]:
    """Return the largest value of one tile size that the machine measures to fit M words.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
    M : int
    name : str
        The tile size; room must not shrink when it grows.
    high : int
        Largest value that makes a difference.
    guess : int
        Where to start; a good guess costs two measurements.
    fixed : mapping, optional
        The schedule's other tile sizes.

    Raises
    ------
    CacheTooSmall
        If 1 does not fit.
    """
    schedule.require(problem, M)
    others = dict(fixed or {})

    def fits(size: int) -> bool:
        return schedule.measure(problem, {**others, name: size}).peak <= M

    low, step = min(max(guess, 1), high), 1
    while low > 1 and not fits(low):
        low, step = max(1, low - step), 2 * step
    above, step = low + 1, 1
    while above <= high and fits(above):
        low, above, step = above, above + step, 2 * step
    above = min(above, high + 1)
    while above - low > 1:
        middle = (low + above) // 2
        low, above = (middle, above) if fits(middle) else (low, middle)
    return {name: low}


def resolve_tiles(
    schedule: Schedule, problem: Problem, M: int | None, tiles: Tiles | str | None
) -> dict[str, int]:
    """Return the tile sizes to use: as given, by a preset's name, or chosen by the schedule for M words.

    Raises
    ------
    InvalidInput
        If M is needed and not given, or the tiles do not make sense.
    CacheTooSmall
        If the schedule finds no tiles that fit.
    """
    if tiles is not None and not isinstance(tiles, str):
        return schedule.check_tiles(tiles)
    if M is None:
        raise InvalidInput(
            f"{schedule.name}: say how many words of fast memory there are (M), or give tile sizes"
        )
    if isinstance(M, bool) or not isinstance(M, int) or M < 1:
        raise InvalidInput(f"M must be a positive whole number of words, not {M!r}")
    if M > LARGEST_SIZE:
        raise InvalidInput(f"M is too large: at most {LARGEST_SIZE:,} words are dealt with")
    if tiles is not None:
        return dict(schedule.preset(schedule.seen(problem), M, tiles))
    return fitting_tiles(schedule, problem, M)


def fitting_tiles(schedule: Schedule, problem: Problem, M: int) -> dict[str, int]:
    """Return the tiles a schedule chooses for M words; under a mask too they fit.

    A mask may make the last tile that a line visits a whole one where it is ragged without a mask, and so take a word
    or two more. Tiles are then chosen for so much less.

    Raises
    ------
    CacheTooSmall
        If the schedule finds no tiles that fit.
    """
    seen = schedule.seen(problem)
    tiles = dict(schedule.tiles(seen, M))
    if problem.mask is None:
        return tiles
    room = M
    while (peak := schedule.measure(problem, tiles).peak) > M:
        room -= peak - M
        try:
            tiles = dict(schedule.tiles(seen, room)) if room > 0 else {}
        except CacheTooSmall:
            tiles = {}
        if room < 1 or (not tiles and schedule.tile_names):
            raise CacheTooSmall(
                f"{schedule.name} needs at least {peak} words of fast memory under this mask; M is {M}", peak
            )
    return tiles


def registered(pass_name: str | None = None) -> list[Schedule]:
    """All registered schedules: the built-in ones first, in a fixed order, then the others by name.

    Parameters
    ----------
    pass_name : str, optional
        Only those that serve this pass. An entry point called ``NAME.PASS`` is not even loaded for another pass.

    Raises
    ------
    InvalidInput
        If a registered schedule cannot be loaded, or two that serve the same pass have the same name.
    """
    from importlib.metadata import entry_points

    entries = {(entry.name, entry.value): entry for entry in entry_points(group=GROUP)}
    if not entries:
        raise InvalidInput(
            "no schedules are registered: install the package (pip install .) to register them"
        )
    found = [_load(*key) for key in sorted(entries) if _may_serve(key[0], pass_name)]
    if pass_name is not None:
        found = [schedule for schedule in found if pass_name in schedule.passes]
    taken: dict[tuple[str, str], Schedule] = {}
    for schedule in found:
        for pass_name in schedule.passes:
            other = taken.setdefault((pass_name, schedule.name), schedule)
            if other is not schedule:
                raise InvalidInput(
                    f"two schedules for the {pass_name} pass are called {schedule.name!r}: "
                    f"{type(other).__module__} and {type(schedule).__module__}"
                )
    return sorted(found, key=_order)


def offered(problem: Problem) -> list[Schedule]:
    """Return the schedules that are counted if none are named: those for masks only where there is one."""
    found = available(problem.pass_name).values()
    return [schedule for schedule in found if problem.mask is not None or not schedule.masks_only]


_BUILT_IN = (
    "naive",
    "standard",
    "flash-1",
    "flash-2",
    "flash-2-pinned",
    "flash-2-sliced",
    "split",
    "small-cache",
    "square-tile",
    "p-first",
    "hybrid",
    "keys-pinned",
    "queries-pinned",
    "queries-sliced",
    "key-window",
    "best",
)


def _by_entry_name(name: str, pass_name: str) -> Schedule | None:
    """Return the schedule whose entry point is called like it, without loading the others."""
    from importlib.metadata import entry_points

    for entry_name in (f"{name}.{pass_name}", name):
        values = {entry.value for entry in entry_points(group=GROUP, name=entry_name)}
        if len(values) == 1:
            schedule = _load(entry_name, values.pop())
            if schedule.name == name and pass_name in schedule.passes:
                return schedule
    return None


def _may_serve(entry_name: str, pass_name: str | None) -> bool:
    suffix = entry_name.rpartition(".")[2]
    return pass_name is None or suffix not in PASSES or suffix == pass_name


def _order(schedule: Schedule) -> tuple[bool, int, str]:
    known = schedule.name in _BUILT_IN
    return "forward" not in schedule.passes, _BUILT_IN.index(schedule.name) if known else 99, schedule.name


def available(pass_name: str = "forward") -> dict[str, Schedule]:
    """All registered schedules that serve a pass, by name."""
    return {schedule.name: schedule for schedule in registered(pass_name)}


def get(name: str, pass_name: str = "forward") -> Schedule:
    """Return the schedule with this name for a pass.

    Raises
    ------
    InvalidInput
        If there is none; the message names the nearest.

    Examples
    --------
    >>> get("flash-2")
    <Schedule flash-2: queries outside, keys inside; outputs stay in fast memory until done>
    """
    if pass_name == "both":
        raise InvalidInput(
            f"a training step is two passes, each with a schedule of its own: take {name!r} for the forward and for "
            "the backward pass one by one, not 'both'"
        )
    quick = _by_entry_name(name, pass_name)
    if quick is not None:
        return quick
    found = available(pass_name)
    if name in found:
        return found[name]
    close = difflib.get_close_matches(name, found, n=1)
    hint = f"; did you mean {close[0]}?" if close else "."
    raise InvalidInput(f"unknown schedule {name!r} for the {pass_name} pass{hint} Known: {', '.join(found)}")


@lru_cache(maxsize=256)
def _load(name: str, value: str) -> Schedule:
    from importlib.metadata import EntryPoint

    try:
        made = EntryPoint(name, value, GROUP).load()()
    except Exception as error:
        raise InvalidInput(f"schedule {name!r} ({value}) cannot be loaded: {error}") from error
    if not isinstance(made, Schedule):
        raise InvalidInput(f"schedule {name!r} ({value}) is no pebble.program.schedule.Schedule")
    return made
