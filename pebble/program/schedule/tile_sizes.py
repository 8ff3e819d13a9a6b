"""The search for the sizes of one group of tiles: which ones are compared."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterator
from operator import le
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from pebble.program.schedule.tile_counter import NEVER
from pebble.program.schedule.tile_last_size import PLAIN, WHOLE, WORDS, LastSize, nearest
from pebble.program.schedule.tile_values import even_cuts, grid, leftovers, suggested

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Row: TypeAlias = tuple[int, ...]
    T = TypeVar("T")
    Asking: TypeAlias = Generator[tuple[str, list[Row]], tuple[Whole, Whole], T]

_EVERY = 20_000
"""As long as there are at most this many combinations of sizes."""
_RATIO, _RATIO_NEAR, _LEAST_RATIO = {0: 1.5, 1: 1.5}, 1.3, 1.07
"""Of neighbours in the grid of sizes, for a number of sizes beside the last; of those near known ones; in the end."""
_ALMOST = 1.03
"""In later rounds, and move at most this many times the words of the best."""
_MORE = 2.05
"""Under a mask, tiles are not compared that move this many times the words of others without it."""
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
_UNKNOWN = 3
"""After this many of which nothing is known, tiles are not chosen."""


class SizeSearch(LastSize):
    """The search for the sizes of one group."""

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
            unknown += int(room.min()) == NEVER
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
        """Return the best of a coarse sample; if none fit, the smallest sizes.

        Its room is the one without the mask.
        """
        rows = (yield from self._with_last(self._heads())) or [tuple(self.low)]
        best = (yield from self._ordered(WORDS if self.masked else PLAIN, rows))[0]
        if self.masked:
            (words,), _ = yield from self._count(WORDS, [best])
            _, (room,) = yield from self._count(PLAIN, [best])
            self.note(best, (int(words), int(room)))
        return best

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
        if room.min(initial=NEVER) > self.aim:
            return heads
        best = int(np.argmin(np.where(room <= self.aim, words, NEVER)))
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
