"""Schedules of safe and of online softmax: the words and the room that docs/computation.md gives, and masks."""

from __future__ import annotations

import pytest

from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.program.schedule import get

SHAPES = [(12, 9, 3, 2), (7, 10, 2, 5), (9, 2, 4, 4)]


def tiles_of(length: int, tile: int) -> int:
    return -(-length // tile)


@pytest.mark.many(4)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rows", [1, 3, 7, 20])
def test_flash2(shape: tuple[int, int, int, int], rows: int) -> None:
    Nq, Nk, d, dv = shape
    held, blocks = min(rows, Nq), tiles_of(Nq, rows)
    for softmax, sweeps, score in (("online", d + dv, 2), ("safe", 2 * d + dv, 1)):
        row = get("flash-2", "forward", softmax).measure(Problem(*shape, softmax=softmax), {"rows": rows})
        assert row.io == Nq * (d + dv) + Nk * sweeps * blocks
        by_row = held * (d + dv + 2) + d + dv + score + 1
        assert row.peak == min(by_row, held * (d + dv + 2 + score) + 2)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("most", "rows"), [(1, 1), (5, 2), (20, 3)])
def test_split(shape: tuple[int, int, int, int], most: int, rows: int) -> None:
    Nq, Nk, d, dv = shape
    tiles = {"max_rows": most, "rows": rows}
    row = get("split", "forward", "safe").measure(Problem(*shape, softmax="safe"), tiles)
    maxima = Nq * d + Nk * d * tiles_of(Nq, most) + 2 * Nq
    assert row.io == maxima + Nq * (d + dv) + Nk * (d + dv) * tiles_of(Nq, rows)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cols", [1, 4, 9])
def test_flash1(shape: tuple[int, int, int, int], cols: int) -> None:
    Nq, Nk, d, dv = shape
    row = get("flash-1", "forward", "online").measure(Problem(*shape, softmax="online"), {"cols": cols})
    tiles = tiles_of(Nk, cols)
    assert row.io == Nk * (d + dv) + Nq * d * tiles + 2 * (tiles - 1) * Nq * (dv + 2) + Nq * dv


@pytest.mark.parametrize("shape", SHAPES)
def test_scores_and_maxima_that_are_written(shape: tuple[int, int, int, int]) -> None:
    Nq, Nk, d, dv = shape
    tiles = {"rows": 4, "cols": 3, "out_rows": 5, "out_cols": 2}
    row = get("square-tile", "forward", "safe").measure(Problem(*shape, softmax="safe"), tiles)
    across = tiles_of(Nk, 3)
    scores = Nk * d * tiles_of(Nq, 4) + Nq * d * across + Nq * Nk
    outputs = Nq * Nk * tiles_of(dv, 2) + Nk * dv * tiles_of(Nq, 5) + Nq * dv
    assert row.io == scores + 2 * Nq * across + outputs


def test_a_million_queries_and_keys_take_no_time() -> None:
    for softmax in ("online", "safe"):
        for mask in (None, make_mask("causal", 10**6, 10**6)):
            problem = Problem(10**6, 10**6, 64, 64, softmax=softmax, mask=mask)
            found = get("flash-2", "forward", softmax).measure(problem, {"rows": 503})
            assert found.proved
