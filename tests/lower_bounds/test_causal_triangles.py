"""The bound by causal triangles: the best number of columns, the least triangle, and worths that add up."""

from __future__ import annotations

import pytest

from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.lab.count import count_schedule
from pebble.lower_bounds.attention.causal_triangles import (
    causal_triangles,
    least_size,
    words_above_compulsory,
)
from pebble.program.schedule import get


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_best_number_of_columns_is_looked_at(d: int) -> None:
    for dv in range(1, 2 * d + 6):
        for n in range(2 * d + 1, 8 * d):
            by_columns = [
                (d + 1) * (n - 2 * d + 1) + h * (n - 5 * d + 2) - 7 for h in range(d + 1) if 2 * h + 1 <= dv
            ]
            assert words_above_compulsory(n, d, dv, 7) == max(by_columns)


def test_the_least_size_is_the_least() -> None:
    for d, dv, M in ((1, 1, 4), (1, 3, 30), (3, 7, 500), (8, 5, 100), (64, 64, 9000), (9, 1, 3)):
        least = least_size(d, dv, M)
        worth = [words_above_compulsory(n, d, dv, M) > 0 for n in (*range(2 * d + 1, least), least)]
        assert worth == [False] * (least - 2 * d - 1) + [True]
        assert least > 2 * d


def test_worths_of_triangles_add_up() -> None:
    M, d = 300, 8
    packed = Problem.square(300, d, mask="document:causal,100,20,180")
    apart = sum(words_above_compulsory(n, d, d, M) for n in (100, 180))
    assert words_above_compulsory(20, d, d, M) < 0
    found = causal_triangles(packed, M)
    assert found.value == 4 * 300 * d + apart
    assert found.note == "2 causal triangles of 100 to 180 queries"
    window = Problem.square(405, d, mask="window:80")
    assert causal_triangles(window, M).value == 4 * 405 * d + 5 * words_above_compulsory(80, d, d, M)
    offset = Problem(100, 700, d, d, mask=make_mask("causal", 100, 700))
    assert causal_triangles(offset, M).value == 1600 * d + words_above_compulsory(100, d, d, M)
    with_sums = Problem.square(4096, d, mask="causal", stats=True)
    assert (
        causal_triangles(with_sums, M).value
        == causal_triangles(Problem.square(4096, d, mask="causal"), M).value + 4096
    )


@pytest.mark.parametrize("n", [9, 36])
def test_a_schedule_comes_near(n: int) -> None:
    """All keys resident: 4N words with M = 2N + 3 for d = dv = 1; a wrong constant would be found out."""
    row = count_schedule(
        get("key-window", "forward"), Problem.square(n, 1, mask="causal"), 2 * n + 3, None, 1
    )
    assert row.io == 4 * n
    assert row.peak is not None
    assert words_above_compulsory(n, 1, 1, 0) == row.peak - 5
