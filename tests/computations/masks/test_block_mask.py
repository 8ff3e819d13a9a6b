"""Masks kept block by block, against the same masks stored pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.computations.masks import BlockMask, DenseMask, block_mask, grouped_mask, make_mask
from pebble.computations.masks.mask import OTHER_AXIS
from tests.computations.small_masks import whole
from tests.support.amounts import examples
from tests.support.block_masks import block_masks, blocks_table
from tests.support.mask_questions import check_answers


@given(block_masks)
def test_it_has_the_pairs_of_its_blocks(mask: BlockMask) -> None:
    np.testing.assert_array_equal(whole(mask), blocks_table(mask))


@examples(40, 200)
@given(block_masks, st.sampled_from("ij"), st.data())
def test_it_knows_what_the_same_dense_mask_knows(mask: BlockMask, axis: str, data: st.DataObject) -> None:
    dense = DenseMask("some", blocks_table(mask))
    check_answers(mask, dense, axis, data)
    assert mask.separations(axis) == dense.separations(axis)


@given(block_masks)
def test_lines_of_a_steady_part_have_the_same_partners(mask: BlockMask) -> None:
    for axis, other in OTHER_AXIS.items():
        pairs = mask.lines_matrix(axis, (0, mask.extents[axis]), (0, mask.extents[other]))
        told = 0
        for part in mask.steady_parts(axis):
            assert (pairs[part.start : part.stop] == pairs[part.start]).all()
            told += part.stop - part.start
        assert told == mask.present(axis)


@given(block_masks, st.integers(1, 4))
def test_a_group_of_blocks_is_a_mask_of_blocks(mask: BlockMask, group: int) -> None:
    grouped = grouped_mask(mask, group)
    assert isinstance(grouped, BlockMask)
    np.testing.assert_array_equal(whole(grouped), np.repeat(blocks_table(mask), group, axis=0))


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


@pytest.mark.parametrize(
    ("text", "N"),
    [
        ("blocks:size=1,density=0.5", 10**9),
        ("blocks:size=2,file=none.npy", 40_000),
        ("blocks:size=122,density=0.1", 10**6),
        ("group:8:blocks:size=4096,density=0.1", 2**25),
    ],
)
def test_too_many(text: str, N: int) -> None:
    with pytest.raises(
        InvalidInput,
        match=r"at most 67,108,864 of them, and at most 16,777,216 queries and keys; .* larger blocks",
    ):
        make_mask(text, N, N // 8 if text.startswith("group") else N)


def test_blocks_of_another_shape() -> None:
    with pytest.raises(ValueError, match="do not make"):
        BlockMask("some", 4, 4, (2, 2), np.ones((2, 3), dtype=bool))
