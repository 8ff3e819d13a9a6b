"""Iterations accounted for without being run: an iteration that has been seen stands for all that look like it.

What an iteration does follows from what it can see: the state of the arrays its body touches, inside the current
tiles; what the mask allows there, summed up in a signature (see :mod:`.tile_runs`); and whether the
conditions on the loops around hold. The machine runs an iteration once, writes down what it counted, how much room it
took and what state it left, and takes that for every later iteration that sees the same. Where the next tile of a run
sees the same as the last, and the tiles ahead are all alike, the rest of the run is accounted for at once.

States are compared relative to the current tile of a chain's axis: "at the tile's start" is the same for all tiles.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pebble.common.errors import TooManyOperations
from pebble.computations.array import Array
from pebble.program.machine.field import Field
from pebble.program.machine.lump import touched_by
from pebble.program.machine.masked_machine import MANY, Machine
from pebble.program.machine.tile_runs import TileRun, runs_of_lines, runs_of_tiles, runs_of_units
from pebble.program.nodes import Condition, Loop, Node, Operation, When
from pebble.program.steps import loop_range, tile_at, tile_count
from pebble.program.visits import partners

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.program.machine.lump import Touched
    from pebble.program.nodes import Program

__all__ = ["InductiveMachine", "LaterOverflow"]

Interval = tuple[int, int]
Box = tuple[Interval, ...]
_OTHER = {"i": "j", "j": "i"}
_NOT_BEGUN = "not begun"
_MOST_TILES = 20_000


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
    moves_chains: bool


@dataclass
class _Effect:
    """What an iteration does.

    It is ``lasting`` if the next tile was found to see what this one saw, so that nothing need be looked up again;
    ``whole`` if it leaves every array it changes in one state all over the tile; and it ``carries_only`` if besides
    it changes no array along the loop's axis and takes no room for longer, so that only the last of many matters.
    """

    counts: list[tuple[str, str, int]]
    held: list[tuple[str, int]]
    growth: int
    room: int
    room_words: dict[str, int]
    changes: list[_Change] = field(default_factory=list)
    reusable: bool = True
    lasting: bool = False
    whole: bool = False
    carries_only: bool = False


@dataclass(frozen=True)
class _Change:
    """A new state of an array in one memory, in a part of the current tiles.

    ``level`` is 0 for fast memory, 1 for slow memory; ``part`` is relative to the current tiles, None for all of them;
    ``value`` is relative to the start of the current tile of the chain's axis, or not.
    """

    array: str
    level: int
    part: Box | None
    relative: bool
    value: int


class _Waiting:
    """Iterations that only count, and the last of them, whose state is still to be written."""

    def __init__(self) -> None:
        self.times: dict[int, int] = {}
        self.effects: dict[int, _Effect] = {}
        self.last: tuple[_Effect, int] | None = None

    def add(self, effect: _Effect, times: int, last: int) -> None:
        key = id(effect)
        self.times[key] = self.times.get(key, 0) + times
        self.effects[key] = effect
        self.last = effect, last

    def settle(self, machine: InductiveMachine, node: Loop, whole: Interval) -> None:
        """Count them and write the state they leave."""
        if self.last is None:
            return
        effect, index = self.last
        for key, times in self.times.items():
            machine.account(self.effects[key], node, index, times)
        machine.write(effect, node, whole, index, 1)
        self.times.clear()
        self.effects.clear()
        self.last = None


class InductiveMachine(Machine):
    """A machine that runs what it has not seen before."""

    def __init__(self, program: Program, family: Family, M: int | None, step_limit: int) -> None:
        super().__init__(program, family, M, step_limit)
        self.bodies: dict[int, _Body] = {}
        self.memory: dict[int, dict[Hashable, _Effect]] = {}
        self.numbers: dict[Hashable, int] = {}
        self.passing: set[int] = set()
        self.signatures: dict[Hashable, list[Hashable]] = {}

    # Loops

    def loop(self, node: Loop) -> None:
        """Execute a loop, run by run."""
        whole = loop_range(node, self.tiles, self.family)
        if whole[0] >= whole[1]:
            return
        body = self._body(node)
        own = node.axis in self.family.masked_axes
        seen = self.memory.setdefault(id(node), {}) if own else {}
        runs = self._runs(node, body, whole)
        names = body.touched.changed | body.touched.moved
        if runs and all(run.signature is not None for run in runs):
            self._execute(node, body, whole, runs, seen)
        else:
            if len(runs) > _MOST_TILES:
                raise TooManyOperations(
                    f"under the mask {self.mask.spec} each of the {len(runs):,} tiles of the loop over {node.label} "
                    f"would have to be run; at most {_MOST_TILES:,} are: take larger tiles, or fewer queries and keys"
                )
            for run in runs:
                self.iteration(node, whole, run.first)
                self.tidy(node, names, MANY)
        self.tidy(node, names)

    def _runs(self, node: Loop, body: _Body, whole: Interval) -> list[TileRun]:
        """Return the tiles to visit, in runs; a signature of None says that no tile stands for another."""
        if node.axis not in self.family.masked_axes:
            # The first and the last may see a condition hold, and the last may be shorter.
            count = tile_count(*whole, node.tile)
            ends = [TileRun(0, 1, True), TileRun(1, count - 2, True), TileRun(count - 1, 1, True)]
            return [run for at, run in enumerate(ends) if run.times > 0 and (at == 0 or run.first > 0)]
        others = partners(node.axis, self.tiles, self.family)
        outermost = _OTHER[node.axis] not in self.tiles
        if body.lines_only and body.safe and outermost:
            return runs_of_lines(self.mask, node.axis, whole, node.tile)
        if not body.safe or outermost:
            return [
                TileRun(index, 1, None)
                for index in range(tile_count(*whole, node.tile))
                if self.mask.has_pairs(node.axis, tile_at(*whole, node.tile, index), others)
            ]
        if node.tile == 1:
            return runs_of_units(
                self.mask, node.axis, whole, others, body.exact, body.moves_chains, self.signatures
            )
        return runs_of_tiles(self.mask, node.axis, whole, node.tile, others)

    def _execute(
        self, node: Loop, body: _Body, whole: Interval, runs: list[TileRun], seen: dict[Hashable, _Effect]
    ) -> None:
        """Execute runs of tiles.

        ``state`` is what the tile at hand sees. It is looked up, unless the effect of the tile before is lasting and
        what lies along the axis was found to be the same from a tile on whose state was known (up to ``level_to``).
        """
        loose = node.axis in self.family.masked_axes and node.tile == 1 and not body.exact
        stop = runs[-1].first + runs[-1].times
        level_to = 0
        waiting = _Waiting()
        state: int | None = None
        before: _Effect | None = None
        for run in runs:
            index, end = run.first, run.first + run.times
            while index < end:
                if (
                    state is None
                    or before is None
                    or not self._follows(node, whole, run, index, before, level_to)
                ):
                    waiting.settle(self, node, whole)
                    now = self._state(node, body, whole, index, loose)
                    if before is not None:
                        before.lasting = before.reusable and now == state and now not in self.passing
                    state = now
                effect, times = seen.get((run.signature, state)), 1
                if effect is None or not effect.reusable:
                    waiting.settle(self, node, whole)
                    effect = seen[run.signature, state] = self._record(node, body, whole, index, loose)
                    self.tidy(node, body.touched.changed | body.touched.moved, 4 * MANY)
                else:
                    if effect.lasting and index >= level_to:
                        level_to = self._level_to(node, body, whole, index, (stop, end))
                    if effect.lasting and effect.whole and level_to >= end:
                        times = end - index
                    if effect.lasting and effect.carries_only:
                        waiting.add(effect, times, index + times - 1)
                    else:
                        waiting.settle(self, node, whole)
                        self._apply(effect, node, whole, index, times)
                before = effect
                index += times
        waiting.settle(self, node, whole)

    def _follows(
        self, node: Loop, whole: Interval, run: TileRun, index: int, before: _Effect, level_to: int
    ) -> bool:
        """Whether a tile is known to see what the tile before saw."""
        if not before.lasting or index >= level_to:
            return False
        return index > run.first or self._same_length(node, whole, index)

    def _same_length(self, node: Loop, whole: Interval, index: int) -> bool:
        """Whether what a tile of a masked axis sees can be told from the tile before: all but ragged ones."""
        return node.axis in self.family.masked_axes and (index + 1) * node.tile <= whole[1] - whole[0]

    def _level_to(self, node: Loop, body: _Body, whole: Interval, index: int, ends: tuple[int, int]) -> int:
        """Up to which tile the arrays along the loop's axis look as they do at one that is still to be run."""
        for end in ends:
            if self._is_uniform(node, body, whole, index, end):
                return end
        return index + 1

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
        return _Body(
            touched=touched,
            conditions=tuple(dict.fromkeys(conditions)),
            safe=not explicit and all(self._is_plain(condition.label) for condition in conditions),
            exact=any(inner.axis == other and inner.tile > 1 for inner in loops[1:])
            or any(inner.axis == node.axis for inner in loops[1:]),
            lines_only=not self._computes_masked_chain(node)
            and not any(inner.axis in _OTHER for inner in loops[1:])
            and not any(_is_pair(self.family[name]) for name in names)
            and not any(condition.label in self._masked_labels() for condition in conditions),
            moves_chains=self._moves_masked_chain(node),
        )

    def _computes_masked_chain(self, node: Loop) -> bool:
        def inside(inner: Node) -> bool:
            if isinstance(inner, Operation):
                array = self.family[inner.array]
                return inner.action == "compute" and array.chain in self.family.masked_axes
            return any(inside(below) for below in inner.body)

        return inside(node)

    def _moves_masked_chain(self, node: Node) -> bool:
        """Whether a chain that is masked is moved, deleted or replaced, which takes as many words as have begun."""
        if isinstance(node, Operation):
            names = [node.replacing] if node.action == "compute" else [node.array]
            return any(
                name is not None and self.family[name].chain in self.family.masked_axes for name in names
            )
        return any(self._moves_masked_chain(below) for below in node.body)

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

    def _state(self, node: Loop, body: _Body, whole: Interval, index: int, loose: bool) -> int:
        """What an iteration sees but for the mask, as a number: equal numbers for what is equal."""
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
            if condition.label in self.visits
            and self.visits[condition.label].axis not in self.family.masked_axes
        )
        names = sorted(body.touched.changed | body.touched.read)
        states = tuple(
            self._visible(self.family[name], self.box(self.family[name]), name in body.touched.moved, loose)
            for name in names
        )
        del self.visits[node.label]
        self._restore(node.axis, before)
        key = tile[1] - tile[0], context, conditions, states
        number = self.numbers.setdefault(key, len(self.numbers))
        if any(
            self.family[name].chain == node.axis and _mentions(seen, _NOT_BEGUN)
            for name, seen in zip(names, states, strict=True)
        ):
            # A chain that has not begun may have by the next tile though nothing was done to it.
            self.passing.add(number)
        return number

    def _visible(self, array: Array, box: Box, slow: bool, loose: bool) -> Hashable:
        """State of a box relative to the current tiles: one value where it is the same throughout."""
        found: list[tuple[Box, Hashable]] = []
        cells = self.peek(array, box)
        for cell, state in cells:
            if len(cells) > 1 and self._words(array, cell) == 0:
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
        if array.chain not in self.family.masked_axes:
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
            return "none" if self.mask.started(axis, lines, tile[0]) else _NOT_BEGUN
        if self._alike(array, cell, progress, tile[1]) and self.mask.has_pairs(axis, lines, tile):
            return "end", self._is_complete(array, cell, progress)
        if not self._alike(array, cell, progress, tile[0]):
            return _Unique()
        return "start" if self.mask.started(axis, lines, tile[0]) else _NOT_BEGUN

    # What an iteration does

    def _record(self, node: Loop, body: _Body, whole: Interval, index: int, loose: bool) -> _Effect:
        """Run an iteration for real and write down what it did."""
        before = self.enter(node, whole, index)
        names = sorted(body.touched.changed | body.touched.moved)
        snapshot = {name: _Before(self.fields[name], self.box(self.family[name])) for name in names}
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
        for name, level in itertools.product(names, (0, 1)):
            changes = self._changes(self.family[name], level, snapshot[name], loose)
            if changes is None:
                effect.reusable = False
            else:
                effect.changes += changes
        effect.whole = all(change.part is None for change in effect.changes)
        effect.carries_only = (
            effect.whole
            and effect.growth == 0
            and not any(node.axis in self.family[change.array].axes for change in effect.changes)
        )
        if peak >= self.peak:
            self.peak, self.peak_words = peak, words
        self.leave(node, before)
        return effect

    def _changes(self, array: Array, level: int, before: _Before, loose: bool) -> list[_Change] | None:
        """Return how one memory has changed in the current tiles; None if that cannot be said relative to them."""
        box = self.box(array)
        states: list[tuple[Box, tuple[bool, int] | None]] = []
        changed = False
        for cell, state in self.peek(array, box):
            if self._words(array, cell) == 0:
                continue
            new = int(state[level])
            if not all(self._alike(array, part, old[level], new) for part, old in before.parts(cell)):
                changed = True
            states.append((cell, self._relative(array, cell, new)))
        if not changed:
            return []
        found = []
        for cell, value in states:
            if value is None:
                return None
            found.append((cell, value))
        if len({value for _, value in found}) == 1:
            return [_Change(array.name, level, None, *found[0][1])]
        if loose:
            return None
        return [
            _Change(
                array.name,
                level,
                tuple((a - start, b - start) for (a, b), (start, _) in zip(cell, box, strict=True)),
                *value,
            )
            for cell, value in found
        ]

    def _relative(self, array: Array, cell: Box, value: int) -> tuple[bool, int] | None:
        """Progress relative to the current tile of the chain's axis; None if it is elsewhere."""
        tile = self.tiles.get(array.chain) if array.chain else None
        if value == 0 or array.chain is None:
            return False, value
        if tile is None:
            if array.chain not in self.family.masked_axes:
                return False, value
            return (
                (False, self.family.extents[array.chain]) if self._is_complete(array, cell, value) else None
            )
        if array.chain in self.family.masked_axes:
            # How far in the tile a chain has got may hang on where its pairs are, but not that it is at an end.
            ends = [end for end in reversed(tile) if self._alike(array, cell, value, end)]
            return (True, ends[0] - tile[0]) if ends else None
        if tile[0] < value <= tile[1]:
            return True, value - tile[0]
        if value == tile[0]:
            return True, 0
        return (False, value) if value == self.family.extents[array.chain] else None

    def _is_uniform(self, node: Loop, body: _Body, whole: Interval, index: int, end: int) -> bool:
        """Whether all tiles from one on see the same of the arrays along the loop's axis."""
        ahead = whole[0] + index * node.tile, min(whole[0] + end * node.tile, whole[1])
        outer = self.tiles.get(node.axis)
        self.tiles[node.axis] = ahead
        uniform = all(
            self._is_level(self.family[name], name in body.touched.moved)
            for name in body.touched.changed | body.touched.read
            if node.axis in self.family[name].axes
        )
        self._restore(node.axis, outer)
        return uniform

    def _is_level(self, array: Array, slow: bool) -> bool:
        """Whether the current box looks the same throughout, to whatever part of its lines one looks."""
        box = self.box(array)
        if isinstance(self._visible(array, box, slow, True), _Unique):
            return False
        if array.chain not in self.family.masked_axes or array.chain not in self.tiles:
            return True
        axis, lines, _ = self._line(array, box)
        begun = self.mask.started(axis, lines, self.tiles[array.chain][0])
        return begun in (0, self.mask.present(axis, *lines))

    def _apply(self, effect: _Effect, node: Loop, whole: Interval, index: int, times: int) -> None:
        """Account for iterations that do what another one did."""
        self.account(effect, node, index, times)
        self.write(effect, node, whole, index, times)

    def account(self, effect: _Effect, node: Loop, index: int, times: int) -> None:
        """Count what iterations move and the room they take."""
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

    def write(self, effect: _Effect, node: Loop, whole: Interval, index: int, times: int) -> None:
        """Write the state that iterations leave."""
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
            start = self.tiles[array.chain or ""][0] if change.relative else 0
            self.fields[array.name].view(box)[change.level] = start + change.value
        self._restore(node.axis, outer)


def _is_pair(array: Array) -> bool:
    return "i" in array.axes and "j" in array.axes


def _mentions(label: Hashable, what: str) -> bool:
    return label == what or (isinstance(label, tuple) and any(_mentions(part, what) for part in label))


class _Before:
    """The state of a box as it was."""

    def __init__(self, field: Field, box: Box) -> None:
        pieces, states = field.covering(box)
        self.cuts = [[piece[0][0], *(end for _, end in piece)] for piece in pieces]
        self.states = states.copy()

    def parts(self, cell: Box) -> Iterator[tuple[Box, tuple[int, int]]]:
        """Yield the parts of a cell that were cells before, with their states."""
        spans = []
        for cuts, (start, stop) in zip(self.cuts, cell, strict=True):
            low, high = bisect_right(cuts, start) - 1, bisect_left(cuts, stop)
            spans.append([(at, max(cuts[at], start), min(cuts[at + 1], stop)) for at in range(low, high)])
        for chosen in itertools.product(*spans):
            index: Any = (slice(None), *(at for at, _, _ in chosen))
            fast, slow = self.states[index].tolist()
            yield tuple((a, b) for _, a, b in chosen), (fast, slow)
