"""Unions of bands and masks of blocks that repeat: their pairs, their sizes, and what is refused."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.masks import (
    BandMask,
    BlockToeplitzMask,
    UnionMask,
    causal_mask,
    make_mask,
    window_mask,
)
from tests.computations.small_masks import made, whole
from tests.program.random_masks import CLASSES, masks_of
from tests.support.mask_definitions import definitions

LARGE = 10**9
Piecewise = UnionMask | BlockToeplitzMask


def table_of(bands: Sequence[BandMask]) -> NDArray[np.int64]:
    """How many of some bands have a pair."""
    return np.asarray(np.sum([whole(band) for band in bands], axis=0))


def test_a_union_has_the_pairs_of_its_bands() -> None:
    for mask, _ in masks_of(CLASSES["union"], 60):
        assert isinstance(mask, UnionMask)
        np.testing.assert_array_equal(whole(mask), table_of(mask.bands))
        none = BandMask("none", mask.Nk, *np.zeros((2, mask.Nq), dtype=np.int64))
        again, other = UnionMask(mask.spec, mask.bands), UnionMask(mask.spec, [*mask.bands, none])
        assert again == mask == other
        assert hash(again) == hash(mask)
        assert all((one.ends("i")[1].values(0, mask.Nq) <= two.ends("i")[0].values(0, mask.Nq)).all()
                   for one, two in pairwise(mask.bands))  # fmt: skip


@pytest.mark.slow
def test_blocks_have_the_pairs_of_their_patterns() -> None:
    for mask, _ in masks_of(CLASSES["toeplitz"], 60):
        assert isinstance(mask, BlockToeplitzMask)
        L, N = mask.period, mask.Nq
        table = np.zeros((N + L, N + L))
        for row in range(-(-N // L)):
            for column in range(row + 1):
                box = slice(row * L, row * L + L), slice(column * L, column * L + L)
                table[box] = table_of(mask.patterns[min(row - column, mask.depth)])
        np.testing.assert_array_equal(whole(mask), table[:N, :N])
        patterns = [UnionMask("pattern", bands) for bands in mask.patterns]
        again, other = (BlockToeplitzMask(mask.spec, n, L, patterns[:-1], patterns[-1]) for n in (N, N + 1))
        assert again == mask != other
        assert hash(again) == hash(mask)


@pytest.mark.many(2)
@pytest.mark.parametrize("N", [1, 2, 3, 7, 12, 13])
def test_the_patterns_with_all_parameters(N: int) -> None:
    """Strides and columns up to the length and above, windows and global tokens of none and of all."""
    for stride in range(1, N + 2):
        np.testing.assert_array_equal(whole(made(f"strided:{stride}", N, N)), table(N, stride, 1, "strided"))
        for columns in {1, (stride + 1) // 2, stride}:
            np.testing.assert_array_equal(
                whole(made(f"fixed:{stride},{columns}", N, N)), table(N, stride, columns, "fixed")
            )
    i, j = np.arange(N)[:, None], np.arange(N)
    for window in range(0, 2 * N + 2, 2):
        for tokens in range(N + 1):
            expected = (abs(i - j) <= window // 2) | (i < tokens) | (j < tokens)
            np.testing.assert_array_equal(
                whole(made(f"longformer:window={window},global={tokens}", N, N)), expected
            )


def table(N: int, stride: int, columns: int, kind: str) -> list[list[bool]]:
    pair = next(
        pair for spec, pair in definitions(N, N, stride, columns).items() if spec.startswith(f"{kind}:")
    )
    return [[pair(i, j) for j in range(N)] for i in range(N)]


@pytest.mark.parametrize(
    "spec", ["strided:65536", "strided:7", "fixed:1000,9", "fixed:2", "longformer:window=512,global=16"]
)
def test_a_thousand_million_tokens_take_no_room(spec: str) -> None:
    N = LARGE + 1
    tracemalloc.start()
    mask = make_mask(spec, N - 1, N - 1)
    assert isinstance(mask, Piecewise)
    halves = mask.count((0, N // 2), (0, N - 1)) + mask.count((N // 2, N - 1), (0, N - 1))
    assert mask.pairs == halves > N
    assert mask.connected
    for axis in "ij":
        assert mask.present(axis) == N - 1
        lines, partners = (LARGE // 3, LARGE // 3 + 9), (LARGE // 3, LARGE // 3 + 70)
        few = mask.lines_matrix(axis, lines, partners)
        assert few.sum() == mask.count(*((lines, partners) if axis == "i" else (partners, lines)))
    assert tracemalloc.get_traced_memory()[1] < 2**21
    tracemalloc.stop()


def test_lengths_add_up_at_a_thousand_million_tokens() -> None:
    """Pairs by hand: a stride divides the number of tokens."""
    N, L = LARGE, 1000
    blocks = N // L
    window = (L + 1) * N - L * (L + 1) // 2
    diagonals = sum(L * (blocks - back) for back in range(2, 2 + 10)) + sum(
        L * (blocks - back) for back in range(12, blocks)
    )
    assert made(f"strided:{L}", N, N).pairs == window + diagonals
    assert made(f"fixed:{L},3", N, N).pairs == blocks * (L * (L + 1) // 2) + 3 * L * (
        blocks * (blocks - 1) // 2
    )
    # Four queries, four keys of the others, and of these a window of eleven that is cut at both ends.
    assert made("longformer:window=10,global=4", N, N).pairs == 4 * N + 4 * (N - 4) + 11 * (N - 4) - 5 * 6


def test_what_is_no_union_or_blocks_is_refused() -> None:
    own = window_mask(4, 4, 0)
    with pytest.raises(ValueError, match="of one size"):
        UnionMask("both", [own, causal_mask(5, 4)])
    with pytest.raises(ValueError, match="of one size"):
        UnionMask("none", [])
    with pytest.raises(ValueError, match="4 queries and keys"):
        BlockToeplitzMask("blocks", 9, 4, [own], causal_mask(3, 3))
    with pytest.raises(ValueError, match="diagonal has one"):
        BlockToeplitzMask("blocks", 9, 4, [], own)
