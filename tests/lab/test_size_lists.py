"""Several sizes in one text: the grammar that sweeps and pictures share."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.lab import plots
from pebble.lab.size_lists import memory_sizes, problem_sizes, spaced


def test_axes() -> None:
    assert problem_sizes("1Ki, 4k,10**3,1e3,1_000", "N") == (1024, 4000, 1000)
    assert problem_sizes("16:256:5", "d") == (16, 32, 64, 128, 256)
    assert problem_sizes([3, 1, 3], "N") == (3, 1)
    assert memory_sizes("1Ki:1Mi:11") == tuple(2**i for i in range(10, 21))
    assert memory_sizes("1KiB,4KiB", "float16") == (512, 2048)
    assert len(memory_sizes("1Ki:1Mi:40")) == 40


@given(st.integers(1, 10**18), st.integers(1, 10**18), st.integers(2, 60))
def test_logarithmic_spacing(one: int, other: int, count: int) -> None:
    first, last = sorted((one, other))
    values = spaced(first, last, count)
    assert (values[0], values[-1]) == (first, last)
    assert list(values) == sorted(set(values))
    assert len(values) <= count
    exact = {first * (last / first) ** (i / (count - 1)) for i in range(count)}
    for value in values:
        assert any(math.isclose(value, near, rel_tol=1e-9, abs_tol=0.5 + 1e-6) for near in exact)
    if last - first >= 2 * first * count:  # neighbours are more than one apart near the lower end
        assert len(values) >= min(count, 2 + int(math.log2(last / first)))


@pytest.mark.parametrize("text", ["1Ki", "98k", "10**9", "1e9", "64,128", "16:1Ki:4", "48:192:3,7"])
def test_lengths_and_memories_are_read_alike(text: str) -> None:
    assert problem_sizes(text, "N") == memory_sizes(text) == plots.sizes(text)


def test_a_range_has_as_many_values_as_are_allowed() -> None:
    assert plots.sizes("16:64:1") == (16,)
    with pytest.raises(InvalidInput, match="2 to 1,000,000 values"):
        memory_sizes("16:64:1")
    with pytest.raises(InvalidInput, match="1 to 2,000 values"):
        plots.sizes("16:64:2001")
    with pytest.raises(InvalidInput, match="at least one value"):
        spaced(16, 64, 0)
