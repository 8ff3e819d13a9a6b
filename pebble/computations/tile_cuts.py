"""Tiles of tokens under a mask: their pairs, and where to cut them so that a device needs all of a tile or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.mask import OTHER_AXIS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks import Mask

    Whole = NDArray[np.int64]

_MOST_INTERVALS = 1 << 20
_MOST_BOXES = 1 << 24
_MOST_DEGREES = 1 << 30


def need_cuts(mask: Mask, axis: str, partners: Whole) -> tuple[int, ...]:
    """Return the lines of an axis from which on a line has partners in other tiles than the line before it.

    Intervals of lines are halved until all their lines see a tile of partners, or none does.

    Parameters
    ----------
    mask : Mask
    axis : {"i", "j"}
    partners : ndarray of int64
        Where the tiles of the other axis begin, and where the last one ends.

    Examples
    --------
    The last three keys of each tile are needed by the next tile of queries too:

    >>> from pebble.computations.masks import make_mask
    >>> need_cuts(make_mask("window:4", 24, 24), "j", np.array([0, 8, 16, 24]))
    (5, 8, 13, 16)
    """
    tile = np.arange(len(partners) - 1)
    start, stop = np.zeros_like(tile), np.full_like(tile, mask.extents[axis])
    starts, tiles, states = [], [], []
    while len(tile):
        seen = mask.questions.lines_seen(axis, start, stop, partners[tile], partners[tile + 1])
        mixed = (seen > 0) & (seen < stop - start)
        starts.append(start[~mixed])
        tiles.append(tile[~mixed])
        states.append(seen[~mixed] > 0)
        start, stop, tile = start[mixed], stop[mixed], tile[mixed]
        if len(tile) > _MOST_INTERVALS:
            raise InvalidInput(f"mask {mask.spec}: too many places at which what devices need changes")
        middle = (start + stop) // 2
        start, stop, tile = np.append(start, middle), np.append(middle, stop), np.append(tile, tile)
    place, of, state = (np.concatenate(column) for column in (starts, tiles, states))
    order = np.lexsort((place, of))
    place, of, state = place[order], of[order], state[order]
    changes = (of[1:] == of[:-1]) & (state[1:] != state[:-1])
    return tuple(np.unique(place[1:][changes]).tolist())


def pairs_of_tiles(mask: Mask, queries: Whole, keys: Whole) -> Whole:
    """Return the pairs of each tile of queries with each tile of keys, a row a tile of queries.

    >>> from pebble.computations.masks import make_mask
    >>> pairs_of_tiles(make_mask("window:2", 4, 4), np.array([0, 2, 4]), np.array([0, 1, 4]))
    array([[2, 1],
           [0, 4]])
    """
    shape = len(queries) - 1, len(keys) - 1
    if shape[0] * shape[1] > _MOST_BOXES:
        raise InvalidInput(
            f"mask {mask.spec} cuts the tokens into {shape[0]:,} tiles of queries and {shape[1]:,} of keys, which "
            "different devices need; that is too many to count: use fewer devices"
        )
    query, key = (one.ravel() for one in np.indices(shape))
    found = mask.questions.pairs("i", queries[query], queries[query + 1], keys[key], keys[key + 1])
    return found.reshape(shape)


def pairs_of_stripes(mask: Mask, P: int) -> Whole:
    """Return the pairs of the queries that are p modulo P with the keys that are s, a row for each p.

    >>> from pebble.computations.masks import make_mask
    >>> pairs_of_stripes(make_mask("window:2", 4, 4), 2)
    array([[2, 1],
           [2, 2]])
    """
    Nq, Nk = (mask.extents[axis] for axis in OTHER_AXIS)
    if (Nq + Nk) * P > _MOST_DEGREES:
        raise InvalidInput(
            f"mask {mask.spec} is counted in the striped layout up to (Nq + Nk)·P = {_MOST_DEGREES:,}"
        )
    stripes = np.arange(Nq) % P
    columns = [
        np.bincount(stripes, mask.degrees("i", np.arange(Nk) % P == stripe), minlength=P)
        for stripe in range(P)
    ]
    return np.stack(columns, axis=1).astype(np.int64)
