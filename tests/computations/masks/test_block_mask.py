"""Masks kept block by block: their pairs, their sizes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.masks import BlockMask, DenseMask, block_mask, grouped_mask, make_mask
from tests.computations.small_masks import whole
from tests.program.random_masks import CLASSES, masks_of


def test_it_has_the_pairs_of_its_blocks_also_in_groups() -> None:
    for mask, rng in masks_of(CLASSES["blocks"], 60):
        assert isinstance(mask, BlockMask)
        row, column = (np.arange(mask.extents[axis]) // mask.sides[axis] for axis in "ij")
        table = mask.blocks[row[:, None], column]
        np.testing.assert_array_equal(whole(mask), table)
        group = int(rng.integers(1, 5))
        grouped = grouped_mask(mask, group)
        assert isinstance(grouped, BlockMask)
        np.testing.assert_array_equal(whole(grouped), np.repeat(table, group, axis=0))


def test_equal_masks() -> None:
    blocks = np.array([[True, False], [True, True]])
    one, other = block_mask(4, 4, 2, blocks), block_mask(4, 4, 2, blocks)
    assert one == other
    assert hash(one) == hash(other)
    assert one != block_mask(4, 4, 2, ~blocks)
    assert one != BlockMask(one.spec, 4, 4, (3, 3), blocks)
    assert one != DenseMask(one.spec, whole(one))


def test_a_million_tokens() -> None:
    mask = make_mask("butterfly:1024", 10**6, 10**6)
    numbers = [(r, r ^ one) for r in range(977) for one in (0, *(1 << digit for digit in range(10)))]
    sizes = [min(1024, 10**6 - 1024 * number) for number in range(977)]
    assert mask is not None
    assert mask.pairs == sum(sizes[r] * sizes[c] for r, c in numbers if c < 977)
    assert mask.present("i") == 10**6
    assert mask.parts["j"].max() == 0


def test_blocks_of_another_shape() -> None:
    with pytest.raises(ValueError, match="do not make"):
        BlockMask("some", 4, 4, (2, 2), np.ones((2, 3), dtype=bool))
