"""Words moved and room needed by many programs at once, under a mask on short axes.

Programs of one schedule differ in a few numbers. Their loops are followed side by side: every step works on all
current tiles of all programs, as arrays. It takes for granted that the programs are valid, that nothing is loaded that
is in fast memory, and that all of what is deleted is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import NoClosedForm
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.nodes import Condition, Operation, Program
from pebble.program.parts_in_turn import check_parts, family_of_part
from pebble.program.schedule.batch_text import LoopText, MoveText, NodeText, TextReader, WhenText
from pebble.program.schedule.pair_tables import Ends, PairTables, Whole, pair_tables

__all__ = ["BatchCounts", "batch_counts"]

_AT_ONCE = 128
"""So many programs are followed side by side, so that the arrays stay small."""
_MERGED = 64
"""From so many tiles on, those that see the same are followed once."""


class BatchCounts(NamedTuple):
    """What programs, or parts of them, do.

    Attributes
    ----------
    words : ndarray of int
        Words moved.
    room : ndarray of int
        Words of fast memory at the peak, above those at the beginning.
    growth : ndarray of int
        Words left in fast memory, less those at the beginning.
    """

    words: Whole
    room: Whole
    growth: Whole

    def at(self, places: Whole) -> BatchCounts:
        """Return some of them, in another order or several times."""
        return BatchCounts(self.words[places], self.room[places], self.growth[places])


def batch_counts(programs: Sequence[Program], family: Family, phases: Collection[int]) -> BatchCounts:
    """Count what some phases of programs do, without running them.

    Parameters
    ----------
    programs : sequence of Program
    family : Family
        Under a mask. The tables take memory of the order of the third power of the number of queries or keys.
    phases : collection of int
        Numbers of phases.

    Raises
    ------
    NoClosedForm
        If the text of a program does not say what it needs.
    """
    assert family.mask is not None
    if any(program.parts for program in programs):
        return _counts_of_parts(programs, family, phases)
    reader = TextReader(family, phases)
    texts: dict[int, tuple[NodeText, ...]] = {}
    alike: dict[int, list[int]] = {}
    numbers = []
    for place, program in enumerate(programs):
        text, own = reader.read(program)
        texts[id(text)] = text
        alike.setdefault(id(text), []).append(place)
        numbers.append(own)
    found = np.zeros((3, len(programs)), dtype=np.int64)
    tables = pair_tables(family.mask)
    for identity, all_places in alike.items():
        for start in range(0, len(all_places), _AT_ONCE):
            some = all_places[start : start + _AT_ONCE]
            values = np.array([numbers[place] for place in some], dtype=np.int64).reshape(len(some), -1)
            walk, start_of_all = (
                _BatchWalk(family, tables, values),
                _CurrentTiles(np.arange(len(some)), {}, {}),
            )
            found[:, some] = walk.body(texts[identity], start_of_all)
    return BatchCounts(*found)


def _counts_of_parts(programs: Sequence[Program], family: Family, phases: Collection[int]) -> BatchCounts:
    """Count what programs for each part of the mask do; parts may leave nothing behind."""
    parts = check_parts(programs[0], family)
    found = np.zeros((3, len(programs)), dtype=np.int64)
    for kind, (mask, times) in enumerate(zip(parts.masks, parts.times, strict=True)):
        texts = [program.parts[kind].program for program in programs]
        words, room, growth = batch_counts(texts, family_of_part(family, mask), phases)
        if growth.any() and len(parts.kinds) > 1:
            raise NoClosedForm("what one part leaves in fast memory is room that another lacks")
        found += times * words, np.maximum(found[1], room) - found[1], growth
    return BatchCounts(*found)


@dataclass(frozen=True)
class _LoopVisits:
    """The current iterations of a loop: its axis, its tiles, what it runs over, and which tile of how many it is."""

    axis: str
    tile: Ends
    whole: Ends
    index: Whole
    count: Whole

    def at(self, places: Whole) -> _LoopVisits:
        """Return some of them, in another order or several times."""
        ends = (_at(self.tile, places), _at(self.whole, places))
        return _LoopVisits(self.axis, *ends, self.index[places], self.count[places])


@dataclass(frozen=True)
class _CurrentTiles:
    """Current tiles, and the program each belongs to."""

    program: Whole
    tiles: dict[str, Ends]
    visits: dict[str, _LoopVisits]

    def __len__(self) -> int:
        return len(self.program)

    def asked_by(self, conditions: Collection[str]) -> _CurrentTiles:
        """Return them with those visits only that some conditions ask about."""
        visits = {label: visit for label, visit in self.visits.items() if label in conditions}
        return _CurrentTiles(self.program, self.tiles, visits)

    def at(self, places: Whole) -> _CurrentTiles:
        """Return some of them, in another order or several times."""
        tiles = {axis: _at(ends, places) for axis, ends in self.tiles.items()}
        visits = {label: visit.at(places) for label, visit in self.visits.items()}
        return _CurrentTiles(self.program[places], tiles, visits)


def _at(ends: Ends, places: Whole) -> Ends:
    return ends[0][places], ends[1][places]


class _BatchWalk:
    """Follows the loops of programs with the same text."""

    def __init__(self, family: Family, tables: PairTables, numbers: Whole) -> None:
        self.family, self.tables, self.numbers = family, tables, numbers

    def body(self, nodes: Sequence[NodeText], now: _CurrentTiles) -> BatchCounts:
        """Count what nodes do one after the other."""
        words, room, growth = (np.zeros(len(now), dtype=np.int64) for _ in range(3))
        for node in nodes:
            if isinstance(node, MoveText):
                one = self._operation(node, now)
            elif isinstance(node, WhenText):
                one = self._when(node, now)
            else:
                one = self._merged(node, now)
            words += one.words
            np.maximum(room, growth + one.room, out=room)
            growth += one.growth
        return BatchCounts(words, room, growth)

    def _when(self, node: WhenText, now: _CurrentTiles) -> BatchCounts:
        holds = np.flatnonzero(self._holds(node.condition, now))
        found = np.zeros((3, len(now)), dtype=np.int64)
        if len(holds):
            found[:, holds] = self.body(node.body, now.at(holds))
        return BatchCounts(*found)

    def _holds(self, condition: Condition, now: _CurrentTiles) -> NDArray[np.bool_]:
        visit, first = now.visits[condition.label], condition.which == "first"
        if visit.axis not in self.family.masked_axes:
            holds = visit.index == (0 if first else visit.count - 1)
        else:
            rest = (visit.whole[0], visit.tile[0]) if first else (visit.tile[1], visit.whole[1])
            holds = self._pairs(visit.axis, rest, now) == 0
        return np.asarray(holds != condition.negated)

    # Loops

    def _merged(self, node: LoopText, now: _CurrentTiles) -> BatchCounts:
        """Count what a loop does, once for all tiles that see the same."""
        if len(now) < _MERGED:
            return self._loop(node, now)
        columns = [self.numbers[now.program, number] for number in node.numbers]
        columns += [end for ends in now.tiles.values() for end in ends]
        for label in node.conditions:
            if label in now.visits:
                visit = now.visits[label]
                columns += [*visit.tile, *visit.whole, visit.index, visit.count]
        _, chosen, inverse = np.unique(_codes(columns, len(now)), return_index=True, return_inverse=True)
        if 2 * len(chosen) > len(now):
            return self._loop(node, now)
        return self._loop(node, now.at(chosen)).at(inverse)

    def _loop(self, node: LoopText, now: _CurrentTiles) -> BatchCounts:
        tile, start, stop = (self.numbers[now.program, node.number + n] for n in range(3))
        low, high = whole = now.tiles.get(node.axis, (start, stop))
        count = np.maximum(-((low - high) // tile), 0)
        masked = node.axis in self.family.masked_axes
        # Where no mask is, all iterations between the first and the last do the same.
        executed = count if masked else np.minimum(count, 3)
        parent = np.repeat(np.arange(len(now)), executed)
        index = np.arange(len(parent)) - np.repeat(np.cumsum(executed) - executed, executed)
        times = np.ones(len(parent), dtype=np.int64)
        if not masked:
            many = (count > 3)[parent]
            times = np.where(many & (index == 1), count[parent] - 2, times)
            index = np.where(many & (index == 2), count[parent] - 1, index)
        inner = now.asked_by(node.conditions).at(parent)
        begin = low[parent] + index * tile[parent]
        ends = begin, np.minimum(begin + tile[parent], high[parent])
        visit = _LoopVisits(node.axis, ends, _at(whole, parent), index, count[parent])
        if masked:
            kept = np.flatnonzero(self._pairs(node.axis, ends, inner) > 0)
            inner, visit, parent, times = inner.at(kept), visit.at(kept), parent[kept], times[kept]
        visits = inner.visits
        if node.label in node.conditions:
            visits = {**visits, node.label: visit}
        inner = _CurrentTiles(inner.program, {**inner.tiles, node.axis: visit.tile}, visits)
        return _in_turn(self.body(node.body, inner), times, parent, len(now))

    def _pairs(self, axis: str, lines: Ends, now: _CurrentTiles) -> Whole:
        other = self._interval(OTHER_AXIS[axis], now)
        return self.tables.pairs(lines, other) if axis == "i" else self.tables.pairs(other, lines)

    def _interval(self, axis: str, now: _CurrentTiles) -> Ends:
        if axis in now.tiles:
            return now.tiles[axis]
        whole = np.zeros(len(now), dtype=np.int64)
        return whole, whole + self.family.extents[axis]

    # Operations

    def _operation(self, node: MoveText, now: _CurrentTiles) -> BatchCounts:
        operation, array = node.operation, self.family[node.operation.array]
        none = np.zeros(len(now), dtype=np.int64)
        if operation.action == "compute":
            return self._compute(operation, array, now, none)
        words = self._held(node, array, now)
        if operation.action == "load":
            return BatchCounts(words, words, words)
        return (
            BatchCounts(words, none, none) if operation.action == "store" else BatchCounts(none, none, -words)
        )

    def _compute(self, operation: Operation, array: Array, now: _CurrentTiles, none: Whole) -> BatchCounts:
        if operation.replacing is not None:
            if array.chain is not None:
                raise NoClosedForm("a chain replaces another array")
            return BatchCounts(none, np.minimum(self._words(array, now), 1), none)
        if array.chain is None:
            words = self._words(array, now)
            return BatchCounts(none, words, words)
        start, stop = steps = self._interval(array.chain, now)
        if array.chain not in self.family.masked_axes:
            words = self._words(array, now)
            new = np.where(start > 0, 0, words)
            step = (words > 0) & ((start > 0) | (stop - start > 1))
            return BatchCounts(none, new + step, new)
        axis, rest = self._line(array, now)
        begin, more = self.tables.advanced(axis, self._interval(axis, now), steps)
        return BatchCounts(none, begin * rest + more, begin * rest)

    def _words(self, array: Array, now: _CurrentTiles) -> Whole:
        """Return the words of the current boxes of an array."""
        masked = [axis for axis in array.axes if axis in self.family.masked_axes]
        rest = self._rest(array, now)
        if not masked:
            return rest
        if len(masked) == 2:
            return rest * self._pairs(masked[0], self._interval(masked[0], now), now)
        return rest * self.tables.present(masked[0], self._interval(masked[0], now))

    def _held(self, node: MoveText, array: Array, now: _CurrentTiles) -> Whole:
        """Return the words of the current boxes that have begun."""
        if not node.upto:
            return self._words(array, now)
        assert array.chain is not None
        axis, rest = self._line(array, now)
        if node.upto == "number":
            upto = self.numbers[now.program, node.number]
        else:
            upto = self._interval(array.chain, now)[node.upto == "stop"]
        return rest * self.tables.begun(axis, self._interval(axis, now), upto)

    def _line(self, array: Array, now: _CurrentTiles) -> tuple[str, Whole]:
        """Return the axis along which an array has a masked chain for each line, and the words of a line."""
        axis = next(axis for axis in array.axes if axis in self.family.masked_axes)
        return axis, self._rest(array, now)

    def _rest(self, array: Array, now: _CurrentTiles) -> Whole:
        found = np.ones(len(now), dtype=np.int64)
        for axis in array.axes:
            if axis not in self.family.masked_axes:
                start, stop = self._interval(axis, now)
                found = found * (stop - start)
        return found


def _codes(columns: Sequence[Whole], length: int) -> Whole:
    """Return numbers that are equal where all columns are."""
    code, most = np.zeros(length, dtype=np.int64), 1
    for column in columns:
        size = int(column.max()) + 1
        if most * size >= 1 << 62:
            code = np.unique(code, return_inverse=True)[1]
            most = length
        code, most = code * size + column, most * size
    return code


def _in_turn(one: BatchCounts, times: Whole, parent: Whole, length: int) -> BatchCounts:
    """Return what iterations do one after the other, each of them some times, for each tile around them."""
    found = np.zeros((3, length), dtype=np.int64)
    if len(parent):
        growth = one.growth * times
        room = one.room + np.maximum((times - 1) * one.growth, 0)
        starts = np.flatnonzero(np.append(True, parent[1:] != parent[:-1]))
        before = np.cumsum(growth) - growth
        room = room + before - np.repeat(before[starts], np.diff(np.append(starts, len(parent))))
        around = parent[starts]
        found[0, around] = np.add.reduceat(one.words * times, starts)
        found[1, around] = np.maximum.reduceat(room, starts)
        found[2, around] = np.add.reduceat(growth, starts)
    return BatchCounts(*found)
