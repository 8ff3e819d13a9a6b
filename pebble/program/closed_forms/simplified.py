"""Loops left out that make no difference to which blocks are visited, or to what is asked about them."""

from __future__ import annotations

from dataclasses import replace

from pebble.program.closed_forms.blocks import Blocks, End, Side

__all__ = ["simplified"]


def simplified(blocks: Blocks) -> Blocks | None:
    """Return the same blocks with as few loops as can be; None if a condition holds nowhere.

    A loop of one tile is its own first and last tile. A loop whose tiles the next loop cuts into equal parts makes no
    cut that the next loop does not make; it stays if a condition asks for its tiles or for the first of those inside.
    """
    sides, ends = {axis: blocks[axis] for axis in "ij"}, list(blocks.ends)
    for axis, side in sides.items():
        level = 1
        while level <= len(side.tiles):
            tiles = side.tiles
            partner = any(end.axis != axis and end.partner == level for end in ends)
            if level == 1 and tiles[0] >= side.stop - side.start and (side.whole or not partner):
                if any(end.axis == axis and end.level == 1 and end.negated for end in ends):
                    return None
                ends = [end for end in ends if (end.axis, end.level) != (axis, 1)]
            elif (
                level == len(tiles)
                or tiles[level - 1] % tiles[level]
                or partner
                or any(end.axis == axis and level in (end.level, end.within) for end in ends)
            ):
                level += 1
                continue
            side = _without(side, level)
            ends = [_lowered(end, axis, level) for end in ends]
            level = 1  # The loop before may be cut into equal parts by the one that is next now.
        sides[axis] = side
    return Blocks(sides["i"], sides["j"], tuple(ends))


def _without(side: Side, level: int) -> Side:
    return replace(side, tiles=side.tiles[: level - 1] + side.tiles[level:])


def _lowered(end: End, axis: str, level: int) -> End:
    """Number the levels behind one that is left out anew."""
    if end.axis == axis:
        return replace(end, level=end.level - (end.level > level), root=end.root - (end.root > level))
    return replace(end, partner=end.partner - (end.partner >= level))
