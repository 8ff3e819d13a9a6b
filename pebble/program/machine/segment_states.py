"""Executing segments of a loop: of those that are alike, and see the same, one is executed; the others follow."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.counting.state import FAST, SLOW
from pebble.program.machine.effects import Effect, Ledger, account
from pebble.program.machine.field_state import MANY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.program.counting.rules import Machine
    from pebble.program.machine.bodies import Body
    from pebble.program.machine.field_state import Box, FieldState
    from pebble.program.machine.segments import SegmentRun
    from pebble.program.nodes import Interval, Loop

__all__ = ["KnownSegments", "Segments"]


class _View(NamedTuple):
    """What memory holds of an array in a segment, told from where the segment begins.

    Attributes
    ----------
    cuts : tuple of tuple of int, or None
        Where cells end on each axis; None if all are alike.
    states : tuple of (int, bytes)
        Each memory that is seen, with the states of the cells.
    shape : tuple of int
        How many cells along each axis.
    """

    cuts: tuple[tuple[int, ...], ...] | None
    states: tuple[tuple[int, bytes], ...]
    shape: tuple[int, ...]


@dataclass
class _SegmentEffect:
    """What the execution of a segment does: ``after`` says what arrays it changes, and to what."""

    effect: Effect
    after: list[tuple[str, _View]]


@dataclass
class KnownSegments:
    """What segments do, noted, of all loops of a program."""

    effects: dict[Hashable, _SegmentEffect] = field(default_factory=dict)


class Segments:
    """One execution of a loop that is cut into segments.

    Parameters
    ----------
    machine : Machine
    state : FieldState
    node : Loop
    body : Body
        What is known of its body.
    moved : set of str
        The arrays that are loaded from slow memory or stored to it.
    known : KnownSegments
        Filled here.
    """

    def __init__(
        self,
        machine: Machine,
        state: FieldState,
        node: Loop,
        body: Body,
        moved: set[str],
        known: KnownSegments,
    ) -> None:
        self.machine, self.state, self.family = machine, state, state.family
        self.node, self.body, self.moved, self.known = node, body, moved, known
        self.axes = node.axis, OTHER_AXIS[node.axis]
        self.around = tuple(
            (label, visit.axis, visit.index, visit.count, visit.whole, visit.tile)
            for label, visit in machine.visits.items()
        )

    def execute(self, runs: list[SegmentRun], execute: Callable[[int, int], None]) -> None:
        """Execute the loop.

        Parameters
        ----------
        runs : list of SegmentRun
            All of the loop.
        execute : callable
            Executes the tiles of the lines from one up to another.
        """
        self._join(self.body.used, 0)
        for run in runs:
            number = 0
            while number < run.times:
                places = dict(zip(self.axes, run.places(number), strict=True))
                key = self._key(run, places)
                known = self.known.effects.get(key) if key is not None else None
                if known is None:
                    self._record(key, places, execute)
                    number += 1
                    continue
                ahead = dict(zip(self.axes, run.places(number, run.times - number), strict=True))
                times = run.times - number if self._repeats(run, known, places, ahead) else 1
                last = ahead if times > 1 else places
                account(self.machine, known.effect, self.node, number + times - 1, times)
                for name, view in known.after:
                    self._write(name, view, places, last)
                self._join(self.body.changed, MANY)
                number += times

    def _join(self, names: tuple[str, ...], many: int) -> None:
        for axis in self.axes:
            self.state.join(axis, names, many)

    def _key(self, run: SegmentRun, places: dict[str, Interval]) -> Hashable:
        """Return all that what a segment does depends on; None if that equals nothing."""
        if run.kind is None:
            return None
        views = [self._view(name, places) for name in self.body.used]
        return None if None in views else (id(self.node), self.around, run.kind, tuple(views))

    def _record(
        self, key: Hashable, places: dict[str, Interval], execute: Callable[[int, int], None]
    ) -> None:
        """Execute a segment, and note what it does."""
        if key is None:
            execute(*places[self.node.axis])
            self._join(self.body.changed, 0)
            return
        before = {name: self._view(name, places) for name in self.body.changed}
        ledger = Ledger(self.machine)
        execute(*places[self.node.axis])
        effect = ledger.close()
        self._join(self.body.changed, 0)
        after = []
        for name, old in before.items():
            new = self._view(name, places)
            if new is None:
                return
            if new != old:
                after.append((name, new))
        self.known.effects[key] = _SegmentEffect(effect, after)

    def _repeats(
        self, run: SegmentRun, known: _SegmentEffect, places: dict[str, Interval], ahead: dict[str, Interval]
    ) -> bool:
        """Whether all segments ahead, which are alike, see what the first of them does, and leave one state each."""
        own = self.axes if run.apart else self.axes[:1]
        for name, view in known.after:
            array = self.family[name]
            if view.cuts is not None or not any(axis in array.axes for axis in own):
                return False
            if array.chain in self.axes and not all(
                value in (0, _length(places[array.chain]))
                for _, states in view.states
                for value in _values(states)
            ):
                return False
        return ahead == places or all(self._is_level(name, places, ahead) for name in self.body.used)

    def _is_level(self, name: str, places: dict[str, Interval], ahead: dict[str, Interval]) -> bool:
        """Whether an array is in one state in all segments ahead, and told alike from the beginning of each."""
        array = self.family[name]
        _, states = self.state.fields[name].covering(self._box(array, ahead))
        for memory in self._seen(name):
            values = np.unique(states[memory])
            if len(values) > 1 and any(axis in array.axes for axis in self.axes):
                return False
            if array.chain in self.axes:
                first, all_ahead = places[array.chain], ahead[array.chain]
                if not (values[0] <= first[0] or values[0] >= all_ahead[1]):
                    return False
        return True

    def _seen(self, name: str) -> tuple[int, ...]:
        return (FAST, SLOW) if name in self.moved else (FAST,)

    def _box(self, array: Array, places: dict[str, Interval]) -> Box:
        return tuple(places.get(axis) or self.state.interval(axis) for axis in array.axes)

    def _view(self, name: str, places: dict[str, Interval]) -> _View | None:
        """Return what memory holds of an array in a segment; None if it is not known."""
        array = self.family[name]
        box = self._box(array, places)
        pieces, states = self.state.fields[name].covering(box)
        seen = [(memory, self._told(array, states[memory], places)) for memory in self._seen(name)]
        if any((values < 0).any() for _, values in seen):
            return None
        if all((values == values.flat[0]).all() for _, values in seen):
            one = tuple((memory, values.flat[0].tobytes()) for memory, values in seen)
            return _View(None, one, (1,) * len(box))
        cuts = tuple(
            tuple(end - start for _, end in cells) for cells, (start, _) in zip(pieces, box, strict=True)
        )
        return _View(cuts, tuple((memory, values.tobytes()) for memory, values in seen), states.shape[1:])

    def _told(
        self, array: Array, states: NDArray[np.int64], places: dict[str, Interval]
    ) -> NDArray[np.int64]:
        """Return states as told from the beginning of the segment: outside of it no line has a pair."""
        if array.chain not in self.axes or (states < 0).any():
            return states
        start, stop = places[array.chain]
        return np.clip(states, start, stop) - start

    def _write(
        self, name: str, view: _View, places: dict[str, Interval], all_places: dict[str, Interval]
    ) -> None:
        """Write what a segment leaves of an array, in one state also in segments behind it."""
        array = self.family[name]
        box = self._box(array, all_places)
        for memory, told in view.states:
            values = np.frombuffer(told, dtype=np.int64).reshape(view.shape)
            if array.chain in self.axes:
                start, stop = places[array.chain]
                final = self.family.extents[array.chain]
                values = np.where(values == 0, 0, np.where(values == stop - start, final, values + start))
            if view.cuts is None:
                self.state.fields[name].view(box)[memory] = values.flat[0]
                continue
            for index in np.ndindex(*view.shape):
                cell = tuple(
                    (start + (cuts[at - 1] if at else 0), start + cuts[at])
                    for (start, _), cuts, at in zip(box, view.cuts, index, strict=True)
                )
                self.state.fields[name].view(cell)[memory] = values[index]


def _length(places: Interval) -> int:
    return places[1] - places[0]


def _values(states: bytes) -> list[int]:
    return list(map(int, np.frombuffer(states, dtype=np.int64)))
