"""Masks of equal blocks, each allowed as a whole or not at all: what follows from which blocks are allowed."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    def blocks_before(self, rows: Any, columns: Any) -> Any:
        """Number of allowed blocks in the rows and columns before some; for numbers, or arrays of both."""

    @abstractmethod
    def allowed(self, axis: str, blocks: Whole, partners: Interval) -> NDArray[np.bool_]:
        """Whether blocks of an axis are allowed with each of an interval of the other's, shape (blocks, partners)."""

    # Lines and the blocks that they are in

    def number(self, axis: str) -> int:
        """Number of blocks along an axis."""
        return -(-self.extents[axis] // self.sides[axis])

    def around(self, axis: str, lines: Interval) -> Interval:
        """Return the numbers of the first block that holds some of the lines, and of the one behind the last."""
        if lines[0] >= lines[1]:
            return 0, 0
        return lines[0] // self.sides[axis], -(-lines[1] // self.sides[axis])

    def shares(self, axis: str, lines: Interval) -> Whole:
        """How many of the lines are in each of the blocks around them."""
        (low, high), side = self.around(axis, lines), self.sides[axis]
        shares = np.full(high - low, side, dtype=np.int64)
        if low < high:
            shares[0] -= lines[0] - low * side
            shares[-1] -= high * side - lines[1]
        return shares

    def edges(self, axis: str, lines: Interval, rows: NDArray[Any]) -> Whole:
        """Where, strictly inside of some lines, a row of the blocks around them differs from the one before."""
        differ = rows[1:] != rows[:-1]
        changes = np.flatnonzero(differ if differ.ndim == 1 else differ.any(axis=1)) + 1
        return (changes + self.around(axis, lines)[0]) * self.sides[axis]

    def _around(self, axis: str, lines: Interval, partners: Interval) -> NDArray[np.bool_]:
        """Return the blocks around some lines and partners."""
        blocks = np.arange(*self.around(axis, lines))
        return self.allowed(axis, blocks, self.around(OTHER_AXIS[axis], partners))

    # Pairs

    def before(self, queries: Any, keys: Any) -> Any:
        """Number of allowed pairs of the queries and keys before some places; for numbers, or arrays of both.

        Along either axis it is linear inside of a block.
        """
        rows, columns = self.sides["i"], self.sides["j"]
        (r, a), (c, b) = divmod(queries, rows), divmod(keys, columns)
        sums, take = self.blocks_before, int if isinstance(r, int) else _long
        above = take(sums(r, c)) * (columns - b) + take(sums(r, c + 1)) * b
        below = take(sums(r + 1, c)) * (columns - b) + take(sums(r + 1, c + 1)) * b
        return above * (rows - a) + below * a

    def count(self, queries: Interval, keys: Interval) -> int:
        """Number of allowed pairs in a box."""
        if queries[0] >= queries[1] or keys[0] >= keys[1]:
            return 0
        (start, stop), (left, right), before = map(int, queries), map(int, keys), self.before
        return int(before(stop, right) - before(start, right) - before(stop, left) + before(start, left))

    def counts(self, queries: tuple[Whole, Whole], keys: tuple[Whole, Whole]) -> Whole:
        """Numbers of allowed pairs in many boxes: beginnings and ends of their queries, and of their keys."""
        (start, stop), before = queries, self.before
        return np.asarray(
            before(stop, keys[1]) - before(start, keys[1]) - before(stop, keys[0]) + before(start, keys[0])
        )

    def matrix(self, queries: Interval, keys: Interval) -> NDArray[np.bool_]:
        """Return the box as an array of booleans, shape (queries, keys)."""
        box = np.repeat(self._around("i", queries, keys), self.shares("j", keys), axis=1)
        return np.repeat(box, self.shares("i", queries), axis=0)


def _long(numbers: Any) -> Any:
    return np.asarray(numbers, dtype=np.int64)
