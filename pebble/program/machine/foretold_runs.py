"""About how many runs of tiles the machine executes under masks of blocks or of pairs, told before a program is run.

Of an outer loop some lines of every block are executed, or every tile where a block has few; in each of them the inner
loop takes runs of tiles that see the same, and of these there are about as many as places at which the blocks change.
Under a mask kept pair by pair every tile of an outer loop is executed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks import ButterflyMask, DenseMask, EqualBlocks
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.bodies import Bodies, nodes_in
from pebble.program.machine.lines_of_blocks import numbers_tell_lines
from pebble.program.machine.tiles_in_classes import classes_of_tiles
from pebble.program.nodes import Loop, Operation
from pebble.program.steps import loop_range, tile_count

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.computations.masks import Mask
    from pebble.program.machine.bodies import Body
    from pebble.program.nodes import Interval, Node, Program

__all__ = ["MOST_RUNS", "MOST_SEARCHED", "foretold_runs", "is_large_array"]

MOST_RUNS = 1_000_000
"""So many take some minutes; what is told to need more is not begun."""

MOST_SEARCHED = 2**22
"""Under masks kept pair by pair, tiles are searched, and nothing is foretold, up to this many pairs."""
_SHORT = 2**14
"""On axes up to so long nothing is told."""
_ROUNDS = 6
"""Lines of a block that are executed; and tiles of a block must be so many for that."""
_LINES_BY_NUMBER = 40
"""Lines that are executed where numbers of partners tell what all others do."""
_FEW_DIGITS = 13
"""Of so many digits of a butterfly's blocks the classes of tiles are counted."""
_STRIPS = 9
"""Tiles of an outer loop of which the mean is taken."""


def foretold_runs(program: Program, family: Family, phases: Collection[int] | None = None) -> int:
    """Return about how many runs are executed; 0 under other masks, and on short axes.

    Measured, one takes 0.01 to 0.15 ms. It is no bound.
    """
    mask = family.mask
    if mask is None or not (is_large_array(mask) or _is_long(mask)):
        return 0
    bodies = Bodies(program, family)
    chosen = program.phases if phases is None else [program.phases[number] for number in phases]
    return round(sum(_outside(phase.body, mask, family, bodies) for phase in chosen))


def is_large_array(mask: Mask) -> bool:
    """Whether a mask is kept pair by pair and each look at it takes long."""
    return isinstance(mask, DenseMask) and mask.Nq * mask.Nk > MOST_SEARCHED


def _is_long(mask: Mask) -> bool:
    return isinstance(mask, EqualBlocks) and max(mask.extents.values()) > _SHORT


def _outside(nodes: tuple[Node, ...], mask: Mask, family: Family, bodies: Bodies) -> float:
    """Return how many runs the loops of some nodes take that are in no loop over an axis of the mask."""
    found = 0.0
    for node in nodes:
        if isinstance(node, Operation):
            continue
        if not isinstance(node, Loop) or node.axis not in family.masked_axes:
            found += _outside(node.body, mask, family, bodies)
            continue
        start, stop = loop_range(node, {}, family)
        count = tile_count(start, stop, node.tile)
        if count:
            inner = [
                one
                for one in nodes_in(node.body)
                if isinstance(one, Loop) and one.axis == OTHER_AXIS[node.axis]
            ]
            numbers = np.unique(np.linspace(0, count - 1, _STRIPS).astype(int)).tolist()
            strips = [(start + at * node.tile, min(start + (at + 1) * node.tile, stop)) for at in numbers]
            runs = sum(_inside(one, strip, mask, family) for strip in strips for one in inner) / len(strips)
            found += _executed(node, (start, stop), family, bodies) * (1 + runs)
    return found


def _executed(node: Loop, whole: Interval, family: Family, bodies: Bodies) -> int:
    """Return how many tiles of an outer loop are executed."""
    mask, count = family.mask, tile_count(*whole, node.tile)
    if isinstance(mask, ButterflyMask):
        return min(count, _classes(node, mask, family, bodies.of(node)) or _ROUNDS * mask.blocks)
    if isinstance(mask, DenseMask):
        return count
    assert isinstance(mask, EqualBlocks)
    if numbers_tell_lines(mask, family, node, bodies.of(node)):
        return min(count, _LINES_BY_NUMBER)
    return min(count, _ROUNDS * len(mask.steady_parts(node.axis)))


def _classes(node: Loop, mask: ButterflyMask, family: Family, body: Body) -> int:
    """Return about how many classes of tiles there are, 0 for none: as in a part of the mask, but for its digits."""
    digits = min(mask.digits, _FEW_DIGITS)
    part = mask if digits == mask.digits else mask.part(1 << digits)
    classes = classes_of_tiles(part, family, node, body)
    few = tile_count(0, part.extents[node.axis], node.tile)
    if 2 * len(classes) > few:
        return len(classes) * mask.blocks // part.blocks
    return len(classes) * mask.digits**2 // digits**2


def _inside(node: Loop, strip: Interval, mask: Mask, family: Family) -> int:
    """Return how many runs of its tiles a loop takes for some lines of the other axis."""
    whole = loop_range(node, {}, family)
    changes = len(mask.pattern_changes(node.axis, whole, strip)) + 1
    return min(tile_count(*whole, node.tile), changes)
