"""The one search for tiles: of the sizes that fit, those that move the fewest words, with or without a mask.

Many programs of a schedule are counted at a time, see :func:`pebble.program.counting.measure.measure`. Sizes that
shape different phases are independent. Of those that shape the same phases the last one is as large as fits beside the
others; where a mask makes smaller ones better, these are compared too. On short axes all other sizes are tried, so
that none that fit move fewer words. On longer ones a grid of sizes is, and then what is near the best, until nothing
is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pebble.common.errors import CacheTooSmall, InvalidInput, TooManyOperations
from pebble.program.schedule.tile_counter import MOST_BOXES, NEVER, Kind, TileCounter, known_of, only
from pebble.program.schedule.tile_demands import NO_DEMANDS, TileDemands
from pebble.program.schedule.tile_groups import TileGroup, group_of, switches, tile_groups
from pebble.program.schedule.tile_last_size import PLAIN, SHORT, WORDS, nearest
from pebble.program.schedule.tile_sizes import SizeSearch

if TYPE_CHECKING:
    from pebble.computations.problem import Problem
    from pebble.program.schedule.tiled_programs import TiledPrograms, Tiles

__all__ = ["SHORT", "TileChoice", "best_tiles", "counted", "sampled", "too_small"]

_AIMS = 3
"""How often smaller tiles are looked at, where phases leave words to one another."""
_PROBES = 4
"""Number of sizes at which programs are compared, to tell whether two searches ask the same."""


class TileChoice(NamedTuple):
    """Tiles, the words that they move and the room that they need, or what demands say instead."""

    words: int
    room: int
    tiles: dict[str, int]


def best_tiles(
    schedule: TiledPrograms,
    problem: Problem,
    M: int,
    demands: TileDemands = NO_DEMANDS,
    near: tuple[tuple[str, int], ...] = (),
) -> TileChoice:
    """Return the tiles that fit M words of fast memory and with which a schedule moves the fewest words.

    Parameters
    ----------
    schedule : TiledPrograms
    problem : Problem
    M : int
    demands : TileDemands
        What else is asked of the tiles.
    near : tuple of (str, int)
        Tiles that are good for a problem like this one; the search begins there. Without them it begins everywhere.

    Raises
    ------
    CacheTooSmall
        If none are found that fit.
    """
    return _best_tiles(Kind(schedule), problem, M, demands, near)


@lru_cache(maxsize=512)
def _best_tiles(
    kind: Kind, problem: Problem, M: int, demands: TileDemands, near: tuple[tuple[str, int], ...]
) -> TileChoice:
    schedule = kind.schedule
    if problem.mask is None and demands is NO_DEMANDS:
        schedule.require(problem, M)
    if not schedule.tile_names:
        return _without_tiles(schedule, problem, M, demands)
    counter = TileSearches(schedule, problem, demands, dict(near))
    smallest = _smallest(schedule, problem, demands)
    found: list[TileChoice] = []
    least: int | None = None
    for base, groups in smallest:
        one, most = counter.choice(M, base, groups)
        # Buffers of one phase stay through the others.
        for _ in range(_AIMS if demands is not NO_DEMANDS else 0):
            if M < one.room < NEVER:
                one, most = counter.choice(most - (one.room - M), base, groups)
        unknown = one.room == NEVER and counter.gave_up
        if one.room > M and len(groups) > 1 and not unknown:  # phases may leave words to one another
            if least is None:
                least = int(counter.count(problem, [base for base, _ in smallest], None)[1].min())
            if least <= M:
                together = group_of(schedule, [name for group in groups for name in group.names])
                one, _ = counter.choice(M, base, [together])
        found.append(one)
    fitting = [one for one in found if one.room <= M]
    if min(one.room for one in found) == NEVER:
        if not counter.gave_up:
            raise _none_allowed(schedule)
        raise TooManyOperations(
            f"{schedule.name}: all tiles that were tried have more than {MOST_BOXES:,} boxes to "
            "examine; give the tiles, more fast memory, or fewer queries and keys"
        )
    if not fitting:
        raise too_small(schedule, min(one.room for one in found), M)
    return min(fitting, key=lambda one: one.words)


def sampled(schedule: TiledPrograms, problem: Problem, M: int) -> TileChoice | None:
    """Return the best of a coarse sample of tiles, sizes a factor of two apart; None if it does not fit."""
    if not schedule.tile_names or max(problem.Nq, problem.Nk) <= SHORT:
        return None
    counter = TileSearches(schedule, problem, NO_DEMANDS)
    found = [counter.choice(M, *form, coarse=True)[0] for form in _smallest(schedule, problem, NO_DEMANDS)]
    fits = all(one.room <= M and one.words < NEVER for one in found)
    return min(found, key=lambda one: one.words) if fits else None


def _smallest(
    schedule: TiledPrograms, problem: Problem, demands: TileDemands
) -> list[tuple[dict[str, int], list[TileGroup]]]:
    """Return the smallest tiles by all names that a program takes, each with the groups of sizes that may differ."""
    greatest = dict(schedule.greatest(problem))
    short = max(problem.Nq, problem.Nk) <= SHORT
    forms = [schedule.smallest(problem), *(schedule.other_smallest(problem) if short else ())]
    found = []
    for sizes in forms if demands.names is None else [dict.fromkeys(demands.names, 1)]:
        least = _least(sizes, demands.sizes(schedule, problem, sizes))
        for setting in switches(schedule, sizes, greatest):
            base = {**least, **setting}
            found.append((base, tile_groups(schedule, problem, base, {**greatest, **setting})))
    return found


def _without_tiles(schedule: TiledPrograms, problem: Problem, M: int, demands: TileDemands) -> TileChoice:
    """Return the only choice of a schedule without tile sizes."""
    if demands is NO_DEMANDS:
        only = schedule.measure(problem, {})  # which is asked for again
        one = TileChoice(only.io, only.peak, {})
    else:
        (one,) = counted(schedule, problem, [{}], demands)
    if one.room > M:
        raise _none_allowed(schedule) if one.room == NEVER else too_small(schedule, one.room, M)
    return one


def counted(
    schedule: TiledPrograms,
    problem: Problem,
    tiles: Sequence[dict[str, int]],
    demands: TileDemands = NO_DEMANDS,
) -> list[TileChoice]:
    """Return tiles with the words that they move and the room that they need; without an end if they are refused."""
    words, room = TileCounter(schedule, problem, demands).count(problem, tiles, None)
    return [TileChoice(*one) for one in zip(words.tolist(), room.tolist(), tiles, strict=True)]


def _least(tiles: Tiles, sizes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    return {name: nearest(size, sizes.get(name)) for name, size in tiles.items()}


def too_small(schedule: TiledPrograms, least: int, M: int) -> CacheTooSmall:
    """Return the error that says how many words a schedule needs under a mask."""
    return CacheTooSmall(
        f"{schedule.name} needs at least {least} words of fast memory under this mask; M is {M}", least
    )


def _none_allowed(schedule: TiledPrograms) -> CacheTooSmall:
    return CacheTooSmall(f"{schedule.name} has no tiles that satisfy the constraints")


class TileSearches(TileCounter):
    """The searches of all groups of a schedule's tile sizes, one program for a question of each."""

    def __init__(
        self, schedule: TiledPrograms, problem: Problem, demands: TileDemands, near: Tiles | None = None
    ) -> None:
        super().__init__(schedule, problem, demands)
        self.near = near or {}

    def choice(
        self, M: int, base: dict[str, int], groups: list[TileGroup], coarse: bool = False
    ) -> tuple[TileChoice, int]:
        """Return the best tiles of some groups, or of a coarse sample, and the room of the group that needs most."""
        searches = [
            SizeSearch(self.schedule, self.problem, M, base, group, self.demands, self.near)
            for group in groups
        ]
        tiles = self._in_step(base, searches, coarse)
        numbered = self.schedule.program(self.problem, base).numbered
        if len(groups) == 1 and len(groups[0].phases) in (0, len(numbered)):
            words, room = searches[0].known(tiles[name] for name in groups[0].names)
        else:
            problem = self.problem.without_mask() if coarse else self.problem
            (words,), (room,) = self.count(problem, [tiles], None)
            if problem != self.problem:
                (words,), _ = self.count(self.problem, [tiles], None, words_only=True)
        most = max((search.known(tiles[name] for name in search.names)[1] for search in searches), default=0)
        return TileChoice(int(words), int(room), tiles), most

    def _in_step(self, base: dict[str, int], searches: list[SizeSearch], coarse: bool) -> dict[str, int]:
        """Return the best sizes of all groups; searches that ask the same are made once."""
        searched = known_of(self.problem, self.demands, self.schedule.family).searched
        keys = {search: (coarse, self._looks(search)) for search in searches}
        first = {key: search for search, key in reversed(keys.items()) if key not in searched}
        made = self._made(base, [one for one in searches if one in first.values()], coarse)
        searched.update((keys[search], found) for search, found in made.items())
        others = [
            one for one in searches if one not in made and not self._holds(base, one, *searched[keys[one]])
        ]
        made |= self._made(base, others, coarse)
        tiles = dict(base)
        for search, key in keys.items():
            row, found = made.get(search) or searched[key]
            search.note(row, found)
            tiles |= zip(search.names, row, strict=True)
        return tiles

    def _holds(
        self, base: dict[str, int], search: SizeSearch, row: tuple[int, ...], found: tuple[int, int]
    ) -> bool:
        """Whether a search finds what another found: programs that look alike may differ at some sizes."""
        sizes = base | dict(zip(search.names, row, strict=True))
        (words,), (room,) = self.count(self.problem, [sizes], search.group.phases)
        return (int(words), int(room)) == found

    def _made(
        self, base: dict[str, int], searches: list[SizeSearch], coarse: bool
    ) -> dict[SizeSearch, tuple[tuple[int, ...], tuple[int, int]]]:
        """Make some searches, one program for a question of each; return their best sizes, with words and room."""
        made: dict[SizeSearch, tuple[tuple[int, ...], tuple[int, int]]] = {}
        open_ = [
            (search, steps := search.sample() if coarse else search.best(), next(steps))
            for search in searches
        ]
        while open_:
            what = open_[0][2][0]
            now = [at for at, (_, _, (which, _)) in enumerate(open_) if which == what]
            names = [open_[at][0].names for at in now]
            rows = [open_[at][2][1] for at in now]
            programs = [
                base
                | {
                    n: s
                    for own, some in zip(names, rows, strict=True)
                    for n, s in zip(own, some[k % len(some)], strict=True)
                }
                for k in range(max(map(len, rows)))
            ]
            problem = self.problem.without_mask() if what == PLAIN else self.problem
            phases = [open_[at][0].group.phases for at in now]
            words, room = self.count(problem, programs, *phases, words_only=what == WORDS)
            for number, at in enumerate(now):
                part = slice(number * len(programs), number * len(programs) + len(rows[number]))
                search, steps, _ = open_[at]
                try:
                    open_[at] = search, steps, steps.send((words[part], room[part]))
                except StopIteration as end:
                    made[search] = end.value, search.known(end.value)
            open_ = [one for one in open_ if one[0] not in made]
        return made

    def _looks(self, search: SizeSearch) -> object:
        """Return what is equal for searches that ask the same: their programs, at some sizes, and what these may be."""
        family, known = self._family(self.problem), known_of(self.problem, self.demands, self.schedule.family)
        texts: list[object] = []
        for number in range(_PROBES):
            sizes = [
                low + (high - low) * number // (_PROBES - 1)
                for low, high in zip(search.low, search.high, strict=True)
            ]
            with suppress(InvalidInput):
                program = self.schedule.program(
                    self.problem, search.base | dict(zip(search.names, sizes, strict=True))
                )
                texts.append(known.key(only(program, search.group.phases), family))
        own = (
            () if self.demands is NO_DEMANDS else (self._kind, search.names)
        )  # of which programs may be refused
        return tuple(texts), search.looks(), own
