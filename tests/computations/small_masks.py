"""Small masks for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pebble.computations.masks import (
    Mask,
    make_mask,
)


def made(spec: str, Nq: int, Nk: int) -> Mask:
    mask = make_mask(spec, Nq, Nk, empty_rows="zero")
    assert mask is not None
    return mask


def whole(mask: Mask) -> NDArray[np.bool_]:
    return mask.matrix((0, mask.Nq), (0, mask.Nk))
