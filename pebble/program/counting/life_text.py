"""A program's text as the words of one array see it: what has to do with them, and where parts of axes end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from pebble.program.nodes import Loop, Node, Operation, Place, Program, When

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.family import Family
    from pebble.program.nodes import Interval

__all__ = ["ALL", "LINE", "Item", "LineSet", "Tiles", "Unproved", "WordText"]


class Unproved(Exception):
    """The proof stopped: at which operation, and what the word had seen by then."""


class Tiles(NamedTuple):
    """Tiles of a loop over one of the word's own axes: which one the word is in depends on nothing else.

    Attributes
    ----------
    axis : str
    start, stop, tile : int
    outer : Tiles or None
        Of the loop around over the same axis, which cuts it.
    same : Tiles or None
        Of the loop around with the same label: the two are one loop.
    """

    axis: str
    start: int
    stop: int
    tile: int
    outer: Tiles | None
    same: Tiles | None

    @property
    def single(self) -> bool:
        """Whether there is one tile only."""
        return self.same is None and self.tile >= (self.outer.tile if self.outer else self.stop - self.start)


LineSet = Tiles | str
"""A set of lines with the word's own in it: the tile of a loop over lines, the line alone, all of them."""
LINE, ALL = "line", "all"


class Item(NamedTuple):
    """A node of the text with its path; of a loop also what it runs over.

    Attributes
    ----------
    node : Node
    path : tuple of int
    body : tuple of Item
    whole : (int, int)
        What a loop that is in no other over its axis runs over.
    tiles : Tiles or None
        Of a loop over one of the word's own axes.
    inside : frozenset of LineSet
        Tiles of lines that this loop and those inside visit.
    """

    node: Node
    path: Place
    body: tuple[Item, ...] = ()
    whole: Interval = (0, 0)
    tiles: Tiles | None = None
    inside: frozenset[LineSet] = frozenset()


_Around = dict[str, "Tiles | int"]
"""By axis, the tiles of the innermost loop around; of an axis that is not the word's own their greatest length."""
_Labels = dict[str, "Tiles | None"]


class WordText:
    """What a program does with one array.

    Attributes
    ----------
    phases : list of tuple of Item
    cuts : dict of str to list of int
        Where parts of each axis begin and end, 0 and its length included.
    asked : set of Tiles
        Of loops over the word's own axes on whose ends something depends.
    """

    def __init__(self, program: Program, family: Family, array: Array, levels: int) -> None:
        self.family, self.array, self.levels = family, array, levels
        masked = [axis for axis in array.axes if axis in family.masked_axes]
        self.line = masked[0] if len(masked) == 1 else None
        # Of a pair, conditions on a query or a key depend on the other one's tile, which changes.
        self.free = frozenset(masked if len(masked) == 2 else ())
        self.asked: set[Tiles] = set()
        self._ends: dict[str, set[int]] = {axis: {0, extent} for axis, extent in family.extents.items()}
        self.phases = [self._nodes(one.body, (number,), {}, {}) for number, one in enumerate(program.phases)]
        self.cuts = {axis: sorted(ends) for axis, ends in self._ends.items()}

    def _nodes(
        self, nodes: Iterable[Node], path: Place, around: _Around, labels: _Labels
    ) -> tuple[Item, ...]:
        """Return the nodes that have to do with the array."""
        found = []
        for number, node in enumerate(nodes):
            place = (*path, number)
            if isinstance(node, Operation):
                if self._concerns(node):
                    self._read(node, around)
                    found.append(Item(node, place))
            elif isinstance(node, When):
                if body := self._nodes(node.body, place, around, labels):
                    if tiles := labels[node.condition.label]:
                        self.asked.add(tiles)
                    found.append(Item(node, place, body, inside=_inside(body)))
            elif item := self._loop(node, place, around, labels):
                found.append(item)
        return tuple(found)

    def _concerns(self, op: Operation) -> bool:
        """Whether an operation changes or reads the array."""
        if op.action not in ("load", "store", "compute", "delete") or op.level > self.levels:
            raise Unproved(f"{op}: another memory level, or a word of programs for several devices")
        reads = self.family[op.array].reads if op.action == "compute" else ()
        return self.array.name in (op.array, op.replacing, *(read.array for read in reads))

    def _read(self, op: Operation, around: _Around) -> None:
        """Note the ends of an operation's intervals; refuse a read at a step of a tile that may be longer."""
        at = {axis: (start, stop) for axis, start, stop in op.at}
        for axis, interval in at.items():
            self._ends[axis].update(interval)
        for read in self.family[op.array].reads if op.action == "compute" else ():
            if read.array == self.array.name and read.at_step:
                chain = str(self.array.chain)
                start, stop = at.get(chain, (0, self.family.extents[chain]))
                if around.get(chain, stop - start) != 1:
                    raise Unproved(f"{op} reads {read} at a step of a tile that may be longer")
            elif read.array == self.array.name and read.step == "later":
                tiles = around.get(str(self.family[op.array].chain))
                while isinstance(tiles, Tiles):
                    self.asked.add(tiles)
                    tiles = tiles.outer

    def _loop(self, node: Loop, path: Place, around: _Around, labels: _Labels) -> Item | None:
        """Return a loop, if it has to do with the array."""
        axis, outer = node.axis, around.get(node.axis)
        whole = node.start, self.family.extents[axis] if node.stop is None else node.stop
        tiles, asked = None, None
        if axis in self.array.axes:
            assert not isinstance(outer, int)
            tiles = Tiles(axis, *whole, node.tile, outer, labels.get(node.label))
            asked = None if axis in self.free else tiles
        length = min(node.tile, outer if isinstance(outer, int) else whole[1] - whole[0])
        body = self._nodes(node.body, path, {**around, axis: tiles or length}, {**labels, node.label: asked})
        if not body:
            return None
        if outer is None:
            self._ends[axis].update(whole)
        inside = _inside(body)
        if tiles and axis == self.line:
            inside |= {LINE if node.tile == 1 else tiles}
        return Item(node, path, body, whole, tiles, inside)


def _inside(items: Iterable[Item]) -> frozenset[LineSet]:
    """Return the tiles of lines that loops visit."""
    return frozenset().union(*(item.inside for item in items))
