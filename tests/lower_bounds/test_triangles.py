"""Triangles in masks: what is found is there, pair by pair, and is what one expects; cost does not depend on size."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pebble.common.errors import BoundDoesNotApply
from pebble.computations.masks import BandMask, DenseMask, grouped_mask, make_mask, mask_from_array
from pebble.lower_bounds.attention import triangles as module
from pebble.lower_bounds.attention.triangles import QueryIntervals, Triangle, find_triangles
from tests.support.text_tables import rows_of


def single(triangles: list[Triangle]) -> list[Triangle]:
    """Write out those that repeat."""
    found = []
    for size, queries, keys, repeats in triangles:
        for shift in np.arange(repeats).tolist():
            step = shift * (queries[1] - queries[0])
            found.append(
                Triangle(size, (queries[0] + step, queries[1] + step), (keys[0] + step, keys[1] + step))
            )
    return found


def check_triangles(allowed: np.ndarray, triangles: list[Triangle]) -> None:
    """Every triangle is one, and no two have a line in common; queries are sorted by their ends."""
    for triangle in triangles:
        chosen: list[int] = []
        for query in range(*triangle.queries):
            key = triangle.keys[0] + len(chosen)
            if len(chosen) < triangle.size and allowed[query, triangle.keys[0] : key + 1].all():
                chosen.append(query)
        assert len(chosen) == triangle.size == triangle.keys[1] - triangle.keys[0]
        assert triangle.queries[1] <= allowed.shape[0]
        assert triangle.keys[1] <= allowed.shape[1]
    for one, other in pairwise(triangles):
        assert one.queries[1] <= other.queries[0]
        assert one.keys[1] <= other.keys[0]


def largest_with(allowed: np.ndarray, query: int, key: int) -> int:
    """Size of the largest triangle of the queries from one on, and the keys from one on, that see that key."""
    size, Nk = 0, allowed.shape[1]
    for row in allowed[query:]:
        size += key + size < Nk and bool(row[key : key + size + 1].all())
    return size


def random_band(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both ends of some queries, and the pairs: jumps, or pieces in which the ends stay or move by one."""
    Nq, Nk = (int(n) for n in rng.integers(1, 16, 2))
    if rng.random() < 0.4:
        start = np.sort(rng.integers(0, Nk, Nq))
        stop = np.maximum.accumulate(np.maximum(start + 1, np.sort(rng.integers(1, Nk + 1, Nq))))
    else:
        moved = np.repeat(rng.integers(0, 2, (Nq, 2)), rng.integers(1, 6, Nq), axis=0)[:Nq].cumsum(axis=0)
        start = np.minimum(moved[:, 0], Nk - 1)
        stop = np.minimum(np.maximum(moved[:, 1] + int(rng.integers(1, 6)), start + 1), Nk)
        stop = np.maximum.accumulate(stop)
    keys = np.arange(Nk)
    return start, stop, (start[:, None] <= keys) & (keys < stop[:, None])


@pytest.mark.many(6)
@pytest.mark.parametrize("seed", range(40))
def test_triangles_of_random_bands(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        start, stop, allowed = random_band(rng)
        intervals = QueryIntervals.from_arrays(start, stop)
        queries = np.arange(len(start))
        assert intervals.end(0, queries).tolist() == start.tolist()
        assert intervals.end(1, queries).tolist() == stop.tolist()
        for key in range(-1, allowed.shape[1] + 1):
            assert [intervals.upto(w, key) for w in (0, 1)] == [(e <= key).sum() for e in (start, stop)]
        for query in queries.tolist():
            for key in range(int(start[query]), allowed.shape[1]):
                assert intervals.largest(query, key).size == largest_with(allowed, query, key)
        for least in (1, 2, 4):
            begins, ends = intervals.first_queries(least)
            first = [q for b, e in zip(begins.tolist(), ends.tolist(), strict=True) for q in range(b, e)]
            behind = range(len(start) - least + 1)
            assert first == [q for q in behind if start[q + least - 1] < stop[q]]
            triangles = single(find_triangles(intervals, least))
            check_triangles(allowed, triangles)
            assert all(least <= triangle.size for triangle in triangles)
        if len(set(allowed.shape)) == 1 and (allowed >= np.tri(len(start), dtype=bool)).all():
            assert find_triangles(intervals, 1)[0].size == len(start)


@pytest.mark.parametrize("seed", range(10))
def test_groups_of_queries_have_the_triangles_of_their_queries_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for group in (2, 3, 8):
        start, stop, _ = random_band(rng)
        band = BandMask("band", int(stop[-1]), start, stop)
        grouped = QueryIntervals.from_mask(grouped_mask(band, group))
        single_queries = QueryIntervals.from_arrays(np.repeat(start, group), np.repeat(stop, group))
        for least in (1, 2, 4, 7):
            found = [intervals.first_queries(least) for intervals in (grouped, single_queries)]
            first, expected = (
                np.concatenate([np.arange(*one) for one in zip(*ends, strict=True)] or [np.arange(0)])
                for ends in found
            )
            assert first.tolist() == expected.tolist()
            triangles = [single(find_triangles(intervals, least)) for intervals in (grouped, single_queries)]
            assert triangles[0] == triangles[1]


@pytest.mark.parametrize("row", rows_of(Path(__file__).with_name("triangles.txt")), ids=" ".join)
def test_triangles_of_masks(row: list[str]) -> None:
    spec, Nq, Nk = row[0], int(row[1]), int(row[2])
    sizes = [int(size) for size in row[3].split()]
    mask = make_mask(spec, Nq, Nk, empty_rows="zero")
    assert mask is not None
    triangles = single(find_triangles(QueryIntervals.from_mask(mask), 3))
    allowed = mask.matrix((0, Nq), (0, Nk))
    check_triangles(allowed[allowed.any(axis=1)], triangles)
    assert [triangle.size for triangle in triangles] == sizes
    order = np.random.default_rng(0).permutation(Nq)
    hidden = mask_from_array(allowed[order], empty_rows="zero")
    assert single(find_triangles(QueryIntervals.from_mask(hidden), 3)) == triangles


def test_masks_that_are_no_bands_and_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_QUERIES", 10)
    band = make_mask("causal", 20, 20)
    assert band is not None
    assert QueryIntervals.from_mask(band).number == 20
    with pytest.raises(BoundDoesNotApply, match="at most 10 queries"):
        QueryIntervals.from_mask(DenseMask("array:own", band.matrix((0, 20), (0, 20))))
