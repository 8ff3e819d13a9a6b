"""What at least some of several bands allow, against their arrays."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np

from pebble.computations.masks.band_algebra import covered, in_order
from pebble.computations.masks.staircase import Staircase, where_apart
from pebble.computations.masks.union_mask import combined_bands
from tests.computations.small_masks import whole
from tests.program.random_masks import band, pieces, union, walk


def test_ends_in_order_are_sorted_values() -> None:
    rnd = Random(0)
    for _ in range(30):
        rows = rnd.randint(1, 20)
        values = np.array([walk(rnd, rows, 9) for _ in range(rnd.randint(1, 4))])
        found = in_order([Staircase.from_values(one) for one in values])
        assert [one.values(0, rows).tolist() for one in found] == np.sort(values, axis=0).tolist()


def test_bands_cover_what_their_arrays_cover() -> None:
    rnd = Random(1)
    for _ in range(30):
        rows, cols = rnd.randint(1, 16), rnd.randint(1, 16)
        masks = [rnd.choice([band, pieces, union])(rnd, rows, cols) for _ in range(rnd.randint(1, 4))]
        least = rnd.randint(1, len(masks))
        right = np.sum([whole(mask) for mask in masks], axis=0) >= least
        found = combined_bands("some", masks, least)  # type: ignore[arg-type]
        np.testing.assert_array_equal(whole(found), right)
        ends = covered([one.ends("i") for mask in masks for one in mask.bands], least)  # type: ignore[attr-defined]
        assert len(ends) == len(found.bands)
        for (_, stop), (start, _) in pairwise(ends):
            assert len(where_apart(stop, start, 0)) == 1, "never back"
            assert len(where_apart(stop, start, 1)) > 0, "a gap somewhere"
        again = combined_bands("some", [found])
        assert again == found
