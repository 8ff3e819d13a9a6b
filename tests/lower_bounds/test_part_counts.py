"""What parts of a band have, from its pieces and from arrays of its lines."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.masks import (
    BandMask,
    BlockToeplitzMask,
    DenseMask,
    Mask,
    UnionMask,
    equal_documents_mask,
    grouped_mask,
    make_mask,
    window_mask,
)
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.by_parts import by_parts, in_pieces, part_counts
from pebble.lower_bounds.proved import bounds_by_counts
from tests.lower_bounds.masked_problems import PASSES, kinds
from tests.support.amounts import examples
from tests.support.bands import bands


def counted(mask: Mask, thresholds: list[int]) -> Counter[tuple[int, ...]]:
    """How often every row of the tables, put side by side, occurs."""
    tables, repeats = part_counts(mask, thresholds)
    found: Counter[tuple[int, ...]] = Counter()
    for row, times in zip(np.hstack(tables).tolist(), repeats.tolist(), strict=True):
        found[tuple(row)] += times
    return found


@examples(100, 400)
@given(bands(), st.lists(st.integers(2, 6), max_size=3))
def test_a_band_has_the_counts_of_its_lines(band: BandMask, thresholds: list[int]) -> None:
    if band.pairs:
        dense = DenseMask("some", band.matrix((0, band.Nq), (0, band.Nk)))
        assert counted(band, thresholds) == counted(dense, thresholds)


@examples(75, 300)
@given(bands(), st.lists(st.integers(1, 4), min_size=1, max_size=2), st.lists(st.integers(2, 9), max_size=3))
def test_groups_have_the_counts_of_their_lines(
    band: BandMask, groups: list[int], thresholds: list[int]
) -> None:
    """A grouped band is counted by the band of its groups."""
    if not band.pairs:
        return
    grouped: Mask = band
    for group in groups:
        grouped = grouped_mask(grouped, group)
    assert in_pieces(grouped) == (band, math.prod(groups), 1)
    dense = DenseMask("some", grouped.matrix((0, grouped.Nq), (0, grouped.Nk)))
    assert counted(grouped, thresholds) == counted(dense, thresholds)


def blocks_apart(N: int, own: BandMask | UnionMask, far: BandMask) -> BlockToeplitzMask:
    return BlockToeplitzMask("blocks", N, own.Nq, [own], far)


ROWS = np.arange(4)
NOTHING, DIAGONAL = (BandMask("some", 4, ROWS, ROWS + width) for width in (0, 1))
TWO_BANDS = UnionMask("two", [DIAGONAL, BandMask("more", 4, ROWS * 0, (ROWS == 3) * 2)])


@pytest.mark.parametrize(
    "mask",
    [
        equal_documents_mask(4, 5),
        equal_documents_mask(4, 5, causal=True),
        blocks_apart(16, window_mask(4, 4, 1), NOTHING),
        blocks_apart(18, window_mask(4, 4, 1), NOTHING),
        blocks_apart(16, window_mask(4, 4, 1), DIAGONAL),
        blocks_apart(16, TWO_BANDS, NOTHING),
    ],
    ids=["documents", "causal", "windows", "cut", "linked", "two bands"],
)
def test_equal_blocks_have_the_counts_of_their_lines(mask: BlockToeplitzMask) -> None:
    dense = DenseMask("some", mask.matrix((0, mask.Nq), (0, mask.Nk)))
    for thresholds in ([], [2], [2, 3]):
        assert counted(mask, thresholds) == counted(dense, thresholds)


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", PASSES)
def test_the_bound_is_that_of_the_same_pairs(pass_name: str) -> None:
    rng = np.random.default_rng(3)
    for n in (5, 40, 90):
        for spec in kinds(n, n, n // 4 + 1, n // 9 + 1):
            band = make_mask(spec, n, n)
            if band is None or isinstance(band, DenseMask):
                continue
            dense = DenseMask("some", band.matrix((0, n), (0, n)))
            for M in (20, 100, 1000, int(rng.integers(10, 4000))):
                one, other = (
                    by_parts(Problem.square(n, 8, pass_name=pass_name, mask=mask), M, bounds_by_counts)
                    for mask in (band, dense)
                )
                assert one == other, (spec, M)


def test_bands_of_a_thousand_million_tokens() -> None:
    N, d, M = 10**9, 64, 25_000
    packed = "document:" + ",".join(["1000000"] * 1000)
    tracemalloc.start()
    values = {}
    for spec in ("causal", "window:4096", "window:1", "prefix:1000", packed):
        problem = Problem.square(N, d, mask=spec)
        values[spec] = by_parts(problem, M, bounds_by_counts)
    assert tracemalloc.get_traced_memory()[1] < 2**23
    tracemalloc.stop()
    assert values["window:1"].value == 4 * N * d
    assert "1,000,000,000 parts" in values["window:1"].note
    one = by_parts(Problem.square(10**6, d, mask="document:1000000"), M, bounds_by_counts)
    assert values[packed].value == 1000 * one.value
    assert "few pairs" in values["causal"].note


@pytest.mark.parametrize("spec", ["strided:1024", "fixed:1024,8", "longformer:window=512,global=16"])
def test_repeating_masks_of_a_thousand_million_tokens(spec: str) -> None:
    """They are one part, and the bound grows with the pairs."""
    d, M = 64, 25_000
    long, longer = (by_parts(Problem.square(N, d, mask=spec), M, bounds_by_counts) for N in (10**8, 10**9))
    assert longer.note.startswith("1 part")
    pairs = [Problem.square(N, d, mask=spec).pairs for N in (10**8, 10**9)]
    assert abs(longer.value / long.value / (pairs[1] / pairs[0]) - 1) < 1e-3


def test_a_long_window_is_bounded_as_many_short_ones() -> None:
    """What is known of a window grows in proportion to its length."""
    d, M = 64, 25_000
    short, longer, longest = (
        by_parts(Problem.square(N, d, mask="window:4096"), M, bounds_by_counts).value
        for N in (10**5, 2 * 10**5, 10**9)
    )
    assert abs((longest - short) / (longer - short) / ((10**9 - 10**5) / 10**5) - 1) < 1e-3
