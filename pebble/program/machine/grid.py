"""The grid of cells on which the machine keeps its state: tile boundaries cut every axis into a few cells."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from pebble.common.errors import TooManyOperations
from pebble.computations.family import Family
from pebble.program.nodes import Interval, Loop, Operation, Program, When
from pebble.program.steps import tile_at, tile_count

__all__ = ["Grid", "executed_tiles", "make_grid"]

TILE_LIMIT = 1_000_000


@dataclass(frozen=True)
class Grid:
    """Cuts of every axis, and where each cut stands.

    Parameters
    ----------
    cuts : dict of str to list of int
        Ascending, from 0 to the axis's length.
    """

    cuts: dict[str, list[int]]

    def __post_init__(self) -> None:
        position = {axis: {cut: i for i, cut in enumerate(cuts)} for axis, cuts in self.cuts.items()}
        object.__setattr__(self, "_position", position)

    def cells(self, axis: str, interval: Interval) -> slice:
        """Slice of cells that make up an interval of an axis."""
        position: dict[int, int] = self._position[axis]  # type: ignore[attr-defined]
        return slice(position[interval[0]], position[interval[1]])

    def count(self, axis: str) -> int:
        """Number of cells of an axis."""
        return len(self.cuts[axis]) - 1

    def lengths(self, axis: str) -> list[int]:
        """Length of every cell of an axis."""
        cuts = self.cuts[axis]
        return [b - a for a, b in itertools.pairwise(cuts)]


def _check_number(node: Loop, outer: set[Interval], lumped: bool) -> None:
    """Refuse a loop that would have to be run iteration by iteration too many times."""
    count = 0 if lumped else sum(tile_count(start, stop, node.tile) for start, stop in outer)
    if count > TILE_LIMIT:
        raise TooManyOperations(
            f"loop over {node.label} in tiles of {node.tile}: induction does not apply, and {count:,} iterations "
            f"are more than the {TILE_LIMIT:,} that are run one by one"
        )


def executed_tiles(start: int, stop: int, tile: int, lumped: bool) -> list[int]:
    """Numbers of the tiles a loop executes for real: first, second and last if the others are lumped."""
    count = tile_count(start, stop, tile)
    return [0, 1, count - 1] if lumped and count > 4 else list(range(count))


def make_grid(program: Program, family: Family, lumped: Callable[[Loop], bool]) -> Grid:
    """Collect the boundaries of all tiles that are executed."""
    cuts: dict[str, set[int]] = {axis: {0, extent} for axis, extent in family.extents.items()}

    def visit(node: Operation | Loop | When, inside: dict[str, set[Interval]]) -> None:
        if isinstance(node, Operation):
            for axis, start, stop in node.at:
                cuts[axis].update((start, stop))
            return
        if isinstance(node, Loop):
            extent = family.extents[node.axis]
            whole = (node.start, extent if node.stop is None else node.stop)
            outer = inside.get(node.axis, {whole})
            _check_number(node, outer, lumped(node))
            tiles = {
                tile_at(start, stop, node.tile, index)
                for start, stop in outer
                for index in executed_tiles(start, stop, node.tile, lumped(node))
            }
            for interval in tiles:
                cuts[node.axis].update(interval)
            inside = {**inside, node.axis: tiles}
        for inner in node.body:
            visit(inner, inside)

    for part in program.phases:
        for node in part.nodes():
            visit(node, {})
    return Grid({axis: sorted(values) for axis, values in cuts.items()})
