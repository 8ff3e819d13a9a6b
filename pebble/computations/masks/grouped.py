"""Masks of query heads that share their keys (grouped-query attention), taken as one problem."""

from __future__ import annotations

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.dense_mask import DenseMask
from pebble.computations.masks.mask import Mask

__all__ = ["grouped_mask"]

_MOST_LINES = 2**24


def grouped_mask(mask: Mask, group: int) -> Mask:
    """Repeat every query ``group`` times: query i of the new mask sees what query i // group sees.

    Query heads that share keys and values are one problem of ``group`` · Nq queries; numbered like this, the queries of
    one token follow each other, and a band stays a band.

    Examples
    --------
    >>> from pebble.computations.masks import causal_mask
    >>> grouped_mask(causal_mask(2, 2), 2).matrix((0, 4), (0, 2)).astype(int).tolist()
    [[1, 0], [1, 0], [1, 1], [1, 1]]
    """
    if group < 1:
        raise InvalidInput(f"mask group: a group has at least one query head, not {group}")
    spec = f"group:{group}:{mask.spec}"
    if isinstance(mask, BandMask):
        Nq = mask.Nq * group
        if max(Nq, mask.Nk) > _MOST_LINES:
            raise InvalidInput(
                f"mask {spec}: a group's ends are kept line by line, at most {_MOST_LINES:,} of them, "
                f"not {max(Nq, mask.Nk):,}"
            )
        start, stop = (np.repeat(ends.values(0, mask.Nq), group) for ends in mask.ends("i"))
        return BandMask(spec, mask.Nk, start, stop)
    matrix = mask.matrix((0, mask.Nq), (0, mask.Nk))
    return DenseMask(spec, np.repeat(matrix, group, axis=0))
