"""The sizes of one group of tiles, the last one as large as fits beside the others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Iterable, Sequence
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.schedule.tile_demands import TileDemands
from pebble.program.schedule.tile_groups import TileGroup

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.problem import Problem
    from pebble.program.schedule.tiled_programs import TiledPrograms, Tiles

    Whole = NDArray[np.int64]
    Row: TypeAlias = tuple[int, ...]
    T = TypeVar("T")
    Asking: TypeAlias = Generator[tuple[str, list[Row]], tuple[Whole, Whole], T]

__all__ = ["PLAIN", "SHORT", "WHOLE", "WORDS", "LastSize", "nearest"]

SHORT = 48
"""On axes up to this length all sizes are tried."""
_FEW = 400
"""On longer axes all sizes that are allowed are tried where there are at most this many combinations."""
PLAIN, WORDS, WHOLE = "without the mask", "words", "words and room"
"""What is asked of rows of sizes."""


def nearest(size: int, sizes: Sequence[int] | None) -> int:
    """Return the least of the sizes that is no smaller, or the last; without sizes, and of zero, the same."""
    return sizes[min(bisect_left(sizes, size), len(sizes) - 1)] if sizes and size else size


class LastSize:
    """Rows of sizes of one group, and what they do: asks for it, with or without the mask."""

    def __init__(
        self,
        schedule: TiledPrograms,
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
        if near and near.keys() >= set(self.names):
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
        """Return what the sizes may be, and where the search begins."""
        axes = [axis if axis in OTHER_AXIS else self.axes.index(axis) for axis in self.axes]
        flags = *axes, *self.counts, self.M, self.short, len(self.group.resident)
        return *flags, *self.low, *self.high, self._begin, *map(tuple, (one or () for one in self.sizes))

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
            sizes = sorted(
                {size + 1, *(min(max(size + step + way, size + 1), high) for way in (-1, 0, 1, 2))}
            )
            _, needs = yield from self._count(WHOLE, [(*head, one) for one in sizes])
            for one, need in zip(sizes, needs.tolist(), strict=True):
                if need > self.M:
                    fails, above = one, need
                    break
                fits, below = one, need
            step = 2 * step + 4
        found = np.array([fits])
        yield from self._widen(
            [head], found, np.array([fails]), (np.array([below]), np.array([above])), WHOLE
        )
        return (*head, int(found[0]))
