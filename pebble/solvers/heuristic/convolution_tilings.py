"""Tilings of a convolution that somebody who knows it would try."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise, product
from math import ceil, prod

from pebble.solvers.heuristic.convolutions import Convolution
from pebble.solvers.heuristic.tiled_orders import Tiling, equal_sizes

__all__ = ["convolution_tilings"]

_LEAST_FULL = 0.3
"""Part of fast memory that what stays in it fills at least."""
_ROOM = 3
"""Words beside what stays: a weight, a product, a new sum."""


def convolution_tilings(convolution: Convolution, M: int) -> list[Tiling]:
    """Return tilings whose sums or weights stay in fast memory, that with the fewest loads and stores first.

    A tile is a box of filters and places. In it the sums go from channel to channel, then from row to row of the
    pixels or of the kernel; so each pixel and weight is loaded about once a tile. Or it is some channels of some
    filters, and the weights stay while the window goes over all places.

    Parameters
    ----------
    convolution : Convolution
        Its columns in their order are the axes of the tilings.
    M : int
        Words of fast memory.
    """
    nest = _Nest(convolution)
    found = [*_sums_stay(nest, M), *(_weights_stay(nest, M) if convolution.channel_first else ())]
    found.sort(key=lambda one: one[:2])
    return [tiling for *_, tilings in found for tiling in tilings]


class _Nest:
    def __init__(self, convolution: Convolution) -> None:
        parts = (convolution.outputs, convolution.channels, convolution.pixels, convolution.taps)
        ends = list(accumulate(map(len, parts), initial=0))
        self.outputs, self.channel, self.pixels, self.taps = (tuple(range(a, b)) for a, b in pairwise(ends))
        self.extent = [int(column.max(initial=0)) + 1 for column in convolution.columns]
        self.filters = self.outputs[: len(self.outputs) - len(self.taps)]
        self.places = self.outputs[len(self.filters) :]
        self.channels = prod(self.extent[axis] for axis in self.channel)
        self.kernel = prod(self.extent[axis] for axis in self.taps)
        self.channel_first = convolution.channel_first

    def loops(self) -> list[tuple[int, ...]]:
        """Return loops inside a tile: rows of pixels with a window of the kernel, both, the kernel."""
        pixels, taps = self.pixels, self.taps
        rows = [(*pixels[:-1], taps[-1], *taps[:-1]), pixels, taps]
        if len(pixels) > 1:
            rows.insert(1, (*taps[:-1], pixels[-1], taps[-1]))
        ordered = [
            (*self.channel, *loops) if self.channel_first else (*loops, *self.channel) for loops in rows
        ]
        return list(dict.fromkeys(ordered))

    def tiles(self, axes: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Return the tile loops of more than one tile."""
        return tuple((axis, size) for axis, size in zip(axes, sizes, strict=True) if size < self.extent[axis])

    def sizes(self, axes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield sizes of tiles on some axes."""
        return product(*(equal_sizes(self.extent[axis]) for axis in axes))


def _sums_stay(nest: _Nest, M: int) -> Iterator[tuple[bool, int, list[Tiling]]]:
    """Yield whether room is short, loads, and tilings whose sums stay in fast memory."""
    extent, outputs = nest.extent, nest.outputs
    whole, inner = prod(extent[axis] for axis in outputs), nest.loops()
    for sizes in nest.sizes(outputs):
        if prod(sizes) < M and (prod(sizes) >= _LEAST_FULL * M or prod(sizes) == whole):
            many = {axis: ceil(extent[axis] / size) for axis, size in zip(outputs, sizes, strict=True)}
            windows = prod(
                extent[axis] + many[axis] * (extent[tap] - 1)
                for axis, tap in zip(nest.places, nest.taps, strict=False)
            )
            pixels = windows * prod(many[axis] for axis in nest.filters)
            weights = nest.kernel * prod(
                many[axis] if axis in nest.places else extent[axis] for axis in outputs
            )
            tiles = nest.tiles(outputs, sizes)
            tight = prod(sizes) + sizes[-1] + _ROOM > M
            yield (
                tight,
                nest.channels * (pixels + weights),
                [Tiling(tiles, (*loops, *outputs)) for loops in inner],
            )


def _weights_stay(nest: _Nest, M: int) -> Iterator[tuple[bool, int, list[Tiling]]]:
    """Yield whether room is short, loads and stores of sums, and tilings whose weights stay in fast memory."""
    extent = nest.extent
    places = prod(extent[axis] for axis in nest.places)
    rows = prod(extent[axis] for axis in nest.taps[:-1])
    fixed = (*nest.filters, *nest.channel)
    for sizes in nest.sizes(fixed):
        filters, channels = prod(sizes[: len(nest.filters)]), prod(sizes[len(nest.filters) :])
        kept = channels * (filters + 1) * nest.kernel
        if _LEAST_FULL * M <= kept < M:
            times = [ceil(extent[axis] / size) for axis, size in zip(fixed, sizes, strict=True)]
            again = 2 * (prod(times[len(nest.filters) :]) - 1)
            pixels = nest.channels * rows * places * prod(times[: len(nest.filters)])
            sums = again * places * prod(extent[axis] for axis in nest.filters)
            tiles = nest.tiles(fixed, sizes)
            points = (*nest.places, *nest.channel, *nest.taps, *nest.filters)
            yield kept + 2 > M, pixels + sums, [Tiling(tiles, points)]
