"""Single lines of a mask of whole blocks that see all of the other axis: numbers of partners tell what they do.

docs/induction.md proves it; what lines with other numbers do follows from four (:mod:`.interpolation`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.block_mask import BlockMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.machine.interpolation import depends_on_numbers
from pebble.program.machine.segments import is_without_places
from pebble.program.machine.tile_runs import TileRun

if TYPE_CHECKING:
    from pebble.computations.family import Family
    from pebble.computations.masks.mask import Interval, Mask
    from pebble.program.machine.bodies import Body
    from pebble.program.nodes import Loop

__all__ = ["numbers_tell_lines", "runs_of_block_lines"]


def numbers_tell_lines(mask: Mask | None, family: Family, node: Loop, body: Body) -> bool:
    """Whether nothing but the number of its partners matters of a line.

    Parameters
    ----------
    mask : Mask
    family : Family
    node : Loop
        With no loop over an axis of the mask around it.
    body : Body
        What is known of its body.
    """
    return (
        isinstance(mask, BlockMask)
        and node.tile == 1
        and depends_on_numbers(body)
        and not (body.own_lines or body.asks_begun or body.in_place)
        and is_without_places(family, node, body)
        and all(mask.present(axis) == extent for axis, extent in mask.extents.items())
    )


def runs_of_block_lines(mask: BlockMask, axis: str, whole: Interval) -> list[TileRun]:
    """Runs of single lines, those of a block each, with the number of their partners in the signature."""
    side, extent = mask.sides[axis], mask.extents[OTHER_AXIS[axis]]
    edges = np.arange(whole[0] // side + 1, -(-whole[1] // side)) * side
    starts, stops = np.append(whole[0], edges), np.append(edges, whole[1])
    both = (starts, starts + 1), (np.zeros_like(starts), np.full_like(starts, extent))
    pairs = mask.counts(*(both if axis == "i" else both[::-1]))
    return [
        TileRun(start - whole[0], stop - start, (extent, extent, number, 0, 0, 0, 0, 0, 0, None))
        for start, stop, number in zip(starts.tolist(), stops.tolist(), pairs.tolist(), strict=True)
    ]
