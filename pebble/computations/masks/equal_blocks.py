"""Masks of equal blocks, each allowed as a whole or not at all: what follows from which blocks are allowed."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.block_questions import BlockQuestions
from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

__all__ = ["EqualBlocks"]


class EqualBlocks(Mask):
    """Blocks of so many queries × so many keys, each allowed as a whole or not at all; the last ones may be cut.

    Parameters
    ----------
    spec : str
    Nq, Nk : int
    sides : (int, int)
        Queries and keys of a block.
    """

    def __init__(self, spec: str, Nq: int, Nk: int, sides: tuple[int, int]) -> None:
        super().__init__(spec, Nq, Nk)
        self.sides = {"i": sides[0], "j": sides[1]}

    # What a kind of blocks must know

    @abstractmethod
    def allowed(self, rows: Interval, columns: Interval) -> NDArray[np.bool_]:
        """Whether blocks of some rows and columns are allowed."""

    @abstractmethod
    def blocks_before(self, rows: Whole, columns: Whole) -> Whole:
        """Numbers of allowed blocks in the rows and columns before some; behind the last there may be one more."""

    @abstractmethod
    def _block_ends(self, axis: str) -> tuple[Whole, Whole]:
        """Return the first block that each block of an axis is allowed with, and the last, or -1."""

    # What follows from it

    def number(self, axis: str) -> int:
        """Number of blocks along an axis."""
        return -(-self.extents[axis] // self.sides[axis])

    def shares(self, axis: str) -> Whole:
        """How many lines are in each block of an axis."""
        shares = np.full(self.number(axis), self.sides[axis], dtype=np.int64)
        shares[-1] += self.extents[axis] - len(shares) * self.sides[axis]
        return shares

    @cached_property
    def ends_of_blocks(self) -> dict[str, tuple[Whole, Whole]]:
        """First and last partner of the lines of each block; the number of partners and -1 where there is none."""
        found = {}
        for axis, other in OTHER_AXIS.items():
            side, extent = self.sides[other], self.extents[other]
            first, last = self._block_ends(axis)
            behind = np.minimum((last + 1) * side, extent)
            found[axis] = np.where(last < 0, extent, first * side), behind - 1
        return found

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        return self.ends_of_blocks[axis][0][lines // self.sides[axis]]

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        return self.ends_of_blocks[axis][1][lines // self.sides[axis]]

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        rows, columns = (
            np.arange(*lines, dtype=np.int64) // side
            for lines, side in zip((queries, keys), self.sides.values(), strict=True)
        )
        if not (len(rows) and len(columns)):
            return np.zeros((len(rows), len(columns)), dtype=bool)
        box = self.allowed((rows[0], rows[-1] + 1), (columns[0], columns[-1] + 1))
        return np.asarray(box[rows - rows[0]][:, columns - columns[0]])

    def _answers(self) -> Questions:
        return BlockQuestions(self)
