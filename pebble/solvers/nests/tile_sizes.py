"""The tile sizes with which a nest moves the fewest words in exactly M words of fast memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.solvers.nests.tiled_nest import Needs, evaluated, split_at, staying, tile_count

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
    """Return the axes whose tile size is open, and the numbers of elements that stay."""
    names = {name for room in needs.rooms for names in room for name in names}
    counts = {name[1:] for names in needs.words for name in names if name.startswith("#")}
    staying_names = {name for names in needs.words for name in names if name.startswith("+")}
    return sorted(names | counts | staying_names)


def least_words(needs: Needs, extents: Mapping[str, int]) -> int:
    """Return the words moved if every axis were one tile: no sizes move fewer."""
    values = with_counts({name: extents[name.lstrip("+")] for name in variables_of(needs)}, extents)
    return int(evaluated(needs.words, values))


def least_room(needs: Needs) -> int:
    """Return the words of fast memory with tiles of one element."""
    values = {name: 0 if name.startswith("+") else 1 for name in variables_of(needs)}
    return max(int(evaluated(room, values)) for room in needs.rooms)


def best_tiles(needs: Needs, extents: Mapping[str, int], M: int) -> TiledNeeds | None:
    """Return the sizes that fit in M words and move the fewest words; None if none fits.

    Words never grow with a tile, and room is linear in each, so the last size follows from the others. Of elements
    that stay there are as many as then fit.
    """
    names = variables_of(needs)
    if least_room(needs) > M:
        return None
    if not names:
        return TiledNeeds(int(evaluated(needs.words, {})), {})
    names.sort(key=lambda name: (name.startswith("+"), extents[name.lstrip("+")]))
    others, last = names[:-1], names[-1]
    # Of large extents whole numbers of eight bytes would overflow; rounding does no harm, sizes are only proposed here.
    kind = np.int64 if math.prod(extents.values()) < 1 << 50 else np.float64
    sizes_of = [_sizes(name, extents, len(others), M).astype(kind) for name in others]
    values: dict[str, NDArray[Any]] = combinations(others, sizes_of)
    top = _largest(needs, last, values, extents[last.lstrip("+")], M).astype(kind)
    fits = top >= (0 if last.startswith("+") else 1)
    if not fits.any():
        return None
    values = {name: value[fits] for name, value in values.items()} | {last: top[fits]}
    words = np.broadcast_to(evaluated(needs.words, with_counts(values, extents)), top[fits].shape)
    best = int(np.argmin(words))
    sizes = {name: int(value[best]) for name, value in values.items()}
    return TiledNeeds(int(words[best]), {name: _even(name, size, extents) for name, size in sizes.items()})


def _sizes(name: str, extents: Mapping[str, int], dimensions: int, M: int) -> NDArray[np.int64]:
    """Return the sizes worth trying: the smallest for each number of tiles, on a very long axis those that may fit."""
    extent = extents[name.lstrip("+")]
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


def _largest(
    needs: Needs, last: str, values: Mapping[str, NDArray[Any]], extent: int, M: int
) -> NDArray[Any]:
    """Return the largest last size that fits beside each combination of the others; below what is allowed if none."""
    number = len(next(iter(values.values()))) if values else 1
    top = np.full(number, extent, dtype=np.int64)
    for room in needs.rooms:
        rest, factor = (np.broadcast_to(evaluated(part, values), (number,)) for part in split_at(room, last))
        fits = np.where(factor > 0, (M - rest) // np.maximum(factor, 1), np.where(rest <= M, extent, -1))
        top = np.minimum(top, fits)
    return top


def with_counts(values: Mapping[str, Any], extents: Mapping[str, int]) -> dict[str, Any]:
    """Return tile sizes with the numbers of tiles that they make."""
    counts = {tile_count(name): -(-extents[name] // size) for name, size in values.items() if name[0] != "+"}
    return {**values, **counts}


def _even(name: str, size: int, extents: Mapping[str, int]) -> int:
    """Return the smallest tile that makes no more tiles."""
    if name == staying(name.lstrip("+")):
        return size
    extent = extents[name]
    return -(-extent // -(-extent // size))
