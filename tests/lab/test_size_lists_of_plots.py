"""Sizes of pictures, written as lists and ranges."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.lab import plots
from tests.lab.pictures import PROBLEM


def test_ranges() -> None:
    assert plots.sizes("16:1Ki:4") == (16, 64, 256, 1024)
    assert plots.sizes("3:5:9") == (3, 4, 5)
    assert plots.sizes("64, 128") == (64, 128)
    assert plots.sizes("10**9") == plots.sizes("1e9") == (10**9,)
    assert plots.sizes("1KiB", "float16") == (512,)
    assert plots.spaced(7, 7, 5) == (7,)


def test_sizes_from_numpy_are_sizes() -> None:
    assert plots.io_curves(PROBLEM, np.array([60, 40]), ["naive"]).Ms == (40, 60)


@pytest.mark.parametrize(
    "text", [",", "1:2", "1:2:x", "9:3:4", "1:9:0", "1:9:99999", "a:b:3", "", "1:2:3:4", "10**99", "0**2"]
)
def test_ranges_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InvalidInput):
        plots.sizes(text)
