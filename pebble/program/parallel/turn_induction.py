"""Turns by induction: of a long ring a few turns are executed, and from them follow all up to the last one.

After each turn the device holds its own tile and the tile of the turn, nothing else. If from turn to turn the counts
grow by the same, and every set of terms grows in the same way, moved on by a tile, then so they do in every turn up to
the last; docs/processors-language.md proves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pebble.common.errors import Violation
from pebble.program.parallel.representative_device import INPUT, Key, RepresentativeDevice

if TYPE_CHECKING:
    from pebble.program.parallel.relative_steps import RelativeTurns, Tile

__all__ = ["take_turns"]


@dataclass(frozen=True)
class _After:
    """A device after a turn.

    Attributes
    ----------
    held : dict of (bool, Key) to int
        What it holds; true where it is of the turn's tile, whose number is then left out.
    gone : set of (bool, Key)
        What is discarded, and may still be fetched.
    counts : tuple of int
        Words received, rounds, messages, pairs, words held, most words held in the turn, words received of ``names``.
    names : tuple of tuple of str
        What has been received, by arrays.
    """

    held: dict[tuple[bool, Key], int]
    gone: set[tuple[bool, Key]]
    counts: tuple[int, ...]
    names: tuple[tuple[str, ...], ...]


def take_turns(device: RepresentativeDevice, turns: RelativeTurns) -> None:
    """Take the turns of a loop.

    Raises
    ------
    Violation
        As each turn would.
    """
    for step in turns.first:
        device.take(step)
    number, last = turns.start + 1, turns.stop - 1
    after: list[_After | None] = []
    alike = _only_own_and_turn(turns)
    while number < last:
        before = device.run.memory
        device.run.memory = 0
        for step in turns.steps(number):
            device.take(step)
        if alike:
            after = [*after[-2:], _noted(device, turns.place, number)]
        device.run.memory = max(before, device.run.memory)
        if len(after) == 3 and _skipped(device, turns, after, number, last - 1 - number):
            number = last - 1
        number += 1
    for step in turns.last:
        device.take(step)


def _only_own_and_turn(turns: RelativeTurns) -> bool:
    """Whether each turn is about the own tile and the turn's, and receives sums from the same neighbour."""
    for step, (queries, keys, heads, source) in zip(turns.middle, turns.moving, strict=True):
        boxes = ((step.queries, queries), (step.keys, keys), (step.heads, heads))
        if step.kind == "finish" or any(not moves and box[turns.place] != 0 for box, moves in boxes):
            return False
        if source and step.arrays not in (("Q",), ("K", "V"), ("Q", "dO", "l", "D")):
            return False
    return True


def _noted(device: RepresentativeDevice, place: int, number: int) -> _After | None:
    """Note what a device holds after a turn; None where it holds other tiles, or waits for something."""
    if device.waiting:
        return None
    named: dict[Key, tuple[bool, Key]] = {}
    for key in device.held:
        names, tile, part = key
        if tile[place] not in (0, number):
            return None
        named[key] = tile[place] != 0, (names, (*tile[:place], 0, *tile[place + 1 :]), part)
    run = device.run
    names_known = tuple(run.by_arrays)
    counts = (
        run.received,
        run.rounds,
        run.messages,
        run.pairs,
        device.words,
        run.memory,
        *run.by_arrays.values(),
    )
    held = {named[key]: terms for key, terms in device.held.items()}
    return _After(held, {named[key] for key in device.gone}, counts, names_known)


def _skipped(
    device: RepresentativeDevice, turns: RelativeTurns, after: list[_After | None], number: int, more: int
) -> bool:
    """Account for more turns, if they follow from three; whether they do."""
    one, two, three = after
    if one is None or two is None or three is None or more < 1:
        return False
    if not (one.held.keys() == two.held.keys() == three.held.keys() and one.gone == two.gone == three.gone):
        return False
    if not (one.names == two.names == three.names):
        return False
    grown = [c - b for b, c in zip(two.counts, three.counts, strict=True)]
    if grown != [b - a for a, b in zip(one.counts, two.counts, strict=True)] or grown[4] < 0:
        return False
    held: dict[tuple[bool, Key], int] = {}
    for name, terms in three.held.items():
        later = _later(device, turns, name, (one.held[name], two.held[name], terms), more)
        if later is None:
            return False
        held[name] = later
    place = turns.place

    def key_of(name: tuple[bool, Key]) -> Key:
        names, tile, part = name[1]
        return names, (*tile[:place], number + more, *tile[place + 1 :]) if name[0] else tile, part

    device.held = {key_of(name): terms for name, terms in held.items()}
    device.gone = {key_of(name) for name in three.gone}
    _account(device, grown, three, more)
    return True


def _account(device: RepresentativeDevice, grown: list[int], after: _After, more: int) -> None:
    """Add what more turns count."""
    run = device.run
    run.received += more * grown[0]
    run.rounds += more * grown[1]
    run.messages += more * grown[2]
    run.pairs += more * grown[3]
    device.words += more * grown[4]
    run.memory = max(run.memory, after.counts[5] + more * grown[5])
    for name, words in zip(after.names, grown[6:], strict=True):
        run.by_arrays[name] += more * words
    if device.H is not None and run.memory > device.H:
        raise Violation(
            f"a device's memory holds {run.memory:,} words in a turn, and has {device.H:,}; discard something first",
            "memory-full",
        )


def _later(
    device: RepresentativeDevice,
    turns: RelativeTurns,
    name: tuple[bool, Key],
    terms: tuple[int, int, int],
    more: int,
) -> int | None:
    """Return which terms are in so many turns later; None if that does not follow."""
    one, two, three = terms
    if one == two == three:
        return three
    if INPUT in terms:
        return None
    sets = device.sets
    along = tuple(int(place == turns.place) for place in range(len(device.sizes)))
    if name[0]:
        distance = _neighbour(turns, name[1][0])
        if distance is None:
            return None
        kept = [sets.moved(before, distance) for before in (one, two)]
        new = [now & ~before for now, before in zip((two, three), kept, strict=True)]
        if new[0] != new[1] or any(before & ~now for now, before in zip((two, three), kept, strict=True)):
            return None
        later = sets.moved(three, _times(distance, more, device.sizes)) | sets.spread(new[1], distance, more)
    else:
        new = [two & ~one, three & ~two]
        if one & ~two or two & ~three:
            return None
        steps = [
            step for step in (along, _times(along, -1, device.sizes)) if sets.moved(new[0], step) == new[1]
        ]
        if not steps:
            return None
        later = three | sets.spread(sets.moved(new[1], steps[0]), steps[0], more)
    return later if later.bit_count() == three.bit_count() + more * new[1].bit_count() else None


def _neighbour(turns: RelativeTurns, names: tuple[str, ...]) -> Tile | None:
    """Return from how far before the device arrays are received in each turn; None if not from one neighbour."""
    found = {step.source for step in turns.middle if step.kind == "receive" and step.arrays == names}
    return found.pop() if len(found) == 1 else None


def _times(distance: Tile, number: int, sizes: tuple[int, ...]) -> Tile:
    return tuple(number * far % size for far, size in zip(distance, sizes, strict=True))
