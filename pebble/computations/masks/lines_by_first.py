"""Lines by their first partners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

_MOST_LINES = 2**22
_MOST_KEPT = 2**22
"""Places of lines and of partners for which all answers are written down."""


class LinesByFirst:
    """A wavelet matrix of the lines in the order of their first partners: a question costs log₂(lines) gathers.

    Digit by digit, from the highest one, the lines are parted: those with a 0 come before those with a 1, in the
    order they were in. All numbers below a power of two are there once, lines that do not exist at the end of the
    order; so half of the lines of every group go either way, and where a group begins need not be stored.

    Parameters
    ----------
    first : ndarray of int64
        First partner of every line; ``partners`` where it has none.
    partners : int

    Examples
    --------
    >>> lines = LinesByFirst(np.array([2, 0, 3, 0]), 3)
    >>> low, high = np.array([0, 1]), np.array([4, 4])
    >>> lines.begun(low, high, np.array([3, 1])).tolist()
    [3, 2]
    >>> lines.behind_latest(low, high, np.array([1, 3]), np.array([3, 3])).tolist()
    [1, 1]
    """

    def __init__(self, first: Whole, partners: int) -> None:
        number = len(first)
        if number > _MOST_LINES:
            raise InvalidInput(
                f"lines whose first partners follow no rule are counted up to {_MOST_LINES:,} of them, not {number:,}"
            )
        self._table: NDArray[np.int32] | None = None
        if (number + 1) * (partners + 1) <= _MOST_KEPT:
            self._table = np.zeros((number + 1, partners + 1), dtype=np.int32)
            self._table[1:] = np.cumsum(first[:, None] < np.arange(partners + 1), axis=0)
        self._digits = range((number - 1).bit_length() - 1, -1, -1)
        self._whole = 1 << len(self._digits)
        order = np.argsort(first, kind="stable").astype(np.int32)
        self._begun = first[order].searchsorted(np.arange(partners + 1))
        order = np.append(order, np.arange(number, self._whole, dtype=np.int32))
        # Of each digit, how many of the first lines have a 0.
        self._zeros = np.zeros((len(self._digits), len(order) + 1), dtype=np.int32)
        for digit, zeros in zip(self._digits, self._zeros, strict=True):
            one = (order >> digit & 1).astype(bool)
            np.cumsum(~one, out=zeros[1:])
            order = np.concatenate([order[~one], order[one]])

    def begun(self, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals whose first partner lies before a place."""
        if self._table is not None:
            return (self._table[x1, place] - self._table[x0, place]).astype(np.int64)
        number = self._begun[place]
        return self._below(number, x1) - self._below(number, x0)

    def _below(self, number: Whole, line: Whole) -> Whole:
        """Of the first ``number`` lines in the order, how many come before a line on the axis."""
        initial, found, group = number, np.zeros_like(line), np.zeros_like(line)
        for digit, zeros in zip(self._digits, self._zeros, strict=True):
            one = line >> digit & 1
            group >>= 1
            zero = zeros[2 * group + number] - group
            found += one * zero
            number = np.where(one, number - zero, zero)
            group += one * (self._whole >> 1)
        # The place behind the last number has a digit more.
        return np.where(line == self._whole, initial, found)

    def behind_latest(self, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line of [x0, x1) whose first partner is in [p, q); x0 if there is none."""
        low, high = self._begun[p], self._begun[q]
        rank = self._below(high, x1) - self._below(low, x1) - 1
        some, rank = rank >= 0, np.maximum(rank, 0)
        line, group = np.zeros_like(rank), np.zeros_like(rank)
        for digit, zeros in zip(self._digits, self._zeros, strict=True):
            group >>= 1
            zero_low, zero_high = zeros[2 * group + low] - group, zeros[2 * group + high] - group
            one = rank >= zero_high - zero_low
            rank = np.where(one, rank - zero_high + zero_low, rank)
            low, high = np.where(one, low - zero_low, zero_low), np.where(one, high - zero_high, zero_high)
            line += one << digit
            group += one * (self._whole >> 1)
        return np.where(some & (line >= x0), line + 1, x0)
