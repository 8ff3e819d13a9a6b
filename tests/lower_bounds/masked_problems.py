"""Random problems with masks, for the tests of bounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pebble.common.errors import PebbleError
from pebble.computations.masks import make_mask, mask_from_array
from pebble.computations.masks.mask import Mask
from tests.support.mask_definitions import definitions

PASSES = ("forward", "backward")


def random_mask(Nq: int, Nk: int, rng: np.random.Generator) -> Mask:
    """Any pattern, from sparse to full; some queries and keys may have no pair."""
    allowed = rng.random((Nq, Nk)) < rng.choice([0.2, 0.5, 0.8, 1.0])
    allowed[rng.random(Nq) < 0.15] = False
    allowed[:, rng.random(Nk) < 0.15] = False
    allowed[rng.integers(Nq), rng.integers(Nk)] = True
    return mask_from_array(allowed, empty_rows="zero")


def kinds(Nq: int, Nk: int, a: int, b: int) -> Iterator[str]:
    for spec in definitions(Nq, Nk, a, b):
        try:
            make_mask(spec, Nq, Nk, empty_rows="zero")
        except PebbleError:
            continue
        yield spec
