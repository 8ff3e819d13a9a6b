"""The one search for tiles: of the sizes that fit, those that move the fewest words, with or without a mask.

Many programs of a schedule are counted at a time, see :func:`pebble.program.counting.measure.measure`. Sizes that shape
different phases are independent. Of the sizes that shape the same phases the last one is as large as fits beside the
others; where a mask makes smaller ones better, these are compared too. On short axes all other sizes are tried, so that
none that fit move fewer words. On longer ones a grid of sizes is, and then what is near the best, until nothing is better.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.program.counting.measure import measure
from pebble.program.nodes import Program
from pebble.program.schedule.tile_groups import TileGroup, switches, tile_groups
from pebble.program.schedule.tile_values import even_cuts, grid, leftovers, suggested

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.computations.problem import Problem
    from pebble.program.schedule.schedule import Schedule

    Whole = NDArray[np.int64]
    Row: TypeAlias = tuple[int, ...]

__all__ = ["Choice", "best_tiles"]

SHORT = 48
"""On axes up to this length all sizes are tried."""
_EVERY = 20_000
"""As long as there are at most this many combinations of sizes."""
_RATIOS = {0: 1.25, 1: 1.25, 2: 1.6}
"""Of the grid of sizes, for a number of sizes beside the last."""
_BEST = 3
"""What is near this many is compared."""
_ROUNDS = 6
_NEVER = 1 << 62
"""Words and room of sizes without a program."""


class Choice(NamedTuple):
    """Tiles, the words that they move and the room that they need."""

    words: int
    room: int
    tiles: dict[str, int]


def best_tiles(schedule: Schedule, problem: Problem, M: int) -> Choice:
    """Return the tiles with which a schedule moves the fewest words, of those that fit M words of fast memory.

    Raises
    ------
    CacheTooSmall
        If none are found that fit.
    """
    return _best_tiles(_Kind(schedule), problem, M)


class _Kind:
    """A schedule; those of one class are the same where they have no attributes of their own."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.identity = schedule if vars(schedule) else type(schedule)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kind) and self.identity is other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


@lru_cache(maxsize=512)
def _best_tiles(kind: _Kind, problem: Problem, M: int) -> Choice:
    schedule = kind.schedule
    if problem.mask is None:
        schedule.require(problem, M)
    counter = _Counter(schedule, problem)
    greatest = dict(schedule.greatest(problem))
    found: list[Choice] = []
    for least in (schedule.smallest(problem), *schedule.other_smallest(problem)):
        for setting in switches(schedule, least, greatest):
            base = {**least, **setting}
            groups = _groups(counter, base, {**greatest, **setting})
            tiles = counter.in_step(base, [_Search(schedule, problem, M, base, group) for group in groups])
            words, room = counter.count(problem, [tiles], None)
            found.append(Choice(int(words[0]), int(room[0]), tiles))
    fitting = [one for one in found if one.room <= M]
    if not fitting:
        least_room = min(one.room for one in found)
        raise CacheTooSmall(
            f"{schedule.name} needs at least {least_room} words of fast memory under this mask; M is {M}", least_room
        )
    return min(fitting, key=lambda one: one.words)


def _groups(counter: _Counter, base: dict[str, int], greatest: dict[str, int]) -> list[TileGroup]:
    """Return the sizes that belong together; all of them, if phases leave words to one another."""
    schedule, problem = counter.schedule, counter.problem
    groups = tile_groups(schedule, problem, base, greatest)
    program = schedule.program(problem, base)
    if len(groups) > 1:
        rooms = [counter.count(problem, [base], (n,))[1][0] for n in range(len(program.phases))]
        if program.parts or max(rooms) != counter.count(problem, [base], None)[1][0]:
            groups = [TileGroup.of(schedule, [name for group in groups for name in group.names], ())]
    return groups


class _Counter:
    """Counts programs of one schedule, with and without the mask."""

    def __init__(self, schedule: Schedule, problem: Problem) -> None:
        self.schedule, self.problem = schedule, problem
        self._families: dict[Problem, Family] = {}

    def count(
        self, problem: Problem, tiles: Sequence[dict[str, int]], *groups: Sequence[int] | None
    ) -> tuple[Whole, Whole]:
        """Return the words and the room of the phases of programs that each group shapes, group after group."""
        if problem not in self._families:
            self._families[problem] = self.schedule.family(problem)
        words, room = np.full((2, len(groups), len(tiles)), _NEVER, dtype=np.int64)
        places, programs = [], []
        for place, one in enumerate(tiles):
            with suppress(InvalidInput):
                programs.append(self.schedule.program(problem, one))
                places.append(place)
        for number, phases in enumerate(groups):
            if programs:
                texts = programs
                if phases and not programs[0].parts:
                    texts = [Program(tuple(one.phases[phase] for phase in phases)) for one in programs]
                words[number, places], room[number, places] = measure(texts, self._families[problem])
        return words.ravel(), room.ravel()

    def in_step(self, base: dict[str, int], searches: list[_Search]) -> dict[str, int]:
        """Return the best sizes of all groups; one program answers a question of each."""
        tiles = dict(base)
        open_ = [(search, search.best()) for search in searches]
        asked = [next(steps) for _, steps in open_]
        while open_:
            masked = asked[0][0]
            now = [at for at, (which, _) in enumerate(asked) if which == masked]
            names = [open_[at][0].names for at in now]
            rows = [asked[at][1] for at in now]
            programs = [
                base | {n: s for own, some in zip(names, rows, strict=True) for n, s in zip(own, some[k % len(some)], strict=True)}
                for k in range(max(map(len, rows)))
            ]
            problem = self.problem if masked else self.problem.without_mask()
            words, room = self.count(problem, programs, *(open_[at][0].group.phases for at in now))
            for number, at in enumerate(now):
                part = slice(number * len(programs), number * len(programs) + len(rows[number]))
                search, steps = open_[at]
                try:
                    asked[at] = steps.send((words[part], room[part]))
                except StopIteration as end:
                    tiles |= zip(search.names, end.value, strict=True)
                    open_[at] = None
            kept = [at for at, one in enumerate(open_) if one]
            open_, asked = [open_[at] for at in kept], [asked[at] for at in kept]
        return tiles


Steps: TypeAlias = "Generator[tuple[bool, list[Row]], tuple[Whole, Whole], T]"


class _Search:
    """The search for the sizes of one group: asks what rows of sizes do, with or without the mask."""

    def __init__(
        self, schedule: Schedule, problem: Problem, M: int, base: dict[str, int], group: TileGroup
    ) -> None:
        self.schedule, self.problem, self.M = schedule, problem, M
        self.base, self.group, self.names = base, group, group.names
        greatest = schedule.greatest(problem)
        self.low = [int(name not in schedule.may_be_zero) for name in self.names]
        self.high = [greatest[name] for name in self.names]
        self.axes = [schedule.axis_of(name) or name for name in self.names]
        self.counts = [name in schedule.numbers_of_tiles for name in self.names]
        self.masked = problem.without_mask() != problem
        self.short = max(problem.Nq, problem.Nk) <= SHORT
        self._known: tuple[dict[Row, tuple[int, int]], ...] = {}, {}

    def _count(self, rows: list[Row], masked: bool = True):
        """Return the words and the room of rows of sizes, each counted once."""
        masked = masked and self.masked
        known = self._known[masked]
        new = [row for row in dict.fromkeys(rows) if row not in known]
        if new:
            words, room = yield masked, new
            known.update(zip(new, zip(words.tolist(), room.tolist(), strict=True), strict=True))
        return np.array([known[row] for row in rows], dtype=np.int64).reshape(len(rows), 2).T

    # The last size: as large as fits

    def _ranges(self) -> list[tuple[int, int]]:
        """Return ranges of the last size, the largest first, in each of which more lines need more room.

        Where all lines of an axis stay, or are one tile, others pass by in another way, which may need less.
        """
        low, high = self.low[-1], self.high[-1]
        starts = {low, high}
        if self.group.resident:
            starts |= {n for n in (self.problem.Nq, self.problem.Nk) if low < n < high}
        return [(a, b - 1) for a, b in pairwise([*sorted(starts), high + 1])][::-1]

    def _fitted(self, heads: list[Row], masked: bool):
        """Return the heads beside which some last size fits, each with the largest that does."""
        found: list[Row] = []
        if not self.group.resident and not self.low[-1]:  # no such tiles: another way
            found += [(*head, 0) for head in heads]
        for low, high in self._ranges():
            rows = [(*head, high) for head in heads]
            _, room = yield from self._count(rows, masked)
            found += [row for row, need in zip(rows, room, strict=True) if need <= self.M]
            over = room > self.M
            heads, room = [head for head, one in zip(heads, over, strict=True) if one], room[over]
            if low < high and heads:
                size = yield from self._largest(heads, low, high, room, masked)
                found += [(*head, int(one)) for head, one in zip(heads, size, strict=True) if one >= low]
                heads = [head for head, one in zip(heads, size, strict=True) if one < low]
        return found

    def _largest(self, heads: list[Row], low: int, high: int, needs: Whole, masked: bool):
        """Return the largest last size from ``low`` that fits, below ``high``, which needs too much; or less."""
        fits, fails = np.full(len(heads), low), np.full(len(heads), high)
        _, least = yield from self._count([(*head, low) for head in heads], masked)
        none = least > self.M
        fits[none], fails[none] = low - 1, low
        step = 0
        while len(open_ := np.flatnonzero(fails - fits > 1)):
            below, above, step = fits[open_], fails[open_], step + 1
            rise = np.maximum(needs[open_] - least[open_], 1)
            guess = below + (self.M - least[open_]) * (above - below) // rise
            middle = (below + above) // 2 if step % 4 == 0 else np.clip(guess, below + 1, above - 1)
            rows = [(*heads[at], size) for at, size in zip(open_, middle.tolist(), strict=True)]
            _, one = yield from self._count(rows, masked)
            good = one <= self.M
            fits[open_[good]], least[open_[good]] = middle[good], one[good]
            fails[open_[~good]], needs[open_[~good]] = middle[~good], one[~good]
        return fits

    # Which sizes are compared

    def best(self):
        """Return the best sizes found; if none fit, those that need the least room."""
        rows = (yield from self._every()) if self.short else None
        if rows is None:
            rows = yield from self._sampled()
        order = yield from self._ordered(rows)
        if order:
            return order[0]
        rows.append(tuple(self.base[name] for name in self.names))
        _, room = yield from self._count(rows)
        return rows[int(np.argmin(room))]

    def _ordered(self, rows: list[Row]):
        """Return the rows that fit, the best first: the fewest words, the most equal, the largest; no idle residents."""
        words, room = yield from self._count(rows)
        cuts = len(self.group.cuts)

        def order(at: int) -> tuple[int, ...]:
            own = rows[at][:cuts]
            return int(words[at]), max(own, default=0) - min(own, default=0), sum(rows[at][cuts:]) - sum(own)

        return [rows[at] for at in sorted(np.flatnonzero(room <= self.M).tolist(), key=order)]

    def _values(self, at: int) -> list[int]:
        """Return all values of a size that make a difference."""
        values = range(self.low[at], self.high[at] + 1)
        if self.counts[at]:
            return [n for n in values if not n or -(-self.high[at] // -(-self.high[at] // n)) == n]
        return list(values)

    def _every(self):
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
        rows = yield from self._fitted(heads, True)
        return rows + [(*head, self.low[-1]) for head in heads]

    def _sampled(self):
        """Return a sample of the rows that fit, and what is near the best of them."""
        last = len(self.names) - 1
        ratio = _RATIOS.get(last, 2.5)
        heads: list[Row] = [()]
        for at in range(last):
            heads = [(*head, value) for head in heads for value in self._coarse(at, head, ratio)]
        rows = yield from self._with_last(heads)
        for _ in range(_ROUNDS):
            best = (yield from self._ordered(rows))[:_BEST]
            near = dict.fromkeys(row for one in best for row in self._near(one, ratio))
            more = yield from self._with_last(list(dict.fromkeys(row[:-1] for row in near)))
            known = set(rows)
            more = [row for row in dict.fromkeys([*more, *(near if self.masked else ())]) if row not in known]
            if not more:
                break
            rows += more
            after = yield from self._ordered(rows)
            before, now = yield from self._count([best[0], after[0]])
            if now[0] >= before[0] and ratio <= 1.1:
                break
            ratio = min(ratio, 1.1)
        return rows

    def _coarse(self, at: int, head: Row, ratio: float) -> list[int]:
        """Return values of a size to begin with, beside some others."""
        found = self._left_over((*head, 0), at)
        if not found:
            found = [*grid(self.high[at], ratio, counts=self.counts[at]), *self._suggested(at, self.high[at])]
        return sorted({value for value in found if value >= self.low[at]} | {self.low[at]})

    def _suggested(self, at: int, most: int) -> list[int]:
        return suggested(self.problem, self.axes[at], most)

    def _with_last(self, heads: list[Row]):
        """Return heads with the largest last size that fits, and with some smaller ones."""
        rows = yield from self._fitted(heads, False)
        if self.masked and not rows:
            rows = yield from self._fitted(heads, True)
        if self.group.resident:
            return [*rows, *((*head, self.low[-1]) for head in heads)]
        return list(dict.fromkeys(row for one in rows for row in (one, *self._smaller(one))))

    def _smaller(self, row: Row) -> Iterator[Row]:
        """Yield rows with last sizes below the largest that fits."""
        last, high = row[-1], self.high[-1]
        found = self._left_over(row, len(row) - 1)
        if self.masked and last:
            tiles = -(-high // last)
            alone = len(row) == 1
            found += even_cuts(high, range(tiles, tiles + (24 if alone else 3)))
            found += self._suggested(len(row) - 1, last)
            if alone:
                found += [*grid(last, 1.2), *range(last - 8, last)]
        return ((*row[:-1], size) for size in found if self.low[-1] <= size < last)

    def _left_over(self, row: Row, at: int) -> list[int]:
        """Return what other sizes of the same axis leave over of it."""
        others = [
            size for number, size in enumerate(row) if number != at and size and self.axes[number] == self.axes[at]
        ]
        return [size for size in leftovers(self.high[at], others) if self.low[at] <= size <= self.high[at]]

    def _near(self, row: Row, ratio: float) -> Iterator[Row]:
        """Yield rows that differ in one size a little, and in those that follow from it."""
        for at, size in enumerate(row if self.masked else row[:-1]):
            near = {size - 1, size + 1, *self._left_over(row, at)}
            if size:
                number = size if self.counts[at] else -(-self.high[at] // size)
                first, after = max(1, int(number / ratio)), min(int(number * ratio) + 2, self.high[at] + 1)
                numbers = range(first, after, max(1, (after - first) // 32))
                near |= set(numbers if self.counts[at] else even_cuts(self.high[at], numbers))
            for other in near:
                if self.low[at] <= other <= self.high[at]:
                    changed = (*row[:at], other, *row[at + 1 :])
                    yield changed
                    for follower in range(at + 1, len(row) - 1):
                        for value in self._left_over(changed, follower):
                            yield (*changed[:follower], value, *changed[follower + 1 :])
