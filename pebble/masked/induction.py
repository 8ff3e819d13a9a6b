"""Iterations accounted for without being run: an iteration that has been seen stands for all that look like it.

What an iteration does follows from what it can see: the state of the arrays its body touches, inside the current
tiles; what the mask allows there, summed up in a signature (see :mod:`pebble.masked.runs`); and whether the
conditions on the loops around hold. The machine runs an iteration once, writes down what it counted, how much room it
took and what state it left, and takes that for every later iteration that sees the same. Where the next tile of a run
sees the same as the last, and the tiles ahead are all alike, the rest of the run is accounted for at once.

States are compared relative to the current tile of a chain's axis: "at the tile's start" is the same for all tiles.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pebble.family import Array
from pebble.induction import touched_by
from pebble.masked.machine import Machine
from pebble.masked.runs import TileRun, runs_of_lines, runs_of_tiles, runs_of_units
from pebble.program import Condition, Loop, Node, Operation, When, loop_range, tile_at, tile_count
from pebble.visits import masked, partners

if TYPE_CHECKING:
    from pebble.induction import Touched
    from pebble.masked.family import MaskedFamily
    from pebble.program import Program

__all__ = ["InductiveMachine", "LaterOverflow"]

Interval = tuple[int, int]
Box = tuple[Interval, ...]
_OTHER = {"i": "j", "j": "i"}


class LaterOverflow(Exception):
    """Fast memory overflows in an iteration that is not run."""


class _Unique:
    """A part of a key that equals nothing else."""


@dataclass(frozen=True)
class _Body:
    """What is known of a loop's body from its text alone."""

    touched: Touched
    conditions: tuple[Condition, ...]
    safe: bool
    exact: bool
    lines_only: bool


@dataclass
class _Effect:
    """What an iteration does."""

    counts: list[tuple[str, str, int]]
    held: list[tuple[str, int]]
    growth: int
    room: int
    room_words: dict[str, int]
    changes: list[_Change] = field(default_factory=list)
    reusable: bool = True


@dataclass(frozen=True)
class _Change:
    """A new state of an array in a part of the current tiles.

    ``part`` is relative to the current tiles, None for all of it; each level's state is ``(relative, value)``, relative
    to the start of the current tile of the chain's axis or not.
    """

    array: str
    part: Box | None
    fast: tuple[bool, int]
    slow: tuple[bool, int]


class InductiveMachine(Machine):
    """A machine that runs what it has not seen before."""

    def __init__(self, program: Program, family: MaskedFamily, M: int | None, step_limit: int) -> None:
        super().__init__(program, family, M, step_limit)
        self.bodies: dict[int, _Body] = {}
        self.memory: dict[int, dict[Hashable, _Effect]] = {}

    # Loops

    def loop(self, node: Loop) -> None:
        """Execute a loop, run by run."""
        whole = loop_range(node, self.tiles, self.family)
        body = self._body(node)
        own = masked(self.family, node.axis)
        seen = self.memory.setdefault(id(node), {}) if own else {}
        for run in self._runs(node, body, whole):
            self._execute(node, body, whole, run, seen)

    def _runs(self, node: Loop, body: _Body, whole: Interval) -> list[TileRun]:
        """Return the tiles to visit, in runs; a signature of None says that no tile stands for another."""
        if not masked(self.family, node.axis):
            # The first and the last may see a condition hold, and the last may be shorter.
            count = tile_count(*whole, node.tile)
            ends = [TileRun(0, 1, True), TileRun(1, count - 2, True), TileRun(count - 1, 1, True)]
            return [run for at, run in enumerate(ends) if run.count > 0 and (at == 0 or run.index > 0)]
        if body.lines_only and body.safe:
            return runs_of_lines(self.mask, node.axis, whole, node.tile)
        others = partners(node.axis, self.tiles, self.family)
        if not body.safe or _OTHER[node.axis] not in self.tiles:
            return [
                TileRun(index, 1, None)
                for index in range(tile_count(*whole, node.tile))
                if self.mask.box(node.axis, tile_at(*whole, node.tile, index), others)
            ]
        if node.tile == 1:
            return runs_of_units(self.mask, node.axis, whole, others, body.exact)
        return runs_of_tiles(self.mask, node.axis, whole, node.tile, others)

    def _execute(
        self, node: Loop, body: _Body, whole: Interval, run: TileRun, seen: dict[Hashable, _Effect]
    ) -> None:
        if run.signature is None:
            self.iteration(node, whole, run.index)
            return
        loose = masked(self.family, node.axis) and node.tile == 1 and not body.exact and not body.lines_only
        index, end = run.index, run.index + run.count
        key = self._key(node, body, whole, index, run.signature, loose)
        while index < end:
            effect = seen.get(key)
            if effect is None or not effect.reusable:
                effect = seen[key] = self._record(node, body, whole, index, loose)
            else:
                self._apply(effect, node, whole, index, 1)
            index += 1
            if index == end:
                return
            next_key = self._key(node, body, whole, index, run.signature, loose)
            if next_key == key and effect.reusable and self._may_lump(effect, node, body, whole, index, end):
                self._apply(effect, node, whole, index, end - index)
                return
            key = next_key

    # What an iteration sees

    def _body(self, node: Loop) -> _Body:
        known = self.bodies.get(id(node))
        if known is None:
            known = self.bodies[id(node)] = self._read(node)
        return known

    def _read(self, node: Loop) -> _Body:
        conditions: list[Condition] = []
        loops: list[Loop] = [node]
        explicit = False

        def visit(inner: Node) -> None:
            nonlocal explicit
            if isinstance(inner, Operation):
                explicit = explicit or bool(inner.at)
                return
            if isinstance(inner, When):
                conditions.append(inner.condition)
            else:
                loops.append(inner)
            for below in inner.body:
                visit(below)

        for below in node.body:
            visit(below)
        touched = touched_by(node.body, self.family)
        names = touched.changed | touched.read
        other = _OTHER.get(node.axis, "")
        pairs = any(
            other in self.family[name].axes or self.family[name].chain == other
            for name in names
            if node.axis in self.family[name].axes
        )
        computes = self._computes_masked_chain(node)
        return _Body(
            touched=touched,
            conditions=tuple(dict.fromkeys(conditions)),
            safe=not explicit and all(self._is_plain(condition.label) for condition in conditions),
            exact=any(inner.axis == other and inner.tile > 1 for inner in loops[1:])
            or any(inner.axis == node.axis for inner in loops[1:]),
            lines_only=not computes
            and not any(inner.axis in _OTHER for inner in loops[1:])
            and not any(_is_pair(self.family[name]) for name in names)
            and not any(condition.label in self._masked_labels() for condition in conditions)
            and (not pairs or not computes),
        )

    def _computes_masked_chain(self, node: Loop) -> bool:
        def inside(inner: Node) -> bool:
            if isinstance(inner, Operation):
                array = self.family[inner.array]
                return inner.action == "compute" and masked(self.family, array.chain or "")
            return any(inside(below) for below in inner.body)

        return inside(node)

    def _masked_labels(self) -> set[str]:
        return {label for label, (axis, _) in self._labels().items() if axis in _OTHER}

    def _is_plain(self, label: str) -> bool:
        """Whether loops called so run over all of a masked axis, so that the mask's flags tell first from last."""
        axis, plain = self._labels()[label]
        return plain or axis not in _OTHER

    def _labels(self) -> dict[str, tuple[str, bool]]:
        """Axis of the loops with each label, and whether they all run over the whole axis."""
        if not hasattr(self, "_known_labels"):
            found: dict[str, tuple[str, bool]] = {}

            def visit(node: Node, around: frozenset[str]) -> None:
                if isinstance(node, Operation):
                    return
                if isinstance(node, Loop):
                    plain = (node.start, node.stop) == (0, None) and node.axis not in around
                    axis, before = found.get(node.label, (node.axis, True))
                    found[node.label] = node.axis, plain and before and axis == node.axis
                    around = around | {node.axis}
                for inner in node.body:
                    visit(inner, around)

            for part in self.program.phases:
                for node in part.body:
                    visit(node, frozenset())
            self._known_labels = found
        return self._known_labels

    def _key(
        self, node: Loop, body: _Body, whole: Interval, index: int, signature: Hashable, loose: bool
    ) -> Hashable:
        before = self.enter(node, whole, index)
        context = tuple(
            (axis, b - a, a == 0, b == self.family.extents[axis])
            for axis, (a, b) in sorted(self.tiles.items())
            if axis not in _OTHER
        )
        tile = self.tiles[node.axis]
        conditions = tuple(
            condition.holds(self.visits[condition.label], self.tiles, self.family)
            for condition in body.conditions
            if condition.label in self.visits and not masked(self.family, self.visits[condition.label].axis)
        )
        names = sorted(body.touched.changed | body.touched.read)
        states = tuple(
            self._visible(self.family[name], self.box(self.family[name]), name in body.touched.moved, loose)
            for name in names
        )
        del self.visits[node.label]
        self._restore(node.axis, before)
        return signature, tile[1] - tile[0], context, conditions, states

    def _visible(self, array: Array, box: Box, slow: bool, loose: bool) -> Hashable:
        """State of a box relative to the current tiles: one value where it is the same throughout."""
        found: list[tuple[Box, Hashable]] = []
        for cell, state in self._cells(array, box):
            if len(box) and self._words(array, cell) == 0:
                continue
            label = self._label(array, cell, int(state[0]))
            both = (label, self._label(array, cell, int(state[1])) if slow else None)
            found.append((cell, both))
        labels = {both for _, both in found}
        if len(labels) <= 1:
            return labels.pop() if labels else None
        if loose:
            return _Unique()
        return tuple(
            (tuple((a - start, b - start) for (a, b), (start, _) in zip(cell, box, strict=True)), both)
            for cell, both in found
        )

    def _label(self, array: Array, cell: Box, progress: int) -> Hashable:
        if array.chain is None:
            return progress
        tile = self.tiles.get(array.chain)
        if not masked(self.family, array.chain):
            if progress == 0:
                return "none"
            if tile and progress == tile[0]:
                return "start"
            return (
                "all"
                if progress == self.family.extents[array.chain]
                else (progress - tile[0] if tile else progress)
            )
        axis, lines, _ = self._line(array, cell)
        if tile is None:
            if progress == 0:
                return "none"
            return "all" if self._is_complete(array, cell, progress) else _Unique()
        if progress == 0:
            return "none" if self.mask.started(axis, lines, tile[0]) else "not begun"
        if not self._alike(array, cell, progress, tile[0]):
            return _Unique()
        return "start" if self.mask.started(axis, lines, tile[0]) else "not begun"

    # What an iteration does

    def _record(self, node: Loop, body: _Body, whole: Interval, index: int, loose: bool) -> _Effect:
        """Run an iteration for real and write down what it did."""
        before = self.enter(node, whole, index)
        names = sorted(body.touched.changed | body.touched.moved)
        snapshot = {name: self._snapshot(self.family[name]) for name in names}
        counts = {action: dict(of) for action, of in self.counts.items()}
        held, occupied = dict(self.held), self.occupied
        peak, words = self.peak, self.peak_words
        self.peak, self.peak_words = 0, {}
        for inner in node.body:
            self.node(inner)
        effect = _Effect(
            counts=[
                (action, name, count - counts[action][name])
                for action, of in self.counts.items()
                for name, count in of.items()
                if count != counts[action][name]
            ],
            held=[(name, now - held[name]) for name, now in self.held.items() if now != held[name]],
            growth=self.occupied - occupied,
            room=max(self.peak - occupied, 0),
            room_words={name: now - held.get(name, 0) for name, now in self.peak_words.items()},
        )
        for name in names:
            changes = self._changes(self.family[name], snapshot[name], loose)
            if changes is None:
                effect.reusable = False
            else:
                effect.changes += changes
        if peak >= self.peak:
            self.peak, self.peak_words = peak, words
        self.leave(node, before)
        return effect

    def _snapshot(self, array: Array) -> list[tuple[Box, int, int]]:
        cells = self._cells(array, self.box(array))
        return [(cell, int(state[0]), int(state[1])) for cell, state in cells]

    def _changes(self, array: Array, before: list[tuple[Box, int, int]], loose: bool) -> list[_Change] | None:
        """Return how the state of the current tiles has changed; None if that cannot be said relative to them."""
        box = self.box(array)
        states: list[tuple[Box, tuple[bool, int], tuple[bool, int]]] = []
        changed = False
        for part, _, _ in before:
            self.fields[array.name].cells(part)
        for cell, state in self._cells(array, box):
            if box and self._words(array, cell) == 0:
                continue
            old = next((fast, slow) for part, fast, slow in before if _inside(cell, part))
            new = int(state[0]), int(state[1])
            if not all(self._alike(array, cell, a, b) for a, b in zip(old, new, strict=True)):
                changed = True
            relative = tuple(self._relative(array, cell, value) for value in new)
            if relative[0] is None or relative[1] is None:
                states.append((cell, (False, -1), (False, -1)))
            else:
                states.append((cell, relative[0], relative[1]))
        if not changed:
            return []
        if any(-1 in (fast[1], slow[1]) for _, fast, slow in states):
            return None
        kinds = {(fast, slow) for _, fast, slow in states}
        if len(kinds) == 1:
            fast, slow = kinds.pop()
            return [_Change(array.name, None, fast, slow)]
        if loose:
            return None
        return [
            _Change(
                array.name,
                tuple((a - start, b - start) for (a, b), (start, _) in zip(cell, box, strict=True)),
                fast,
                slow,
            )
            for cell, fast, slow in states
        ]

    def _relative(self, array: Array, cell: Box, value: int) -> tuple[bool, int] | None:
        """Progress relative to the current tile of the chain's axis; None if it is elsewhere."""
        tile = self.tiles.get(array.chain) if array.chain else None
        if value == 0 or array.chain is None:
            return False, value
        if tile is None:
            if not masked(self.family, array.chain):
                return False, value
            return (
                (False, self.family.extents[array.chain]) if self._is_complete(array, cell, value) else None
            )
        if tile[0] < value <= tile[1]:
            return True, value - tile[0]
        if self._alike(array, cell, value, tile[0]):
            return True, 0
        return (False, value) if value == self.family.extents[array.chain] else None

    def _may_lump(
        self, effect: _Effect, node: Loop, body: _Body, whole: Interval, index: int, end: int
    ) -> bool:
        """Whether the tiles ahead are all alike, and what becomes of them can be written at once."""
        ahead = whole[0] + index * node.tile, min(whole[0] + end * node.tile, whole[1])
        if any(change.part is not None for change in effect.changes):
            return False
        outer = self.tiles.get(node.axis)
        self.tiles[node.axis] = ahead
        uniform = True
        for name in body.touched.changed | body.touched.read:
            array = self.family[name]
            if node.axis in array.axes:
                label = self._visible(array, self.box(array), name in body.touched.moved, True)
                uniform = uniform and not isinstance(label, _Unique)
        self._restore(node.axis, outer)
        return uniform

    def _apply(self, effect: _Effect, node: Loop, whole: Interval, index: int, times: int) -> None:
        """Account for iterations that do what another one did."""
        growth = max(effect.growth, 0) * (times - 1)
        top = self.occupied + effect.room + growth
        if self.M is not None and top > self.M:
            raise LaterOverflow(
                f"loop over {node.label}: by iteration {index + times - 1} it holds {top} words, and fast memory "
                f"has {self.M}"
            )
        if top > self.peak:
            self.peak = top
            more = dict(effect.held) if growth else {}
            names = {**self.held, **effect.room_words}
            self.peak_words = {
                name: self.held.get(name, 0)
                + effect.room_words.get(name, 0)
                + more.get(name, 0) * (times - 1)
                for name in names
            }
        for action, name, count in effect.counts:
            self.counts[action][name] += count * times
        for name, words in effect.held:
            self.held[name] += words * times
        self.occupied += effect.growth * times
        outer = self.tiles.get(node.axis)
        last = tile_at(*whole, node.tile, index + times - 1)
        first = tile_at(*whole, node.tile, index)
        for change in effect.changes:
            array = self.family[change.array]
            self.tiles[node.axis] = (first[0], last[1])
            box = self.box(array)
            if change.part is not None:
                box = tuple(
                    (start + a, start + b) for (start, _), (a, b) in zip(box, change.part, strict=True)
                )
            self.tiles[node.axis] = last
            view = self.fields[array.name].view(box)
            for level, (relative, value) in enumerate((change.fast, change.slow)):
                start = self.tiles[array.chain or ""][0] if relative else 0
                view[level] = start + value
        self._restore(node.axis, outer)
        for array in self.family.arrays:
            if node.axis in array.axes:
                self.fields[array.name].tidy(lambda *arguments, a=array: self._join(a, *arguments))


def _is_pair(array: Array) -> bool:
    return "i" in array.axes and "j" in array.axes


def _inside(cell: Box, part: Box) -> bool:
    return all(start <= a and b <= stop for (a, b), (start, stop) in zip(cell, part, strict=True))
