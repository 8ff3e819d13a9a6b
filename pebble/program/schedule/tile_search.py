"""The one search for tiles: of the sizes that fit, those that move the fewest words, with or without a mask.

Many programs of a schedule are counted at a time, see :func:`pebble.program.counting.measure.measure`. Sizes that
shape different phases are independent. Of those that shape the same phases the last one is as large as fits beside the
others; where a mask makes smaller ones better, these are compared too. On short axes all other sizes are tried, so
that none that fit move fewer words. On longer ones a grid of sizes is, and then what is near the best, until nothing
is better.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import prod
from operator import le
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

import numpy as np

from pebble.common.errors import CacheTooSmall, InvalidInput, TooManyOperations
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.counting.measure import MOST
from pebble.program.counting.texts import read, unnamed
from pebble.program.nodes import Program
from pebble.program.schedule.tile_demands import NO_DEMANDS, TileDemands
from pebble.program.schedule.tile_groups import TileGroup, group_of, switches, tile_groups
from pebble.program.schedule.tile_values import even_cuts, grid, leftovers, suggested

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.computations.problem import Problem
    from pebble.program.schedule.schedule import Schedule, Tiles

    Whole = NDArray[np.int64]
    Row: TypeAlias = tuple[int, ...]
    Key: TypeAlias = tuple[bool, int, object]
    T = TypeVar("T")
    Asking: TypeAlias = Generator[tuple[str, list[Row]], tuple[Whole, Whole], T]

__all__ = ["SHORT", "Kind", "TileChoice", "best_tiles", "counted", "far_from", "nearest", "too_small"]

SHORT = 48
"""On axes up to this length all sizes are tried."""
_EVERY = 20_000
"""As long as there are at most this many combinations of sizes."""
_FEW = 400
"""On longer axes all sizes that are allowed are tried where there are at most this many combinations."""
_RATIO, _RATIO_NEAR, _LEAST_RATIO = {0: 1.5, 1: 1.5}, 1.3, 1.07
"""Of neighbours in the grid of sizes, for a number of sizes beside the last; of those near known ones; in the end."""
_ALMOST = 1.03
"""In later rounds, and move at most this many times the words of the best."""
_MORE = 2.05
"""Under a mask, tiles are not compared that move this many times the words of others without it."""
_HOPELESS = 2.5
"""Tiles are not searched where a coarse sample, sizes a factor of two apart, moves this many times a rival's words."""
_BEST, _VARIOUS = 3, 5
"""What is near this many is compared; in the first round near this many with different sizes."""
_FAR = 4
"""Where the smallest sizes need this many times the words that there are, larger ones are not tried."""
_AIMS, _NEARLY = 3, 0.9995
"""How often larger tiles are looked at, as long as the best need less than this share of fast memory."""
_FURTHEST = 32
"""In a direction that made the words fewer, sizes up to this many times as far away are compared next."""
_ROUNDS, _GAIN = 16, 1e-5
"""After this many rounds, one that saves less than this share of the words is the last."""
_MOST_BOXES = 2**21
"""Boxes that are looked at for some programs together; of one that has more nothing is known."""
_PROBES = 4
"""Programs at so many sizes tell whether two searches ask the same."""
_UNKNOWN = 3
"""After this many of which nothing is known, tiles are not chosen."""
_MOST_KNOWN = 20_000
"""Programs of one problem of which is known what they move."""
_NEVER = MOST
"""Words and room of sizes without a program."""
PLAIN, WORDS, WHOLE = "without the mask", "words", "words and room"
"""What is asked of rows of sizes."""


class TileChoice(NamedTuple):
    """Tiles, the words that they move and the room that they need, or what demands say instead."""

    words: int
    room: int
    tiles: dict[str, int]


def best_tiles(
    schedule: Schedule,
    problem: Problem,
    M: int,
    demands: TileDemands = NO_DEMANDS,
    near: tuple[tuple[str, int], ...] = (),
) -> TileChoice:
    """Return the tiles with which a schedule moves the fewest words, of those that fit M words of fast memory.

    Parameters
    ----------
    schedule : Schedule
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


class Kind:
    """A schedule; those of one class are the same where they have no attributes of their own."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.identity = schedule if vars(schedule) else type(schedule)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.identity is other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


@lru_cache(maxsize=512)
def _best_tiles(
    kind: Kind, problem: Problem, M: int, demands: TileDemands, near: tuple[tuple[str, int], ...]
) -> TileChoice:
    schedule = kind.schedule
    if problem.mask is None and demands is NO_DEMANDS:
        schedule.require(problem, M)
    if not schedule.tile_names:
        return _without_tiles(schedule, problem, M, demands)
    counter = _TileCounter(schedule, problem, demands, dict(near))
    smallest = _smallest(schedule, problem, demands)
    found: list[TileChoice] = []
    least: int | None = None
    for base, groups in smallest:
        one, most = counter.choice(M, base, groups)
        # Buffers of one phase stay through the others.
        for _ in range(_AIMS if demands is not NO_DEMANDS else 0):
            if M < one.room < _NEVER:
                one, most = counter.choice(most - (one.room - M), base, groups)
        unknown = one.room == _NEVER and counter.gave_up
        if one.room > M and len(groups) > 1 and not unknown:  # phases may leave words to one another
            if least is None:
                least = int(counter.count(problem, [base for base, _ in smallest], None)[1].min())
            if least <= M:
                together = group_of(schedule, [name for group in groups for name in group.names])
                one, _ = counter.choice(M, base, [together])
        found.append(one)
    fitting = [one for one in found if one.room <= M]
    if min(one.room for one in found) == _NEVER:
        if not counter.gave_up:
            raise _none_allowed(schedule)
        raise TooManyOperations(
            f"{schedule.name}: all tiles that were tried have more than {_MOST_BOXES:,} boxes to "
            "examine; give the tiles, more fast memory, or fewer queries and keys"
        )
    if not fitting:
        raise too_small(schedule, min(one.room for one in found), M)
    return min(fitting, key=lambda one: one.words)


def far_from(schedule: Schedule, problem: Problem, M: int, words: int) -> TileChoice | None:
    """Return the best of a coarse sample of a schedule's tiles, if it moves far more than some words; else nothing."""
    if problem.mask is not None or not schedule.tile_names or max(problem.Nq, problem.Nk) <= SHORT:
        return None
    counter = _TileCounter(schedule, problem, NO_DEMANDS)
    sampled = [counter.choice(M, *form, coarse=True)[0] for form in _smallest(schedule, problem, NO_DEMANDS)]
    best = min(sampled, key=lambda one: one.words)
    return best if best.words > _HOPELESS * words and all(one.room <= M for one in sampled) else None


def _smallest(
    schedule: Schedule, problem: Problem, demands: TileDemands
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


def _without_tiles(schedule: Schedule, problem: Problem, M: int, demands: TileDemands) -> TileChoice:
    """Return the only choice of a schedule without tile sizes."""
    if demands is NO_DEMANDS:
        only = schedule.measure(problem, {})  # which is asked for again
        one = TileChoice(only.io, only.peak, {})
    else:
        (one,) = counted(schedule, problem, [{}], demands)
    if one.room > M:
        raise _none_allowed(schedule) if one.room == _NEVER else too_small(schedule, one.room, M)
    return one


def counted(
    schedule: Schedule,
    problem: Problem,
    tiles: Sequence[dict[str, int]],
    demands: TileDemands = NO_DEMANDS,
) -> list[TileChoice]:
    """Return tiles with the words that they move and the room that they need; without an end if they are refused."""
    words, room = _TileCounter(schedule, problem, demands).count(problem, tiles, None)
    return [TileChoice(*one) for one in zip(words.tolist(), room.tolist(), tiles, strict=True)]


def _least(tiles: Tiles, sizes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    return {name: nearest(size, sizes.get(name)) for name, size in tiles.items()}


def nearest(size: int, sizes: Sequence[int] | None) -> int:
    """Return the least of the sizes that is no smaller, or the last; without sizes, and of zero, the same."""
    return sizes[min(bisect_left(sizes, size), len(sizes) - 1)] if sizes and size else size


def too_small(schedule: Schedule, least: int, M: int) -> CacheTooSmall:
    """Return the error that says how many words a schedule needs under a mask."""
    return CacheTooSmall(
        f"{schedule.name} needs at least {least} words of fast memory under this mask; M is {M}", least
    )


def _none_allowed(schedule: Schedule) -> CacheTooSmall:
    return CacheTooSmall(f"{schedule.name} has no tiles that satisfy the constraints")


def _only(program: Program, phases: Sequence[int]) -> Program:
    """Return some phases of a program, and of that for each part of a mask."""
    own = tuple(program.phases[phase] for phase in phases if phase < len(program.phases))
    return Program(own, tuple(replace(part, program=_only(part.program, phases)) for part in program.parts))


class _Known:
    """What has been counted of programs of one problem: schedules have phases in common."""

    def __init__(self) -> None:
        self.found: dict[Key, tuple[int, int]] = {}
        self.by_tiles: dict[object, tuple[int, int]] = {}
        self.searched: dict[object, tuple[Row, tuple[int, int]]] = {}
        self._shapes: dict[object, int] = {}
        self._unnamed: dict[object, int] = {}

    def key(self, program: Program, family: Family) -> tuple[int, object]:
        """Return what tells programs apart: their text, by a number, and its sizes."""
        shape, sizes = read(program, family)
        if len(self.found) > _MOST_KNOWN:
            self.found.clear()
            self.by_tiles.clear()
        if shape not in self._shapes:
            self._shapes[shape] = self._unnamed.setdefault(unnamed(shape, family), len(self._unnamed))
        return self._shapes[shape], sizes


@lru_cache(maxsize=32)
def _known(problem: Problem, demands: TileDemands, family: Callable[[Problem], Family]) -> _Known:
    return _Known()


class _TileCounter:
    """Counts programs of one schedule, with and without the mask."""

    def __init__(
        self, schedule: Schedule, problem: Problem, demands: TileDemands, near: Tiles | None = None
    ) -> None:
        self.schedule, self.problem, self.demands, self.near = schedule, problem, demands, near or {}
        self.gave_up, self._kind = False, Kind(schedule)
        self._families: dict[Problem, Family] = {}

    def _family(self, problem: Problem) -> Family:
        if problem not in self._families:
            self._families[problem] = self.schedule.family(problem)
        return self._families[problem]

    def count(
        self,
        problem: Problem,
        tiles: Sequence[dict[str, int]],
        *groups: Sequence[int] | None,
        words_only: bool = False,
    ) -> tuple[Whole, Whole]:
        """Return the words and the room of the phases of programs that each group shapes, group after group."""
        family, known = self._family(problem), _known(problem, self.demands, self.schedule.family)
        asked = [[(words_only, self._kind, phases, *one.items()) for one in tiles] for phases in groups]
        unknown = {place for row in asked for place, key in enumerate(row) if key not in known.by_tiles}
        places, programs = [], []
        for place in sorted(unknown):
            with suppress(InvalidInput):
                program = self.schedule.program(problem, tiles[place])
                if self.demands.allow(program, family):
                    programs.append(program)
                    places.append(place)
        for row in asked:
            known.by_tiles.update((row[place], (_NEVER, _NEVER)) for place in unknown.difference(places))
        for written in programs[:1]:
            self._check_written(written)
        for row, phases in zip(asked, groups, strict=True) if programs else ():
            texts = [_only(one, phases) for one in programs] if phases else programs
            keys = [(words_only, *known.key(one, family)) for one in texts]
            if new := {key: one for key, one in zip(keys, texts, strict=True) if key not in known.found}:
                self._note(list(new), list(new.values()), family, known.found)
            known.by_tiles.update(
                (row[place], known.found[key])
                for place, key in zip(places, keys, strict=True)
                if key in known.found
            )
        never = _NEVER, _NEVER  # also of those with too many boxes
        found = np.array([known.by_tiles.get(key, never) for row in asked for key in row], dtype=np.int64)
        words, room = found.reshape(-1, 2).T
        return words, room

    def _check_written(self, program: Program) -> None:
        for text in [part.program for part in program.parts] or [program]:
            if any(phase.generate is not None for phase in text.phases):
                raise InvalidInput(
                    f"{self.schedule.name}: a phase of this schedule generates its operations, so tiles "
                    "cannot be chosen automatically; give the tiles"
                )

    def _note(
        self, keys: list[Key], texts: list[Program], family: Family, found: dict[Key, tuple[int, int]]
    ) -> None:
        """Note what programs move and need; of those with too many boxes nothing."""
        try:
            if keys[0][0]:
                words = self.demands.words(texts, family, _MOST_BOXES)
                room = np.full_like(words, _NEVER)
            else:
                words, room = self.demands.measure(texts, family, _MOST_BOXES)
            found.update(zip(keys, zip(words.tolist(), room.tolist(), strict=True), strict=True))
        except TooManyOperations:
            half = len(texts) // 2
            self.gave_up |= not half
            for some in (slice(0, half), slice(half, None)) if half else ():
                self._note(keys[some], texts[some], family, found)

    def choice(
        self, M: int, base: dict[str, int], groups: list[TileGroup], coarse: bool = False
    ) -> tuple[TileChoice, int]:
        """Return the best tiles of some groups, or of a coarse sample, and the room of the group that needs most."""
        searches = [
            _SizeSearch(self.schedule, self.problem, M, base, group, self.demands, self.near)
            for group in groups
        ]
        tiles = self._in_step(base, searches, coarse)
        numbered = self.schedule.program(self.problem, base).numbered
        if len(groups) == 1 and len(groups[0].phases) in (0, len(numbered)):
            words, room = searches[0].known(tiles[name] for name in groups[0].names)
        else:
            (words,), (room,) = self.count(self.problem, [tiles], None)
        most = max((search.known(tiles[name] for name in search.names)[1] for search in searches), default=0)
        return TileChoice(int(words), int(room), tiles), most

    def _in_step(self, base: dict[str, int], searches: list[_SizeSearch], coarse: bool) -> dict[str, int]:
        """Return the best sizes of all groups; one program answers a question of each."""
        tiles, done = dict(base), set[_SizeSearch]()
        searched = _known(self.problem, self.demands, self.schedule.family).searched
        keys = {search: (coarse, self._looks(search)) for search in searches}
        first = {key: search for search, key in reversed(keys.items()) if key not in searched}
        open_ = [
            (search, steps := search.sample() if coarse else search.best(), next(steps))
            for search in reversed(first.values())
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
                    searched[keys[search]] = end.value, search.known(end.value)
                    done.add(search)
            open_ = [one for one in open_ if one[0] not in done]
        for search, key in keys.items():
            search.note(*searched[key])
            tiles |= zip(search.names, searched[key][0], strict=True)
        return tiles

    def _looks(self, search: _SizeSearch) -> object:
        """Return what is equal for searches that ask the same: their programs, at some sizes, and what these may be."""
        family, known = self._family(self.problem), _known(self.problem, self.demands, self.schedule.family)
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
                texts.append(known.key(_only(program, search.group.phases), family))
        return tuple(texts), search.looks()


class _SizeSearch:
    """The search for the sizes of one group: asks what rows of sizes do, with or without the mask."""

    def __init__(
        self,
        schedule: Schedule,
        problem: Problem,
        M: int,
        base: dict[str, int],
        group: TileGroup,
        demands: TileDemands,
        near: Tiles,
    ) -> None:
        self.schedule, self.problem, self.M, self.aim = schedule, problem, M, M
        self.base, self.group, self.names = base, group, group.names
        greatest = schedule.greatest(problem)
        self.low = [int(name not in schedule.may_be_zero) for name in self.names]
        self.high = [greatest[name] for name in self.names]
        self.axes = [schedule.axis_of(name) or name for name in self.names]
        self.counts = [name in schedule.numbers_of_tiles for name in self.names]
        sizes = demands.sizes(schedule, problem, base)
        self.sizes = [sizes.get(name) for name in self.names]
        self.free = not any(self.sizes)
        self.masked = problem.without_mask() != problem
        few = 0 < prod(len(sizes or ()) for sizes in self.sizes) <= _FEW
        self.short = few or max(problem.Nq, problem.Nk) <= SHORT
        self._begin: Row | None = None
        if near and not any(self.counts) and near.keys() >= set(self.names):
            sizes_near = (near[name] for name in self.names)
            self._begin = tuple(map(max, self.low, map(min, self.high, sizes_near)))
        self._known: dict[str, dict[Row, tuple[int, int]]] = {PLAIN: {}, WORDS: {}, WHOLE: {}}

    def _demanded(self, row: Row) -> Row:
        """Return a row, or the beginning of one, with the sizes that are demanded."""
        return row if self.free else tuple(map(nearest, row, self.sizes))

    def _count(self, what: str, rows: list[Row]) -> Asking[Whole]:
        """Return the words and the room of rows of sizes, each counted once."""
        known = self._known[what]
        rows = rows if self.free else list(map(self._demanded, rows))
        new = [row for row in dict.fromkeys(rows) if row not in known]
        if new:
            words, room = yield what, new
            known.update(zip(new, zip(words.tolist(), room.tolist(), strict=True), strict=True))
        return np.array([known[row] for row in rows], dtype=np.int64).reshape(len(rows), 2).T

    def known(self, row: Iterable[int]) -> tuple[int, int]:
        """Return the words and the room of sizes that have been counted."""
        return self._known[WHOLE if self.masked else PLAIN][tuple(row)]

    def note(self, row: Row, found: tuple[int, int]) -> None:
        """Take over what another search has found."""
        self._known[WHOLE if self.masked else PLAIN][row] = found

    def looks(self) -> object:
        """Return what the sizes may be."""
        axes = [axis if axis in OTHER_AXIS else self.axes.index(axis) for axis in self.axes]
        flags = *axes, *self.counts, self.M, self.short, len(self.group.resident)
        return *flags, *self.low, *self.high, *map(tuple, (one or () for one in self.sizes))

    # The last size: as large as fits

    def _ranges(self) -> list[tuple[int, int]]:
        """Return ranges of the last size, the largest first, in each of which more lines need more room.

        Where all lines of an axis stay, or are one tile, others pass by in another way, which may need less.
        """
        low, high = self.low[-1] if self.group.resident else max(self.low[-1], 1), self.high[-1]
        starts = {low, high}
        if self.group.resident:
            starts |= {n for n in (self.problem.Nq, self.problem.Nk) if low < n < high}
        return [(a, b - 1) for a, b in pairwise([*sorted(starts), high + 1])][::-1]

    def _fitted(self, heads: list[Row], what: str) -> Asking[list[Row]]:
        """Return the heads beside which some last size fits, each with the largest that does."""
        found: list[Row] = []
        if not self.group.resident and not self.low[-1]:  # no such tiles: another way
            rows = [(*head, size) for head in heads for size in (0, *self._rest(head))]
            _, room = yield from self._count(what, rows)
            found += [row for row, one in zip(rows, room, strict=True) if one <= self.aim]
            if self.axes[-1] in self.axes[:-1]:  # the others tell what is left over
                return found
        for low, high in self._ranges():
            left = heads
            if not self.group.resident:  # both at once
                yield from self._count(what, [(*head, size) for size in (low, high) for head in heads])
            _, least = yield from self._count(what, [(*head, low) for head in heads])
            fitting = np.flatnonzero(least <= self.aim)
            heads, least = [heads[at] for at in fitting], least[fitting]
            _, most = yield from self._count(what, [(*head, high) for head in heads])
            fits = np.where(most <= self.aim, high, low)
            fails = np.where(most <= self.aim, fits + 1, high)
            yield from self._widen(heads, fits, fails, (least, most), what)
            found += [(*head, size) for head, size in zip(heads, fits.tolist(), strict=True)]
            heads = [head for head in left if head not in set(heads)]
        return found

    def _widen(
        self, heads: list[Row], fits: Whole, fails: Whole, room: tuple[Whole, Whole], what: str
    ) -> Asking[None]:
        """Raise last sizes that fit until the next ones fail; room grows about linearly between the two."""
        least, most = room
        step = 0
        while len(open_ := np.flatnonzero(fails - fits > 1)):
            below, above, step = fits[open_], fails[open_], step + 1
            guess = below + (self.aim - least[open_]) * (above - below) // np.maximum(
                most[open_] - least[open_], 1
            )
            if step % 3 == 0:
                guess = (below + above) // 2
            guess = np.clip(guess, below + 1, above - 1)
            both = np.append(guess, np.minimum(guess + 1, above - 1))
            asked = [(*heads[at], size) for at, size in zip([*open_, *open_], both.tolist(), strict=True)]
            _, needs = yield from self._count(what, asked)
            for size, need in zip(np.split(both, 2), np.split(needs, 2), strict=True):
                good, bad = (
                    (need <= self.aim) & (size > fits[open_]),
                    (need > self.aim) & (size < fails[open_]),
                )
                fits[open_[good]], least[open_[good]] = size[good], need[good]
                fails[open_[bad]], most[open_[bad]] = size[bad], need[bad]

    def _raised(self, row: Row) -> Asking[Row]:
        """Return a row with its last size as large as fits under the mask, where it may need a little less room.

        Without the mask room grows by as much from size to size, or a little more.
        """
        head, size, high = row[:-1], row[-1], self.high[-1]
        _, (room,) = yield from self._count(WHOLE, [row])
        if room > self.M or size >= high:
            return row
        _, (was, more) = yield from self._count(PLAIN, [row, (*head, size + 1)])
        step = int(self.M - room) // max(int(more - was), 1)
        fits, below, fails, above = size, room, high + 1, room
        while fits + 1 < fails and above <= self.M:
            sizes = sorted({size + 1, *(min(max(size + step + way, size + 1), high) for way in (-1, 0, 1, 2))})
            _, needs = yield from self._count(WHOLE, [(*head, one) for one in sizes])
            for one, need in zip(sizes, needs.tolist(), strict=True):
                if need > self.M:
                    fails, above = one, need
                    break
                fits, below = one, need
            step = 2 * step + 4
        found = np.array([fits])
        yield from self._widen([head], found, np.array([fails]), (np.array([below]), np.array([above])), WHOLE)
        return (*head, int(found[0]))

    # Which sizes are compared

    def best(self) -> Asking[Row]:
        """Return the best sizes found; if none fit, those that need the least room."""
        return self._demanded((yield from self._best()))

    def _best(self) -> Asking[Row]:
        rows = (yield from self._every()) if self.short else None
        if rows is None:
            rows = yield from self._sampled()
        whole = WHOLE if self.masked else PLAIN
        unknown = 0
        for some in [rows] if self.short else [rows[at : at + 1] for at in range(len(rows))]:
            _, room = yield from self._count(whole, some)
            fits = [row for row, need in zip(some, room, strict=True) if need <= self.M]
            if fits:
                return (yield from self._ordered(whole, fits))[0]
            unknown += int(room.min()) == _NEVER
            if unknown == _UNKNOWN:
                return some[0]
        rows.append(tuple(self.base[name] for name in self.names))
        _, room = yield from self._count(whole, rows)
        return rows[int(np.argmin(room))]

    def _ordered(self, what: str, rows: list[Row]) -> Asking[list[Row]]:
        """Return rows, the best first: the fewest words, then few parts, or equal large sizes; no idle residents."""
        words, _ = yield from self._count(what, rows)
        cuts = len(self.group.cuts)

        def order(at: int) -> tuple[int, ...]:
            own = rows[at][:cuts]
            if self.counts[0]:
                return int(words[at]), *own[::-1], sum(rows[at][cuts:])
            return int(words[at]), max(own, default=0) - min(own, default=0), sum(rows[at][cuts:]) - sum(own)

        return [rows[at] for at in sorted(range(len(rows)), key=order)]

    def _values(self, at: int) -> list[int]:
        """Return all values of a size that make a difference."""
        values = range(self.low[at], self.high[at] + 1)
        if sizes := self.sizes[at]:
            return [0, *sizes][self.low[at] :]
        if self.counts[at]:
            return [n for n in values if not n or -(-self.high[at] // -(-self.high[at] // n)) == n]
        return list(values)

    def _every(self) -> Asking[list[Row] | None]:
        """Return all rows worth comparing; None if they are too many."""
        heads: list[Row] = [()]
        whole = not self.group.resident and self.masked
        names = len(self.names) - (not whole)
        for at in range(names):
            values = self._values(at)
            if len(heads) * len(values) > (_EVERY if whole else _EVERY // 4):
                return None
            heads = [(*head, value) for head in heads for value in values]
        if whole:
            return heads
        rows = yield from self._fitted(heads, WHOLE if self.masked else PLAIN)
        return rows + [(*head, self.low[-1]) for head in heads]

    def _sampled(self) -> Asking[list[Row]]:
        """Return a sample of the rows that fit and what is near the best of them, the best first.

        Room without the mask is about that under it. Where less is needed of the best, larger ones are looked at.
        """
        last = len(self.names) - 1
        rows = yield from self._with_last(self._heads())
        if not rows:
            _, (least,) = yield from self._count(WHOLE if self.masked else PLAIN, [tuple(self.low)])
            near = least < _FAR * self.M and not last
            return [tuple(self.low), *((size,) for size in (grid(self.high[0], 4.0) if near else ()))]
        rows = yield from self._refined(rows, _RATIO_NEAR if self._begin else _RATIO.get(last, 2.0))
        if not self.masked:
            return rows
        raised = yield from self._raised(rows[0])
        if raised != rows[0]:
            rows = yield from self._ordered(WORDS, [raised, *rows])
        if self.group.resident:
            return rows
        for _ in range(_AIMS):
            _, room = yield from self._count(WHOLE, rows[:1])
            if room[0] > _NEARLY * self.M or room[0] == 0:
                break
            self.aim = self.aim * self.M // int(room[0])
            larger = yield from self._with_last(
                list(dict.fromkeys(row[:-1] for one in rows[:_BEST] for row in self._near(one, 2.0)))
            )
            larger = yield from self._refined([*rows[:_BEST], *larger], 1.2)
            if larger[0] == rows[0]:
                break
            rows = yield from self._ordered(WORDS, list(dict.fromkeys([*larger, *rows])))
        return rows

    def _heads(self) -> list[Row]:
        """Return coarse grids of all sizes but the last, or what is near the sizes to begin with."""
        if self._begin:
            near = [self._begin, *self._near(self._begin, _RATIO_NEAR)]
            return list(dict.fromkeys(row[:-1] for row in near))
        heads: list[Row] = [()]
        for at in range(len(self.names) - 1):
            heads = [(*head, value) for head in heads for value in self._coarse(at, head)]
        return heads

    def sample(self) -> Asking[Row]:
        """Return the best of a coarse sample; if none fit, the smallest sizes."""
        rows = yield from self._with_last(self._heads())
        ordered = yield from self._ordered(PLAIN, rows or [tuple(self.low)])
        return ordered[0]

    def _refined(self, rows: list[Row], ratio: float) -> Asking[list[Row]]:
        """Return rows and what is near the best of them, the best first."""
        what = WORDS if self.masked else PLAIN
        best = self._various((yield from self._ordered(what, rows)))
        rounds = 0
        further: list[Row] = []
        while True:
            near = dict.fromkeys([*further, *(row for one in best for row in self._near(one, ratio))])
            more = yield from self._with_last(list(dict.fromkeys(row[:-1] for row in near)))
            if self.masked:
                more += [row for one in best for row in self._smaller(one, ratio)]
                more += [row for row in further if row[:-1] == rows[0][:-1]]
            known, first = set(rows), rows[0]
            more = [row for row in dict.fromkeys(more) if row not in known]
            (before,), _ = yield from self._count(what, rows[:1])
            rows = yield from self._ordered(what, rows + more)
            words, _ = yield from self._count(what, rows)
            rounds += 1
            slow = rounds > _ROUNDS and words[0] >= (1 - _GAIN) * before
            if slow or not more or (rows[0] not in set(more) and ratio <= _LEAST_RATIO):
                return rows
            near_best = [row for row, one in zip(rows, words, strict=True) if one <= _ALMOST * words[0]]
            best, ratio = self._various(near_best), max(ratio**0.5, _LEAST_RATIO)
            further = list(self._further(first, rows[0]))

    def _further(self, before: Row, row: Row) -> Iterator[Row]:
        """Yield rows in the direction in which the best one has moved, each twice as far as the last."""
        steps = [b - a for a, b in zip(before, row, strict=True)]
        # Beside others the last one is as large as fits.
        if any(steps[:-1]) or steps[-1] > 0 or self.group.resident:
            steps[-1] = 0
        times = 1
        while any(steps) and times <= _FURTHEST:
            sizes = tuple(size + times * step for size, step in zip(row, steps, strict=True))
            if not all(map(le, self.low, sizes)) or not all(map(le, sizes, self.high)):
                return
            yield sizes
            times *= 2

    def _coarse(self, at: int, head: Row) -> list[int]:
        """Return values of a size to begin with, beside some others."""
        found = self._left_over((*head, 0), at)
        if not found:
            found = [
                *grid(self.high[at], _RATIO.get(len(self.names) - 1, 2.0), counts=self.counts[at]),
                *self._suggested(at, self.high[at]),
            ]
        values = {value for value in found if value >= self.low[at]} | {self.low[at]}
        return sorted({nearest(value, self.sizes[at]) for value in values})

    def _various(self, ordered: list[Row]) -> list[Row]:
        """Return the first rows, and of each value of a size but the first the first row with it."""
        found = dict.fromkeys(ordered[:_BEST])
        for at in range(1, len(self.names) - 1):
            if self.axes[at] not in self.axes[:at]:
                of_value: dict[int, Row] = {}
                for row in ordered:
                    of_value.setdefault(row[at], row)
                found |= dict.fromkeys(list(of_value.values())[:_VARIOUS])
        return list(found)

    def _suggested(self, at: int, most: int) -> list[int]:
        return suggested(self.problem, self.axes[at], most)

    def _with_last(self, heads: list[Row]) -> Asking[list[Row]]:
        """Return heads with the largest last size that fits; of one size alone, and of residents, also smaller ones."""
        heads = list(dict.fromkeys(map(self._demanded, heads)))
        low = [(*head, self.low[-1]) for head in heads]
        if self.group.resident:
            heads = yield from self._promising(heads)
        rows = yield from self._fitted(heads, PLAIN)
        if self.masked and rows:
            words, _ = yield from self._count(PLAIN, rows)
            rows = [row for row, one in zip(rows, words <= _MORE * words.min(), strict=True) if one]
        if self.group.resident:
            _, room = yield from self._count(PLAIN, low)
            return [*rows, *(row for row, one in zip(low, room, strict=True) if one <= self.aim)]
        if len(self.names) == 1 or not self.masked:
            rows += [row for one in rows for row in self._smaller(one, 4.0)]
        return list(dict.fromkeys(rows))

    def _promising(self, heads: list[Row]) -> Asking[list[Row]]:
        """Return the heads beside which lines that stay may make the words the fewest.

        They save at most their share of all lines, and no more of them fit than fast memory has words for.
        """
        low, high = self._ranges()[-1]
        words, room = yield from self._count(PLAIN, [(*head, low) for head in heads])
        if room.min(initial=_NEVER) > self.aim:
            return heads
        best = int(np.argmin(np.where(room <= self.aim, words, _NEVER)))
        _, (more,) = yield from self._count(PLAIN, [(*heads[best], low + 1)])
        kept = 1 - min(self.aim / (max(int(more - room[best]), 1) * (high + 1)), 1)
        most = int(words[best]) * (_MORE if self.masked else 1)
        return [
            head
            for head, one, need in zip(heads, words, room, strict=True)
            if need <= self.aim and one * kept <= most
        ]

    def _smaller(self, row: Row, ratio: float) -> Iterator[Row]:
        """Yield rows with other last sizes, down to one part in a number of this one."""
        last, high = row[-1], self.high[-1]
        found = self._left_over(row, len(row) - 1) if self.low[-1] else []
        if self.masked and last and not self.group.resident:
            number = -(-high // last)
            after = int(number * ratio) + 2
            found += even_cuts(high, range(number, after, -(-(after - number) // 16)))
            found += [*self._suggested(len(row) - 1, last), *self._beside(len(row) - 1, last)]
        return ((*row[:-1], size) for size in found if self.low[-1] <= size <= last)

    def _beside(self, at: int, size: int) -> list[int]:
        """Return the sizes next to one."""
        sizes = self.sizes[at]
        if not sizes:
            return [size - 1, size + 1]
        place = bisect_left(sizes, size)
        return [*sizes[max(place - 1, 0) : place], *sizes[place + 1 : place + 2]]

    def _rest(self, head: Row) -> list[int]:
        """Return what whole tiles of other sizes leave over of the last axis, or one of them less."""
        high = self.high[-1]
        others = [size for size, axis in zip(head, self.axes, strict=False) if size and axis == self.axes[-1]]
        return [
            high - n * size
            for size in others
            for n in (high // size, high // size - 1)
            if 0 < high - n * size < high
        ]

    def _left_over(self, row: Row, at: int) -> list[int]:
        """Return what other sizes of the same axis leave over of it."""
        others = [
            size
            for number, size in enumerate(row)
            if number != at and size and self.axes[number] == self.axes[at]
        ]
        return [size for size in leftovers(self.high[at], others) if self.low[at] <= size <= self.high[at]]

    def _near(self, row: Row, ratio: float) -> Iterator[Row]:
        """Yield rows that differ in one size a little, and in those that follow from it."""
        few = 32 if len(row) <= 2 and not self.masked else 8 if ratio > _LEAST_RATIO else 24
        # One block in parts takes the place of a few, or they take its place.
        if len(row) > 2 and all(self.counts[:2]):
            for number in range(max(row[0] - 3, self.low[0]), min(row[0] + 2, self.high[0]) + 1):
                yield from ((number, parts, *row[2:]) for parts in range(min(5, self.high[1] + 1)))
        for at, size in enumerate(row[:-1]):
            near = {*self._beside(at, size), *self._left_over(row, at)}
            if size:
                number = size if self.counts[at] else -(-self.high[at] // size)
                first, after = max(1, int(number / ratio)), min(int(number * ratio) + 2, self.high[at] + 1)
                numbers = {*range(first, after, -(-(after - first) // few))}
                numbers |= {n for n in range(number - 2, number + 3) if first <= n < after}
                near |= set(numbers if self.counts[at] else even_cuts(self.high[at], numbers))
            followers = [n for n in range(at + 1, len(row) - 1) if self.axes[n] == self.axes[at]]
            if followers:
                near |= set(np.linspace(size / ratio, size * ratio, few).astype(int).tolist())
            for other in near:
                if self.low[at] <= other <= self.high[at]:
                    changed = (*row[:at], other, *row[at + 1 :])
                    yield changed
                    for follower in followers:
                        for value in self._left_over(changed, follower):
                            yield (*changed[:follower], value, *changed[follower + 1 :])
