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
from tests.computations.small_masks import whole
from tests.program.random_masks import CLASSES, masks_of

LARGE = 10**9
Piecewise = UnionMask | BlockToeplitzMask


def table_of(bands: Sequence[BandMask]) -> NDArray[np.int64]:
    """How many of some bands have a pair."""
    return np.asarray(np.sum([whole(band) for band in bands], axis=0))


def test_a_union_has_the_pairs_of_its_bands() -> None:
    for mask, _ in masks_of(CLASSES["union"], 25):
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
