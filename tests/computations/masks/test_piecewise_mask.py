"""Unions of bands and masks of blocks that repeat, against the same masks stored pair by pair."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.masks import (
    BandMask,
    BlockToeplitzMask,
    DenseMask,
    UnionMask,
    causal_mask,
    make_mask,
    window_mask,
)
from tests.computations.small_masks import made, whole
from tests.support.amounts import examples
from tests.support.bands import bands
from tests.support.mask_definitions import definitions
from tests.support.mask_questions import check_answers
from tests.support.repeating_masks import block_toeplitz, blocks_table, table_of, unions

LARGE = 10**9
Piecewise = UnionMask | BlockToeplitzMask
masks = st.one_of(unions, block_toeplitz)


@given(unions)
def test_a_union_has_the_pairs_of_its_bands(mask: UnionMask) -> None:
    np.testing.assert_array_equal(whole(mask), table_of(*mask.bands))


@given(block_toeplitz)
def test_blocks_have_the_pairs_of_their_patterns(mask: BlockToeplitzMask) -> None:
    np.testing.assert_array_equal(whole(mask), blocks_table(mask))


@examples(25, 100)
@given(masks, st.sampled_from("ij"), st.data())
def test_they_know_what_the_same_dense_mask_knows(mask: Piecewise, axis: str, data: st.DataObject) -> None:
    dense = DenseMask("some", whole(mask))
    check_answers(mask, dense, axis, data)


@given(st.one_of(bands(), unions), st.sampled_from("ij"))
def test_between_its_ends_a_line_follows_one_rule(mask: BandMask | UnionMask, axis: str) -> None:
    """All or nothing is seen between two ends."""
    table = whole(mask) if axis == "i" else whole(mask).T
    ends = mask.ends_of(axis, np.arange(len(table)))
    assert ends.shape[1] == len(table)
    assert (ends >= 0).all()
    assert (ends <= table.shape[1]).all()
    for row, cuts in zip(table, ends.T.tolist(), strict=True):
        for start, stop in zip(sorted(cuts)[:-1], sorted(cuts)[1:], strict=True):
            assert len(set(row[start:stop].tolist())) <= 1


@given(unions, st.sampled_from("ij"))
def test_steady_parts_move_steadily(mask: UnionMask, axis: str) -> None:
    ends = mask.ends_of(axis, np.arange(mask.extents[axis]))
    for part in mask.steady_parts(axis):
        assert (part.lines, part.partners) == (1, 1)
        assert len(part.moves) == len(ends)
        for step, moves in zip(np.diff(ends[:, part.start : part.stop]), part.moves, strict=True):
            assert (step == moves).all()


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
    with pytest.raises(ValueError, match="share no pair"):
        UnionMask("both", [own, causal_mask(4, 4)])
    with pytest.raises(ValueError, match="of one size"):
        UnionMask("both", [own, causal_mask(5, 4)])
    with pytest.raises(ValueError, match="of one size"):
        UnionMask("none", [])
    with pytest.raises(ValueError, match="4 queries and keys"):
        BlockToeplitzMask("blocks", 9, 4, [own], causal_mask(3, 3))
    with pytest.raises(ValueError, match="diagonal has one"):
        BlockToeplitzMask("blocks", 9, 4, [], own)


@given(masks)
def test_they_are_equal_if_their_bands_are(mask: Piecewise) -> None:
    if isinstance(mask, UnionMask):
        none = BandMask("none", mask.Nk, *np.zeros((2, mask.Nq), dtype=np.int64))
        again: Piecewise = UnionMask(mask.spec, mask.bands)
        other: Piecewise = UnionMask(mask.spec, [*mask.bands, none])
    else:
        patterns = [UnionMask("pattern", bands) for bands in mask.patterns]
        again = BlockToeplitzMask(mask.spec, mask.Nq, mask.period, patterns[:-1], patterns[-1])
        other = BlockToeplitzMask(mask.spec, mask.Nq + 1, mask.period, patterns[:-1], patterns[-1])
    assert again == mask
    assert hash(again) == hash(mask)
    assert other != mask


@given(masks)
def test_a_mask_that_is_known_to_be_connected_is(mask: Piecewise) -> None:
    if mask.connected and mask.pairs:
        assert max(DenseMask("some", whole(mask)).parts["i"]) == 0
