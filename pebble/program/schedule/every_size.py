"""Tiles on short axes: every combination of sizes, so that none that fits moves fewer words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from pebble.program.schedule.least_room import least_room
from pebble.program.schedule.schedule import Tiles
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_trials import Trials

__all__ = ["every_size"]

_ASKED = 60
"""So often the machine is asked whether tiles fit; smaller tiles first, as they tell of larger ones."""


def every_size(
    trials: Trials, base: dict[str, int], given: dict[str, int], group: TileGroup
) -> dict[str, int]:
    """Return the best of all tiles of a group that fit; those given where none moves fewer words.

    Parameters
    ----------
    trials : Trials
    base, given : dict of str to int
        The smallest tiles; tiles that fit.
    group : TileGroup
        The tiles to choose; the others stay as given.
    """
    best, least = given, trials.words(given, group)
    full = {**given, **{name: trials.greatest[name] for name in group.resident}}
    empty = {**given, **{name: base[name] for name in group.resident}}
    words = {}
    for sizes in _combinations(trials, base, group):
        moved = trials.words({**full, **dict(zip(group.cuts, sizes, strict=True))}, group)
        if moved < least:
            words[sizes] = moved
    unfit: list[tuple[int, ...]] = []
    asked = 0
    for sizes in sorted(words, key=lambda sizes: (prod(size or 1 for size in sizes), sizes)):
        tiles = {**empty, **dict(zip(group.cuts, sizes, strict=True))}
        if words[sizes] >= least or _contains(trials, group, sizes, unfit):
            continue
        program = trials.schedule.program(trials.problem, tiles)
        if least_room(program, trials.family) > trials.M:
            unfit.append(sizes)
            continue
        asked += 1
        if asked > _ASKED:
            break
        if not trials.fits(tiles):
            unfit.append(sizes)
            continue
        tiles = _with_residents(trials, tiles, group)
        moved = trials.words(tiles, group)
        if moved < least:
            best, least = tiles, moved
    return best


def _combinations(trials: Trials, base: Tiles, group: TileGroup) -> Iterator[tuple[int, ...]]:
    return product(*(range(base[name], trials.greatest[name] + 1) for name in group.cuts))


def _contains(trials: Trials, group: TileGroup, sizes: tuple[int, ...], unfit: list[tuple[int, ...]]) -> bool:
    """Whether each tile contains a tile of sizes that do not fit: multiples of them, parts of an axis equal."""
    zero = [name in trials.schedule.may_be_zero for name in group.cuts]
    return any(
        all(
            one == other or (not part and one % other == 0)
            for one, other, part in zip(sizes, small, zero, strict=True)
        )
        for small in unfit
    )


def _with_residents(trials: Trials, tiles: dict[str, int], group: TileGroup) -> dict[str, int]:
    """Return tiles that fit with as many resident lines as fit too."""
    for name in group.resident:
        low, high = tiles[name], trials.greatest[name] + 1
        middle = high - 1
        while high - low > 1:
            if trials.fits({**tiles, name: middle}):
                low = middle
            else:
                high = middle
            middle = (low + high) // 2
        tiles = {**tiles, name: low}
    return tiles
