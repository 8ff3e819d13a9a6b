"""About how many tiles the machine looks at under a mask of blocks that repeat, told before a program is run.

It executes a few rounds of tiles until those of all loops and the mask's blocks begin together again, and in each tile
of an outer loop a few rounds of the inner one, and what lies near the diagonal (docs/induction.md). So lengths of tiles
that share no factor with those of the blocks take as many tiles as the product of both numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.bodies import nodes_in
from pebble.program.machine.stretches import grids_inside
from pebble.program.nodes import Loop, Operation
from pebble.program.steps import loop_range, tile_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pebble.computations.family import Family
    from pebble.program.nodes import Interval, Node, Program

__all__ = ["MOST_TILES", "foretold_tiles"]

MOST_TILES = 1_000_000
"""So many tiles take some minutes; what is told to need more is not begun."""

_ROUNDS, _ROUNDS_INSIDE = 5, 4
"""How many rounds are executed, of a loop outside of all others over queries and keys, and of one inside."""
_EDGE_BLOCKS, _EDGE_BLOCKS_INSIDE = 6, 4
"""How many blocks, at the ends of an axis and near the diagonal, are in no round."""
_LINES, _LINES_STORED = 40, 200
"""Loops over single lines inside of a tile take runs of them: so many tiles, as measured, without stores and with."""
_PAIRS = 10_000
"""So many pairs of lines, one by one, with a tile take as long as a tile."""
_ROUNDS_IN_BLOCK = 6
"""How many rounds a part of a block must have to be executed in rounds."""
_FEW = 3
"""Iterations of a loop over an axis without a mask."""


def foretold_tiles(program: Program, family: Family, phases: Iterable[int] | None = None) -> int:
    """Return about how many tiles the machine looks at; 0 under masks that are not made of blocks that repeat.

    Measured, one takes 0.1 to 0.5 ms. It is no bound: tiles that see the same may make it several times less.

    Parameters
    ----------
    program : Program
    family : Family
    phases : iterable of int, optional
        Numbers of the phases to be looked at; all by default.
    """
    mask = family.mask
    if not isinstance(mask, BlockToeplitzMask):
        return 0
    chosen = range(len(program.phases)) if phases is None else phases
    bodies = [program.phases[number].body for number in chosen]
    return round(sum(_Count(family, mask).of(body, {}) for body in bodies))


class _Count:
    """The count of tiles for one family."""

    def __init__(self, family: Family, mask: BlockToeplitzMask) -> None:
        self.family, self.period = family, mask.period
        self.masked, self.extents = family.masked_axes, family.extents
        self._parts = {axis: len(mask.parts_of_blocks[axis]) for axis in self.masked}
        # The share of a far block's pairs that are allowed.
        self._share = sum(band.pairs for band in mask.patterns[-1]) / mask.period**2

    def of(self, nodes: tuple[Node, ...], tiles: Mapping[str, Interval]) -> float:
        """Return how many tiles loops look at, inside of current ones."""
        found = 0.0
        for node in nodes:
            if isinstance(node, Loop):
                start, stop = loop_range(node, tiles, self.family)
                if stop > start:
                    inside = {**tiles, node.axis: (start, min(stop, start + node.tile))}
                    body = self.of(node.body, inside)
                    if OTHER_AXIS.get(node.axis) in tiles:
                        # Most tiles inside a tile of the other axis see what one before saw: none of their loops runs.
                        body = min(body, 1)
                    found += self._executed(node, (start, stop), tiles) * (1 + body)
            elif not isinstance(node, Operation):
                found += self.of(node.body, tiles)
        return found

    def _executed(self, node: Loop, whole: Interval, tiles: Mapping[str, Interval]) -> float:
        """Return how many iterations of a loop are executed, or looked at."""
        count = tile_count(*whole, node.tile)
        if node.axis not in self.masked:
            return min(count, _FEW)
        if node.axis in tiles:
            return min(count, _FEW) if node.tile == 1 else count
        other = tiles.get(OTHER_AXIS[node.axis])
        few = self._outermost(node) if other is None else self._inside(node, other[1] - other[0])
        return min(count, few)

    def _outermost(self, node: Loop) -> float:
        other = OTHER_AXIS[node.axis]
        grids = [grid.tile for grid in grids_inside(node.body, other, (0, self.extents[other]))]
        if self.period >= _ROUNDS_IN_BLOCK * node.tile and not any(self.period % tile for tile in grids):
            length = math.lcm(*grids) // math.gcd(math.lcm(*grids), node.tile)
            return _ROUNDS * _ROUNDS_IN_BLOCK * self._parts[node.axis] * length
        period = math.lcm(self.period, *grids)
        return _ROUNDS * period // math.gcd(period, node.tile) + _EDGE_BLOCKS * self.period / node.tile

    def _inside(self, node: Loop, partners: int) -> float:
        if node.tile == 1:
            stored = any(isinstance(one, Operation) and one.action == "store" for one in nodes_in(node.body))
            # The pairs of so many lines, those near the diagonal, are written out at a time.
            pairs = partners * (partners + self.period)
            return (_LINES_STORED if stored else _LINES) + pairs / _PAIRS
        length = self.period // math.gcd(self.period, node.tile)
        visited = min(1, (node.tile + partners) / self.period + self._share)
        far = visited * (_ROUNDS_INSIDE * length + _EDGE_BLOCKS_INSIDE * self.period / node.tile)
        return far + (partners + self.period) / node.tile
