"""Tilings of a convolution that somebody who knows it would try."""

from __future__ import annotations

from itertools import accumulate, pairwise, product
from math import ceil, prod

from pebble.solvers.heuristic.convolutions import Convolution
from pebble.solvers.heuristic.tiled_orders import Tiling, equal_sizes

__all__ = ["convolution_tilings"]

_LEAST_FULL = 0.3
"""Part of fast memory that the sums of a tile fill at least."""

_ROOM = 3
"""Words beside the sums and a row of pixels: a weight, a product, a new sum."""


def convolution_tilings(convolution: Convolution, M: int) -> list[Tiling]:
    """Return tilings whose sums stay in fast memory, that with the fewest loads first.

    A tile is a box of filters and places. In it the sums go from channel to channel, then from row to row of the
    pixels or of the kernel; so each pixel and weight is loaded about once a tile.

    Parameters
    ----------
    convolution : Convolution
        Its columns in their order are the axes of the tilings.
    M : int
        Words of fast memory.
    """
    parts = (convolution.outputs, convolution.channels, convolution.pixels, convolution.taps)
    ends = list(accumulate(map(len, parts), initial=0))
    outputs, channel, pixels, taps = (tuple(range(a, b)) for a, b in pairwise(ends))
    extent = [int(column.max(initial=0)) + 1 for column in convolution.columns]
    inner = _inner_loops(pixels, taps)
    first = convolution.channel_first
    inner = [(*channel, *loops) if first else (*loops, *channel) for loops in inner]
    found, whole = [], prod(extent[axis] for axis in outputs)
    for sizes in product(*(equal_sizes(extent[axis]) for axis in outputs)):
        if prod(sizes) < M and (prod(sizes) >= _LEAST_FULL * M or prod(sizes) == whole):
            tight = prod(sizes) + sizes[-1] + _ROOM > M
            found.append((tight, _loads(sizes, extent, outputs, taps), sizes))
    tilings = []
    for *_, sizes in sorted(found):
        tiles = tuple((axis, size) for axis, size in zip(outputs, sizes, strict=True) if size < extent[axis])
        tilings += [Tiling(tiles, (*loops, *outputs)) for loops in inner]
    return tilings


def _inner_loops(pixels: tuple[int, ...], taps: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return loops inside a tile: along rows of pixels with a window of the kernel, along both, or along the kernel."""
    rows = [(*pixels[:-1], taps[-1], *taps[:-1]), pixels, taps]
    if len(pixels) > 1:
        rows.insert(1, (*taps[:-1], pixels[-1], taps[-1]))
    return list(dict.fromkeys(rows))


def _loads(sizes: tuple[int, ...], extent: list[int], outputs: tuple[int, ...], taps: tuple[int, ...]) -> int:
    """Return the loads of all tiles for one channel, if each pixel and weight of a tile is loaded once."""
    tiles = [ceil(extent[axis] / size) for axis, size in zip(outputs, sizes, strict=True)]
    first = len(outputs) - len(taps)
    window = prod(
        extent[axis] + tiles[axis] * (extent[tap] - 1)
        for axis, tap in zip(outputs[first:], taps, strict=False)
    )
    weights = prod(extent[axis] for axis in (*outputs[:first], *taps))
    return prod(tiles[:first]) * window + prod(tiles[first:]) * weights
