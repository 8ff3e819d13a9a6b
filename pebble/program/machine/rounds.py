"""Rounds of a loop that only move on: from a few that are executed follows what all up to the last one do.

Before each round the state is a *configuration*: which cells there are and what they hold, and a list of places (ends
of cells, how far chains have got, ends of tiles, ends of the mask's intervals). If from round to round every place
stays or moves on by a round's length, if at the last round all places are in the same order as now, and if the rounds
executed took the same effects in the same order, then so does every round in between; docs/induction.md proves it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pebble.common.errors import Violation
from pebble.program.machine.effects import Ledger
from pebble.program.machine.loops import LastRoundFails, ShortcutFails, ShortcutOverflow
from pebble.program.machine.order import Order
from pebble.program.machine.recorder import Item, Recorder
from pebble.program.machine.stretches import FEWEST_PERIODS

if TYPE_CHECKING:
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.configuration import Configuration, Configurations
    from pebble.program.machine.stretches import Stretch, TileGrid
    from pebble.program.nodes import Interval, Loop

__all__ = ["Rounds"]

_MOST_TRIALS = 12
_MOST_PERIODS_TRIED = 40
"""Rounds after which a stretch is taken to be irregular, and executed tile by tile; and under masks with a period."""
_MOST_LEFT = 64
"""How many rounds before the end the last one may be: at the end of an axis the last rounds differ from the others."""


@dataclass(frozen=True)
class _Round:
    """What one round did.

    Attributes
    ----------
    items : list of Item
        What the loops inside did.
    counts : list of int
        Words moved and vertices computed, by action and array.
    held : list of int
        Words left in fast memory less those found, by array.
    room : list of int
        Words above those found that it needed at its peak: all, and by array.
    """

    items: list[Item]
    counts: list[int]
    held: list[int]
    room: list[int]

    @property
    def numbers(self) -> tuple[int, ...]:
        """All that was counted."""
        return (*self.counts, *self.held, *self.room)


class Rounds:
    """The rounds of one stretch of a loop's tiles.

    Parameters
    ----------
    machine : Machine
    node : Loop
    whole : (int, int)
        What the loop runs over.
    stretch : Stretch
        With a rule.
    grids : list of TileGrid
        Where the tiles of the mask's other axis begin, inside the loop.
    configurations : Configurations
        Of the arrays that the body changes or reads.
    least_left : int
        How many rounds before the end the last one must be, at least.
    least_done : int
        How many rounds are executed at the beginning, at least, besides the first one.
    in_block : bool
        Whether the stretch lies inside of a block of the mask.
    """

    def __init__(
        self,
        machine: Machine,
        node: Loop,
        whole: Interval,
        stretch: Stretch,
        grids: list[TileGrid],
        configurations: Configurations,
        least_left: int = 1,
        least_done: int = 1,
        in_block: bool = False,
    ) -> None:
        self.machine, self.node, self.whole, self.stretch = machine, node, whole, stretch
        self.configurations, self.in_block = configurations, in_block
        self.least_left, self.least_done = least_left, least_done
        self.order = Order(machine, node, whole, stretch, grids, in_block)
        self.number = (stretch.stop - stretch.first) // stretch.round
        self.periodic = self.order.mask.period > 1

    def execute(self, tiles: Callable[[int, int], None], recorder: Recorder) -> None:
        """Execute the stretch's rounds: the first few, and the last if those before it follow from them.

        Parameters
        ----------
        tiles : callable
            Executes the tiles from one number up to another.
        recorder : Recorder
            Where inner loops write down what they do.

        Raises
        ------
        LastRoundFails
            If the last round is not what the first ones say it is: the shortcut is unsound up to there.
        ShortcutOverflow
            If fast memory overflows in a round that is not executed, or in the last.
        """
        self.configurations.join()
        states, done = [self.configurations.read()], list[_Round]()
        for number in range(self.number):
            done = [*done[-1:], self._round(number, tiles, recorder)]
            states = [*states[-2:], self._after(number)]
            trials = _MOST_PERIODS_TRIED if self.periodic else _MOST_TRIALS
            last = self._last(number, states, done) if self.least_done <= number < trials else None
            if last is not None:
                # Of rounds inside of a block there are as many in every block; each counts more from block to block.
                recorder.add(
                    self._fixed_item(number, last) if self.in_block else self._item(number, last, done)
                )
                self._skip(number, last, states, done, tiles, recorder)
                number = last
                break
        tiles(self.stretch.first + (number + 1) * self.stretch.round, self.stretch.stop)

    def _item(self, number: int, last: int, done: list[_Round]) -> Item:
        """Return what a round outside is told: of rounds that are all the same there may be more in another one."""
        one, two = done
        if one.numbers == two.numbers and all(
            a.times == b.times for a, b in zip(one.items, two.items, strict=True)
        ):
            key = ("rounds", id(self.node), two.numbers)
            return Item(key, number, last - number, fewest=FEWEST_PERIODS)
        return self._fixed_item(number, last)

    def _fixed_item(self, number: int, last: int) -> Item:
        return Item(("rounds", id(self.node)), number, last, fixed=True)

    def _round(self, number: int, tiles: Callable[[int, int], None], recorder: Recorder) -> _Round:
        """Execute a round and note what it does."""
        first = self.stretch.first + number * self.stretch.round
        ledger = Ledger(self.machine)
        with recorder.separately() as items:
            tiles(first, first + self.stretch.round)
        effect = ledger.close()
        counts = {(action, name): count for action, name, count in effect.counts}
        held = dict(effect.held)
        return _Round(
            items,
            [counts.get((action, name), 0) for action, of in self.machine.counts.items() for name in of],
            [held.get(name, 0) for name in self.machine.held],
            [effect.room, *(effect.room_words.get(name, 0) for name in self._holders())],
        )

    def _holders(self) -> list[str]:
        """What fast memory may hold, by name."""
        return [*self.machine.held, "(step)"]

    def _after(self, number: int) -> Configuration:
        """Return the configuration after a round."""
        first = self.whole[0] + self.node.tile * self.stretch.first
        self.configurations.forget(
            self.order.behind(first, first + (number + 1) * self.order.lengths[self.node.axis]), self.node
        )
        return self.configurations.read()

    def _last(self, number: int, states: list[Configuration], done: list[_Round]) -> int | None:
        """Return the number of a round such that all up to it follow from the two last executed; None if none does."""
        earlier, before, now = states
        moves = before.moves(now)
        one, two = done
        if moves is None or moves != earlier.moves(before) or not _same_kinds(one.items, two.items):
            return None

        def follows(last: int) -> bool:
            enough = all(
                b.times >= a.times or a.times + (last - number + 1) * (b.times - a.times) >= b.fewest
                for a, b in zip(one.items, two.items, strict=True)
            )
            return (
                enough
                and self.configurations.holds(before.moved(now, last + 1 - number))
                and self.order.stays(number - 1, earlier, last, before.moved(now, last - number))
            )

        least = max(number + 2, self.number - _MOST_LEFT)
        return latest(least, self.number - self.least_left, follows)

    def _skip(
        self,
        number: int,
        last: int,
        states: list[Configuration],
        done: list[_Round],
        tiles: Callable[[int, int], None],
        recorder: Recorder,
    ) -> None:
        """Account for all rounds up to the last, and execute that."""
        _, before, now = states
        one, two = done
        skipped = last - 1 - number
        found = list(self.machine.held.values())
        self._add(_sums(one.counts, two.counts, skipped), _sums(one.held, two.held, skipped))
        self.configurations.write(before.moved(now, last - number))
        try:
            final = self._round(last, tiles, recorder)
        except Violation as violation:
            if violation.rule == "memory-full":
                raise ShortcutOverflow(str(violation)) from None
            raise
        if not (
            final.counts == _later(one.counts, two.counts, skipped + 1)
            and final.held == _later(one.held, two.held, skipped + 1)
            and _same_items(one.items, two.items, final.items, skipped + 1)
            and self._after(last) == before.moved(now, skipped + 2)
        ):
            raise LastRoundFails(self.node, self.number - last)
        self._note_peak(found, one, two, final, skipped)

    def _add(self, counts: list[int], held: list[int]) -> None:
        """Add to the counts and to the words held."""
        more = iter(counts)
        for of in self.machine.counts.values():
            for name in of:
                of[name] += next(more)
        for name, words in zip(self.machine.held, held, strict=True):
            self.machine.held[name] += words
            self.machine.occupied += words

    def _note_peak(self, found: list[int], one: _Round, two: _Round, final: _Round, skipped: int) -> None:
        """Take the rounds that were not executed into the machine's peak.

        What is held at one moment of a round is a sum of words that a round leaves, and a number that grows steadily.
        If a round leaves no fewer words than the one before, the fullest is the first or the last one, and both have
        been executed. Else the room of a round, the greatest of steady numbers, must be steady itself.
        """
        less = sum(one.held) - sum(two.held)
        if less <= 0:
            return
        if final.room[0] != _later(one.room, two.room, skipped + 1)[0]:
            raise ShortcutFails(self.node, "it is not known which round needs the most room")

        def top(times: int) -> int:
            words = sum(found) + sum(_sums(one.held, two.held, times - 1))
            return words + _later(one.room, two.room, times)[0]

        low = fullest(skipped, top)
        if top(low) <= self.machine.peak:
            return
        machine, most = self.machine, top(low)
        if machine.M is not None and most > machine.M:
            raise ShortcutOverflow(
                f"loop over {self.node.label}: in the middle of it fast memory holds {most} words, and has {machine.M}"
            )
        machine.peak = most
        held = dict(
            zip(
                machine.held,
                map(sum, zip(found, _sums(one.held, two.held, low - 1), strict=True)),
                strict=True,
            )
        )
        room = dict(zip(self._holders(), _later(one.room, two.room, low)[1:], strict=True))
        machine.peak_words = {name: held.get(name, 0) + words for name, words in room.items()}


def fullest(rounds: int, top: Callable[[int], int]) -> int:
    """Return the first of so many rounds, numbered from one, in which fast memory holds the most words.

    From round to round the words go up by less and less: the first round that is not below the next one is the fullest.

    Examples
    --------
    >>> fullest(9, lambda number: number * (7 - number)), fullest(9, lambda number: -number)
    (3, 1)
    """
    low, high = 1, rounds
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if top(middle) >= top(middle + 1) else (middle + 1, high)
    return low


def latest(least: int, most: int, follows: Callable[[int], bool]) -> int | None:
    """Return the greatest number for which something holds that, once it fails, does not hold again.

    It most often holds for the greatest of all, or for one near it: so they are tried first; or for none.

    Examples
    --------
    >>> latest(5, 100, lambda number: number < 90), latest(5, 100, lambda number: number < 5)
    (89, None)
    """
    if least > most:
        return None
    if follows(most):
        return most
    if least == most or not follows(least):
        return None
    fails, step = most, 2
    while fails > least:
        number = max(fails - step, least)
        if follows(number):
            return bisect_left(range(fails), True, number + 1, key=lambda one: not follows(one)) - 1
        fails, step = number, 2 * step
    return None


def _later(one: list[int], two: list[int], times: int) -> list[int]:
    """Return the numbers so many rounds after the second, if they grow steadily."""
    return [b + times * (b - a) for a, b in zip(one, two, strict=True)]


def _sums(one: list[int], two: list[int], times: int) -> list[int]:
    """Return the sums of the numbers of so many rounds after the second."""
    return [times * b + (b - a) * (times * (times + 1) // 2) for a, b in zip(one, two, strict=True)]


def _same_kinds(one: list[Item], two: list[Item]) -> bool:
    """Whether lists hold the same entries, but for where their tiles are, and how many of those that are alike."""
    return len(one) == len(two) and all(
        a.key == b.key and (a.times == b.times or not a.fixed) for a, b in zip(one, two, strict=True)
    )


def _same_items(one: list[Item], two: list[Item], three: list[Item], times: int) -> bool:
    """Whether the third list holds the entries of the second, moved on ``times`` as far as those from the first."""
    return _same_kinds(two, three) and all(
        c.first - b.first == times * (b.first - a.first) and c.times - b.times == times * (b.times - a.times)
        for a, b, c in zip(one, two, three, strict=True)
    )
