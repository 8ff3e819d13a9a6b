"""Loops over single lines, all lines of a kind at once.

What a body without further loops over lines does on a line depends on the line's pairs with its partners, and on
whether it has a pair before them. So it is enough to know how many lines of a kind there are, where the order of the
kinds does not matter for the room that they take; see docs/proofs/counting.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pebble.common.errors import TooManyOperations
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.staircase import first_of_equals
from pebble.program.counting.box_words import BoxWords
from pebble.program.counting.boxes import BoxTable, Effect, OneLine, total
from pebble.program.counting.life import Here
from pebble.program.nodes import Loop, Operation, When

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.family import Family
    from pebble.program.counting.texts import Text
    from pebble.program.nodes import Node

    Whole = NDArray[Any]
    Path = tuple[int, ...]


class LineAsks(NamedTuple):
    """What the body of a loop over single lines asks about a line.

    Attributes
    ----------
    before : bool
        Whether it has a pair before its partners.
    begins : bool
        Whether it is the first line of one of its partners.
    labels : frozenset of str
        Loops over partners of which the first tile is asked.
    """

    before: bool = False
    begins: bool = False
    labels: frozenset[str] = frozenset()

    def __or__(self, other: tuple[Any, ...]) -> LineAsks:
        before, begins, labels = other
        return LineAsks(self.before or before, self.begins or begins, self.labels | labels)


def asks_of_lines(
    nodes: Sequence[Node],
    path: Path,
    axis: str,
    family: Family,
    here: Mapping[Path, Here],
    axes: Mapping[str, str],
) -> LineAsks | None:
    """Return what a body asks about single lines of an axis; None if it is more than :class:`LineAsks` tells.

    Parameters
    ----------
    nodes, path
        The body, and its place in the text.
    axis : str
    family : Family
    here : mapping of path to Here
    axes : mapping of str to str
        Of each label of a loop the axis.
    """
    found = LineAsks()
    for number, node in enumerate(nodes):
        place, more = (*path, number), LineAsks()
        if isinstance(node, Operation):
            for name in filter(None, (node.array, node.replacing)):
                chain = family[name].chain
                started = node.action == "compute" or here.get(place, Here("all", False)).place != "all"
                if chain in family.masked_axes and started:
                    more |= LineAsks(before=chain != axis, begins=chain == axis)
            if node.at:
                return None
        elif isinstance(node, Loop) and node.axis in family.masked_axes:
            return None
        elif isinstance(node, When) and axes.get(node.condition.label) in family.masked_axes:
            label = node.condition.label
            if axes[label] == axis or node.condition.which == "last":
                return None
            more = LineAsks(before=True, labels=frozenset([label]))
        if not isinstance(node, Operation):
            inner = asks_of_lines(node.body, place, axis, family, here, axes)
            if inner is None:
                return None
            more |= inner
        found |= more
    return found


def may_be_asked(asks: LineAsks, rows: BoxTable, axis: str) -> bool:
    """Whether the loops of which the first tile is asked run over all partners, in the tiles at hand."""
    p, q = rows.box[OTHER_AXIS[axis]]
    for label in asks.labels:
        _, low, _, start, stop = rows.loops[label]
        if low.any() or not (np.array_equal(start, p) and np.array_equal(stop, q)):
            return False
    return True


def all_begun(asked: Any, axis: str, low: Whole, high: Whole, p: Whole, q: Whole) -> Whole:
    """Return the first places from ``low`` to ``high`` before which all partners in [p, q) have begun that ever do.

    ``high`` where there is none.
    """
    other = OTHER_AXIS[axis]
    ever = asked.begun(other, p, q, high)
    begin, end = low, high
    while (begin < end).any():
        middle = (begin + end) // 2
        yes = asked.begun(other, p, q, middle) == ever
        begin, end = np.where(yes, begin, np.minimum(middle + 1, end)), np.where(yes, middle, end)
    return begin


class LineKinds:
    """The kinds of lines that some loops visit, with how many there are of each.

    Parameters
    ----------
    asked : Questions
    axis : str
    asks : LineAsks
        Partners have all begun.
    low, high, p, q : ndarray of int64, shape (n,)
        Lines of each loop, and their partners; one partner where a line is asked for what is before it.

    Attributes
    ----------
    row : ndarray of int64
        Loop that each kind belongs to, never decreasing.
    times : ndarray of int64
        How often the words that a line of the kind moves come.
    lines : OneLine
        The kinds.
    """

    def __init__(
        self, asked: Any, axis: str, asks: LineAsks, low: Whole, high: Whole, p: Whole, q: Whole
    ) -> None:
        pairs = asked.pairs(axis, low, high, p, q)
        self._single = q - p == 1
        number, several = pairs.copy(), np.flatnonzero(~self._single)
        if len(several):
            number[several] = asked.lines_seen(axis, *(one[several] for one in (low, high, p, q)))
        new = asked.begun(axis, low, high, q) - asked.begun(axis, low, high, p) if asks.before else 0 * pairs
        # Of single partners lines that begin, and others; of several, lines with 1, 2 and the most pairs.
        one, none = np.ones_like(pairs), np.zeros_like(pairs)
        length = np.stack([one, 2 * one, np.maximum(q - p, 2)], axis=1)
        length[self._single] = 1
        before = np.stack([none, one, one], axis=1).astype(bool)
        before[~self._single] = True
        more = pairs - number
        times = np.where(
            self._single[:, None],
            np.stack([new, number - new, none], axis=1),
            np.stack([number - more, more, none], axis=1),
        )
        some = np.where(self._single[:, None], times > 0, number[:, None] > 0)
        self.row = np.flatnonzero(some.ravel()) // some.shape[1]
        self.times = times[some]
        other = OTHER_AXIS[axis]
        partners, begun = asked.present(other, p, q), asked.begun(other, p, q, high)
        self.lines = OneLine(axis, length[some], before[some], partners[self.row], begun[self.row])

    def joined(self, done: Effect) -> tuple[Effect, Whole, NDArray[np.bool_], NDArray[np.bool_]]:
        """Join the effects of the kinds of each loop.

        Returns
        -------
        effect : Effect
        loops : ndarray of int64
        right : ndarray of bool
            Whether the room of each loop is right: where all lines take as much above what they leave, or one kind of
            them alone leaves anything, and none takes more.
        largest : ndarray of bool
            Whether it is that of the line with the most pairs: where lines leave nothing, and take more for more pairs.
        """
        starts = first_of_equals(self.row).nonzero()[0]
        loops = self.row[starts]
        parent = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(self.row))))
        grown, room = total(done.grown), done.room
        after = room - grown  # what a line takes above what it leaves
        least, most = (reduce.reduceat(after, starts) for reduce in (np.minimum, np.maximum))
        low, high = (reduce.reduceat(room, starts) for reduce in (np.minimum, np.maximum))
        moving = grown != 0
        kinds = np.add.reduceat(moving.astype(np.int64), starts)
        up, down = (np.minimum.reduceat(way, starts) for way in (grown >= 0, grown <= 0))
        last_is_most = np.maximum.reduceat(moving & (after == most[parent]), starts)
        first_is_most = np.maximum.reduceat(moving & (room == high[parent]), starts)
        alone = self._single[loops] & ((kinds == 0) | (np.diff(np.append(starts, len(self.row))) == 1))
        one = self._single[loops] & (kinds == 1)
        right = up & ((least == most) | alone | (one & last_is_most))
        right |= down & ((low == high) | alone | (one & first_is_most))
        rises = np.append((room[1:] >= room[:-1]) | (parent[1:] != parent[:-1]), True)
        largest = ~self._single[loops] & (kinds == 0) & np.minimum.reduceat(rises, starts)
        sums = np.add.reduceat(done.grown * self.times, starts, axis=1)
        top = np.where(up, total(sums) + most, high)
        return Effect(sums, top, done.at[:, starts]), loops, right, largest & ~right


class FoldOfLines(BoxWords, ABC):
    """Loops over single lines of programs of one text.

    Parameters
    ----------
    text, here, by_array, level, inclusive, most
        As of :class:`pebble.program.counting.effects.Fold`.
    """

    def __init__(
        self,
        text: Text,
        here: Mapping[Path, Here],
        by_array: bool,
        level: int,
        inclusive: bool,
        most: int,
    ) -> None:
        super().__init__(text, here, by_array, level, inclusive)
        self.most, self.boxes = most, 0
        self.asks_of_lines: dict[Path, LineAsks | None] = {}

    @abstractmethod
    def _nothing(self, n: int) -> Effect: ...

    @abstractmethod
    def _nodes(self, nodes: Sequence[Node], path: Path, rows: BoxTable) -> Effect: ...

    @abstractmethod
    def _tile_by_tile(
        self, node: Loop, path: Path, rows: BoxTable, loop: tuple[Whole, Whole, Whole]
    ) -> Effect: ...

    def _look_at(self, boxes: int) -> None:
        self.boxes += boxes
        if self.boxes > self.most:
            raise TooManyOperations(
                f"not verified at this size: more than {self.most:,} boxes of tiles would have to be "
                "examined; use larger tiles"
            )

    def _in_lines(
        self, node: Loop, path: Path, rows: BoxTable, loop: tuple[Whole, Whole, Whole]
    ) -> Effect | None:
        """Return the effects of loops over single lines, lines of a kind at once; None if they ask for more."""
        axis, asks = node.axis, self.asks_of_lines.get(path)
        if asks is None or OTHER_AXIS[axis] not in rows.box or not may_be_asked(asks, rows, axis):
            return None
        (low, high, tile), (p, q) = loop, rows.box[OTHER_AXIS[axis]]
        able = (tile == 1) & ((q - p == 1) | (not asks.before))
        if not able.any():
            return None
        begin = np.where(able, low, high)
        if asks.begins:
            some = np.flatnonzero(able)
            begin[some] = all_begun(self._asked, axis, *(one[some] for one in (low, high, p, q)))
        effect, first = self._nothing(len(rows)), np.flatnonzero(begin > low)
        if len(first):
            part = low[first], begin[first], tile[first]
            effect.put(first, self._tile_by_tile(node, path, rows.take(first), part))
        rest = np.flatnonzero(begin < high)
        if len(rest):
            lines = begin[rest], high[rest], tile[rest]
            effect.put(rest, effect.take(rest).then(self._by_kind(node, path, rows.take(rest), lines)))
        return effect

    def _by_kind(self, node: Loop, path: Path, rows: BoxTable, loop: tuple[Whole, Whole, Whole]) -> Effect:
        """Return the effects of loops over single lines of which only the kinds matter."""
        (low, high, tile), asks, other = loop, self.asks_of_lines[path], OTHER_AXIS[node.axis]
        assert asks is not None
        kinds = LineKinds(self._asked, node.axis, asks, low, high, *rows.box[other])
        effect = self._nothing(len(rows))
        if not len(kinds.row):
            return effect
        self._look_at(len(kinds.row))
        inner = rows.take(kinds.row)
        inner.weight, inner.line = inner.weight * kinds.times, kinds.lines
        done, loops, right, largest = kinds.joined(self._nodes(node.body, path, inner))
        effect.put(loops, done)
        # Of the others only the room is looked for: words have been counted.
        if largest.any():
            some = loops[largest]
            again = rows.take(some)
            again.weight, (p, q) = again.weight * 0, again.box[other]
            most = self._asked.most_pairs(node.axis, low[some], high[some], p, q)
            again.line = kinds.lines.take(np.searchsorted(kinds.row, some))._replace(pairs=most)
            effect.put(some, self._nodes(node.body, path, again))
        rest = loops[~(right | largest)]
        if len(rest):
            again = rows.take(rest)
            again.weight = again.weight * 0
            effect.put(rest, self._tile_by_tile(node, path, again, (low[rest], high[rest], tile[rest])))
        return effect
