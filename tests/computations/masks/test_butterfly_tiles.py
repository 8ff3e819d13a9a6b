"""Tiles of a butterfly that are said to lie alike see the same."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.masks.butterfly_tiles import frame_of, tile_classes
from pebble.computations.masks.mask import OTHER_AXIS
from tests.support.block_masks import blocks_table, random_butterfly


def seen(pairs: NDArray[np.bool_], tile: tuple[int, int], width: int, asked: bool) -> Hashable:
    """All tiles of the partners that a tile of lines has pairs in, in order; and which partners have others where."""
    before, behind = (np.any(part, axis=0, keepdims=True)[0] for part in (pairs[: tile[0]], pairs[tile[1] :]))
    found: list[Hashable] = [tile[1] - tile[0], tile[0] == 0, tile[1] == len(pairs)]
    for at in range(0, pairs.shape[1], width):
        part = pairs[tile[0] : tile[1], at : at + width]
        if part.any():
            found += [part.shape[1], part.tobytes()]
            if asked:
                found += [before[at : at + width].tobytes(), behind[at : at + width].tobytes()]
    return tuple(found)


def check(seed: int) -> tuple[int, int]:
    rnd = Random(seed)
    mask, axis, asked = random_butterfly(rnd, 90), rnd.choice("ij"), rnd.random() < 0.5
    other = OTHER_AXIS[axis]
    side, length = mask.sides[other], rnd.randint(1, 3 * mask.sides[axis] + 2)
    width = rnd.choice(
        [size for size in (1, 2, 4, side, 2 * side, 4 * side) if size % side == 0 or side % size == 0]
    )
    digits = frame_of(mask, other, frozenset([width]))
    assert digits is not None
    table = blocks_table(mask)
    pairs, extent = table if axis == "i" else table.T, mask.extents[axis]
    sights = [
        seen(pairs, (start, min(start + length, extent)), width, asked) for start in range(0, extent, length)
    ]
    classes = tile_classes(mask, axis, length, digits, asked)
    assert sum(times for _, times in classes) == len(sights)
    # In a class are as many tiles that see the same as it says: the classes of one sight are as many as see it.
    for sight in set(sights):
        assert sum(times for first, times in classes if sights[first] == sight) == sights.count(sight), seed
    assert [first for first, _ in classes] == sorted(first for first, _ in classes)
    assert all(sights.index(sights[first]) <= first for first, _ in classes)
    return len(classes), len(sights)


@pytest.mark.parametrize(
    "batch", [0, *(pytest.param(batch, marks=pytest.mark.slow) for batch in range(1, 6))]
)
def test_tiles_of_a_class_see_the_same(batch: int) -> None:
    found = [check(seed) for seed in range(60 * batch, 60 * batch + 60)]
    assert sum(classes < tiles for classes, tiles in found) > 10


def test_the_classes_of_many_blocks_are_few() -> None:
    mask = ButterflyMask("butterfly", 2**21, 2**21, (128, 128))
    assert len(tile_classes(mask, "i", 128, 0, False)) < 30
    assert len(tile_classes(mask, "i", 384, 0, False)) < 1000
    assert sum(times for _, times in tile_classes(mask, "i", 1, 0, False)) == 2**21


def test_frames() -> None:
    mask = ButterflyMask("butterfly", 64, 64, (4, 4))
    assert [
        frame_of(mask, "j", frozenset(sizes)) for sizes in ([], [1, 2], [4], [2, 8], [16], [3], [12])
    ] == [
        0,
        0,
        0,
        1,
        2,
        None,
        None,
    ]
