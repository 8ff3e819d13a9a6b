"""What a line does, from what lines did that see more partners of its kind, and fewer.

A line inside a loop over the mask's other axis sees the current tile's lines there as past, ahead, around it, or
partners. In a body without loops over the mask's axes all that is counted is a sum of multiples of how many there are
of each; docs/induction.md proves when what four lines did tells what one between them does.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

from pebble.program.machine.bodies import nodes_in
from pebble.program.machine.effects import Effect
from pebble.program.nodes import Loop

if TYPE_CHECKING:
    from pebble.program.machine.bodies import Body

__all__ = ["Interpolation", "depends_on_numbers"]


def depends_on_numbers(node: Loop, body: Body, masked_axes: tuple[str, ...]) -> bool:
    """Whether what single lines do depends on numbers of lines only: no loop visits these one by one."""
    return (
        not (body.in_place or body.split_conditions or body.untold or body.touched.read_at_step)
        and body.told
        and not any(isinstance(inner, Loop) and inner.axis in masked_axes for inner in nodes_in(node.body))
    )


class Interpolation:
    """The effects of lines that one loop has executed, by the number of partners that they have.

    Parameters
    ----------
    begun : bool
        Whether signatures tell how many of the partners have begun or are finished; if not, only whether any or all.
    """

    def __init__(self, begun: bool) -> None:
        self.begun = begun
        self._effects: dict[Hashable, dict[int, Effect]] = {}
        self._numbers: dict[Hashable, list[int]] = {}

    def add(self, signature: Any, sight: int | None, effect: Effect) -> None:
        """Note what a line with a signature did that saw a state."""
        for pairs, key in self._rows(signature, sight) if effect.reusable else ():
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
                found = _between(four, [self._effects[key][number] for number in four], pairs)
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

    def ramp(self, signature: Any, sight: int | None, last: int) -> tuple[Effect, Effect] | None:
        """Return the effects of a line and of one with another number of partners, if all between follow from four.

        Both numbers are to lie between the :meth:`ends`.
        """
        ((pairs, key),) = self._rows(signature, sight)
        numbers = self._numbers[key]
        four = [*numbers[:2], *numbers[-2:]]
        effects = [self._effects[key][number] for number in four]
        if not all(effect.lasting and effect.whole for effect in effects):
            return None
        found = [_between(four, effects, number) for number in (pairs, last)]
        if found[0] is None or found[1] is None:
            return None
        found[0].lasting = True
        return found[0], found[1]

    def _rows(self, signature: Any, sight: int | None) -> Iterator[tuple[int, Hashable]]:
        """Yield the rows that a line is in: those of a row differ in their partners and one other number."""
        _, present, pairs, started, finished, own_started, own_finished, before, after, _ = signature
        # The partners must all be alike, since their order counts if they are not; one is unlike two.
        if own_started not in (0, pairs) or own_finished not in (0, pairs) or pairs == 1:
            return
        kind: tuple[Hashable, ...] = sight, own_started > 0, own_finished > 0, before, after
        if not self.begun:
            yield pairs, (*kind, started, finished, present, present == pairs)
            return
        past = finished - own_finished
        around = started - own_started - past
        ahead = present - pairs - past - around
        kind = *kind, past > 0, around > 0, ahead > 0
        yield pairs, (*kind, "ahead", past, around, pairs + ahead)
        yield pairs, (*kind, "past", ahead, around, pairs + past)


def _between(numbers: list[int], effects: list[Effect], number: int) -> Effect | None:
    """Return what four effects, each with its number, say of the one with a number in their middle."""
    one = effects[0]
    if any(
        (other.changes, other.whole, other.carries_only) != (one.changes, one.whole, one.carries_only)
        for other in effects
    ):
        return None
    tables = [_table(effect) for effect in effects]
    found = {}
    for key in dict.fromkeys(key for table in tables for key in table):
        values = [table.get(key, 0) for table in tables]
        (_, low, high, _), (_, start, stop, _) = values, numbers
        if any(
            (value - low) * (stop - start) != (high - low) * (at - start)
            for value, at in zip(values, numbers, strict=True)
        ):
            return None
        grown, rest = divmod((high - low) * (number - start), stop - start)
        if rest:
            return None
        found[key] = low + grown
    return Effect(
        counts=[(action, name, value) for (action, name), value in found.items() if _is_count(action, value)],
        held=[(name, value) for (kind, name), value in found.items() if kind == "held" and value],
        growth=found["growth", ""],
        room=found["room", ""],
        room_words={name: value for (kind, name), value in found.items() if kind == "room_words"},
        changes=list(one.changes),
        whole=one.whole,
        carries_only=one.carries_only,
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
