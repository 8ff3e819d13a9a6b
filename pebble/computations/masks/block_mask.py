"""Masks of equal blocks, each allowed as a whole or not at all: cost follows the number of blocks, not of pairs."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.lines_by_first import LinesByFirst
from pebble.computations.masks.mask import OTHER_AXIS, Interval, Mask, RegularPart, parts_of_rows
from pebble.computations.masks.questions import Questions, Runs, all_numbers, runs_of
from pebble.computations.masks.staircase import union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

_MOST_KEPT = 2**26
_MOST_LINES = 2**24
_CHUNK = 2**22
_MOST_BLOCKS = 2**20
"""Blocks of loops that are looked at at a time."""


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


class BlockQuestions(Questions):
    """Answers from blocks that are allowed as a whole or not at all.

    Parameters
    ----------
    mask : BlockMask
    """

    def __init__(self, mask: BlockMask) -> None:
        super().__init__(mask.extents)
        self._mask, self._sides = mask, mask.sides

    @cached_property
    def _first(self) -> dict[str, Whole]:
        """Of each block its first partner, in blocks; one behind all where it has none."""
        return {
            axis: -(-self._mask.ends_of_blocks[axis][0] // self._sides[other])
            for axis, other in OTHER_AXIS.items()
        }

    @cached_property
    def _lines(self) -> dict[str, LinesByFirst]:
        return {
            axis: LinesByFirst(self._first[axis], self._mask.number(other))
            for axis, other in OTHER_AXIS.items()
        }

    @cached_property
    def _present(self) -> dict[str, Whole]:
        """Lines with any pair before each block's first one, and all."""
        return {
            axis: np.append(0, np.cumsum(self._mask.shares(axis) * (last >= 0)))
            for axis, (_, last) in self._mask.ends_of_blocks.items()
        }

    def pairs(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of allowed pairs in boxes."""
        a, b, c, d = (x0, x1, p, q) if axis == "i" else (p, q, x0, x1)
        before = self._before
        return np.asarray(before(b, d) - before(a, d) - before(b, c) + before(a, c))

    def _before(self, queries: Whole, keys: Whole) -> Whole:
        """Numbers of allowed pairs of the queries and keys before some places: inside of a block, linear in both."""
        rows, columns = self._sides["i"], self._sides["j"]
        (r, a), (c, b), sums = np.divmod(queries, rows), np.divmod(keys, columns), self._mask.blocks_before
        above = sums(r, c) * (columns - b) + sums(r, c + 1) * b
        below = sums(r + 1, c) * (columns - b) + sums(r + 1, c + 1) * b
        return np.asarray(above * (rows - a) + below * a)

    def present(self, axis: str, x0: Whole, x1: Whole) -> Whole:
        """Numbers of lines in intervals that have any pair."""
        low, high = (self._present_before(axis, place) for place in (x0, x1))
        return high - low

    def _present_before(self, axis: str, place: Whole) -> Whole:
        last = self._mask.ends_of_blocks[axis][1]
        block = np.minimum(place // self._sides[axis], len(last) - 1)
        inside = (place - block * self._sides[axis]) * (last[block] >= 0)
        return np.asarray(self._present[axis][block] + inside)

    def begun(self, axis: str, x0: Whole, x1: Whole, place: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner before a place."""
        side, place = self._sides[axis], self._behind(OTHER_AXIS[axis], place)
        (a, rest), (b, more) = np.divmod(x0, side), np.divmod(x1, side)
        whole = self._lines[axis].begun(a, b, place) * side
        parts = more * self._begins(axis, b, place) - rest * self._begins(axis, a, place)
        return np.asarray(whole + parts)

    def _begins(self, axis: str, block: Whole, place: Whole) -> NDArray[np.bool_]:
        first = self._first[axis]
        return np.asarray(first[np.minimum(block, len(first) - 1)] < place)

    def _behind(self, axis: str, place: Whole) -> Whole:
        """Return the block behind those that hold any line before a place."""
        return -(-place // self._sides[axis])

    def behind_latest(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Return the place behind the last line whose first partner is in [p, q); x0 if there is none."""
        side, other = self._sides[axis], OTHER_AXIS[axis]
        block = x0 // side
        # A block begins where its first line does.
        found = self._lines[axis].behind_latest(
            block, self._behind(axis, x1), self._behind(other, p), self._behind(other, q)
        )
        return np.where((found > block) & (x0 < x1), np.minimum(found * side, x1), x0)

    def has(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> NDArray[np.bool_]:
        """Whether boxes hold any pair: whether the blocks around do."""
        rows, columns = (x0, x1), (p, q)
        if axis == "j":
            rows, columns = columns, rows
        (a, b), (c, d) = (
            (start // self._sides[along], self._behind(along, stop))
            for along, (start, stop) in zip("ij", (rows, columns), strict=True)
        )
        before = self._mask.blocks_before
        blocks = before(b, d) - before(a, d) - (before(b, c) - before(a, c))
        return np.asarray((blocks > 0) & (x0 < x1) & (p < q))

    def lines_seen(self, axis: str, x0: Whole, x1: Whole, p: Whole, q: Whole) -> Whole:
        """Numbers of lines in intervals that have a pair with a partner in [p, q)."""
        side, other = self._sides[axis], OTHER_AXIS[axis]
        columns = p // self._sides[other], np.where(p < q, self._behind(other, q), p // self._sides[other])
        boxes, which = np.unique(np.stack([x0, x1, *columns], axis=1), axis=0, return_inverse=True)
        found = np.zeros(len(boxes), dtype=np.int64)
        step = max(_MOST_BLOCKS // self._mask.number(axis), 1)
        for start in range(0, len(boxes), step):
            low, high, c, d = boxes[start : start + step].T
            parent, block = all_numbers(low // side, np.maximum(self._behind(axis, high), low // side))
            before = self._seen_before[axis]
            seen = before[block, d[parent]] > before[block, c[parent]]
            parent, block = parent[seen], block[seen]
            lines = np.minimum(high[parent], block * side + side) - np.maximum(low[parent], block * side)
            np.add.at(found, start + parent, lines)
        return found[which.ravel()]

    @cached_property
    def _seen_before(self) -> dict[str, NDArray[np.int32]]:
        """Of each axis, how many blocks of the other one before each place the blocks are allowed with."""
        return {
            axis: np.pad(np.cumsum(self._mask.along(axis), axis=1, dtype=np.int32), ((0, 0), (1, 0)))
            for axis in OTHER_AXIS
        }

    def runs(self, axis: str, w0: Whole, w1: Whole, tile: Whole, p: Whole, q: Whole) -> Runs:
        """Return of every block with pairs the tiles inside it, but for the first and the last, as one run.

        Of these two it may be that partners have no pair before, or behind. Tiles across blocks' edges stand alone.
        """
        side, half = self._sides[axis], len(w0) // 2
        if half and ((w1 - w0) // side).sum() > _MOST_BLOCKS:
            halves = (slice(half), slice(half, None))
            one, other = (self.runs(axis, w0[h], w1[h], tile[h], p[h], q[h]) for h in halves)
            other = other._replace(parent=other.parent + half)
            return Runs(*(np.concatenate(both) for both in zip(one, other, strict=True)))
        parent, block = self._blocks(axis, w0, w1, p, q)
        s = np.maximum(block * side, w0[parent])
        e = np.minimum(block * side + side, w1[parent])
        some = self.has(axis, s, e, p[parent], q[parent])
        parent, s, e = parent[some], s[some] - w0[parent[some]], e[some] - w0[parent[some]]
        size = tile[parent]
        low, high = s // size, -(-e // size)
        # A tile across an edge belongs to the block before.
        again = np.append(False, (parent[1:] == parent[:-1]) & (low[1:] < high[:-1]))
        low = low + again
        begin = np.minimum(s // size + 1, high)
        end = np.maximum((e - 1) // size, begin)
        first = np.stack([low, begin, end], axis=1)
        length = np.stack([begin - low, np.minimum(end - begin, 1), high - end], axis=1)
        times = np.stack([np.ones_like(low), end - begin, np.ones_like(low)], axis=1)
        return runs_of(np.repeat(parent, 3), first, length, times)

    def _blocks(self, axis: str, w0: Whole, w1: Whole, p: Whole, q: Whole) -> tuple[Whole, Whole]:
        """Return the loops' blocks that may have pairs with the partners, in order, and with each its loop.

        Of few partners these are the blocks that are allowed with theirs, of many all.
        """
        other, number = OTHER_AXIS[axis], self._mask.number(axis)
        low, high = w0 // self._sides[axis], self._behind(axis, w1)
        before, allowed = self._allowed[other]
        start, stop = before[p // self._sides[other]], before[self._behind(other, q)]
        if (stop - start).sum() >= (high - low).sum():
            return all_numbers(low, high)
        parent, at = all_numbers(start, np.maximum(stop, start))
        block = allowed[at]
        some = (block >= low[parent]) & (block < high[parent])
        seen = union(parent[some] * number + block[some])
        return seen // number, seen % number

    @cached_property
    def _allowed(self) -> dict[str, tuple[Whole, NDArray[np.int32]]]:
        """Of each axis, where the blocks allowed with each of its blocks begin, and all these one after the other."""
        found = {}
        for axis in OTHER_AXIS:
            rows = self._mask.along(axis)
            before = np.append(0, np.cumsum(np.count_nonzero(rows, axis=1)))
            found[axis] = before, np.nonzero(rows)[1].astype(np.int32)
        return found
