"""The search for tiles under a mask: those that move the fewest words, counted under the mask, of those that fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod

from pebble.common.errors import CacheTooSmall
from pebble.computations.problem import Problem
from pebble.program.schedule.sampled_tiles import sampled
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.tile_groups import TileGroup, switches, tile_groups
from pebble.program.schedule.tile_trials import Trials

__all__ = ["masked_tiles", "tiles_without_mask"]

_EVERY = 2500
"""Up to so many combinations of sizes every one is tried, on axes no longer than ``_SHORT``."""
_FEW = 64
"""The same on axes of any length."""
_SHORT = 48


def masked_tiles(
    schedule: Schedule, problem: Problem, M: int, choose: Callable[[Problem, int], Tiles] | None = None
) -> dict[str, int]:
    """Return the tiles with which a schedule moves the fewest words under a mask, of those that fit M words.

    On short axes every combination of sizes is tried; on longer ones the sizes that are chosen without the mask,
    sizes along the edge of what fits, and those that the mask suggests. Tile sizes that shape different phases are
    chosen one after the other. The result never moves more words than the choice without the mask.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
        With a mask.
    M : int
    choose : callable, optional
        Chooses tiles without the mask, and so also which of them there are; by default the schedule's ``tiles``.

    Raises
    ------
    CacheTooSmall
        If no tiles are found that fit.
    """
    start = tiles_without_mask(schedule, problem, M, choose)
    if schedule.published_tiles or not start:
        return start
    return _Search(Trials(schedule, problem, M)).best(start)


def tiles_without_mask(
    schedule: Schedule, problem: Problem, M: int, choose: Callable[[Problem, int], Tiles] | None = None
) -> dict[str, int]:
    """Return the tiles that are chosen without the mask, for less memory if they do not fit under it.

    Without a mask the last tile of a row or column may be ragged where under the mask the last tile visited is a
    whole one, which takes a word or two more.

    Raises
    ------
    CacheTooSmall
        If no tiles are found that fit.
    """
    choose = choose or schedule.tiles
    seen = schedule.seen(problem)
    tiles = dict(choose(seen, M))
    room = M
    while (peak := schedule.measure(problem, tiles).peak) > M:
        room -= peak - M
        try:
            tiles = dict(choose(seen, room)) if room > 0 else {}
        except CacheTooSmall:
            tiles = {}
        if room < 1 or (not tiles and schedule.tile_names):
            raise CacheTooSmall(
                f"{schedule.name} needs at least {peak} words of fast memory under this mask; M is {M}", peak
            )
    return tiles


class _Search:
    """One search for the tiles of a schedule."""

    def __init__(self, trials: Trials) -> None:
        self.trials, self.schedule, self.problem = trials, trials.schedule, trials.problem

    def best(self, start: dict[str, int]) -> dict[str, int]:
        """Return the best tiles found, beginning with those given, which fit."""
        smallest = dict(self.schedule.smallest(self.problem))
        if set(smallest) != set(start):
            smallest = {name: int(name not in self.schedule.may_be_zero) for name in start}
        best, least = start, self.trials.whole(start)
        for setting in switches(self.schedule, smallest, self.trials.greatest):
            base = {**smallest, **setting}
            same = all(start[name] == value for name, value in setting.items())
            if not same and self.trials.plain_peak(base) > self.trials.M:
                continue
            given = start if same else self._halved({**start, **setting}, base)
            found = self._with_setting(base, given)
            words = self.trials.whole(found)
            if words < least and self.trials.peak(found) <= self.trials.M:
                best, least = found, words
        return best

    def _halved(self, tiles: dict[str, int], base: dict[str, int]) -> dict[str, int]:
        """Return tiles that fit without the mask, halved as often as needed; on short axes the smallest."""
        if max(self.problem.Nq, self.problem.Nk) <= _SHORT:
            return base
        while tiles != base and self.trials.plain_peak(tiles) > self.trials.M:
            tiles = {name: max(base[name], size // 2) for name, size in tiles.items()}
        return tiles

    def _with_setting(self, base: dict[str, int], start: dict[str, int]) -> dict[str, int]:
        """Return tiles chosen group by group, the sizes of other groups the smallest meanwhile."""
        groups = tile_groups(self.schedule, self.problem, base, self.trials.greatest)
        additive = self.trials.additive(start, groups)
        found = dict(start)
        for group in groups:
            if self._is_small(base, group):
                given = {**base, **{name: start[name] for name in group.names}}
                chosen = self._every(base, given, group, additive)
            else:
                chosen = sampled(self.trials, base, start, group, additive)
            found |= {name: chosen[name] for name in group.names}
        return found

    def _is_small(self, base: Tiles, group: TileGroup) -> bool:
        combinations = prod(self.trials.greatest[name] - base[name] + 1 for name in group.cuts)
        longest = max(self.problem.Nq, self.problem.Nk)
        return combinations <= (_EVERY if longest <= _SHORT else _FEW)

    # Every combination

    def _every(
        self, base: dict[str, int], given: dict[str, int], group: TileGroup, additive: bool
    ) -> dict[str, int]:
        """Return the best of all combinations; the given one where none moves fewer words."""
        best, least = given, self.trials.group(given, group, additive)
        full = {**base, **{name: self.trials.greatest[name] for name in group.resident}}
        options = []
        for sizes in self._combinations(base, group):
            tiles = {**full, **dict(zip(group.cuts, sizes, strict=True))}
            words = self.trials.group(tiles, group, additive)
            if words < least:
                options.append((words, sizes))
        unfit: list[tuple[int, ...]] = []
        for words, sizes in sorted(options):
            if words >= least:
                break
            tiles = {**base, **dict(zip(group.cuts, sizes, strict=True))}
            if self._contains(group, sizes, unfit):
                continue
            if not self.trials.fits(tiles):
                unfit.append(sizes)
                continue
            tiles = self._with_residents(tiles, group)
            words = self.trials.group(tiles, group, additive)
            if words < least:
                best, least = tiles, words
        return best

    def _combinations(self, base: Tiles, group: TileGroup) -> Iterator[tuple[int, ...]]:
        return product(*(range(base[name], self.trials.greatest[name] + 1) for name in group.cuts))

    def _contains(self, group: TileGroup, sizes: tuple[int, ...], unfit: list[tuple[int, ...]]) -> bool:
        """Whether each tile contains a tile of sizes that do not fit: multiples of them, parts of an axis equal."""
        zero = [name in self.schedule.may_be_zero for name in group.cuts]
        return any(
            all(
                one == other or (not part and one % other == 0)
                for one, other, part in zip(sizes, small, zero, strict=True)
            )
            for small in unfit
        )

    def _with_residents(self, tiles: dict[str, int], group: TileGroup) -> dict[str, int]:
        """Return tiles that fit with as many resident lines as fit too."""
        for name in group.resident:
            low, high = tiles[name], self.trials.greatest[name] + 1
            middle = high - 1
            while high - low > 1:
                if self.trials.fits({**tiles, name: middle}):
                    low = middle
                else:
                    high = middle
                middle = (low + high) // 2
            tiles = {**tiles, name: low}
        return tiles
