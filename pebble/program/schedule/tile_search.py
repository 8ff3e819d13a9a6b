"""The one search for tiles: of the sizes that fit, those that move the fewest words, with or without a mask.

Many programs of a schedule are counted at a time, see :func:`measure`. Sizes that shape different phases are chosen one
after the other. Of a group of sizes the last one is as large as fits beside the others; where a mask makes smaller
tiles better, smaller ones are compared too. On short axes all other sizes are tried, so that none that fit move fewer
words. On longer ones a grid of sizes is, and then those near the best, until none of them is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise, product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.program.nodes import Operation, Program
from pebble.program.schedule._stub import measure
from pebble.program.schedule.tile_groups import TileGroup, switches, tile_groups
from pebble.program.schedule.tile_values import grid, leftovers, suggested

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.problem import Problem
    from pebble.program.nodes import Node
    from pebble.program.schedule.schedule import Schedule

    Whole = NDArray[np.int64]

__all__ = ["best_tiles"]

SHORT = 48
"""On axes up to this length all sizes are tried."""
_EVERY = 20_000
"""As long as there are at most this many combinations of sizes."""
_RATIOS = {0: 1.1, 1: 1.25, 2: 1.6}
"""Of the grid of sizes, for a number of sizes beside the last."""
_BEST = 4
"""The neighbours of this many are compared."""
_ROUNDS = 8
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
    found: list[Choice] = []
    greatest = dict(schedule.greatest(problem))
    for least in (schedule.smallest(problem), *schedule.other_smallest(problem)):
        for setting in switches(schedule, least, greatest):
            base = {**least, **setting}
            tiles = dict(base)
            for group in _groups(schedule, problem, base, {**greatest, **setting}):
                tiles |= _Search(schedule, problem, M, base, group).best()
            words, room = _counted(schedule, problem, None, [tiles])
            found.append(Choice(int(words[0]), int(room[0]), tiles))
    fitting = [one for one in found if one.room <= M]
    if not fitting:
        least_room = min(one.room for one in found)
        raise CacheTooSmall(
            f"{schedule.name} needs at least {least_room} words of fast memory under this mask; M is {M}",
            least_room,
        )
    return min(fitting, key=lambda one: one.words)


def _groups(
    schedule: Schedule, problem: Problem, base: dict[str, int], greatest: dict[str, int]
) -> list[TileGroup]:
    """Return the sizes that belong together; all of them, if phases leave words to one another."""
    groups = tile_groups(schedule, problem, base, greatest)
    if len(groups) < 2:
        return groups
    program = schedule.program(problem, base)
    rooms = [_counted(schedule, problem, (n,), [base])[1][0] for n in range(len(program.phases))]
    if program.parts or max(rooms) != _counted(schedule, problem, None, [base])[1][0]:
        names = [name for group in groups for name in group.names]
        return [TileGroup.of(schedule, names, None)]
    return groups


def _counted(
    schedule: Schedule, problem: Problem, phases: Sequence[int] | None, tiles: Sequence[dict[str, int]]
) -> tuple[Whole, Whole]:
    """Return the words and the room of some phases of programs."""
    words, room = np.full((2, len(tiles)), _NEVER, dtype=np.int64)
    alike: dict[object, tuple[list[int], list[Program]]] = {}
    for place, one in enumerate(tiles):
        with suppress(InvalidInput):
            program = schedule.program(problem, one)
            if phases is not None and not program.parts:
                program = Program(tuple(program.phases[number] for number in phases))
            places, programs = alike.setdefault(_text(program), ([], []))
            places.append(place)
            programs.append(program)
    family = _family(schedule, problem)
    for places, programs in alike.values():
        words[places], room[places] = measure(programs, family)
    return words, room


def _text(program: Program) -> object:
    """Return what is equal for programs that differ in numbers only."""
    if program.parts:
        return tuple(_text(part.program) for part in program.parts)
    return tuple(tuple(map(_node_text, phase.body)) for phase in program.phases)


def _node_text(node: Node) -> object:
    if isinstance(node, Operation):
        return node.action, node.array, node.replacing
    head = getattr(node, "axis", None) or node.condition  # type: ignore[union-attr]
    return head, getattr(node, "label", None), tuple(map(_node_text, node.body))


_families: dict[tuple[object, Problem], object] = {}


def _family(schedule: Schedule, problem: Problem):
    key = schedule.family, problem
    if key not in _families:
        if len(_families) > 16:
            _families.clear()
        _families[key] = schedule.family(problem)
    return _families[key]


Room = "Callable[[Whole], Whole]"


class _Search:
    """The search for the sizes of one group."""

    def __init__(
        self, schedule: Schedule, problem: Problem, M: int, base: dict[str, int], group: TileGroup
    ) -> None:
        self.schedule, self.problem, self.M = schedule, problem, M
        self.base, self.group, self.names = base, group, group.names
        greatest = schedule.greatest(problem)
        self.low = np.array([int(name not in schedule.may_be_zero) for name in self.names], dtype=np.int64)
        self.high = np.array([greatest[name] for name in self.names], dtype=np.int64)
        self.masked = problem.without_mask() != problem
        self.short = max(problem.Nq, problem.Nk) <= SHORT
        self._known: tuple[dict, dict] = {}, {}

    # What sizes do

    def count(self, sizes: Whole, masked: bool = True) -> tuple[Whole, Whole]:
        """Return the words and the room of rows of sizes, each counted once."""
        known = self._known[masked and self.masked]
        rows = list(map(tuple, sizes.tolist()))
        new = [row for row in dict.fromkeys(rows) if row not in known]
        if new:
            tiles = [{**self.base, **dict(zip(self.names, row, strict=True))} for row in new]
            problem = self.problem if masked else self.problem.without_mask()
            words, room = _counted(self.schedule, problem, self.group.phases, tiles)
            known.update(zip(new, zip(words.tolist(), room.tolist(), strict=True), strict=True))
        if not rows:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        found = np.array([known[row] for row in rows], dtype=np.int64)
        return found[:, 0], found[:, 1]

    def room(self, sizes: Whole, masked: bool = True) -> Whole:
        return self.count(sizes, masked)[1]

    # The last size: as large as fits

    def ranges(self) -> list[tuple[int, int]]:
        """Return ranges of the last size, the largest first, in each of which more lines need more room.

        Where all lines of an axis stay, or are one tile, others pass by in another way, which may need less.
        """
        low, high = int(self.low[-1]), int(self.high[-1])
        starts = {low, high}
        if self.group.resident:
            starts |= {n for n in (self.problem.Nq, self.problem.Nk) if low < n < high}
        elif low == 0:
            starts |= {1}
        ends = [*sorted(starts), high + 1]
        return [(a, b - 1) for a, b in pairwise(ends)][::-1]

    def fitted(self, heads: Whole, masked: bool) -> Whole:
        """Return the heads beside which some last size fits, each with the largest that does."""
        found = [np.zeros((0, len(self.names)), dtype=np.int64)]
        for low, high in self.ranges():
            rows = np.column_stack([heads, np.full(len(heads), high)])
            room = self.room(rows, masked)
            fits = room <= self.M
            found.append(rows[fits])
            heads, room = heads[~fits], room[~fits]
            if low < high and len(heads):
                size = self._largest(heads, low, high, room, masked)
                fits = size >= low
                found.append(np.column_stack([heads[fits], size[fits]]))
                heads = heads[~fits]
        return np.concatenate(found)

    def _largest(self, heads: Whole, low: int, high: int, room: Whole, masked: bool) -> Whole:
        """Return the largest last size from ``low`` that fits, less than ``high``, which needs ``room``; or less."""
        fails, needs = np.full(len(heads), high), room.copy()
        fits = np.full(len(heads), low)
        least = self.room(np.column_stack([heads, fits]), masked)
        fits[least > self.M] = low - 1
        fails[least > self.M] = low
        step = 0
        while len(open_ := np.flatnonzero(fails - fits > 1)):
            below, above = fits[open_], fails[open_]
            guess = below + (self.M - least[open_]) * (above - below) // np.maximum(needs[open_] - least[open_], 1)
            step += 1
            middle = (below + above) // 2 if step % 4 == 0 else np.clip(guess, below + 1, above - 1)
            one = self.room(np.column_stack([heads[open_], middle]), masked)
            good = one <= self.M
            fits[open_[good]], least[open_[good]] = middle[good], one[good]
            fails[open_[~good]], needs[open_[~good]] = middle[~good], one[~good]
        return fits

    # Which sizes are compared

    def best(self) -> dict[str, int]:
        """Return the best sizes found; the smallest, if none fit."""
        rows = self._every() if self.short else None
        if rows is None:
            rows = self._sampled()
        words, room = self.count(rows)
        fits = room <= self.M
        if not fits.any():
            least = np.array([[self.base[name] for name in self.names]])
            rows = np.concatenate([least, rows])
            row = rows[np.argmin(self.room(rows))]
        else:
            row = rows[self._order(rows)[0]]
        return dict(zip(self.names, row.tolist(), strict=True))

    def _order(self, rows: Whole) -> Whole:
        """Return the places of rows that fit, the best first: the fewest words, the most equal, the least room."""
        words, room = self.count(rows)
        cuts = rows[:, : len(self.group.cuts)]
        spread = cuts.max(axis=1) - cuts.min(axis=1) if cuts.shape[1] else np.zeros(len(rows), dtype=np.int64)
        order = np.lexsort((room, spread, words))
        return order[room[order] <= self.M]

    def _values(self, at: int) -> Iterable[int]:
        """Return all values of a size that make a difference."""
        low, high = int(self.low[at]), int(self.high[at])
        if self.names[at] in self.schedule.numbers_of_tiles:
            return [n for n in range(low, high + 1) if not n or -(-high // -(-high // n)) == n]
        return range(low, high + 1)

    def _every(self) -> Whole | None:
        """Return all sizes worth comparing; None if they are too many."""
        values = [list(self._values(at)) for at in range(len(self.names) - 1)]
        if prod(map(len, values)) > _EVERY // 4:
            return None
        heads = _combined(values)
        if not self.group.resident and self.masked:
            last = list(self._values(len(self.names) - 1))
            if len(heads) * len(last) > _EVERY:
                return None
            return np.column_stack([np.repeat(heads, len(last), axis=0), np.tile(last, len(heads))])
        rows = self.fitted(heads, masked=True)
        none = np.column_stack([heads, np.full(len(heads), self.low[-1])])
        return np.concatenate([none, rows])

    def _sampled(self) -> Whole:
        """Return a sample of the sizes that fit, and the neighbours of the best of them."""
        ratio = _RATIOS.get(len(self.names) - 1, 2.5)
        values = [self._coarse(at, ratio) for at in range(len(self.names) - 1)]
        heads = _combined(values)
        rows = self._with_last(heads)
        for _ in range(_ROUNDS):
            order = self._order(rows)[:_BEST]
            if not len(order):
                break
            best = rows[order]
            near = np.array(sorted({tuple(one) for row in best.tolist() for one in self._near(row, ratio)}))
            more = self._with_last(near[:, :-1], near)
            known = set(map(tuple, rows.tolist()))
            more = np.array([row for row in dict.fromkeys(map(tuple, more.tolist())) if row not in known])
            if not len(more):
                break
            rows = np.concatenate([rows, more.reshape(-1, len(self.names))])
            ratio = min(ratio, 1.1)
            after = self._order(rows)
            if len(after) and self.count(rows[after[:1]])[0] >= self.count(best[:1])[0]:
                break
        return rows

    def _coarse(self, at: int, ratio: float) -> list[int]:
        name, low, high = self.names[at], int(self.low[at]), int(self.high[at])
        found = set(grid(high, ratio, counts=name in self.schedule.numbers_of_tiles)) | ({0} if low == 0 else set())
        found |= set(suggested(self.problem, self.schedule.axis_of(name), high))
        return sorted(found)

    def _with_last(self, heads: Whole, given: Whole | None = None) -> Whole:
        """Return heads with the largest last size that fits, and under a mask with some smaller ones."""
        heads = np.unique(heads, axis=0) if len(heads) else heads
        rows = self.fitted(heads, masked=False)
        if self.masked:
            if not len(rows):
                rows = self.fitted(heads, masked=True)
        if self.group.resident:
            return np.concatenate([rows, np.column_stack([heads, np.full(len(heads), self.low[-1])])])
        smaller = [
            (*row[:-1], size)
            for row in rows.tolist()
            for size in self._smaller(row)
            if size < row[-1]
        ]
        parts = [rows]
        if smaller:
            parts.append(np.array(smaller, dtype=np.int64))
        if given is not None:
            parts.append(given)
        return np.concatenate(parts)

    def _smaller(self, row: list[int]) -> Iterator[int]:
        """Yield last sizes below the largest that fits."""
        last, high, name = row[-1], int(self.high[-1]), self.names[-1]
        yield from self._left_over(row, len(row) - 1)
        if not self.masked:
            return
        few = 24 if len(row) == 1 else 3
        if len(row) == 1:
            yield from grid(last, 1.2)
            yield from range(last - 8, last)
        tiles = -(-high // max(last, 1))
        yield from (-(-high // n) for n in range(tiles, tiles + few))
        yield from suggested(self.problem, self.schedule.axis_of(name), last)

    def _left_over(self, row: list[int], at: int) -> list[int]:
        """Return what other sizes of the same axis leave over of it."""
        axis = self.schedule.axis_of(self.names[at])
        others = [
            size
            for number, (name, size) in enumerate(zip(self.names, row, strict=True))
            if number != at and size and axis and self.schedule.axis_of(name) == axis
        ]
        return [size for size in leftovers(int(self.high[at]), others) if self.low[at] <= size <= self.high[at]]

    def _near(self, row: list[int], ratio: float) -> Iterator[tuple[int, ...]]:
        """Yield rows that differ in one size a little."""
        for at, size in enumerate(row):
            low, high = int(self.low[at]), int(self.high[at])
            counts = self.names[at] in self.schedule.numbers_of_tiles
            near = {size - 1, size + 1, *self._left_over(row, at)}
            if size:
                near |= set(cuts_near(high, size, ratio, counts))
            for other in near:
                if low <= other <= high and other != size:
                    yield (*row[:at], other, *row[at + 1 :])


def _combined(values: list[list[int]]) -> Whole:
    return np.array(list(product(*values)), dtype=np.int64).reshape(prod(map(len, values)), len(values))


def cuts_near(extent: int, size: int, ratio: float, counts: bool) -> Iterator[int]:
    """Yield even cuts of an axis near a size, at most some tens."""
    number = size if counts else -(-extent // size)
    first, last = int(number / ratio), int(number * ratio) + 1
    step = max(1, (last - first) // 32)
    for n in range(max(1, first), min(last, extent) + 1, step):
        yield n if counts else -(-extent // n)
