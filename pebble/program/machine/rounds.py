"""Rounds of a loop that only move on: from a few that are executed follows what all up to the last one do.

Before each round the state is a *configuration*: which cells there are and what they hold, and a list of places (ends
of cells, how far chains have got, ends of tiles, ends of the mask's intervals). If from round to round every place
stays or moves on by a round's length, if at the last round all places are in the same order as now, and if the rounds
executed took the same effects in the same order, then so does every round in between; docs/induction.md proves it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.common.errors import Violation
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.field_state import UNKNOWN
from pebble.program.machine.loops import ShortcutFails, ShortcutOverflow
from pebble.program.machine.state import FAST, SLOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.machine.field_state import FieldState
    from pebble.program.machine.rules import Machine
    from pebble.program.machine.stretches import Grid, Stretch
    from pebble.program.nodes import Interval, Loop

__all__ = ["Configuration", "Item", "Recorder", "Round", "Rounds"]

_MOST_BEHIND = 2
"""Cells of an array behind a round that are told apart."""
_MOST_TRIALS = 12
"""Rounds after which a stretch is taken to be irregular, and executed tile by tile."""


class Item(NamedTuple):
    """One entry of what a round did: successive tiles of an inner loop that took one effect.

    Attributes
    ----------
    key : Hashable
        The loop, and what the tiles' effect follows from.
    first, times : int
        Number of the first tile, and how many.
    """

    key: Hashable
    first: int
    times: int


@dataclass(frozen=True)
class Configuration:
    """The state between two rounds.

    Attributes
    ----------
    shape : Hashable
        All that must be the same in every round.
    cuts : dict of str to list of int
        Where cells end, on each axis of the mask, in an order that is the same in every round.
    progress : dict of str to list of int
        How far chains over each axis have got, in such an order.
    """

    shape: Hashable
    cuts: dict[str, list[int]]
    progress: dict[str, list[int]]

    def places(self) -> list[tuple[str, int]]:
        """Return all places, each with its axis."""
        both = (self.cuts, self.progress)
        return [(axis, place) for kind in both for axis, places in kind.items() for place in places]


@dataclass(frozen=True)
class Round:
    """What one round did.

    Attributes
    ----------
    items : list of Item
    counts : list of int
        Words moved and vertices computed, by action and array.
    held : list of int
        Words left in fast memory less those found, by array.
    """

    items: list[Item]
    counts: list[int]
    held: list[int]


class Recorder:
    """Where loops inside a round write down what they do; nothing is written down while nobody asks."""

    def __init__(self) -> None:
        self.items: list[Item] | None = None

    def add(self, item: Item) -> None:
        """Write down an entry."""
        if self.items is not None:
            self.items.append(item)

    @contextmanager
    def separately(self) -> Iterator[list[Item]]:
        """Write on a new list for a while, which is added to the one before in the end."""
        outside, self.items = self.items, []
        try:
            yield self.items
        finally:
            if outside is not None:
                outside += self.items
            self.items = outside

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Write nothing for a while."""
        outside, self.items = self.items, None
        try:
            yield
        finally:
            self.items = outside


class Rounds:
    """The rounds of one stretch of a loop's tiles.

    Parameters
    ----------
    machine : Machine
    state : FieldState
    node : Loop
    whole : (int, int)
        What the loop runs over.
    stretch : Stretch
        With a rule.
    grids : list of Grid
        Where the tiles of the other axis begin, inside the loop.
    names : list of str
        The arrays that the body changes or reads.
    moved : set of str
        Those that it loads or stores.
    """

    def __init__(
        self,
        machine: Machine,
        state: FieldState,
        node: Loop,
        whole: Interval,
        stretch: Stretch,
        grids: list[Grid],
        names: list[str],
        moved: set[str],
    ) -> None:
        self.machine, self.state, self.family = machine, state, machine.family
        assert self.family.mask is not None
        self.mask = self.family.mask
        self.node, self.whole, self.stretch = node, whole, stretch
        self.names, self.moved = names, moved
        self.axis, self.other = node.axis, OTHER_AXIS[node.axis]
        self.length = stretch.round * node.tile
        self.number = (stretch.stop - stretch.first) // stretch.round
        self.grids = {
            self.axis: [(0, 1)],
            self.other: [(0, 1), *((grid.start, grid.tile) for grid in grids)],
        }
        self.fixed = {
            self.axis: [0, self.family.extents[self.axis], *self.mask.presence_changes(self.axis)],
            self.other: [
                0,
                self.family.extents[self.other],
                *self.mask.presence_changes(self.other),
                *(place for grid in grids for place in (grid.start, grid.stop)),
            ],
        }

    def execute(self, iteration: Callable[[int], None], recorder: Recorder) -> None:
        """Execute the stretch's rounds: the first few, and the last if those before it follow from them.

        Parameters
        ----------
        iteration : callable
            Executes the tile of a number.
        recorder : Recorder
            Where inner loops write down what they do.

        Raises
        ------
        ShortcutFails
            If the last round is not what the first ones say it is: the shortcut is unsound here.
        ShortcutOverflow
            If fast memory overflows in the last round.
        """
        states, done = [self.configuration()], list[Round]()
        for number in range(self.number):
            done = [*done[-1:], self._round(number, iteration, recorder)]
            self._forget(number + 1)
            states = [*states[-2:], self.configuration()]
            last = self._last(number, states, done) if 0 < number < _MOST_TRIALS else None
            if last is not None:
                recorder.add(Item(("rounds", id(self.node)), number, last))
                self._skip(number, last, states, done, iteration, recorder)
                number = last
                break
        for index in range(self.stretch.first + (number + 1) * self.stretch.round, self.stretch.stop):
            iteration(index)

    def _round(self, number: int, iteration: Callable[[int], None], recorder: Recorder) -> Round:
        """Execute a round and note what it does."""
        first = self.stretch.first + number * self.stretch.round
        counts, held = self._books()
        with recorder.separately() as items:
            for offset in range(self.stretch.round):
                recorder.add(Item(("tile", id(self.node)), offset, 1))
                iteration(first + offset)
        counts_after, held_after = self._books()
        return Round(
            coalesced(items),
            [after - before for before, after in zip(counts, counts_after, strict=True)],
            [after - before for before, after in zip(held, held_after, strict=True)],
        )

    def _last(self, number: int, states: list[Configuration], done: list[Round]) -> int | None:
        """Return the number of a round such that all up to it follow from the two last executed; None if none does."""
        earlier, before, now = states
        moves = _moves(before, now)
        one, two = done
        if (
            moves is None
            or moves != _moves(earlier, before)
            or not set(moves) <= {0, self.length}
            or one.held != two.held
            or [item.key for item in one.items] != [item.key for item in two.items]
        ):
            return None
        # At the end of an axis the last rounds differ from the others.
        for last in range(self.number - 1, max(self.number - 4, number + 1), -1):
            shortest = min(
                (
                    b.times + (last - number) * (b.times - a.times)
                    for a, b in zip(one.items, two.items, strict=True)
                ),
                default=1,
            )
            if shortest > 0 and self._in_order(number, before, last, _moved(before, now, last - number)):
                return last
        return None

    def _skip(
        self,
        number: int,
        last: int,
        states: list[Configuration],
        done: list[Round],
        iteration: Callable[[int], None],
        recorder: Recorder,
    ) -> None:
        """Account for all rounds up to the last, and execute that."""
        _, before, now = states
        one, two = done
        skipped = last - 1 - number
        growth = [b - a for a, b in zip(one.counts, two.counts, strict=True)]
        self._add(
            [
                skipped * count + more * (skipped * (skipped + 1) // 2)
                for count, more in zip(two.counts, growth, strict=True)
            ],
            [skipped * words for words in two.held],
        )
        self._write(_moved(before, now, last - number))
        try:
            final = self._round(last, iteration, recorder)
        except Violation as violation:
            if violation.rule == "memory-full":
                raise ShortcutOverflow(str(violation)) from None
            raise
        self._forget(last + 1)
        expected = [count + (last - number) * more for count, more in zip(two.counts, growth, strict=True)]
        if not (
            final.counts == expected
            and final.held == two.held
            and _same_items(one.items, two.items, final.items, last - number)
            and self.configuration() == _moved(before, now, last - number + 1)
        ):
            raise ShortcutFails(self.node, "the last round does not follow from the first ones")

    # Configurations

    def configuration(self) -> Configuration:
        """Return the state between two rounds, after cells that are alike have been joined."""
        for axis in self.family.masked_axes:
            self.state.join(axis, self.names)
        shape: list[Hashable] = []
        cuts, progress = _empty(self.family), _empty(self.family)
        for name in self.names:
            field, array = self.state.fields[name], self.family[name]
            shape.append((name, field.state.shape))
            for axis, ends in zip(array.axes, field.cuts, strict=True):
                if axis in cuts:
                    cuts[axis] += ends
                else:
                    shape.append(tuple(ends))
            for memory in (FAST, SLOW):
                if self._is_placed(array, memory):
                    progress[array.chain or ""] += field.state[memory].ravel().tolist()
                else:
                    shape.append(field.state[memory].tobytes())
        return Configuration(tuple(shape), cuts, progress)

    def _forget(self, number: int) -> None:
        """Make unknown what slow memory holds of chains behind a round, if there are ever more different cells of it.

        Partial results that are not stored when their chain ends differ from tile to tile, and are usually never
        looked at again.
        """
        first = self.whole[0] + self.node.tile * self.stretch.first
        ends = first, first + number * self.length
        behind = {self.axis: ends, self.other: self.mask.first_of(self.axis, np.asarray(ends)).tolist()}
        for name in self.names:
            field, array = self.state.fields[name], self.family[name]
            for position, axis in enumerate(array.axes):
                if axis in behind and self._is_placed(array, SLOW):
                    cuts, (start, stop) = field.cuts[position], behind[axis]
                    low, high = bisect_left(cuts, start), bisect_right(cuts, stop) - 1
                    cells = np.moveaxis(field.state[SLOW], position, 0)[low:high]
                    if high - low > _MOST_BEHIND or (cells == UNKNOWN).any():
                        cells[...] = UNKNOWN
                        self.state.unsure = self.node

    def _is_placed(self, array: Array, memory: int) -> bool:
        """Whether what a memory holds of an array is told by places on an axis of the mask."""
        return self.state.has_masked_chain(array) and (memory == FAST or array.name in self.moved)

    def _write(self, now: Configuration) -> None:
        """Move cells and chains to their places."""
        cuts = {axis: iter(places) for axis, places in now.cuts.items()}
        progress = {axis: iter(places) for axis, places in now.progress.items()}
        for name in self.names:
            field, array = self.state.fields[name], self.family[name]
            for position, axis in enumerate(array.axes):
                if axis in cuts:
                    field.cuts[position] = [next(cuts[axis]) for _ in field.cuts[position]]
            for memory in (FAST, SLOW):
                if self._is_placed(array, memory):
                    part = field.state[memory]
                    values = [next(progress[array.chain or ""]) for _ in range(part.size)]
                    part[...] = np.asarray(values, dtype=np.int64).reshape(part.shape)

    # The order of places

    def _in_order(self, number: int, now: Configuration, last: int, then: Configuration) -> bool:
        """Whether all places are in the same order at two rounds, tiles being the measure, and move as they must."""
        here, there = self._places(number, now), self._places(last, then)
        for axis, before in here.items():
            after = there[axis]
            if not np.isin(after - before, (0, self.length * (last - number))).all():
                return False
            for start, tile in self.grids[axis]:
                for shift in (0, 1):
                    if not _same_order((before - shift - start) // tile, (after - shift - start) // tile):
                        return False
        return self._within_part(now, then)

    def _within_part(self, now: Configuration, then: Configuration) -> bool:
        """Whether the places that chains over the loop's axis move through follow the rule of the mask."""
        part = self.stretch.part
        assert part is not None
        return all(
            one == two or (part.start < one and two < part.stop)
            for one, two in zip(now.progress[self.axis], then.progress[self.axis], strict=True)
        )

    def _places(self, number: int, now: Configuration) -> dict[str, NDArray[np.int64]]:
        """Return all places that may make a difference to a round, axis by axis."""
        first = self.stretch.first + number * self.stretch.round
        ends = self.whole[0] + self.node.tile * np.arange(
            first, first + self.stretch.round + 1, dtype=np.int64
        )
        own = np.concatenate([ends, np.asarray(now.progress[self.axis], dtype=np.int64)])
        lines = np.clip(np.concatenate([own - 1, own]), 0, self.family.extents[self.axis] - 1)
        return {
            self.axis: np.concatenate([own, now.cuts[self.axis], self.fixed[self.axis]]).astype(np.int64),
            self.other: np.concatenate(
                [
                    self.mask.first_of(self.axis, lines),
                    self.mask.last_of(self.axis, lines) + 1,
                    now.cuts[self.other],
                    now.progress[self.other],
                    self.fixed[self.other],
                ]
            ).astype(np.int64),
        }

    # Counting

    def _books(self) -> tuple[list[int], list[int]]:
        """Return the counts and the words held so far."""
        counts = [count for of in self.machine.counts.values() for count in of.values()]
        return counts, list(self.machine.held.values())

    def _add(self, counts: list[int], held: list[int]) -> None:
        """Add to the counts and to the words held."""
        more = iter(counts)
        for of in self.machine.counts.values():
            for name in of:
                of[name] += next(more)
        for name, words in zip(self.machine.held, held, strict=True):
            self.machine.held[name] += words
            self.machine.occupied += words


def _empty(family: Family) -> dict[str, list[int]]:
    return {axis: [] for axis in family.masked_axes}


def _moves(one: Configuration, two: Configuration) -> list[int] | None:
    """Return by how much each place moves from one round to the next; None if there are others."""
    if one.shape != two.shape:
        return None
    return [b - a for (_, a), (_, b) in zip(one.places(), two.places(), strict=True)]


def _moved(one: Configuration, two: Configuration, times: int) -> Configuration:
    """Return the configuration to which ``one`` comes after so many rounds, if after one it comes to ``two``."""

    def moved(before: dict[str, list[int]], after: dict[str, list[int]]) -> dict[str, list[int]]:
        return {
            axis: [a + times * (b - a) for a, b in zip(places, after[axis], strict=True)]
            for axis, places in before.items()
        }

    return Configuration(one.shape, moved(one.cuts, two.cuts), moved(one.progress, two.progress))


def _same_items(one: list[Item], two: list[Item], three: list[Item], times: int) -> bool:
    """Whether lists hold the same entries, which from the second to the third move ``times`` as far as before."""
    return len(one) == len(two) == len(three) and all(
        a.key == b.key == c.key
        and c.first - b.first == times * (b.first - a.first)
        and c.times - b.times == times * (b.times - a.times)
        for a, b, c in zip(one, two, three, strict=True)
    )


def coalesced(items: Iterable[Item]) -> list[Item]:
    """Return the entries with successive ones of the same kind made one."""
    found: list[Item] = []
    for item in items:
        if found and found[-1].key == item.key and found[-1].first + found[-1].times == item.first:
            found[-1] = found[-1]._replace(times=found[-1].times + item.times)
        else:
            found.append(item)
    return found


def _same_order(before: NDArray[np.int64], after: NDArray[np.int64]) -> bool:
    """Whether two lists of numbers have the same order, equal ones included."""
    order = np.lexsort((after, before))
    one, two = np.diff(before[order]), np.diff(after[order])
    return bool(((two >= 0) & ((one == 0) == (two == 0))).all())
