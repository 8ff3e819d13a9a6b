"""Masks of query heads that share their keys (grouped-query attention), taken as one problem."""

from __future__ import annotations

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arrays import check_size
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.block_mask import BlockMask
from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.masks.dense_mask import DenseMask
from pebble.computations.masks.mask import Interval, Mask, RegularPart
from pebble.computations.masks.staircase import Staircase

__all__ = ["GroupedBand", "grouped_mask"]

_MOST_LINES = 2**24


class GroupedBand(BandMask):
    """A band whose queries come in groups that see the same.

    Parameters
    ----------
    spec : str
    inner : BandMask
        The mask of the groups.
    group : int
    """

    def __init__(self, spec: str, inner: BandMask, group: int) -> None:
        super().__init__(spec, inner.Nk, *(_repeated(ends, group) for ends in inner.ends("i")))
        self._inner, self._group = inner, group

    def between(self, queries: Interval, keys: Interval) -> BandMask:
        """Return the band of some whole groups of queries and some keys alone, counted from the first of them."""
        first, behind = (place // self._group for place in queries)
        return GroupedBand("part", self._inner.between((first, behind), keys), self._group)

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis in which a group on, or a key on, the pairs are the same, moved on."""
        group, parts = self._group, self._inner.steady_parts(axis)
        if axis == "j":
            return [part._replace(partners=part.partners * group) for part in parts]
        return [
            part._replace(start=part.start * group, stop=part.stop * group, lines=part.lines * group)
            for part in parts
        ]


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
        found: Mask = GroupedBand(spec, mask, group)
    elif isinstance(mask, BlockMask):
        sides = mask.sides["i"] * group, mask.sides["j"]
        found = BlockMask(spec, mask.Nq * group, mask.Nk, sides, mask.blocks)
    elif isinstance(mask, ButterflyMask):
        sides = mask.sides["i"] * group, mask.sides["j"]
        found = ButterflyMask(spec, mask.Nq * group, mask.Nk, sides)
    else:
        try:
            check_size(mask.Nq * group, mask.Nk, spec)
        except InvalidInput as error:
            raise InvalidInput(
                f"{error}; where each query head has keys of its own (--kv-heads as many as --heads) there is no group"
            ) from None
        matrix = mask.matrix((0, mask.Nq), (0, mask.Nk))
        found = DenseMask(spec, np.repeat(matrix, group, axis=0))
    found.empty_rows = mask.empty_rows
    return found


def _repeated(ends: Staircase, group: int) -> Staircase:
    """Return the staircase in which every place of one is repeated: a piece for each place of a piece that rises."""
    lengths = np.where(ends.slopes == 1, np.diff(ends.starts, append=ends.length), 1)
    places = np.repeat(ends.starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    return Staircase(ends.length * group, places * group, ends.at(places), np.zeros_like(places))
