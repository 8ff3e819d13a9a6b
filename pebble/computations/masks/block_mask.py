"""Masks of equal blocks, each allowed as a whole or not at all: cost follows the number of blocks, not of pairs."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.block_questions import BlockQuestions
from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask, RegularPart, parts_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

_MOST_KEPT = 2**26
_MOST_LINES = 2**24
_CHUNK = 2**22


def can_be_kept(Nq: int, Nk: int, sides: tuple[int, int]) -> bool:
    """Whether a mask has few enough blocks of some sides, queries and keys to be kept block by block."""
    return max(Nq, Nk) <= _MOST_LINES and -(-Nq // sides[0]) * -(-Nk // sides[1]) <= _MOST_KEPT


def check_blocks_kept(Nq: int, Nk: int, sides: tuple[int, int], name: str) -> None:
    """Refuse a mask that is kept block by block and has too many blocks, queries or keys.

    Parameters
    ----------
    Nq, Nk : int
    sides : (int, int)
        Queries and keys of a block.
    name : str
    """
    if not can_be_kept(Nq, Nk, sides):
        raise InvalidInput(
            f"mask {name}: it is stored block by block, which is limited to {_MOST_KEPT:,} blocks and "
            f"{_MOST_LINES:,} queries and keys; there are {-(-Nq // sides[0]):,} × "
            f"{-(-Nk // sides[1]):,} blocks, {Nq:,} queries and {Nk:,} keys: use larger blocks, or fewer "
            "queries and keys"
        )


class BlockMask(Mask):
    """Equal blocks of which it is known one by one whether they are allowed.

    Parameters
    ----------
    spec : str
    Nq, Nk : int
    sides : (int, int)
        Queries and keys of a block.
    blocks : ndarray of bool, shape (⌈Nq/sides[0]⌉, ⌈Nk/sides[1]⌉)
        One byte of it is kept for each block, and four for sums.

    Examples
    --------
    >>> mask = BlockMask("own", 5, 4, (2, 3), np.array([[1, 0], [0, 1], [1, 1]], dtype=bool))
    >>> mask.matrix((0, 5), (0, 4)).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 1]]
    """

    def __init__(
        self, spec: str, Nq: int, Nk: int, sides: tuple[int, int], blocks: NDArray[np.bool_]
    ) -> None:
        check_blocks_kept(Nq, Nk, sides, spec)
        if blocks.shape != (-(-Nq // sides[0]), -(-Nk // sides[1])):
            raise ValueError(f"{Nq} × {Nk} pairs do not make {blocks.shape} blocks of {sides}")
        super().__init__(spec, Nq, Nk)
        self.sides = {"i": sides[0], "j": sides[1]}
        self.blocks = np.ascontiguousarray(blocks, dtype=bool)

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
        return self.blocks[np.ix_(rows, columns)]

    def _answers(self) -> Questions:
        return BlockQuestions(self)

    def along(self, axis: str) -> NDArray[np.bool_]:
        """Whether blocks of an axis are allowed with those of the other one, a row for each."""
        return self.blocks if axis == "i" else self.blocks.T

    def _block_ends(self, axis: str) -> tuple[Whole, Whole]:
        """Return the first block that each block of an axis is allowed with, and the last, or -1."""
        rows = self.along(axis)
        last = rows.shape[1] - 1 - rows[:, ::-1].argmax(axis=1)
        return rows.argmax(axis=1), np.where(rows.any(axis=1), last, -1)

    @cached_property
    def _sums(self) -> NDArray[np.int32]:
        """Allowed blocks before each corner; the last row and column are there twice."""
        n, m = self.blocks.shape
        sums = np.zeros((n + 2, m + 2), dtype=np.int32)
        inside = sums[1:-1, 1:-1]
        np.cumsum(self.blocks, axis=0, dtype=np.int32, out=inside)
        np.cumsum(inside, axis=1, out=inside)
        sums[-1], sums[:, -1] = sums[-2], sums[:, -2]
        sums[-1, -1] = sums[-2, -2]
        return sums

    def blocks_before(self, rows: Whole, columns: Whole) -> Whole:
        """Numbers of allowed blocks in the rows and columns before some; behind the last there may be one more."""
        return self._sums[rows, columns].astype(np.int64)

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        rows, side = self.along(axis), self.sides[OTHER_AXIS[axis]]
        shares = np.add.reduceat(partners.astype(np.int64), np.arange(0, len(partners), side))
        # Sums of at most 2²⁴ are exact in floating point, which is what matrices are multiplied in fast.
        weights = shares.astype(float)
        step = max(1, _CHUNK // rows.shape[1])
        found = [rows[at : at + step].astype(float) @ weights for at in range(0, len(rows), step)]
        return np.repeat(np.concatenate(found).astype(np.int64), self.shares(axis))

    def _parts(self) -> dict[str, Whole]:
        parts = parts_of_rows(self.blocks, *self.blocks.shape)
        return {axis: np.repeat(labels, self.shares(axis)) for axis, labels in parts.items()}

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis whose lines all have the same partners, and have any."""
        rows, side, extent = self.along(axis), self.sides[axis], self.extents[axis]
        begins = np.append(0, np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1)) + 1)
        ends = np.append(begins[1:] * side, extent)
        some = rows[begins].any(axis=1)
        return [
            RegularPart(start, stop, (False, False))
            for start, stop in zip((begins * side)[some].tolist(), ends[some].tolist(), strict=True)
        ]

    @cached_property
    def digest(self) -> str:
        """A hash of the pairs, if the sides are known."""
        return hashlib.sha256(np.packbits(self.blocks).tobytes()).hexdigest()

    def _identity(self) -> object:
        return tuple(self.sides.values()), self.digest
