"""Tiles that repeat soon with the period of a mask, so that the machine verifies them in seconds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import inf

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.problem import Problem
from pebble.program.machine.foretold_tiles import MOST_TILES
from pebble.program.machine.run import refuse_too_many
from pebble.program.nodes import Loop
from pebble.program.places import places
from pebble.program.schedule.aligned_sizes import repeating_size, tile_period
from pebble.program.schedule.block_cuts import BLOCK, own_sizes
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.tile_groups import TileGroup
from pebble.program.schedule.tile_trials import Trials

__all__ = [
    "MANY_TILES",
    "cuts_finely",
    "is_light",
    "light_choice",
    "light_tiles",
    "repeating_tiles",
    "take_block",
    "taken_to_be_verified",
    "verifiable_tiles",
]

MANY_TILES = 60_000
"""Tiles that the machine looks at in some ten seconds."""
_LAST_RESORT = 400_000
"""Where no others are found, tiles for which the machine looks at so many: of single lines it looks
at some ten in a millisecond."""
_MOST_NAMES = 3
"""Of more sizes than so many not all combinations are tried."""
_MOST_BLOCKS, _MORE_EVENLY = 16, 0.02
"""Tiles are cut after so many blocks of the mask at most; after more than fewer if that leaves so much less over."""
_MANY_CUT = 200_000
"""Tiles that are cut at blocks see the same more often: the machine looks at so many in some twenty seconds."""
_HARDLY_MORE = 1.005
_MOST_CUTS = 8
"""Into so many tiles a block is cut, unless tiles are chosen that cut it finer."""
_PARTS = (8, 4)
"""Sizes may be one part in so many smaller, one after the other, where the machine would look at more tiles."""


def repeating_tiles(trials: Trials, tiles: Tiles, part: int | None = None) -> dict[str, int]:
    """Return tiles that repeat soon with the mask's period, see :func:`.repeating_size`; hardly smaller ones."""
    if trials.block:
        return dict(tiles)  # with each block of the mask
    mask, cuts = trials.problem.allowed, _cuts(trials.schedule, tiles)
    return {name: repeating_size(mask, size, part) if name in cuts else size for name, size in tiles.items()}


def _cuts(schedule: Schedule, tiles: Tiles) -> list[str]:
    """Return the names of the sizes that cut queries or keys."""
    kept = {*schedule.resident_tiles, *schedule.may_be_zero}
    return [
        name for name in own_sizes(tiles) if name not in kept and schedule.axis_of(name) in ("", "i", "j")
    ]


def light_choice(schedule: Schedule, problem: Problem, M: int, tiles: Tiles) -> dict[str, int]:
    """Return tiles that the machine gets through soon: those chosen for M words, or as little smaller as need be.

    Raises
    ------
    TooManyOperations
        If it would not even get through these in minutes.
    """
    return verifiable_tiles(Trials(schedule, problem, M), tiles)


def is_light(schedule: Schedule, problem: Problem, tiles: Tiles) -> bool:
    """Tell whether the machine gets through a program with these tiles in seconds, as far as is foretold."""
    return Trials(schedule, problem, 1).foretold(tiles) <= MANY_TILES


def verifiable_tiles(trials: Trials, tiles: Tiles) -> dict[str, int]:
    """Return :func:`light_tiles`, or raise TooManyOperations where the machine would take too long for them."""
    take_block(trials, tiles)
    found = trials.cut(light_tiles(trials, tiles))
    refuse_too_many(trials.program(found), trials.family)
    return found


def take_block(trials: Trials, tiles: Tiles) -> None:
    """Let all tiles that are tried be cut where blocks of the mask end, if else the machine would take long.

    Of one block of the mask, or some, the least number is taken with which these tiles move hardly more words than with
    any that the machine gets through soon; none, if smaller tiles that are not cut move hardly more. If it gets through
    none soon, tiles are not cut.
    """
    if trials.problem.allowed.period == 1 or trials.block or BLOCK in tiles:
        return
    if trials.foretold(repeating_tiles(trials, tiles)) <= MANY_TILES:
        return
    sizes = [tiles[name] for name in _cuts(trials.schedule, tiles)]
    if max(sizes, default=1) == 1:
        return  # there is nothing to cut
    smaller = light_tiles(trials, tiles)
    words = {0: trials.words(smaller)} if trials.foretold(smaller) <= MANY_TILES else dict[int, int]()
    for block in _blocks(trials.problem.allowed.period, sizes):
        trials.block = block
        if trials.foretold(tiles) <= _MANY_CUT:
            words[block] = trials.words(tiles)
    least = min(words.values(), default=0)
    # The shortest block is the soonest verified.
    trials.block = next((block for block in words if words[block] <= _HARDLY_MORE * least), 0)


def cuts_finely(block: int, sizes: Iterable[int]) -> bool:
    """Whether some tiles cut a block into so many parts that they take long to be summed up, and to be verified."""
    return any(_MOST_CUTS * size < block for size in sizes)


def _blocks(period: int, sizes: list[int]) -> Iterator[int]:
    """Yield multiples of a period that tiles of some sizes cut ever more evenly.

    Examples
    --------
    >>> list(_blocks(1021, [391])), list(_blocks(1021, [1500]))
    ([1021, 3063], [2042, 4084, 7147, 10210])
    """
    least = inf
    for block in range(period, _MOST_BLOCKS * period + 1, period):
        if any(size < block for size in sizes) and (least == inf or not cuts_finely(block, sizes)):
            tiles = max(-(-block // size) * size / block for size in sizes if size < block)
            if tiles < least - _MORE_EVENLY:
                least = tiles
                yield block


def light_tiles(trials: Trials, tiles: Tiles, group: TileGroup | None = None) -> dict[str, int]:
    """Return tiles that the machine gets through soon: those given, or as little smaller as need be.

    Where it would take too long for all of these, tiles that repeat with each block of the mask, or of single lines.

    Parameters
    ----------
    trials : Trials
    tiles : mapping of str to int
    group : TileGroup, optional
        Look at the phases that it shapes only.

    Returns
    -------
    dict of str to int
        Where none is found, those of the sizes tried that repeat soonest.
    """
    least = min(_hardly_smaller(trials, tiles, group), key=lambda one: one[0])
    if least[0] > MOST_TILES:
        return _last_resort(trials, tiles, group) or least[1]
    return least[1]


def _hardly_smaller(
    trials: Trials, tiles: Tiles, group: TileGroup | None
) -> list[tuple[int, dict[str, int]]]:
    """Return tiles, and ever smaller ones until they are light, with how many are looked at for each."""
    tried = [(trials.foretold(tiles, group), dict(tiles))]
    for part in _PARTS:
        if tried[-1][0] <= MANY_TILES:
            return tried[-1:]
        smaller = repeating_tiles(trials, tiles, part)
        tried.append((trials.foretold(smaller, group), smaller))
    return tried


def _last_resort(trials: Trials, tiles: Tiles, group: TileGroup | None) -> dict[str, int] | None:
    """Return tiles that repeat with each block, or are single lines: those that move the fewest words."""
    if _leaves_partial_sums(trials, tiles):
        return None
    found = {
        tuple(other.items()): other
        for other in _much_smaller(trials, tiles, group)
        if trials.foretold(other, group) <= _LAST_RESORT
    }
    return min(found.values(), key=lambda other: trials.words(other, group), default=None)


def _leaves_partial_sums(trials: Trials, tiles: Tiles) -> bool:
    """Whether sums over queries or keys are stored line by line before they are complete: more is looked at then."""
    family = trials.family
    for place in places(trials.program(tiles)):
        chain = family[place.operation.array].chain or ""
        if place.operation.action == "store" and chain in family.masked_axes:
            axes = [node.axis for node in place.around if isinstance(node, Loop)]
            if chain in axes and OTHER_AXIS[chain] in axes[axes.index(chain) + 1 :]:
                return True
    return False


def _much_smaller(trials: Trials, tiles: Tiles, group: TileGroup | None) -> Iterator[dict[str, int]]:
    """Yield tiles of which each size is as it was, the period or its greatest factor that is no larger, or one."""
    period = tile_period(trials.problem.allowed)
    names = [name for name in _cuts(trials.schedule, tiles) if group is None or name in group.names]
    sizes = [_in_step(period, tiles[name]) for name in names]
    together = zip(*sizes, strict=True) if len(names) > _MOST_NAMES else product(*sizes)
    for some in together:
        yield {**tiles, **dict(zip(names, some, strict=True))}


def _in_step(period: int, size: int) -> tuple[int, int, int]:
    """Return a size, the period or its greatest factor up to that size, and one."""
    return size, next(other for other in range(min(size, period), 0, -1) if period % other == 0), 1


def taken_to_be_verified(schedule: Schedule, problem: Problem, M: int, tiles: Tiles) -> bool:
    """Tell whether a schedule's tiles under the mask were taken since others would take too long to be verified."""
    if tile_period(problem.allowed) == 1 or schedule.follows_mask:
        return False
    trials = Trials(schedule, problem, M)
    trials.block = tiles.get(BLOCK, 0)
    usual = repeating_tiles(trials, schedule.tiles(schedule.seen(problem), M))
    return all(told > MOST_TILES for told, _ in _hardly_smaller(trials, usual, None))
