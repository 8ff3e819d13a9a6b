"""The parts that a mask falls apart into, in order, each a mask of its own, and which of them are equal."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pebble.computations.masks.arrays import mask_of_booleans
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.grouped_mask import GroupedMask
from pebble.computations.masks.staircase import Staircase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.mask import Interval, Mask

    Whole = NDArray[np.int64]


class MaskParts(NamedTuple):
    """Parts of a mask in order: no query of one attends to a key of another.

    Attributes
    ----------
    masks : tuple of Mask
        The different ones, by where the first of their kind stands. Queries and keys are counted from the part's first.
    kinds : ndarray of int64
        Of each part, which of ``masks`` it is.
    places : dict of str to ndarray of int64
        By axis: where the parts begin, and where the last one ends.
    """

    masks: tuple[Mask, ...]
    kinds: Whole
    places: dict[str, Whole]

    @property
    def times(self) -> list[int]:
        """How often each of the different ones is there."""
        found: list[int] = np.bincount(self.kinds, minlength=len(self.masks)).tolist()
        return found

    @property
    def masked(self) -> int:
        """How many of the different ones mask out pairs."""
        return sum(part.pairs < part.Nq * part.Nk for part in self.masks)

    def intervals(self) -> Iterator[tuple[int, dict[str, Interval]]]:
        """Yield each part in order: which of ``masks`` it is, and its interval on each axis."""
        ends = {axis: pairwise(places.tolist()) for axis, places in self.places.items()}
        for kind, queries, keys in zip(self.kinds.tolist(), ends["i"], ends["j"], strict=True):
            yield kind, {"i": queries, "j": keys}


@lru_cache(maxsize=4)
def mask_parts(mask: Mask) -> MaskParts:
    """Return the parts of a mask between the places at which it falls apart (:meth:`.Mask.separations`).

    Cost: proportional to the number of parts; of those that are no bands, to the pairs that may be in them.

    Examples
    --------
    >>> from pebble.computations.masks import document_mask
    >>> found = mask_parts(document_mask([3, 2, 3], causal=True))
    >>> found.masks, found.kinds.tolist(), found.places["i"].tolist()
    ((<Mask part: 6 of 9 pairs>, <Mask part: 3 of 4 pairs>), [0, 1, 0], [0, 3, 5, 8])
    """
    if isinstance(mask, GroupedMask):
        inner, group = mask_parts(mask.inner), mask.group
        parts = tuple(GroupedMask("part", part, group) for part in inner.masks)
        return MaskParts(parts, inner.kinds, {**inner.places, "i": inner.places["i"] * group})
    places = {
        axis: np.array([0, *mask.separations(axis), extent], dtype=np.int64)
        for axis, extent in mask.extents.items()
    }
    numbers: dict[Hashable, int] = {}
    kinds: list[int] = []
    masks: list[Mask] = []
    ends = zip(pairwise(places["i"].tolist()), pairwise(places["j"].tolist()), strict=True)
    for (queries, keys), key in zip(ends, _keys(mask, places), strict=True):
        kind = numbers.setdefault((queries[1] - queries[0], keys[1] - keys[0], key), len(masks))
        if kind == len(masks):
            masks.append(_part(mask, queries, keys))
        kinds.append(kind)
    return MaskParts(tuple(masks), np.array(kinds, dtype=np.int64), places)


def _part(mask: Mask, queries: Interval, keys: Interval) -> Mask:
    """Return the mask of some queries and keys alone, both counted from the first of them."""
    part: Mask
    if isinstance(mask, BandMask):
        part = mask.between(queries, keys)
    else:
        part = mask_of_booleans("part", mask.matrix(queries, keys))
    part.empty_rows = mask.empty_rows
    return part


def _keys(mask: Mask, places: dict[str, Whole]) -> Iterator[Hashable]:
    """Yield what tells parts of one size apart."""
    if isinstance(mask, BandMask):
        yield from zip(*(_outlines(ends, places["i"], places["j"]) for ends in mask.ends("i")), strict=True)
        return
    for queries, keys in zip(*(pairwise(one.tolist()) for one in places.values()), strict=True):
        yield np.packbits(mask.matrix(queries, keys)).tobytes()


def _outlines(ends: Staircase, places: Whole, values: Whole) -> Iterator[Hashable]:
    """Yield how a staircase goes on some of its places, both these and its values counted from the first.

    >>> begins = Staircase.from_values([0, 0, 2, 2, 4, 5])
    >>> one, two, three = _outlines(begins, np.array([0, 2, 4, 6]), np.array([0, 2, 4, 6]))
    >>> one == two, one == three
    (True, False)
    """
    first = ends.piece(places[:-1]).tolist()
    behind = ends.starts.searchsorted(places[1:]).tolist()
    heights = (ends.at(places[:-1]) - values[:-1]).tolist()
    starts, tops, slopes = ends.starts, ends.heights, ends.slopes
    for low, high, place, value, height in zip(
        first, behind, places.tolist(), values.tolist(), heights, strict=False
    ):
        more = slice(low + 1, high)
        others = (starts[more] - place).tobytes(), (tops[more] - value).tobytes()
        yield height, slopes[low:high].tobytes(), *others
