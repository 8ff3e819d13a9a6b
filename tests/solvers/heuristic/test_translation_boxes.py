"""Boxes of predecessors, found from what they share."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pebble.solvers.heuristic.translation_boxes import box_places


@pytest.mark.parametrize(("side", "dimensions"), [(3, 1), (5, 1), (3, 2), (5, 2), (3, 3)])
def test_the_places_are_the_true_ones_up_to_axes_and_directions(side: int, dimensions: int) -> None:
    rng = np.random.default_rng(side)
    places = list(product(range(side), repeat=dimensions))
    number = {
        place: at
        for at, place in zip(
            rng.permutation((2 * side) ** dimensions).tolist(),
            product(range(2 * side), repeat=dimensions),
            strict=True,
        )
    }
    row = [1000 + int(at) for at in rng.permutation(len(places))]
    of = dict(zip(row, places, strict=True))
    before = {
        v: [number[tuple(x + s for x, s in zip(place, step, strict=True))] for step in places]
        for v, place in of.items()
    }
    found = box_places(row, before)
    assert found is not None
    for one, other in product(row, row):
        true = sorted(abs(x - y) for x, y in zip(of[one], of[other], strict=True))
        assert sorted(abs(x - y) for x, y in zip(found[one], found[other], strict=True)) == true


def test_what_is_no_box_has_no_places() -> None:
    ring = {1: [6, 7], 2: [7, 8], 3: [8, 9], 4: [9, 10], 5: [10, 6]}
    assert box_places([*ring], ring) is None
    assert box_places([1, 2], {1: [3], 2: [4]}) is None
    assert box_places([1, 2, 3], {1: [4, 5], 2: [5, 6], 3: [4, 6]}) is None
