"""The search for tiles under a mask: those that move the fewest words, counted under the mask, of those that fit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import prod

from pebble.common.errors import CacheTooSmall
from pebble.computations.problem import Problem
from pebble.program.schedule.every_size import every_size
from pebble.program.schedule.sampled_sizes import sampled_sizes
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.tile_groups import TileGroup, switches, tile_groups
from pebble.program.schedule.tile_trials import Trials

__all__ = ["SHORT", "Choice", "MaskedSearch", "masked_tiles", "tiles_without_mask"]

SHORT = 20
"""On axes up to so long every combination of sizes is tried."""

_EVERY = 500
"""So many combinations at most."""
_TRIES = 4
"""So often tiles are chosen for less memory if they do not fit under the mask."""

Choice = Callable[[Problem, int], Tiles]
"""What chooses tiles for M words, such as a schedule's ``tiles``."""


def masked_tiles(
    schedule: Schedule, problem: Problem, M: int, choose: Choice | None = None
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
    search = MaskedSearch(schedule, problem, M, choose)
    while not search.verified():
        pass
    return search.tiles


def tiles_without_mask(
    schedule: Schedule, problem: Problem, M: int, choose: Choice | None = None
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


class MaskedSearch:
    """The search for one schedule's tiles: a proposal by closed form, and its verification by the machine.

    Parameters
    ----------
    schedule : Schedule
    problem : Problem
        With a mask.
    M : int
    choose : callable, optional
        Chooses tiles without the mask.

    Attributes
    ----------
    tiles : dict of str to int
        The proposal.
    words : int
        What it moves.

    Raises
    ------
    CacheTooSmall
        If no tiles are found that fit; also when a proposal is verified.
    """

    def __init__(self, schedule: Schedule, problem: Problem, M: int, choose: Choice | None = None) -> None:
        self.schedule, self.problem, self.M = schedule, problem, M
        self.choose = choose or schedule.tiles
        self.trials = Trials(schedule, problem, M)
        self._short = max(problem.Nq, problem.Nk) <= SHORT
        self._aim, self._tries = M, 0
        if self._short or schedule.published_tiles:
            start = tiles_without_mask(schedule, problem, M, self.choose)
        else:
            start = dict(self.choose(schedule.seen(problem), M))
        self._take(start)

    def _take(self, start: dict[str, int]) -> None:
        fixed = self.schedule.published_tiles or self.schedule.follows_mask or not start
        self.tiles = start if fixed else self._best(start)
        self.words = self.trials.words(self.tiles)

    def verified(self) -> bool:
        """Whether the proposal fits; if not there is a new one, which may move more words."""
        peak = self.trials.peak(self.tiles)
        if peak <= self.M:
            return True
        usual = tiles_without_mask(self.schedule, self.problem, self.M, self.choose)
        words = self.trials.words(usual)
        self._aim, self._tries = self._aim - (peak - self.M), self._tries + 1
        if self._tries < _TRIES and self._aim > 0:
            with suppress(CacheTooSmall):
                self._take(dict(self.choose(self.schedule.seen(self.problem), self._aim)))
                if self.words < words:
                    return False
        self.tiles, self.words = usual, words
        return True

    def _best(self, start: dict[str, int]) -> dict[str, int]:
        """Return the best tiles found, beginning with those given."""
        smallest = dict(self.schedule.smallest(self.problem))
        if set(smallest) != set(start):
            smallest = {name: int(name not in self.schedule.may_be_zero) for name in start}
        best, least = start, self.trials.words(start)
        for setting in switches(self.schedule, smallest, self.trials.greatest):
            base = {**smallest, **setting}
            same = all(start[name] == value for name, value in setting.items())
            given = start if same else self._halved({**start, **setting}, base)
            if not same and self.trials.plain_peak(given) > self._aim:
                continue
            found = self._with_setting(setting, base, given)
            words = self.trials.words(found)
            if words < least and (not self._short or self.trials.peak(found) <= self.M):
                best, least = found, words
        return best

    def _halved(self, tiles: dict[str, int], base: dict[str, int]) -> dict[str, int]:
        """Return tiles that fit, on long axes without the mask, halved as often as needed or the smallest."""
        while tiles != base and (
            self.trials.plain_peak(tiles) > self._aim or (self._short and not self.trials.fits(tiles))
        ):
            tiles = {name: max(base[name], size // 2) for name, size in tiles.items()}
        return tiles

    def _with_setting(self, setting: Tiles, base: dict[str, int], start: dict[str, int]) -> dict[str, int]:
        """Return tiles chosen group by group."""
        groups = tile_groups(self.schedule, self.problem, base, {**self.trials.greatest, **setting})
        found = dict(start)
        for group in groups:
            if self._short and self._combinations(base, group) <= _EVERY:
                chosen = every_size(self.trials, base, start, group)
            else:
                chosen = sampled_sizes(self.trials, base, start, group, self._aim)
            found |= {name: chosen[name] for name in group.names}
        return found

    def _combinations(self, base: Tiles, group: TileGroup) -> int:
        return prod(self.trials.greatest[name] - base[name] + 1 for name in group.cuts)
