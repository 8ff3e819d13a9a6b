"""The search for tiles: those that a schedule chooses itself, and whole tiles of queries and keys.

What fits is estimated without the mask, what is moved is known by closed form under it: nothing is run under a mask
here, but for schedules that fit only under theirs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from pebble.common.errors import CacheTooSmall, InvalidInput, NoClosedForm, TooManyOperations
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.problem import Problem
from pebble.lab.asked_schedules import asked_schedules
from pebble.lab.plan.candidates import Candidate, Setting, candidate_of
from pebble.lab.plan.constraints import AXES
from pebble.lab.plan.every_tile import best_of_all, few_own_tiles, few_whole_tiles
from pebble.program.closed_forms.count import words_moved
from pebble.program.schedule import Schedule, fitting_tiles, offered
from pebble.program.schedule.aligned_sizes import aligned_sizes

__all__ = ["FORMS", "contenders", "refined"]

OWN, WHOLE = "own tiles", "whole tiles"
ATTEMPTS = 6
SPREAD = 8
MORE_TRIPS = 3
"""Under a mask, so many more trips than the fewest are tried too."""


def contenders(problem: Problem, names: Sequence[str | Schedule] | None) -> list[Schedule]:
    """Return the schedules to try: the named ones, or all that do not merely pick among others."""
    if names is None:
        return [schedule for schedule in offered(problem) if not hasattr(schedule, "candidates")]
    return asked_schedules(names, problem)


# A schedule's own choice of tiles


def own_tiles(schedule: Schedule, setting: Setting) -> Candidate | None:
    """Let the schedule choose its tiles for less and less memory, until they fit with buffers and wide accumulators.

    Each offer is scaled by what the tiles needed, so the tiles are nearly, but not surely, the largest. Where there
    are few tiles, the best of all is taken.
    """
    every = few_own_tiles(schedule, setting)
    if every is not None:
        return best_of_all(schedule, OWN, every, setting)
    low, high, aim = 0, setting.M + 1, setting.M
    fitting: list[tuple[int, dict[str, int]]] = []
    tried: dict[str, int] | None = None
    for _ in range(ATTEMPTS):
        tiles = _rounded(schedule, aim, setting)
        if tiles is None:
            break
        need = setting.room(schedule, tiles)
        if need.words <= setting.M:
            fitting.append((need.words, tiles))
            low = aim
        else:
            high = aim
        scaled = aim * setting.M // need.words
        if need.words > setting.M and tiles == tried:  # as it would for any words down to its own peak
            scaled = min(scaled, need.peak - 1)
        tried = tiles
        aim = scaled if low < scaled < high else (low + high) // 2
        close = any(words >= setting.M - setting.M // 100 for words, _tiles in fitting)
        if close or high - low <= max(1, setting.M // 512):
            break
    if setting.problem.mask is not None:
        fitting = fitting[-1:]  # a closed form under a mask takes longer than all the rest
    found = [candidate_of(schedule, OWN, tiles, setting) for _words, tiles in fitting]
    return min(found, key=lambda one: one.order, default=None)


def _rounded(schedule: Schedule, aim: int, setting: Setting) -> dict[str, int] | None:
    """Return the schedule's tiles for so many words, cut down to keep the constraints; None if they cannot."""
    try:
        tiles = dict(schedule.tiles(schedule.seen(setting.problem), aim))
    except CacheTooSmall:
        return None
    return _cut_down(schedule, tiles, setting)


def _cut_down(schedule: Schedule, tiles: dict[str, int], setting: Setting) -> dict[str, int] | None:
    """Return the tiles as large as the constraints allow; None if they allow none."""
    if setting.allows(schedule, tiles):
        return tiles
    extents = setting.evaluations.family(schedule).extents
    for name, size in tiles.items():
        if name in schedule.may_be_zero:
            continue
        most = setting.constraints.at_most.get(name, size)
        axis = AXES.get(name)
        whole = axis is not None and min(size, most) >= extents[axis]
        tiles[name] = min(size, most) if whole else setting.constraints.down(min(size, most))
        if tiles[name] < 1:
            return None
    if setting.allows(schedule, tiles):
        return tiles
    # A first block that may be shorter than the others, or blocks in another form, can be left out.
    for name in schedule.may_be_zero:
        for size in (setting.constraints.down(tiles.get(name, 0)), 0):
            with suppress(InvalidInput):
                if name in tiles and setting.allows(schedule, {**tiles, name: size}):
                    return {**tiles, name: size}
    return None


def refined(one: Candidate, setting: Setting) -> Candidate:
    """Return the best of a candidate, others near it, and what a count would take, as they move less under the mask."""
    if one.form != OWN or setting.problem.mask is None:
        return one
    found = [candidate_of(one.schedule, OWN, tiles, setting) for tiles in _near(one, setting)]
    best = min([one, *found], key=lambda one: one.order)
    counted = _as_counted(one, setting)
    return best if counted is None or counted.order >= best.order or not _fits(counted, setting) else counted


def _as_counted(one: Candidate, setting: Setting) -> Candidate | None:
    """Return the tiles that a count under the mask proposes for so many words, where it tries more than their own."""
    # Under a single band only a first block of its own makes more than hardly a difference, and it takes long.
    mask = setting.problem.allowed
    if setting.short or (
        isinstance(mask, BandMask) and not mask.separations("i") and not one.schedule.masks_only
    ):
        return None
    with suppress(CacheTooSmall, NoClosedForm, TooManyOperations):
        proposed = fitting_tiles(one.schedule, setting.problem, _left(one, setting))
        tiles = _cut_down(one.schedule, proposed, setting)
        return None if tiles is None else candidate_of(one.schedule, OWN, tiles, setting)
    return None


def _left(one: Candidate, setting: Setting) -> int:
    """Return the words of fast memory without those for second buffers and wide accumulators."""
    return setting.M - (one.room.words - one.room.peak)


def _fits(one: Candidate, setting: Setting) -> bool:
    """Tell whether a candidate fits; measured under the mask, which leaves few scores of a tile, where it must be."""
    if one.room.words <= setting.M:
        return True
    need = setting.evaluations.room(one.schedule, one.tiles, setting.constraints)
    return need.words <= setting.M


def _near(one: Candidate, setting: Setting) -> Iterator[dict[str, int]]:
    """Yield tiles that fit as well: under a mask those that make equally many tiles cost unequally much."""
    schedule, tiles = one.schedule, one.tiles
    options: list[dict[str, int] | None] = []
    for name in [name for name in AXES if name in tiles]:
        extent = setting.evaluations.family(schedule).extents[AXES[name]]
        for size in _least_lengths(setting.constraints.sizes(name, extent), extent, tiles[name]):
            options.append({**tiles, name: size})
    for option in options:
        if option and setting.allows(schedule, option) and setting.fits(schedule, option):
            yield option


def _least_lengths(sizes: Sequence[int], extent: int, longest: int) -> list[int]:
    """Return for a few numbers of trips, from the fewest on, the least length that makes so many."""
    fewest = -(-extent // longest)
    found = (
        next((size for size in sizes if size >= -(-extent // trips)), longest)
        for trips in range(fewest, fewest + MORE_TRIPS + 1)
    )
    return sorted({size for size in found if size <= longest})


# Whole tiles


def whole_tiles(schedule: Schedule, setting: Setting) -> Candidate | None:
    """Search rows and columns of whole tiles.

    One side decides the I/O: it is made as long as fits beside the shortest other side. Among lengths that make
    equally many tiles, the one that leaves room for the largest tile of scores is taken. Under a mask these lengths
    cost unequally much, and so do those of the other side: a long one loads more that is masked out.
    """
    if "literal" not in schedule.presets:
        return None
    every = few_whole_tiles(setting)
    if every is not None:
        return best_of_all(schedule, WHOLE, every, setting)
    problem, constraints = setting.problem, setting.constraints
    extents = {"rows": problem.Nq, "cols": problem.Nk}
    outer, inner = _sides(schedule, problem)
    sizes = {name: constraints.sizes(name, extent) for name, extent in extents.items()}
    if not sizes[outer] or not sizes[inner]:
        return None
    if not setting.allows(schedule, {outer: sizes[outer][0], inner: sizes[inner][0]}):
        return None

    def fits(tiles: dict[str, int]) -> bool:
        return setting.fits(schedule, tiles)

    longest = _last(sizes[outer], lambda size: fits({outer: size, inner: sizes[inner][0]}))
    if longest is None:
        return None
    trips = -(-extents[outer] // longest)
    equal = [size for size in sizes[outer] if size <= longest and -(-extents[outer] // size) == trips]

    def candidate(size: int, other: int) -> Candidate:
        return candidate_of(schedule, WHOLE, schedule.check_tiles({outer: size, inner: other}), setting)

    if problem.mask is None:
        lengths = _spread(equal)
    else:
        suggested = _suggested(problem, outer, sizes[outer], longest)
        lengths = sorted({*_least_lengths(sizes[outer], extents[outer], longest), *suggested, longest})
        shortest = sorted((candidate(size, sizes[inner][0]) for size in lengths), key=lambda one: one.order)
        lengths = [one.tiles[outer] for one in shortest[:2]]
    found = []
    for size in lengths:
        other = _last(sizes[inner], lambda one, size=size: fits({outer: size, inner: one}))  # type: ignore[misc]
        if other is not None:
            others = {other}
            if problem.mask is not None:
                others = {*_few_up_to(sizes[inner], other), *_suggested(problem, inner, sizes[inner], other)}
            found += [candidate(size, one) for one in others]
    return min(found, key=lambda one: one.order, default=None)


def _suggested(problem: Problem, name: str, sizes: Sequence[int], longest: int) -> set[int]:
    """Return the sizes that the mask suggests, such as whole blocks of it, as far as the constraints allow them."""
    suggested = aligned_sizes(problem.allowed, AXES[name], longest)
    return {
        sizes[at] for size in suggested if (at := bisect_left(sizes, size)) < len(sizes) and sizes[at] == size
    }


def _sides(schedule: Schedule, problem: Problem) -> tuple[str, str]:
    """Return the side whose length decides the I/O, and the other one."""
    small = replace(problem.without_mask(), Nq=64, Nk=64, group=1)
    family = schedule.family(small)
    io = {
        name: words_moved(schedule.program(small, {"rows": 8, "cols": 8, name: 32}), family)
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


def _few_up_to(sizes: list[int], last: int) -> set[int]:
    """Return the first of the sizes, the last one allowed, and one between."""
    known = [size for size in sizes if size <= last]
    return {known[0], known[len(known) // 2], known[-1]}


FORMS: dict[str, Callable[[Schedule, Setting], Candidate | None]] = {
    OWN: own_tiles,
    WHOLE: whole_tiles,
}
"""How tiles are found, by the name of their form; None if none fit."""
