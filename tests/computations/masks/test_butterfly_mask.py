"""The butterfly, kept by its rule, against the same mask kept block by block."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.computations.masks import BlockMask, DenseMask, grouped_mask, make_mask
from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.masks.mask import OTHER_AXIS
from tests.computations.small_masks import made, whole
from tests.support.amounts import examples
from tests.support.block_masks import blocks_table, random_butterfly
from tests.support.mask_questions import check_answers

BUTTERFLIES = st.builds(lambda seed: random_butterfly(Random(seed)), st.integers(0, 10**6))


@examples(30, 200)
@given(BUTTERFLIES, st.sampled_from("ij"), st.data())
def test_it_knows_what_the_same_dense_mask_knows(mask: ButterflyMask, axis: str, data: st.DataObject) -> None:
    np.testing.assert_array_equal(whole(mask), blocks_table(mask))
    dense = DenseMask("some", blocks_table(mask))
    check_answers(mask, dense, axis, data)


@given(BUTTERFLIES)
def test_lines_of_a_steady_part_have_the_same_partners(mask: ButterflyMask) -> None:
    for axis, other in OTHER_AXIS.items():
        pairs = mask.lines_matrix(axis, (0, mask.extents[axis]), (0, mask.extents[other]))
        parts = mask.steady_parts(axis)
        assert all((pairs[part.start : part.stop] == pairs[part.start]).all() for part in parts)
        assert sum(part.stop - part.start for part in parts) == mask.extents[axis]


@given(BUTTERFLIES, st.integers(1, 4))
def test_the_same_as_block_by_block(mask: ButterflyMask, group: int) -> None:
    blocks = mask.allowed((0, mask.blocks), (0, mask.blocks))
    table = BlockMask("blocks", mask.Nq, mask.Nk, (mask.sides["i"], mask.sides["j"]), blocks)
    for axis, other in OTHER_AXIS.items():
        partners = np.arange(mask.extents[other]) % 3 == 0
        assert (mask.degrees(axis, partners) == table.degrees(axis, partners)).all()
    assert mask.pairs == table.pairs
    grouped = grouped_mask(mask, group)
    assert isinstance(grouped, ButterflyMask)
    np.testing.assert_array_equal(whole(grouped), np.repeat(whole(mask), group, axis=0))


def test_few_blocks() -> None:
    for blocks in range(1, 6):
        mask = ButterflyMask("few", 2 * blocks, 3 * blocks, (2, 3))
        np.testing.assert_array_equal(whole(mask), blocks_table(mask))
        assert mask.first("i").tolist() == blocks_table(mask).argmax(axis=1).tolist()


def test_equal_masks() -> None:
    one = made("butterfly:4", 40, 40)
    assert one == made("butterfly:4", 40, 40)
    assert one != made("butterfly:5", 40, 40)
    assert one != ButterflyMask(one.spec, 40, 40, (3, 3))


def test_a_thousand_million_tokens() -> None:
    mask = make_mask("butterfly:128", 10**9, 10**9)
    assert isinstance(mask, ButterflyMask)
    last = 7_812_499
    assert mask.pairs == 128**2 * (
        last + 1 + 2 * sum(pairs_apart(last + 1, 1 << digit) for digit in range(23))
    )
    assert mask.first_of("i", np.array([10**9 - 1])).tolist() == [(last - 2**22) * 128]


def pairs_apart(blocks: int, half: int) -> int:
    """Pairs of blocks that differ in one digit: of each whole group half, and of the rest what is behind the half."""
    return blocks // (2 * half) * half + max(blocks % (2 * half) - half, 0)


def test_too_many_lines() -> None:
    with pytest.raises(InvalidInput, match="at most 1,000,000,000 queries and keys"):
        make_mask("butterfly:128", 10**9 + 1, 10**9 + 1)


def test_as_many_rows_as_columns() -> None:
    with pytest.raises(ValueError, match="as many rows as columns"):
        ButterflyMask("some", 4, 9, (2, 2))
