"""Tiles on short axes: every combination of sizes, so that none that fits moves fewer words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from pebble.program.schedule.schedule import Tiles
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_trials import Trials

__all__ = ["every_size"]


def every_size(
    trials: Trials, base: dict[str, int], given: dict[str, int], group: TileGroup, additive: bool
) -> dict[str, int]:
    """Return the best of all tiles of a group that fit; those given where none moves fewer words.

    Parameters
    ----------
    trials : Trials
    base, given : dict of str to int
        The smallest tiles; tiles that fit.
    group : TileGroup
        The tiles to choose; the others are the smallest meanwhile.
    additive : bool
        Whether the group's phases can be counted alone.
    """
    given = {**base, **{name: given[name] for name in group.names}}
    best, least = given, trials.group(given, group, additive)
    full = {**base, **{name: trials.greatest[name] for name in group.resident}}
    options = []
    for sizes in _combinations(trials, base, group):
        tiles = {**full, **dict(zip(group.cuts, sizes, strict=True))}
        words = trials.group(tiles, group, additive)
        if words < least:
            options.append((words, sizes))
    unfit: list[tuple[int, ...]] = []
    for words, sizes in sorted(options):
        if words >= least:
            break
        tiles = {**base, **dict(zip(group.cuts, sizes, strict=True))}
        if _contains(trials, group, sizes, unfit):
            continue
        if not trials.fits(tiles):
            unfit.append(sizes)
            continue
        tiles = _with_residents(trials, tiles, group)
        words = trials.group(tiles, group, additive)
        if words < least:
            best, least = tiles, words
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
