"""The room that a program needs without a mask, from its text: much quicker than the machine, for searches only.

It takes for granted what :mod:`.batch_counts` does: the program is valid, nothing is loaded that is in fast memory,
and all of what is deleted is. What a search finds this way is measured by the machine in the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pebble.common.errors import NoClosedForm
from pebble.program.nodes import Condition, Loop, Operation
from pebble.program.steps import loop_range, tile_at, tile_count

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.nodes import Interval, Node, Program

__all__ = ["PlainRooms", "plain_room"]


_Needs = tuple[int, int]
"""Words at the peak above those at the beginning, and words left behind."""


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
    Cost: of each loop three iterations, the first, the last, and one that stands for all between; or the first and a
    shorter last one, where nothing inside asks which iteration it is.

    Examples
    --------
    >>> from pebble.computations.matmul import matmul_family
    >>> from pebble.program.language import compute, delete, load, loop, program, store
    >>> text = program(loop("i", 8, loop("j", 3,
    ...     loop("k", 1, load("A", "B"), compute("C"), delete("A", "B")), store("C"), delete("C"))))
    >>> plain_room(text, matmul_family(100, 50, 20))
    36
    """
    return PlainRooms(family).of(program)


class PlainRooms:
    """The room that programs need, phase by phase: what one needs is kept for the next program with the same phase.

    A search changes few sizes at a time, and most of them shape one phase.

    Parameters
    ----------
    family : Family
    """

    def __init__(self, family: Family) -> None:
        self.family = family
        self._known: dict[tuple[Node, ...], _Needs] = {}

    def of(self, program: Program) -> int:
        """Return the words that a program needs at its peak; NoClosedForm as :func:`plain_room`."""
        if self.family.masked_axes or any(part.generate is not None for part in program.phases):
            raise NoClosedForm("the text does not say what room is needed")
        peak = growth = 0
        for part in program.phases:
            above, more = self._phase(part.body)
            peak, growth = max(peak, growth + above), growth + more
        return peak

    def _phase(self, body: tuple[Node, ...]) -> _Needs:
        """Return what a phase needs: no loop is around it, so that it needs the same wherever it stands."""
        found = self._known.get(body)
        if found is None:
            walk = _PlainWalk(self.family)
            for node in body:
                walk.note_asked(node)
            found = self._known[body] = walk.body(body)
        return found


class _PlainWalk:
    """Follows the loops of a program, with the current tile of every axis and the current iteration of every loop."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.tiles: dict[str, Interval] = {}
        self.lengths = dict(family.extents)
        self.visits: dict[str, tuple[int, int]] = {}
        self.asked: dict[int, frozenset[str]] = {}

    def note_asked(self, node: Node) -> frozenset[str]:
        """Note and return what a node asks about: the labels of its conditions, and the axes of its chains."""
        if isinstance(node, Operation):
            chain = self.family[node.array].chain if node.action == "compute" else None
            return frozenset() if chain is None else frozenset((chain,))
        found = frozenset().union(*(self.note_asked(inner) for inner in node.body))
        if isinstance(node, Loop):
            self.asked[id(node)] = found
            return found
        return found | {node.condition.label}

    def body(self, nodes: tuple[Node, ...]) -> _Needs:
        peak = growth = 0
        for node in nodes:
            if isinstance(node, Operation):
                above, more = self._operation(node)
            elif isinstance(node, Loop):
                above, more = self._loop(node)
            elif self._holds(node.condition):
                above, more = self.body(node.body)
            else:
                continue
            if growth + above > peak:
                peak = growth + above
            growth += more
        return peak, growth

    def _holds(self, condition: Condition) -> bool:
        return condition.holds_at(*self.visits[condition.label])

    def _loop(self, node: Loop) -> _Needs:
        whole, before = loop_range(node, self.tiles, self.family), self.tiles.get(node.axis)
        count, outside = tile_count(*whole, node.tile), self.visits.get(node.label)
        peak = growth = 0
        for index, times in self._iterations(node, whole, count):
            self.tiles[node.axis] = tile = tile_at(*whole, node.tile, index)
            self.lengths[node.axis], self.visits[node.label] = tile[1] - tile[0], (index, count)
            above, more = self.body(node.body)
            peak = max(peak, growth + above + max(more, 0) * (times - 1))
            growth += more * times
        self._put_back(node, before, outside)
        return peak, growth

    def _iterations(self, node: Loop, whole: Interval, count: int) -> list[tuple[int, int]]:
        """Return the iterations to look at, and how many each stands for."""
        if count < 2:
            return [(0, 1)] * count
        if self.asked[id(node)].isdisjoint((node.label, node.axis)):  # equally long tiles do the same
            full = count if (whole[1] - whole[0]) % node.tile == 0 else count - 1
            return [(0, full), (count - 1, 1)][: 1 + count - full]
        return [(0, 1), (1, count - 2), (count - 1, 1)] if count > 2 else [(0, 1), (1, 1)]

    def _put_back(self, node: Loop, tile: Interval | None, visit: tuple[int, int] | None) -> None:
        self.tiles.pop(node.axis, None)
        self.visits.pop(node.label, None)
        self.lengths[node.axis] = self.family.extents[node.axis] if tile is None else tile[1] - tile[0]
        if tile is not None:
            self.tiles[node.axis] = tile
        if visit is not None:
            self.visits[node.label] = visit

    def _operation(self, op: Operation) -> _Needs:
        array = self.family[op.array]
        if op.at or array.sum is not None:
            raise NoClosedForm("operations are on given boxes, or sums in any order")
        action = op.action
        if action not in ("load", "compute", "delete"):
            return 0, 0
        words = self._words(array)
        if action == "load":
            return words, words
        if action == "delete":
            return 0, -words
        new, step = words, 0
        if array.chain is not None:
            start, stop = self.tiles.get(array.chain) or (0, self.family.extents[array.chain])
            new, step = words * (start == 0), int(words > 0 and (start > 0 or stop - start > 1))
        if op.replacing is None:
            return new + step, new
        return step + min(new, 1), new - self._words(self.family[op.replacing])

    def _words(self, array: Array) -> int:
        words, lengths = 1, self.lengths
        for axis in array.axes:
            words *= lengths[axis]
        return words
