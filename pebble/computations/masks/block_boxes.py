"""Boxes of a mask of blocks that see the same: each can be moved back to the first one of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
    from pebble.computations.masks.mask import Interval

__all__ = ["first_alike", "within_pairs"]


def first_alike(
    mask: BlockToeplitzMask, axis: str, lines: Interval, partners: Interval
) -> tuple[Interval, Interval]:
    """Return the first box, by whole blocks, that has the pairs of a box and the same pairs around.

    For each line of either axis, and each place of the box on the other axis, the lines of both boxes agree whether
    there is a pair before the place, behind it, and any at all. docs/induction.md proves it.

    Parameters
    ----------
    mask : BlockToeplitzMask
    axis : str
        The lines' axis.
    lines, partners : (int, int)

    Returns
    -------
    tuple of (int, int)
        Lines and partners; those given, where the box is too near to an end of an axis.

    Examples
    --------
    Queries that see some keys from afar are alike from block to block, and so are the keys:

    >>> from pebble.computations.masks import strided_mask
    >>> first_alike(strided_mask(1000, 10), "i", (513, 515), (108, 112))
    ((63, 65), (18, 22))
    """
    queries, keys = (lines, partners) if axis == "i" else (partners, lines)
    back = _blocks_back(mask, queries, keys)
    moved = [
        (start - mask.period * blocks, stop - mask.period * blocks)
        for (start, stop), blocks in zip((queries, keys), back, strict=True)
    ]
    return (moved[0], moved[1]) if axis == "i" else (moved[1], moved[0])


def _blocks_back(mask: BlockToeplitzMask, queries: Interval, keys: Interval) -> tuple[int, int]:
    """Return by how many blocks the queries and the keys of a box may be moved back."""
    period, depth = mask.period, mask.depth
    whole = mask.extents["i"] // period
    (row, last_row), (column, last_column) = (
        (start // period, (stop - 1) // period) for start, stop in (queries, keys)
    )
    if row >= last_column + depth + 2:
        keys_back = max(column - 1, 0)
        queries_back = row - (last_column - keys_back + depth + 2)
        return queries_back if last_row + 2 <= whole else 0, keys_back
    if max(last_row, last_column + depth) + 2 <= whole:
        back = max(min(row - depth, column - 1), 0)
        return back, back
    return 0, 0


def within_pairs(
    mask: BlockToeplitzMask, axis: str, lines: Interval, tile: int, partners: Interval
) -> Interval:
    """Return the tiles of some lines, as lines, without those that are on the empty side of the diagonal's blocks.

    Parameters
    ----------
    mask : BlockToeplitzMask
    axis : str
        The lines' axis.
    lines : (int, int)
        Cut into tiles from the first one on.
    tile : int
    partners : (int, int)

    Examples
    --------
    >>> from pebble.computations.masks import strided_mask
    >>> within_pairs(strided_mask(1000, 10), "j", (0, 1000), 8, (512, 514))
    (0, 520)
    """
    start, stop = lines
    period = mask.period
    if axis == "i":
        before = max(partners[0] // period * period - start, 0) // tile
        return min(start + before * tile, stop), stop
    end = ((partners[1] - 1) // period + 1) * period
    return start, min(start + -(-max(end - start, 0) // tile) * tile, stop)
