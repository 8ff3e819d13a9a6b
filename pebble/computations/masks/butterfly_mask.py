"""The flat block butterfly, kept by its rule: nothing follows the number of its blocks but two numbers a row."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.equal_blocks import ButterflyQuestions, EqualBlocks
from pebble.computations.masks.mask import OTHER_AXIS, Interval, RegularPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

__all__ = ["ButterflyMask"]

_MOST_LINES = 10**9
_MOST_SUMMED = 2**11
"""Blocks along an axis of which the number before every corner is kept."""


class ButterflyMask(EqualBlocks):
    """Blocks r and c are allowed with each other if r = c, or if they differ in exactly one binary digit.

    Parameters
    ----------
    spec : str
    Nq, Nk : int
        With as many blocks along either axis.
    sides : (int, int)
        Queries and keys of a block.

    Attributes
    ----------
    blocks : int
        Number of blocks along an axis.

    Examples
    --------
    >>> ButterflyMask("own", 8, 4, (2, 1)).matrix((0, 8), (0, 4))[::2].astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]]
    """

    def __init__(self, spec: str, Nq: int, Nk: int, sides: tuple[int, int]) -> None:
        super().__init__(spec, Nq, Nk, sides)
        if max(Nq, Nk) > _MOST_LINES:
            raise InvalidInput(
                f"mask {spec}: at most {_MOST_LINES:,} queries and keys, not {Nq:,} and {Nk:,}"
            )
        if self.number("i") != self.number("j"):
            raise ValueError(f"{Nq} × {Nk} pairs do not make as many rows as columns of blocks of {sides}")
        self.blocks = self.number("i")
        self.digits = (self.blocks - 1).bit_length()

    def allowed(self, rows: Interval, columns: Interval) -> NDArray[np.bool_]:
        """Whether blocks of some rows and columns are allowed."""
        differ = np.arange(*rows)[:, None] ^ np.arange(*columns)
        return np.asarray(differ & (differ - 1) == 0)

    def blocks_before(self, rows: Whole, columns: Whole) -> Whole:
        """Numbers of allowed blocks in the rows and columns before some; behind the last there may be one more.

        For each digit, of whole groups of blocks that differ in it and lower ones only, all; and of one group a part.
        """
        r, c = np.minimum(rows, self.blocks), np.minimum(columns, self.blocks)
        if self.blocks <= _MOST_SUMMED:
            return self._sums[r, c].astype(np.int64)
        found = np.minimum(r, c)
        for digit in range(self.digits):
            found = found + _halves_before(r, c, 1 << digit)
        return found

    @cached_property
    def _sums(self) -> NDArray[np.int32]:
        """Allowed blocks before each corner."""
        allowed = self.allowed((0, self.blocks), (0, self.blocks))
        sums = np.zeros((self.blocks + 1, self.blocks + 1), dtype=np.int32)
        np.cumsum(np.cumsum(allowed, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
        return sums

    def _block_ends(self, axis: str) -> tuple[Whole, Whole]:
        numbers = np.arange(self.blocks)
        first, last = numbers, numbers
        for digit in range(self.digits):
            other = numbers ^ (1 << digit)
            first = np.minimum(first, other)
            last = np.where(other < self.blocks, np.maximum(last, other), last)
        return first, last

    def _answers(self) -> Questions:
        return ButterflyQuestions(self)

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        other = OTHER_AXIS[axis]
        starts = np.arange(self.blocks) * self.sides[other]
        shares = np.add.reduceat(partners.astype(np.int64), starts)
        found, numbers = shares.copy(), np.arange(self.blocks)
        for digit in range(self.digits):
            flipped = numbers ^ (1 << digit)
            found += np.where(flipped < self.blocks, shares[np.minimum(flipped, self.blocks - 1)], 0)
        return np.repeat(found, self.shares(axis))

    @property
    def connected(self) -> bool:
        """All pairs are in one part: digits taken away one by one lead from every block to the first one."""
        return True

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis whose lines all have the same partners: blocks, but that two are alike."""
        extent, side = self.extents[axis], self.sides[axis] * (2 if self.blocks <= 2 else 1)
        return [
            RegularPart(start, min(start + side, extent), (False, False)) for start in range(0, extent, side)
        ]

    def _identity(self) -> object:
        return tuple(self.sides.values())


def _halves_before(rows: Whole, columns: Whole, half: int) -> Whole:
    """Number of blocks in some rows and columns that differ in the digit worth ``half``, and in no other."""
    group = np.minimum(rows, columns) & -(2 * half)
    # Of groups of blocks that differ in lower digits, too, each row has one; in the last, which is not whole, the
    # first half is allowed with the second one.
    a, b = np.minimum(rows - group, 2 * half), np.minimum(columns - group, 2 * half)
    one = np.minimum(np.minimum(a, half), np.maximum(b - half, 0))
    other = np.minimum(np.maximum(a - half, 0), np.minimum(b, half))
    return np.asarray(group + one + other)
