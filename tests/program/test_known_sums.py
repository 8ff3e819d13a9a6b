"""Sums over tiles that are kept belong to one mask, and to one only."""

from __future__ import annotations

import gc

import numpy as np

from pebble.computations.masks import Mask, mask_from_array
from pebble.program.closed_forms.count import closed_form
from pebble.program.closed_forms.known_sums import known_sums
from tests.program.names import Problem, delete, family_of, load, loop, program


def random_mask(seed: int) -> Mask:
    allowed = np.random.default_rng(seed).random((20, 20)) < 0.2
    np.fill_diagonal(allowed, True)
    return mask_from_array(allowed, name="random")


def test_masks_of_one_name_have_sums_of_their_own() -> None:
    text = program(loop("i", 3, load("Q"), loop("j", 2, load("K"), delete("K")), delete("Q")))
    masks = [random_mask(seed) for seed in range(20)]
    families = [family_of(Problem(20, 20, 2, 2, mask=mask)) for mask in masks]
    found = [int(closed_form(text, family).io) for family in families]
    again = [int(closed_form(text, family).io) for family in reversed(families)]
    assert found == again[::-1]
    visited = [
        sum(
            bool(mask.matrix((i, min(i + 3, 20)), (j, j + 2)).any())
            for i in range(0, 20, 3)
            for j in range(0, 20, 2)
        )
        for mask in masks
    ]
    assert found == [20 * 2 + 2 * 2 * tiles for tiles in visited]
    assert len(set(found)) > 1


def test_sums_go_with_their_mask() -> None:
    mask = random_mask(0)
    known_sums(mask)["one"] = 1
    assert known_sums(mask) == {"one": 1}
    known_sums(mask).update(dict.fromkeys(map(str, range(5000)), 0))
    assert known_sums(mask) == {}
    known_sums(mask)["one"] = 1
    del mask
    gc.collect()
    assert known_sums(random_mask(0)) == {}
