"""Tile sizes of axes of any length."""

import pytest

from pebble.computations.nests.read_text import loop_nest
from pebble.lower_bounds.matmul_fft import matmul
from pebble.solvers.nests.nest_schedule import schedule_nest


@pytest.mark.slow
def test_extents_of_ten_billion_take_seconds() -> None:
    n, M = 10**10, 100
    nest = loop_nest("C[i,j] += A[i,k]*B[k,j]", dict.fromkeys("ijk", n))
    found, least = schedule_nest(nest, M), matmul(n, n, n, M).value
    assert found.peak <= M
    assert least < found.io < 1.09 * least
