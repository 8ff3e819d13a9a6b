"""What a line does, from what lines did that see more partners of its kind, and fewer.

A line inside a loop over the mask's other axis sees the current tile's lines there as past, ahead, around it, or
partners. Loops in the body visit the partners one by one. All that is counted is a sum of multiples of how many there
are of each; docs/induction.md proves when what four lines did tells what one between them does.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

from pebble.computations.masks.band_mask import BandMask
from pebble.program.machine.bodies import nodes_in
from pebble.program.machine.effects import Effect
from pebble.program.nodes import Loop

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.machine.bodies import Body
    from pebble.program.nodes import Node

__all__ = ["Interpolation", "depends_on_numbers", "interpolation_of"]


def depends_on_numbers(body: Body) -> bool:
    """Whether what single lines do depends on numbers of lines only: loops inside visit them one by one, or not.

    To be asked of bodies in which it does not matter where lines lie (``in_place``).
    """
    return body.told and not body.touched.read_at_step


def _has_loops_over(axes: tuple[str, ...], nodes: tuple[Node, ...]) -> bool:
    """Whether loops over some axes are among the nodes, or inside them."""
    return any(isinstance(inner, Loop) and inner.axis in axes for inner in nodes_in(nodes))


class Interpolation:
    """The effects of lines that one loop has executed, by the number of partners that they have.

    Parameters
    ----------
    begun : bool
        Whether signatures tell how many of the partners have begun or are finished; if not, only whether any or all.
    one_by_one : bool
        Whether loops inside visit the partners one by one.
    first_come_first : bool
        Whether partners that have begun come before others, and so do those that end, as in a band.
    """

    def __init__(self, begun: bool, one_by_one: bool = False, first_come_first: bool = False) -> None:
        self.begun, self.one_by_one, self.first_come_first = begun, one_by_one, first_come_first
        self._effects: dict[Hashable, dict[int, Effect]] = {}
        self._numbers: dict[Hashable, list[int]] = {}
        self._lines: dict[Hashable, tuple[list[int], _Line | None]] = {}

    def add(self, signature: Any, sight: int | None, effect: Effect) -> None:
        """Note what a line with a signature did that saw a state."""
        if not effect.reusable or (self.one_by_one and not effect.even):
            return
        for pairs, key in self._rows(signature, sight):
            effects = self._effects.setdefault(key, {})
            if pairs not in effects:
                insort(self._numbers.setdefault(key, []), pairs)
            effects[pairs] = effect

    def effect(self, signature: Any, sight: int | None) -> Effect | None:
        """Return what such a line does, if that follows from two with fewer partners and two with more."""
        for pairs, key in self._rows(signature, sight):
            numbers = self._numbers.get(key, [])
            at = bisect_left(numbers, pairs)
            if 2 <= at <= len(numbers) - 2 and numbers[at] != pairs:
                four = numbers[at - 2 : at + 2]
                line = self._line(key, four)
                found = line.at(pairs) if line else None
                if found is not None:
                    return found
        return None

    def ends(self, signature: Any, sight: int | None) -> tuple[int, int] | None:
        """Return the least and the greatest number of partners of lines alike but for it whose effects follow.

        They follow from the two lines with the fewest partners and the two with the most. Where it is asked how many
        lines have begun, none are said to.
        """
        rows = [] if self.begun else list(self._rows(signature, sight))
        numbers = self._numbers.get(rows[0][1], []) if rows else []
        return (numbers[1], numbers[-2]) if len(numbers) >= 4 else None

    def are_in_a_row(self, one: Any, other: Any) -> bool:
        """Whether lines with two signatures, that saw the same, are in one row."""
        rows = [next((key for _, key in self._rows(signature, None)), None) for signature in (one, other)]
        return rows[0] == rows[1]

    def ramp(self, signature: Any, sight: int | None, last: Any) -> tuple[Effect, Effect] | None:
        """Return the effects of a line and of a ``last`` one of its row, if all between follow from four.

        Both numbers of partners are to lie between the :meth:`ends`.
        """
        ((pairs, key),) = self._rows(signature, sight)
        if not self.are_in_a_row(signature, last):
            return None
        numbers = self._numbers[key]
        four = [*numbers[:2], *numbers[-2:]]
        effects = [self._effects[key][number] for number in four]
        if not all(effect.lasting and effect.whole for effect in effects):
            return None
        line = self._line(key, four)
        found = (line.at(pairs), line.at(last[2])) if line else (None, None)
        if found[0] is None or found[1] is None:
            return None
        found[0].lasting = True
        return found[0], found[1]

    def _line(self, key: tuple[Hashable, ...], four: list[int]) -> _Line | None:
        """Return the line through four effects of a row, which is kept until others are asked for."""
        known, line = self._lines.get(key, ([], None))
        if known != four:
            line = _Line.through(four, [self._effects[key][number] for number in four])
            self._lines[key] = four, line
        return line

    def _rows(self, signature: Any, sight: int | None) -> Iterator[tuple[int, tuple[Hashable, ...]]]:
        """Yield the rows that a line is in: those of a row differ in their partners and one other number."""
        _, present, pairs, started, finished, own_started, own_finished, before, after, _ = signature
        if not self.begun:
            classes = _classes(pairs, own_started, own_finished)
            most = max(classes)
            main, others = classes.index(most), pairs - most
            # The order of partners counts if they are not all alike; one is unlike two.
            if most > 1 and (not others or self.first_come_first):
                numbers = (*classes[:main], *classes[main + 1 :])
                kind = sight, before, after, started, finished, present, present == pairs, main
                yield pairs, (*kind, numbers)
            return
        if own_started not in (0, pairs) or own_finished not in (0, pairs) or pairs == 1:
            return
        past = finished - own_finished
        around = started - own_started - past
        ahead = present - pairs - past - around
        alike = sight, own_started > 0, own_finished > 0, before, after, around
        yield pairs, (*alike, ("ahead", past, pairs + ahead, ahead > 0))
        yield pairs, (*alike, ("past", ahead, pairs + past, past > 0))


def _classes(pairs: int, started: int, finished: int) -> tuple[int, int, int, int]:
    """Return how many partners have begun and end, have begun, end, and do neither; those that do so come first."""
    both = min(started, finished)
    return both, started - both, finished - both, pairs - max(started, finished)


class _Line:
    """What effects of lines say of those between, if all their numbers lie on one line over the number of partners."""

    def __init__(
        self, one: Effect, start: int, step: int, numbers: dict[tuple[str, str], tuple[int, int]]
    ) -> None:
        self.one, self.start, self.step, self.numbers = one, start, step, numbers

    @classmethod
    def through(cls, numbers: list[int], effects: list[Effect]) -> _Line | None:
        """Return the line through four effects, each with its number of partners; None if they lie on none."""
        one = effects[0]
        if any(
            (other.changes, other.whole, other.carries_only) != (one.changes, one.whole, one.carries_only)
            for other in effects
        ):
            return None
        tables = [_table(effect) for effect in effects]
        _, start, stop, _ = numbers
        found = {}
        for key in dict.fromkeys(key for table in tables for key in table):
            values = [table.get(key, 0) for table in tables]
            low, rise = values[1], values[2] - values[1]
            if any(
                (value - low) * (stop - start) != rise * (at - start)
                for value, at in zip(values, numbers, strict=True)
            ):
                return None
            found[key] = low, rise
        return cls(one, start, stop - start, found)

    def at(self, number: int) -> Effect | None:
        """Return the effect of a line with some partners; None if it were of no whole numbers."""
        found = {}
        for key, (low, rise) in self.numbers.items():
            grown, rest = divmod(rise * (number - self.start), self.step)
            if rest:
                return None
            found[key] = low + grown
        return Effect(
            counts=[
                (action, name, value) for (action, name), value in found.items() if _is_count(action, value)
            ],
            held=[(name, value) for (kind, name), value in found.items() if kind == "held" and value],
            growth=found["growth", ""],
            room=found["room", ""],
            room_words={name: value for (kind, name), value in found.items() if kind == "room_words"},
            changes=list(self.one.changes),
            whole=self.one.whole,
            carries_only=self.one.carries_only,
        )


def _is_count(kind: str, value: int) -> bool:
    return kind in ("load", "store", "compute") and value != 0


def _table(effect: Effect) -> dict[tuple[str, str], int]:
    """Return all numbers of an effect, by what they count and of which array."""
    return {
        ("growth", ""): effect.growth,
        ("room", ""): effect.room,
        **{(action, name): count for action, name, count in effect.counts},
        **{("held", name): words for name, words in effect.held},
        **{("room_words", name): words for name, words in effect.room_words.items()},
    }


def interpolation_of(node: Loop, body: Body, family: Family) -> Interpolation | None:
    """Return where the effects of a loop's lines are noted, if numbers of lines are all that tells them apart."""
    if not depends_on_numbers(body):
        return None
    begun = body.counts_begun and body.asks_begun
    one_by_one = _has_loops_over(family.masked_axes, node.body)
    return Interpolation(begun, one_by_one, isinstance(family.mask, BandMask))
