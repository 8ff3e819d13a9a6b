"""The tile sizes with which a nest moves the fewest words in exactly M words of fast memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.solvers.nests.tiled_nest import Needs, evaluated, split_at, tile_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_SIZES = 1 << 17
"""Most combinations of sizes to try; where there are more, only sizes on a logarithmic scale."""

_LONG = 1 << 24
_MOST_OF_A_LONG_AXIS = 1 << 12


@dataclass(frozen=True)
class TiledNeeds:
    """Words that a nest moves with these tile sizes, by formula."""

    words: int
    sizes: dict[str, int]


def variables_of(needs: Needs) -> list[str]:
    """Return the axes whose tile size is open."""
    names = {name for room in needs.rooms for names in room for name in names}
    counts = {name[1:] for names in needs.words for name in names if name.startswith("#")}
    return sorted(names | counts)


def least_words(needs: Needs, extents: Mapping[str, int]) -> int:
    """Return the words moved if every axis were one tile: no sizes move fewer."""
    values = with_counts({name: extents[name] for name in variables_of(needs)}, extents)
    return int(evaluated(needs.words, values))


def least_room(needs: Needs) -> int:
    """Return the words of fast memory with tiles of one element."""
    values = dict.fromkeys(variables_of(needs), 1)
    return max(int(evaluated(room, values)) for room in needs.rooms)


def best_tiles(needs: Needs, extents: Mapping[str, int], M: int) -> TiledNeeds | None:
    """Return the sizes that fit in M words and move the fewest words; None if none fits.

    Words never grow with a tile, and room is linear in each, so the last size follows from the others.
    """
    names = variables_of(needs)
    if least_room(needs) > M:
        return None
    if not names:
        return TiledNeeds(int(evaluated(needs.words, {})), {})
    names.sort(key=extents.__getitem__)
    others, last = names[:-1], names[-1]
    # Of large extents whole numbers of eight bytes would overflow; rounding does no harm, sizes are only proposed here.
    kind = np.int64 if math.prod(extents.values()) < 1 << 50 else np.float64
    sizes_of = [_sizes(extents[name], len(others), M).astype(kind) for name in others]
    values: dict[str, NDArray[Any]] = combinations(others, sizes_of)
    top = largest_size(needs, last, values, extents[last], M).astype(kind)
    fits = top >= 1
    if not fits.any():
        return None
    values = {name: value[fits] for name, value in values.items()} | {last: top[fits]}
    words = np.broadcast_to(evaluated(needs.words, with_counts(values, extents)), top[fits].shape)
    best = int(np.argmin(words))
    sizes = {name: int(value[best]) for name, value in values.items()}
    return TiledNeeds(int(words[best]), {name: _even(size, extents[name]) for name, size in sizes.items()})


def _sizes(extent: int, dimensions: int, M: int) -> NDArray[np.int64]:
    """Return the sizes worth trying: the smallest for each number of tiles, on a very long axis those that may fit."""
    if extent > _LONG:
        return _sizes_of_a_long_axis(extent, dimensions, M)
    if extent <= 1 << 12:
        counts = np.arange(1, extent + 1, dtype=np.int64)
    else:
        small = np.arange(1, math.isqrt(extent) + 1, dtype=np.int64)
        counts = np.concatenate([small, -(-extent // small)])
    sizes = np.unique(-(-extent // counts))
    most = int(_MOST_SIZES ** (1 / max(dimensions, 1)))
    if len(sizes) <= most:
        return sizes
    chosen = np.unique(np.geomspace(1, len(sizes), most).astype(np.int64)) - 1
    return sizes[chosen]


def _sizes_of_a_long_axis(extent: int, dimensions: int, M: int) -> NDArray[np.int64]:
    """Return sizes up to M on a logarithmic scale, and the whole axis for nests where it takes no room."""
    number = min(_MOST_OF_A_LONG_AXIS, int(_MOST_SIZES ** (1 / max(dimensions, 1))))
    sizes = np.geomspace(1, min(M, extent), number).astype(np.int64)
    return np.unique(np.append(sizes, extent))


def combinations(names: Sequence[str], sizes: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return all combinations of sizes, for each name its column of them."""
    if not names:
        return {}
    grids = np.meshgrid(*sizes, indexing="ij")
    return {name: grid.ravel() for name, grid in zip(names, grids, strict=True)}


def largest_size(needs: Needs, last: str, values: Mapping[str, Any], extent: int, M: int) -> NDArray[Any]:
    """Return the largest last size that fits beside each combination of the others; less than 1 if none does."""
    shape = np.broadcast_shapes(*map(np.shape, values.values()))
    top = np.full(shape, extent, dtype=np.int64)
    for room in needs.rooms:
        rest, factor = (np.broadcast_to(evaluated(part, values), shape) for part in split_at(room, last))
        fits = np.where(factor > 0, (M - rest) // np.maximum(factor, 1), np.where(rest <= M, extent, -1))
        top = np.minimum(top, fits)
    return top


def with_counts(values: Mapping[str, Any], extents: Mapping[str, int]) -> dict[str, Any]:
    """Return tile sizes with the numbers of tiles that they make."""
    counts = {tile_count(name): -(-extents[name] // size) for name, size in values.items()}
    return {**values, **counts}


def _even(size: int, extent: int) -> int:
    """Return the smallest tile that makes no more tiles."""
    return -(-extent // -(-extent // size))
