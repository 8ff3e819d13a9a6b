"""Bounds under masks by their parts: what they read off a mask, and their values."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter
from dataclasses import replace

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
    mask_from_array,
    window_mask,
)
from pebble.computations.problem import Problem
from pebble.lower_bounds import b1, b2, best_bound, proved_bounds, t1, t2
from pebble.lower_bounds.attention import by_parts as by_parts_module
from pebble.lower_bounds.attention.by_parts import by_parts, in_pieces, part_counts
from pebble.lower_bounds.certified.backward_rows import b3
from pebble.lower_bounds.certified.forward_rows import t3
from pebble.lower_bounds.proved import bounds_by_counts
from pebble.lower_bounds.requirements import Part
from tests.lower_bounds.masked_problems import PASSES, kinds, random_mask
from tests.support.amounts import examples
from tests.support.bands import bands


def parts_by_search(allowed: np.ndarray) -> list[tuple[set[int], set[int]]]:
    """Queries and keys of every part, by spreading from one query at a time."""
    found, left = [], {int(i) for i in np.flatnonzero(allowed.any(axis=1))}
    while left:
        queries, keys = {min(left)}, set[int]()
        while True:
            more = {int(j) for i in queries for j in np.flatnonzero(allowed[i])}
            again = {int(i) for j in more for i in np.flatnonzero(allowed[:, j])}
            if (again, more) == (queries, keys):
                break
            queries, keys = again | queries, more
        found.append((queries, keys))
        left -= queries
    return found


@examples(12, 60)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 5), st.integers(0, 999))
def test_parts_and_degrees_of_every_kind_of_mask(Nq: int, Nk: int, a: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    masks = [make_mask(spec, Nq, Nk, empty_rows="zero") for spec in kinds(Nq, Nk, a, min(a, 2))]
    for mask in [*masks, random_mask(Nq, Nk, rng)]:
        assert mask is not None
        allowed = mask.matrix((0, Nq), (0, Nk))
        expected = parts_by_search(allowed)
        labels = mask.parts
        found = [
            (
                {int(i) for i in np.flatnonzero(labels["i"] == n)},
                {int(j) for j in np.flatnonzero(labels["j"] == n)},
            )
            for n in range(len(expected))
        ]
        assert found == expected
        assert set(labels["i"][~allowed.any(axis=1)]) | set(labels["j"][~allowed.any(axis=0)]) <= {-1}
        for axis, pairs in (("i", allowed), ("j", allowed.T)):
            chosen = rng.random(pairs.shape[1]) < 0.5
            assert mask.degrees(axis, np.asarray(chosen)).tolist() == (pairs & chosen).sum(axis=1).tolist()


# Values


@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("M", [1000, 4000, 60_000])
def test_a_mask_of_all_pairs_changes_nothing(pass_name: str, M: int) -> None:
    dense = Problem(300, 500, 32, 32, pass_name=pass_name)
    masked = replace(dense, mask=mask_from_array(np.ones((300, 500), dtype=bool)))
    found = {bound.name: bound.value for bound in proved_bounds(masked, M)}
    assert found.pop("by parts") >= max(found.values())
    assert found == {bound.name: bound.value for bound in proved_bounds(dense, M)}


def test_bounds_depend_on_pairs_queries_and_keys_alone() -> None:
    """So that whoever shuffles queries and keys changes nothing, and a part counts like a problem."""
    rng = np.random.default_rng(1)
    allowed = np.tri(200, dtype=bool) & (rng.random((200, 200)) < 0.5)
    shuffled = allowed[rng.permutation(200)][:, rng.permutation(200)]
    for pass_name in PASSES:
        one, other = (
            Problem.square(200, 16, pass_name=pass_name, mask=mask_from_array(a, empty_rows="zero"))
            for a in (allowed, shuffled)
        )
        for M in (100, 1000, 5000):
            assert [(b.name, b.value) for b in proved_bounds(one, M)] == [
                (b.name, b.value) for b in proved_bounds(other, M)
            ]
        part = Part(pass_name, 16, 16, False, one.pairs, one.queries, one.keys)
        for bound in (t1, t2, t3) if pass_name == "forward" else (b1, b2, b3):
            assert bound(part, 100).value == bound(one, 100).value


@pytest.mark.parametrize("pass_name", PASSES)
def test_packed_sequences_are_bounded_one_by_one(pass_name: str) -> None:
    lengths, d, M = (1000, 2000, 1000), 64, 30_000
    packed = Problem.square(sum(lengths), d, pass_name=pass_name, mask="document:1000,2000,1000")
    apart = sum(best_bound(Problem.square(n, d, pass_name=pass_name), M).value for n in lengths)
    found = {bound.name: bound for bound in proved_bounds(packed, M)}
    assert found["by parts"].value >= apart
    assert best_bound(packed, M).value >= apart
    assert found["by parts"].value > max(b.value for name, b in found.items() if name != "by parts")
    assert "3 parts" in found["by parts"].note


def test_a_mask_of_many_lines_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    band = Problem.square(400, 16, mask="causal")
    problem = replace(band, mask=DenseMask("array:lower", np.tri(400, dtype=bool)))
    usual = by_parts(problem, 2000, bounds_by_counts)
    monkeypatch.setattr(by_parts_module, "MOST_LINES", 10)
    assert usual == by_parts(band, 2000, bounds_by_counts)
    assert usual.value > by_parts(problem, 2000, bounds_by_counts).value == t1(problem, 2000).value


def counted(mask: Mask, thresholds: list[int]) -> Counter[tuple[int, ...]]:
    """How often every row of the tables, put side by side, occurs."""
    tables, repeats = part_counts(mask, thresholds)
    found: Counter[tuple[int, ...]] = Counter()
    for row, times in zip(np.hstack(tables).tolist(), repeats.tolist(), strict=True):
        found[tuple(row)] += times
    return found


@examples(40, 400)
@given(bands(), st.lists(st.integers(2, 6), max_size=3))
def test_a_band_has_the_counts_of_its_lines(band: BandMask, thresholds: list[int]) -> None:
    if band.pairs:
        dense = DenseMask("some", band.matrix((0, band.Nq), (0, band.Nk)))
        assert counted(band, thresholds) == counted(dense, thresholds)


@examples(40, 300)
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
