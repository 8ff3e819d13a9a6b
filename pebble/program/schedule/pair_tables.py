"""Sums over a mask on short axes, for many boxes of queries and keys at a time."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pebble.computations.masks import Mask

__all__ = ["Ends", "PairTables", "Whole", "pair_tables"]

Whole: TypeAlias = NDArray[np.int64]
Ends: TypeAlias = tuple[Whole, Whole]
"""Where intervals begin and end."""


class PairTables:
    """Tables from which the pairs and lines in boxes are read off; their size is that of the axes, cubed.

    Parameters
    ----------
    mask : Mask
    """

    def __init__(self, mask: Mask) -> None:
        table = mask.matrix((0, mask.Nq), (0, mask.Nk)).astype(np.int64)
        self._pairs = np.zeros((mask.Nq + 1, mask.Nk + 1), dtype=np.int64)
        self._pairs[1:, 1:] = table.cumsum(axis=0).cumsum(axis=1)
        self._width = mask.Nk + 1
        self._present = {
            axis: mask.present_before(axis, np.arange(n + 1)) for axis, n in mask.extents.items()
        }
        self._begun = {axis: _begun(mask, axis) for axis in mask.extents}
        self._latest = {axis: _latest(mask, axis) for axis in mask.extents}

    def pairs(self, queries: Ends, keys: Ends) -> Whole:
        """Return the allowed pairs of boxes."""
        a, b = queries[0] * self._width, queries[1] * self._width
        c, d = keys
        take = self._pairs.take
        return np.asarray(take(b + d) - take(a + d) - take(b + c) + take(a + c))

    def present(self, axis: str, lines: Ends) -> Whole:
        """Return how many lines have any pair."""
        return np.asarray(self._present[axis][lines[1]] - self._present[axis][lines[0]])

    def begun(self, axis: str, lines: Ends, before: Whole) -> Whole:
        """Return how many lines have a pair with a partner before a place."""
        return np.asarray(self._begun[axis][lines[1], before] - self._begun[axis][lines[0], before])

    def advanced(self, axis: str, lines: Ends, partners: Ends) -> tuple[Whole, Whole]:
        """Return how many lines begin with some partners, and whether there is a step when all of them have begun."""
        new = self.begun(axis, lines, partners[1]) - self.begun(axis, lines, partners[0])
        latest = np.where(new > 0, self._latest[axis][(lines[1], *partners)], lines[0])
        rest = (latest, lines[1])
        left = self.pairs(rest, partners) if axis == "i" else self.pairs(partners, rest)
        return new, (left > (new > 0)).astype(np.int64)


@lru_cache(maxsize=16)
def pair_tables(mask: Mask) -> PairTables:
    """Return a mask's tables, made once."""
    return PairTables(mask)


def _begun(mask: Mask, axis: str) -> Whole:
    """Lines before a place that have a pair with a partner before another place."""
    first, partners = _first(mask, axis), mask.Nq + mask.Nk - mask.extents[axis]
    found = np.zeros((len(first) + 1, partners + 1), dtype=np.int64)
    np.cumsum(first[:, None] < np.arange(partners + 1), axis=0, out=found[1:])
    return found


def _latest(mask: Mask, axis: str) -> Whole:
    """The last line before a place whose first pair is with a partner from a second place to a third; or zero."""
    first, partners = _first(mask, axis), mask.Nq + mask.Nk - mask.extents[axis]
    places = np.arange(partners + 1)
    found = np.zeros((len(first) + 1, partners + 1, partners + 1), dtype=np.int64)
    for line, own in enumerate(first):
        inside = (places[:, None] <= own) & (own < places)
        found[line + 1] = np.where(inside, line, found[line])
    return found


def _first(mask: Mask, axis: str) -> Whole:
    """First partner of every line, out of reach where it has none."""
    return np.where(mask.last(axis) >= 0, mask.first(axis), mask.Nq + mask.Nk)
