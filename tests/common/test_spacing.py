"""Places moved apart: the order and the distances hold, and no other way disturbs less."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pebble.common.spacing import spread


def test_spread_keeps_order_and_distance() -> None:
    moved = spread([0.3, 0.3, 0.31, 0.9], 0.1)
    assert moved == sorted(moved)
    assert all(b - a >= 0.1 - 1e-9 for a, b in pairwise(moved))
    assert spread([], 0.1) == []


@given(st.lists(st.integers(-5, 5).map(float), max_size=8))
def test_spread_is_the_least_disturbance(wanted: list[float]) -> None:
    places = spread(wanted)
    assert all(b - a > 1 - 1e-9 for a, b in pairwise(places))
    cost = sum((a - b) ** 2 for a, b in zip(places, wanted, strict=True))
    for i in range(len(places)):
        for first in range(i + 1):
            for by in (-0.01, 0.01):
                moved = [p + by if first <= j <= i else p for j, p in enumerate(places)]
                if all(b - a > 1 - 1e-9 for a, b in pairwise(moved)):
                    assert sum((a - b) ** 2 for a, b in zip(moved, wanted, strict=True)) > cost - 1e-9
