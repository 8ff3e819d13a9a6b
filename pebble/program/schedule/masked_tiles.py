"""The search for tiles under a mask: those that move the fewest words, counted under the mask, of those that fit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pebble.common.errors import CacheTooSmall, NoClosedForm
from pebble.computations.problem import Problem
from pebble.program.schedule.block_cuts import own_sizes
from pebble.program.schedule.every_size import combinations, every_size, phases_are_apart
from pebble.program.schedule.light_tiles import repeating_tiles, take_block, verifiable_tiles
from pebble.program.schedule.sampled_sizes import sampled_sizes
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.square_cuts import HARDLY_MORE
from pebble.program.schedule.tile_groups import TileGroup, switches, tile_groups, whole_group
from pebble.program.schedule.tile_trials import Trials, too_small

__all__ = ["Choice", "MaskedSearch", "masked_tiles", "tiles_without_mask"]

_SHORT = 48
"""On axes up to so long every combination of sizes is tried."""

_EVERY = 20_000
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
            raise too_small(schedule, peak, M)
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
    TooManyOperations
        If the machine would take too long for the tiles to begin with, as is told before it runs.
    """

    def __init__(self, schedule: Schedule, problem: Problem, M: int, choose: Choice | None = None) -> None:
        self.schedule, self.problem, self.M = schedule, problem, M
        self.choose = choose or schedule.tiles
        self.trials = Trials(schedule, problem, M)
        self._aim, self._tries = M, 0
        self._take(self._start())

    @staticmethod
    def tries_all(problem: Problem) -> bool:
        """Whether axes are so short that every combination of sizes is tried."""
        return max(problem.Nq, problem.Nk) <= _SHORT

    @classmethod
    def is_asked(cls, schedule: Schedule, problem: Problem) -> bool:
        """Whether other tiles are tried than those that a schedule chooses itself."""
        if schedule.published_tiles or problem.without_mask() == problem:
            return False
        return cls.tries_all(problem) if schedule.short_search else not schedule.follows_mask

    def _start(self) -> dict[str, int]:
        """Return the tiles chosen without the mask; the smallest where less is needed under it than without it."""
        schedule, problem, M = self.schedule, self.problem, self.M
        if schedule.published_tiles:
            return tiles_without_mask(schedule, problem, M, self._light_choice)
        try:
            return dict(self.choose(schedule.seen(problem), M))
        except CacheTooSmall:
            smallest = dict(schedule.smallest(problem))
            if self.choose == schedule.tiles and (self.tries_all(problem) or self.trials.fits(smallest)):
                return smallest
            raise

    def _light_choice(self, problem: Problem, M: int) -> Tiles:
        """Return what is chosen without the mask, or smaller tiles that are verified under it in seconds."""
        return verifiable_tiles(self.trials, self.choose(problem, M))

    def _take(self, start: dict[str, int]) -> None:
        if not start:
            self.tiles = start
        elif not self.is_asked(self.schedule, self.problem):
            take_block(self.trials, start)
            self.tiles = self.trials.cut(start)
        else:
            light = verifiable_tiles(self.trials, repeating_tiles(self.trials, start))
            self.tiles = self.trials.cut(self._best(own_sizes(light)))
        self.words = self.trials.words(self.tiles)

    def verified(self) -> bool:
        """Whether the proposal fits; if not there is a new one, which may move more words."""
        peak = self.trials.peak(self.tiles)
        if peak <= self.M:
            return True
        if not self.tiles:  # there is but one program
            raise too_small(self.schedule, peak, self.M)
        usual = self._usual()
        words = self.trials.words(usual)
        self._aim, self._tries = self._aim - (peak - self.M), self._tries + 1
        if self._tries < _TRIES and self._aim > 0:
            with suppress(CacheTooSmall):
                self._take(dict(self.choose(self.schedule.seen(self.problem), self._aim)))
                if self.words < words:
                    return False
        self.tiles, self.words = usual, words
        return True

    def _usual(self) -> dict[str, int]:
        """Return the tiles chosen without the mask, or hardly smaller ones that repeat soon with it and fit."""
        usual = tiles_without_mask(self.schedule, self.problem, self.M, self._light_choice)
        smaller = repeating_tiles(self.trials, usual)
        return smaller if smaller == usual or self.trials.peak(smaller) <= self.M else usual

    def _best(self, start: dict[str, int]) -> dict[str, int]:
        """Return the best tiles found, beginning with those given."""
        smallest = dict(self.schedule.smallest(self.problem))
        if set(smallest) != set(start):
            smallest = {name: int(name not in self.schedule.may_be_zero) for name in start}
        if self.tries_all(self.problem):
            others = self.schedule.other_smallest(self.problem) if self.choose == self.schedule.tiles else ()
            with suppress(NoClosedForm):
                return self._best_of_all(start, [smallest, *map(dict, others)])
        best, least = start, self.trials.words(start)
        for setting in switches(self.schedule, smallest, self.trials.greatest):
            base = {**smallest, **setting}
            same = all(start[name] == value for name, value in setting.items())
            given = start if same else self._halved({**start, **setting}, base)
            if not same and self.trials.plain_peak(given) > self._aim:
                continue
            found = dict(given)
            for group in self._groups(base, setting):
                chosen = sampled_sizes(self.trials, base, given, group, self._aim)
                found |= {name: chosen[name] for name in group.names}
            words = self.trials.words(found)
            # Among those given the sample prefers a square that moves hardly more words, on very long axes.
            if words < least or (same and words <= HARDLY_MORE * least):
                best, least = found, words
        return best

    def _halved(self, tiles: dict[str, int], base: dict[str, int]) -> dict[str, int]:
        """Return tiles that fit without the mask, halved as often as needed, or the smallest."""
        while tiles != base and self.trials.plain_peak(tiles) > self._aim:
            tiles = {name: max(base[name], size // 2) for name, size in tiles.items()}
        return tiles

    def _best_of_all(self, start: dict[str, int], smallest: list[dict[str, int]]) -> dict[str, int]:
        """Return the best of all tiles, the given ones where none moves fewer words.

        Parameters
        ----------
        start : dict of str to int
        smallest : list of dict of str to int
            The smallest tiles of every set of sizes that the program takes.

        Raises
        ------
        CacheTooSmall
            If none fit.
        NoClosedForm
            If the text of a program does not say what it needs, or there are too many combinations of sizes.
        """
        found: list[dict[str, int]] = []
        failures: list[CacheTooSmall] = []
        for least in smallest:
            given = start if set(start) == set(least) else least
            for setting in switches(self.schedule, least, self.trials.greatest):
                try:
                    found.append(self._best_with({**given, **setting}, {**least, **setting}, setting))
                except CacheTooSmall as error:
                    failures.append(error)
        if not found:
            raise min(failures, key=lambda error: error.least_M or 0)
        return min(found, key=lambda tiles: (self.trials.words(tiles), tiles != start))

    def _best_with(self, given: dict[str, int], base: dict[str, int], setting: Tiles) -> dict[str, int]:
        """Return the best of all tiles with a setting of the switches."""
        groups = self._groups(base, setting)
        if len(groups) > 1 and not phases_are_apart(self.trials, base):
            raise NoClosedForm("what one phase leaves in fast memory is room that another lacks")
        if any(combinations(self.trials, base, group) > _EVERY for group in groups):
            raise NoClosedForm("there are too many combinations of tile sizes")
        return every_size(self.trials, base, given, groups)

    def _groups(self, base: dict[str, int], setting: Tiles) -> list[TileGroup]:
        if self.schedule.follows_mask:
            return [whole_group(self.schedule, self.problem, base)]
        return tile_groups(self.schedule, self.problem, base, {**self.trials.greatest, **setting})
