"""The flat block butterfly, kept by its rule: cost follows the logarithm of the number of blocks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.equal_blocks import EqualBlocks
from pebble.computations.masks.mask import OTHER_AXIS, Interval, RegularPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

__all__ = ["ButterflyMask"]

_MOST_LINES = 10**9
_MANY = 2**10
"""Corners that are looked at digit by digit."""
_MOST_SUMMED = 2**11
"""Blocks along an axis of which the number before every corner is kept."""
"""Blocks × partners that are compared with one another."""


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
        self._halves = 1 << np.arange(self.digits, dtype=np.int64)
        self._starts, self._back, self._on = _pieces(self.blocks)
        self._stops = np.append(self._starts[1:], self.blocks)

    def allowed(self, axis: str, blocks: Whole, partners: Interval) -> NDArray[np.bool_]:
        """Whether some blocks of an axis are allowed with each of an interval of the other's."""
        differ = blocks[:, None] ^ np.arange(*partners)
        return np.asarray(differ & (differ - 1) == 0)

    def blocks_before(self, rows: Any, columns: Any) -> Any:
        """Number of allowed blocks in the rows and columns before some; for numbers, or arrays of both.

        For each digit, of whole groups of blocks that differ in it and lower ones only, all; and of one group a part.
        """
        r, c = np.minimum(rows, self.blocks), np.minimum(columns, self.blocks)
        if self.blocks <= _MOST_SUMMED:
            return self._sums[r, c]
        found = np.minimum(r, c)
        if found.size <= _MANY:
            halves = self._halves.reshape(-1, *(1 for _ in found.shape))
            return found + _halves_before(r, c, halves).sum(axis=0)
        for half in self._halves.tolist():
            found = found + _halves_before(r, c, half)
        return found

    @cached_property
    def _sums(self) -> NDArray[np.int32]:
        """Allowed blocks before each corner."""
        allowed = self.allowed("i", np.arange(self.blocks), (0, self.blocks))
        sums = np.zeros((self.blocks + 1, self.blocks + 1), dtype=np.int32)
        np.cumsum(np.cumsum(allowed, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
        return sums

    def counts(self, queries: tuple[Whole, Whole], keys: tuple[Whole, Whole]) -> Whole:
        """Numbers of allowed pairs in many boxes: beginnings and ends of their queries, and of their keys."""
        (start, stop), (left, right) = queries, keys
        row, column = start // self.sides["i"], left // self.sides["j"]
        differ = row ^ column
        found = np.where(differ & (differ - 1) == 0, (stop - start) * (right - left), 0)
        # That is right of boxes inside of one block.
        wide = (stop > (row + 1) * self.sides["i"]) | (right > (column + 1) * self.sides["j"])
        if wide.any():
            some = ((start[wide], stop[wide]), (left[wide], right[wide]))
            found[wide] = super().counts(*some)
        return found

    @cached_property
    def questions(self) -> Questions:
        """What the mask answers about many boxes at once."""
        from pebble.computations.masks.block_questions import ButterflyQuestions

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
        return np.repeat(found, self.shares(axis, (0, self.extents[axis])))

    @property
    def connected(self) -> bool:
        """All pairs are in one part: digits taken away one by one lead from every block to the first one."""
        return True

    # First and last partners: from block to block both go up by one, but for some pieces that begin anew

    def _ends_of(self, axis: str, blocks: Whole) -> tuple[Whole, Whole]:
        """First and last partners of the lines of some blocks."""
        piece = self._starts.searchsorted(blocks, side="right") - 1
        side, extent = self.sides[OTHER_AXIS[axis]], self.extents[OTHER_AXIS[axis]]
        first = (blocks - self._back[piece]) * side
        return first, np.minimum((blocks + self._on[piece] + 1) * side, extent) - 1

    def _of_lines(self, axis: str, lines: Interval | None) -> tuple[Whole, Whole]:
        lines = (0, self.extents[axis]) if lines is None else lines
        ends = self._ends_of(axis, np.arange(*self.around(axis, lines)))
        first, last = (np.repeat(end, self.shares(axis, lines)) for end in ends)
        return first, last

    def first(self, axis: str, lines: Interval | None = None) -> Whole:
        """First partner of every line of an interval."""
        return self._of_lines(axis, lines)[0]

    def last(self, axis: str, lines: Interval | None = None) -> Whole:
        """Last partner of every line of an interval."""
        return self._of_lines(axis, lines)[1]

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        return self._ends_of(axis, lines // self.sides[axis])[0]

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        return self._ends_of(axis, lines // self.sides[axis])[1]

    def present_before(self, axis: str, places: Whole) -> Whole:
        """Number of lines before each of some places: every line has a pair."""
        return np.asarray(places, dtype=np.int64)

    def present(self, axis: str, start: int = 0, stop: int | None = None) -> int:
        """Number of lines in an interval."""
        return (self.extents[axis] if stop is None else stop) - start

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis whose lines all have the same partners: blocks, but that two are alike."""
        extent, side = self.extents[axis], self.sides[axis] * (2 if self.blocks <= 2 else 1)
        return [
            RegularPart(start, min(start + side, extent), (False, False)) for start in range(0, extent, side)
        ]

    def _identity(self) -> object:
        return tuple(self.sides.values())


def _halves_before(rows: Whole, columns: Whole, half: Any) -> Whole:
    """Number of blocks in some rows and columns that differ in the digit worth ``half``, and in no other."""
    group = np.minimum(rows, columns) & -(2 * half)
    # Of groups of blocks that differ in lower digits, too, each row has one; in the last, which is not whole, the
    # first half is allowed with the second one.
    a, b = np.minimum(rows - group, 2 * half), np.minimum(columns - group, 2 * half)
    one = np.minimum(np.minimum(a, half), np.maximum(b - half, 0))
    other = np.minimum(np.maximum(a - half, 0), np.minimum(b, half))
    return np.asarray(group + one + other)


def _pieces(blocks: int) -> tuple[Whole, Whole, Whole]:
    """Cut the blocks into pieces in which the first partner, and the last one, lie equally far from each.

    Returns
    -------
    starts, back, on : ndarray of int64
        Where pieces begin, how far before a block its first partner lies, and how far behind it its last one.

    Examples
    --------
    >>> [one.tolist() for one in _pieces(4)]
    [[0, 1, 2, 3], [0, 1, 2, 2], [2, 2, 1, 0]]
    """
    powers = [1 << digit for digit in range((blocks - 1).bit_length())]
    last = _last_partners(blocks)
    starts = np.unique([0, *powers, *(start for start, _ in last)])
    back = np.where(starts > 0, 1 << (np.frexp(np.maximum(starts, 1))[1] - 1), 0)
    begins = np.array([start for start, _ in last])
    on = np.array([on for _, on in last])[begins.searchsorted(starts, side="right") - 1]
    return starts, back.astype(np.int64), on.astype(np.int64)


def _last_partners(blocks: int) -> list[tuple[int, int]]:
    """Return where pieces begin whose blocks' last partners are equally far behind them, and how far.

    The last partner has the highest digit more for which there is a block. With H the greatest power of two below
    their number the first ``blocks - H`` have H; those up to H have the highest digit they lack, and there is a block
    for it; those from H on, all of which have H, are a butterfly of their own.
    """
    found, base = list[tuple[int, int]](), 0
    while blocks > 1:
        half = 1 << ((blocks - 1).bit_length() - 1)
        found.append((base, half))
        least, step = blocks - half, half >> 1
        while step:
            start = max(half - 2 * step, least)
            if start < half - step:
                found.append((base + start, step))
            step >>= 1
        if least < half:
            found.append((base + half - 1, 0))
        base, blocks = base + half, blocks - half
    return [*found, (base, 0)] if blocks else found
