"""The butterfly, kept by its rule: its pairs, its sizes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import grouped_mask, make_mask
from pebble.computations.masks.butterfly_mask import ButterflyMask
from tests.computations.small_masks import made, whole
from tests.program.random_masks import CLASSES, masks_of


def test_blocks_differ_in_one_digit_at_most_also_in_groups() -> None:
    few = ((ButterflyMask("few", 2 * n, 3 * n, (2, 3)), np.random.default_rng(n)) for n in range(1, 6))
    for mask, rng in (*few, *masks_of(CLASSES["butterfly"], 60)):
        assert isinstance(mask, ButterflyMask)
        row, column = (np.arange(mask.extents[axis]) // mask.sides[axis] for axis in "ij")
        differ = row[:, None] ^ column
        table = (differ & (differ - 1)) == 0
        np.testing.assert_array_equal(whole(mask), table)
        group = int(rng.integers(1, 5))
        grouped = grouped_mask(mask, group)
        assert isinstance(grouped, ButterflyMask)
        np.testing.assert_array_equal(whole(grouped), np.repeat(table, group, axis=0))


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
