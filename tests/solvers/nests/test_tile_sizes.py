"""Tile sizes of axes of any length."""

import numpy as np
import pytest

from pebble.computations.nests.read_text import loop_nest
from pebble.lower_bounds.matmul_fft import matmul
from pebble.solvers.nests import tile_sizes
from pebble.solvers.nests.nest_schedule import schedule_nest


@pytest.mark.parametrize("extent", [2**24 + 1, 10**10, 10**15])
def test_sizes_of_a_very_long_axis(extent: int) -> None:
    for dimensions, M in ((1, 100), (2, 10**5), (3, 10**12)):
        sizes = tile_sizes._sizes(extent, dimensions, M)
        assert sizes[0] == 1
        assert sizes[-1] == extent
        assert (np.diff(sizes) > 0).all()
        assert (sizes[:-1] <= M).all()
        assert len(sizes) <= 4097


@pytest.mark.slow
def test_extents_of_ten_billion_take_seconds() -> None:
    n, M = 10**10, 100
    nest = loop_nest("C[i,j] += A[i,k]*B[k,j]", dict.fromkeys("ijk", n))
    found, least = schedule_nest(nest, M), matmul(n, n, n, M).value
    assert found.peak <= M
    assert least < found.io < 1.09 * least
