"""What an iteration does: the words it moves, the room it takes, and the state it leaves."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pebble.program.machine.loops import ShortcutOverflow

if TYPE_CHECKING:
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.field import Field
    from pebble.program.machine.field_state import Box
    from pebble.program.nodes import Loop

__all__ = ["Change", "Effect", "Ledger", "Snapshot", "account"]


class Change(NamedTuple):
    """A new state of an array in one memory, in a part of the current tiles.

    ``part`` is relative to the current tiles, None for all of them; ``value`` is relative to the start of the current
    tile of the chain's axis, or not.
    """

    array: str
    memory: int
    part: Box | None
    relative: bool
    value: int


@dataclass
class Effect:
    """What an iteration does.

    Attributes
    ----------
    counts : list of (action, array, number)
        Words moved and vertices computed.
    held : list of (array, number)
        Words that it leaves in fast memory, less those that it found; ``growth`` is their sum.
    room : int
        Words above those that it found that it needs at its peak; ``room_words`` by array.
    changes : list of Change
    reusable : bool
        Whether the changes could be told relative to the current tiles.
    lasting : bool
        Whether the next tile was found to see what this one saw.
    whole : bool
        Whether it leaves every array it changes in one state all over the tile.
    carries_only : bool
        Whether besides it changes nothing along the loop's axis and leaves as many words as it found, so that of
        many in a row that change the same arrays only the last one's changes matter.
    even : bool
        Whether in each loop over queries or keys inside it successive tiles under one signature all saw the same.
    """

    counts: list[tuple[str, str, int]]
    held: list[tuple[str, int]]
    growth: int
    room: int
    room_words: dict[str, int]
    changes: list[Change] = field(default_factory=list)
    reusable: bool = True
    lasting: bool = False
    whole: bool = False
    carries_only: bool = False
    even: bool = True

    @property
    def changed(self) -> set[tuple[str, int]]:
        """The arrays that it changes, each with the memory in which it does."""
        return {(change.array, change.memory) for change in self.changes}


class Ledger:
    """The books of a machine when an iteration begins; closed when it has ended.

    The machine's peak is set aside, so that the iteration's own shows.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.counts = {action: dict(of) for action, of in machine.counts.items()}
        self.held, self.occupied = dict(machine.held), machine.occupied
        self.peak, self.peak_words = machine.peak, machine.peak_words
        machine.peak, machine.peak_words = 0, {}

    def close(self) -> Effect:
        """Return what has been counted since, and give the machine the higher of the two peaks."""
        machine = self.machine
        effect = Effect(
            counts=[
                (action, name, count - self.counts[action][name])
                for action, of in machine.counts.items()
                for name, count in of.items()
                if count != self.counts[action][name]
            ],
            held=[
                (name, now - self.held[name]) for name, now in machine.held.items() if now != self.held[name]
            ],
            growth=machine.occupied - self.occupied,
            room=max(machine.peak - self.occupied, 0),
            room_words={name: now - self.held.get(name, 0) for name, now in machine.peak_words.items()},
        )
        if self.peak >= machine.peak:
            machine.peak, machine.peak_words = self.peak, self.peak_words
        return effect


def account(machine: Machine, effect: Effect, node: Loop, last: int, times: int) -> None:
    """Count what iterations move and the room they take; ``last`` is the number of the last of them."""
    growth = max(effect.growth, 0) * (times - 1)
    top = machine.occupied + effect.room + growth
    if machine.M is not None and top > machine.M:
        raise ShortcutOverflow(
            f"loop over {node.label}: by iteration {last} it holds {top} words, and fast memory has {machine.M}"
        )
    if top > machine.peak:
        machine.peak = top
        more = dict(effect.held) if growth else {}
        machine.peak_words = {
            name: machine.held.get(name, 0) + effect.room_words.get(name, 0) + more.get(name, 0) * (times - 1)
            for name in {**machine.held, **effect.room_words}
        }
    for action, name, count in effect.counts:
        machine.counts[action][name] += count * times
    for name, words in effect.held:
        machine.held[name] += words * times
    machine.occupied += effect.growth * times


class Snapshot:
    """The state of a box of an array as it was."""

    def __init__(self, field: Field, box: Box) -> None:
        pieces, states = field.covering(box)
        self.cuts = [[piece[0][0], *(end for _, end in piece)] for piece in pieces]
        self.states = states.copy()

    def parts(self, cell: Box, memory: int) -> Iterator[tuple[Box, int]]:
        """Yield the parts of a cell that were cells then, with what a memory held."""
        if self.states[memory].size == 1:
            yield cell, int(self.states[memory].item())
            return
        spans = []
        for cuts, (start, stop) in zip(self.cuts, cell, strict=True):
            low, high = bisect_right(cuts, start) - 1, bisect_left(cuts, stop)
            spans.append([(at, max(cuts[at], start), min(cuts[at + 1], stop)) for at in range(low, high)])
        for chosen in itertools.product(*spans):
            index: Any = (memory, *(at for at, _, _ in chosen))
            yield tuple((a, b) for _, a, b in chosen), int(self.states[index])
