"""The operations of a program one by one, in the order in which its loops execute them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pebble.computations.family import Family
from pebble.program.nodes import Interval, Loop, Node, Operation, Place, Program, When
from pebble.program.parts_in_turn import written_out
from pebble.program.visits import Visit, visited


def tile_count(start: int, stop: int, tile: int) -> int:
    """Number of tiles of [start, stop), the ragged last one included."""
    return -((start - stop) // tile)


def tile_at(start: int, stop: int, tile: int, index: int) -> Interval:
    """Bounds of tile number ``index`` of [start, stop)."""
    return start + index * tile, min(stop, start + (index + 1) * tile)


def loop_range(node: Loop, tiles: Mapping[str, Interval], family: Family) -> Interval:
    """What a loop runs over: the tile of an enclosing loop over its axis, its own part, or the whole axis."""
    if node.axis in tiles:
        return tiles[node.axis]
    return node.start, family.extents[node.axis] if node.stop is None else node.stop


@dataclass(frozen=True)
class Step:
    """One executed operation: the tile of every axis at that moment, and where in the loops it is.

    Attributes
    ----------
    operation : Operation
    tiles : mapping of str to (start, stop)
    path : tuple of (label, index, count)
        The iteration of every enclosing loop, the outermost first.
    place : tuple of int
        Where the operation stands in the program: the number of its phase, then of the node in each body.
    """

    operation: Operation
    tiles: Mapping[str, Interval]
    path: tuple[tuple[str, int, int], ...]
    place: Place = ()

    def interval(self, axis: str, family: Family) -> Interval:
        """The operation's interval on an axis."""
        return self.tiles.get(axis) or (0, family.extents[axis])

    def box(self, name: str, family: Family) -> tuple[Interval, ...]:
        """The operation's box on the index axes of an array."""
        return tuple(self.interval(axis, family) for axis in family[name].axes)


def walk(program: Program, family: Family) -> Iterator[Step]:
    """Execute every iteration of every loop in order, lazily.

    Cost is proportional to the number of operations executed; use :func:`pebble.run` for large sizes.
    """
    for number, part in enumerate(written_out(program, family).phases):
        for inner_number, node in enumerate(part.nodes()):
            yield from _walk(node, family, {}, (), (), (number, inner_number))


def _walk(
    node: Node,
    family: Family,
    tiles: dict[str, Interval],
    visits: tuple[tuple[str, Visit], ...],
    path: tuple[tuple[str, int, int], ...],
    place: Place,
) -> Iterator[Step]:
    if isinstance(node, Operation):
        own = {**tiles, **{axis: (a, b) for axis, a, b in node.at}} if node.at else tiles
        yield Step(node, own, path, place)
    elif isinstance(node, When):
        if node.condition.holds(dict(visits)[node.condition.label], tiles, family):
            for number, inner in enumerate(node.body):
                yield from _walk(inner, family, tiles, visits, path, (*place, number))
    else:
        whole = loop_range(node, tiles, family)
        count = tile_count(*whole, node.tile)
        for index in visited(node.axis, whole, node.tile, tiles, family):
            tile = tile_at(*whole, node.tile, index)
            visit = Visit(node.axis, index, count, whole, tile, dict(visits).get(node.label))
            inside = (*visits, (node.label, visit))
            inside_path, inside_tiles = (*path, (node.label, index, count)), {**tiles, node.axis: tile}
            for number, inner in enumerate(node.body):
                yield from _walk(inner, family, inside_tiles, inside, inside_path, (*place, number))
