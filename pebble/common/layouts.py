"""Layouts of tokens over devices that have a name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput

LAYOUTS = ("contiguous", "zigzag", "striped")
"""Layouts that have a name."""


def tile_owner(layout: str, devices: int) -> NDArray[np.int64]:
    """Return the device of each tile of tokens: as many tiles as devices, twice as many for ``zigzag``.

    >>> tile_owner("zigzag", 3)
    array([0, 1, 2, 2, 1, 0])
    """
    if layout not in LAYOUTS:
        raise InvalidInput(
            f"unknown layout {layout!r}; known: {', '.join(LAYOUTS)}, or the device of each token"
        )
    device = np.arange(devices)
    return np.concatenate([device, device[::-1]]) if layout == "zigzag" else device


def equal_tiles(tokens: int, count: int) -> NDArray[np.int64]:
    """Return the sizes of ``count`` tiles, as equal as possible: the first ones have a token more.

    >>> equal_tiles(8, 3)
    array([3, 3, 2])
    """
    least, more = divmod(tokens, count)
    return np.full(count, least, np.int64) + (np.arange(count) < more)
