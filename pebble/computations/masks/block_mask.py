"""Masks of equal blocks, each allowed as a whole or not at all: cost follows the number of blocks, not of pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.components import parts_of_rows, places_apart
from pebble.computations.masks.equal_blocks import EqualBlocks
from pebble.computations.masks.mask import OTHER_AXIS, Interval, RegularPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.masks.questions import Questions

    Whole = NDArray[np.int64]

__all__ = ["BlockMask", "can_be_kept", "check_blocks_kept"]

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
            f"mask {name}: it is kept block by block, at most {_MOST_KEPT:,} of them, and at most {_MOST_LINES:,} "
            f"queries and keys; there are {-(-Nq // sides[0]):,} × {-(-Nk // sides[1]):,} blocks, {Nq:,} queries and "
            f"{Nk:,} keys: take larger blocks, or fewer queries and keys"
        )


class BlockMask(EqualBlocks):
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
        super().__init__(spec, Nq, Nk, sides)
        self.blocks = np.ascontiguousarray(blocks, dtype=bool)
        self._allowed = {"i": self.blocks, "j": self.blocks.T}
        self._first: dict[str, Whole] = {}
        self._last: dict[str, Whole] = {}
        for axis, other in OTHER_AXIS.items():
            rows, side, extent = self._allowed[axis], self.sides[other], self.extents[other]
            empty = ~rows.any(axis=1)
            last = rows.shape[1] - rows[:, ::-1].argmax(axis=1)
            self._first[axis] = np.where(empty, extent, rows.argmax(axis=1) * side).astype(np.int64)
            self._last[axis] = np.where(empty, -1, np.minimum(last * side, extent) - 1).astype(np.int64)

    # Blocks and pairs

    def allowed(self, axis: str, blocks: Whole, partners: Interval) -> NDArray[np.bool_]:
        """Whether blocks of an axis are allowed with each of an interval of the other's, shape (blocks, partners)."""
        return self._allowed[axis][:, partners[0] : partners[1]][blocks]

    def _around(self, axis: str, lines: Interval, partners: Interval) -> NDArray[np.bool_]:
        (low, high), (left, right) = self.around(axis, lines), self.around(OTHER_AXIS[axis], partners)
        return self._allowed[axis][low:high, left:right]

    def _spread(self, axis: str, values: NDArray[Any], lines: Interval | None) -> NDArray[Any]:
        """Return for each of some lines the value of its block."""
        lines = (0, self.extents[axis]) if lines is None else lines
        low, high = self.around(axis, lines)
        return np.repeat(values[low:high], self.shares(axis, lines))

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

    def blocks_before(self, rows: Any, columns: Any) -> Any:
        """Number of allowed blocks in the rows and columns before some; for numbers, or arrays of both."""
        return self._sums[rows, columns]

    def degrees(self, axis: str, partners: NDArray[np.bool_]) -> Whole:
        """Return how many of some partners, given as booleans, every line of an axis has a pair with."""
        rows, side = self._allowed[axis], self.sides[OTHER_AXIS[axis]]
        shares = np.add.reduceat(partners.astype(np.int64), np.arange(0, len(partners), side))
        # Sums of at most 2²⁴ are exact in floating point, which is what matrices are multiplied in fast.
        weights = shares.astype(float)
        step = max(1, _CHUNK // rows.shape[1])
        found = [rows[at : at + step].astype(float) @ weights for at in range(0, len(rows), step)]
        return self._spread(axis, np.concatenate(found).astype(np.int64), None)

    def _parts(self) -> dict[str, Whole]:
        parts = parts_of_rows(self.blocks, *self.blocks.shape)
        return {axis: self._spread(axis, labels, None) for axis, labels in parts.items()}

    @cached_property
    def questions(self) -> Questions:
        """What the mask answers about many boxes at once."""
        from pebble.computations.masks.block_questions import BlockQuestions

        return BlockQuestions(self)

    # First and last partners

    def first(self, axis: str, lines: Interval | None = None) -> Whole:
        """First partner of every line of an interval."""
        return self._spread(axis, self._first[axis], lines)

    def last(self, axis: str, lines: Interval | None = None) -> Whole:
        """Last partner of every line of an interval."""
        return self._spread(axis, self._last[axis], lines)

    def first_of(self, axis: str, lines: Whole) -> Whole:
        """First partner of chosen lines of an axis."""
        return np.asarray(self._first[axis][lines // self.sides[axis]])

    def last_of(self, axis: str, lines: Whole) -> Whole:
        """Last partner of chosen lines of an axis."""
        return np.asarray(self._last[axis][lines // self.sides[axis]])

    @cached_property
    def _present(self) -> dict[str, Whole]:
        """Lines with any pair before each block's first one."""
        return {
            axis: np.append(0, np.cumsum(self.shares(axis, (0, extent)) * (self._last[axis] >= 0)))
            for axis, extent in self.extents.items()
        }

    def present_before(self, axis: str, places: Whole) -> Whole:
        """Number of lines with any pair before each of some places of an axis, from 0 to its length."""
        block = np.minimum(places // self.sides[axis], len(self._last[axis]) - 1)
        inside = (places - block * self.sides[axis]) * (self._last[axis][block] >= 0)
        return np.asarray(self._present[axis][block] + inside)

    def present(self, axis: str, start: int = 0, stop: int | None = None) -> int:
        """Number of lines in an interval that have any pair."""
        return self._present_upto(axis, self.extents[axis] if stop is None else stop) - self._present_upto(
            axis, start
        )

    def _present_upto(self, axis: str, place: int) -> int:
        block = min(place // self.sides[axis], len(self._last[axis]) - 1)
        before = int(self._present[axis][block])
        return before + (place - block * self.sides[axis]) * (int(self._last[axis][block]) >= 0)

    def separations(self, axis: str) -> list[int]:
        """Return where all partners before come before all partners behind, at lines that have any."""
        blocks = places_apart(self._first[axis], self._last[axis])
        places: list[int] = (blocks * self.sides[axis]).tolist()
        return places

    def between(self, queries: Interval, keys: Interval) -> BlockMask:
        """Return the mask of some whole blocks alone (the last may be cut); named ``part``."""
        sides = self.sides["i"], self.sides["j"]
        shape = queries[1] - queries[0], keys[1] - keys[0]
        part = BlockMask("part", *shape, sides, self._around("i", queries, keys))
        part.empty_rows = self.empty_rows
        return part

    def keys_of_parts(self, queries: Whole, keys: Whole) -> Iterator[Hashable]:
        """Yield for parts of whole blocks what is equal only if :meth:`between` is."""
        for lines, partners in zip(pairwise(queries.tolist()), pairwise(keys.tolist()), strict=True):
            blocks = np.packbits(self._around("i", lines, partners)).tobytes()
            yield lines[1] - lines[0], partners[1] - partners[0], blocks

    def steady_parts(self, axis: str) -> list[RegularPart]:
        """Return the parts of an axis whose lines all have the same partners, and have any."""
        rows, side, extent = self._allowed[axis], self.sides[axis], self.extents[axis]
        begins = np.append(0, np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1)) + 1)
        ends = np.append(begins[1:] * side, extent)
        some = self._last[axis][begins] >= 0
        return [
            RegularPart(start, stop, (False, False))
            for start, stop in zip((begins * side)[some].tolist(), ends[some].tolist(), strict=True)
        ]

    @cached_property
    def digest(self) -> str:
        """A hash of the pairs, if the sides are known."""
        import hashlib

        return hashlib.sha256(np.packbits(self.blocks).tobytes()).hexdigest()

    def _identity(self) -> object:
        return tuple(self.sides.values()), self.digest
