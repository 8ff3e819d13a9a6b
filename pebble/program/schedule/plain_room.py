"""The room that a program needs without a mask, from its text: much quicker than the machine, for searches only.

It takes for granted what :mod:`.batch_counts` does: the program is valid, nothing is loaded that is in fast memory,
and all of what is deleted is. What a search finds this way is measured by the machine in the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pebble.common.errors import NoClosedForm
from pebble.program.nodes import Condition, Loop, Operation
from pebble.program.steps import loop_range, tile_at, tile_count

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.nodes import Interval, Node, Program

__all__ = ["plain_room"]


class _RoomNeeded(NamedTuple):
    """Words at the peak above those at the beginning, and words left behind."""

    peak: int
    growth: int


def plain_room(program: Program, family: Family) -> int:
    """Return the words of fast memory that a program needs at its peak, without a mask.

    Parameters
    ----------
    program : Program
        Valid for the family.
    family : Family

    Raises
    ------
    NoClosedForm
        Where the text does not say: operations yielded one by one or on given boxes, sums in any order.

    Notes
    -----
    Cost: of each loop three iterations, the first, the last, and one that stands for all between.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program.language import compute, delete, load, loop, program, store
    >>> text = program(loop("i", 8, loop("j", 3,
    ...     loop("k", 1, load("A", "B"), compute("C"), delete("A", "B")), store("C"), delete("C"))))
    >>> plain_room(text, matmul_family(100, 50, 20))
    36
    """
    if family.masked_axes or any(part.generate is not None for part in program.phases):
        raise NoClosedForm("the text does not say what room is needed")
    walk = _PlainWalk(family)
    peak = growth = 0
    for part in program.phases:
        one = walk.body(part.body)
        peak, growth = max(peak, growth + one.peak), growth + one.growth
    return peak


class _PlainWalk:
    """Follows the loops of a program, with the current tile of every axis and the current iteration of every loop."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.tiles: dict[str, Interval] = {}
        self.visits: dict[str, tuple[int, int]] = {}

    def body(self, nodes: tuple[Node, ...]) -> _RoomNeeded:
        peak = growth = 0
        for node in nodes:
            one = self._node(node)
            peak, growth = max(peak, growth + one.peak), growth + one.growth
        return _RoomNeeded(peak, growth)

    def _node(self, node: Node) -> _RoomNeeded:
        if isinstance(node, Operation):
            return self._operation(node)
        if isinstance(node, Loop):
            return self._loop(node)
        return self.body(node.body) if self._holds(node.condition) else _RoomNeeded(0, 0)

    def _holds(self, condition: Condition) -> bool:
        return condition.holds_at(*self.visits[condition.label])

    def _loop(self, node: Loop) -> _RoomNeeded:
        whole, before = loop_range(node, self.tiles, self.family), self.tiles.get(node.axis)
        count, outside = tile_count(*whole, node.tile), self.visits.get(node.label)
        peak = growth = 0
        for index in sorted({min(at, count - 1) for at in (0, 1, count - 1)}) if count > 0 else ():
            self.tiles[node.axis], self.visits[node.label] = tile_at(*whole, node.tile, index), (index, count)
            one, times = self.body(node.body), count - 2 if index == 1 and count > 2 else 1
            peak = max(peak, growth + one.peak + max(one.growth, 0) * (times - 1))
            growth += one.growth * times
        self._put_back(node, before, outside)
        return _RoomNeeded(peak, growth)

    def _put_back(self, node: Loop, tile: Interval | None, visit: tuple[int, int] | None) -> None:
        self.tiles.pop(node.axis, None)
        self.visits.pop(node.label, None)
        if tile is not None:
            self.tiles[node.axis] = tile
        if visit is not None:
            self.visits[node.label] = visit

    def _operation(self, op: Operation) -> _RoomNeeded:
        array = self.family[op.array]
        if op.at or array.sum is not None:
            raise NoClosedForm("operations are on given boxes, or sums in any order")
        words = self._words(array)
        if op.action == "load":
            return _RoomNeeded(words, words)
        if op.action != "compute":
            return _RoomNeeded(0, -words if op.action == "delete" else 0)
        new, step = words, 0
        if array.chain is not None:
            start, stop = self._interval(array.chain)
            new, step = words * (start == 0), int(words > 0 and (start > 0 or stop - start > 1))
        if op.replacing is None:
            return _RoomNeeded(new + step, new)
        return _RoomNeeded(step + min(new, 1), new - self._words(self.family[op.replacing]))

    def _words(self, array: Array) -> int:
        words = 1
        for axis in array.axes:
            start, stop = self._interval(axis)
            words *= stop - start
        return words

    def _interval(self, axis: str) -> Interval:
        return self.tiles.get(axis) or (0, self.family.extents[axis])
