"""Masks of equal blocks, each allowed as a whole or not at all: cost follows the number of blocks, not of pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.band_mask import parts_among
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

    def have_blocks(self, rows: tuple[Whole, Whole], columns: tuple[Whole, Whole]) -> NDArray[np.bool_]:
        """Whether any block is allowed in each combination of some intervals of rows, and some of columns."""
        sums = self._sums
        strips = sums[rows[1]] - sums[rows[0]]
        return np.asarray(strips[:, columns[1]] > strips[:, columns[0]])

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

    def _number(self, axis: str, lines: Interval, chosen: NDArray[np.bool_]) -> int:
        return int(self.shares(axis, lines)[chosen].sum())

    def _ends(self, axis: str, lines: Interval) -> tuple[Whole, Whole]:
        """First and last partners of the blocks around some lines."""
        low, high = self.around(axis, lines)
        return self._first[axis][low:high], self._last[axis][low:high]

    def started(self, axis: str, lines: Interval, before: int) -> int:
        """Number of lines that have a pair with a partner before ``before``."""
        return self._number(axis, lines, self._ends(axis, lines)[0] < before)

    def unfinished(self, axis: str, lines: Interval, place: int) -> int:
        """Number of lines that have a pair with a partner at ``place`` or behind it."""
        return self._number(axis, lines, self._ends(axis, lines)[1] >= place)

    def started_of(self, axis: str, lines: Interval, places: Whole) -> Whole:
        """Numbers of some lines that have a pair with a partner before each of some places."""
        return _weighted_before(self._ends(axis, lines)[0], self.shares(axis, lines), places)

    def started_before(self, axis: str, places: Whole) -> Whole:
        """Numbers of lines of an axis that have a pair with a partner before each of some places."""
        return self._lines_before(axis, self._first[axis], places)

    def finished_before(self, axis: str, places: Whole) -> Whole:
        """Numbers of lines of an axis that have pairs, and all of them with partners before each of some places."""
        return self._lines_before(axis, self._last[axis], places)

    def _lines_before(self, axis: str, ends: Whole, places: Whole) -> Whole:
        present = self._last[axis] >= 0
        shares = self.shares(axis, (0, self.extents[axis]))
        return _weighted_before(ends[present], shares[present], places)

    def beginning(self, axis: str, lines: Interval, partners: Interval) -> tuple[int, int]:
        """Number of lines whose first pair is with one of some partners, and the last of these lines (-1: none)."""
        first, _ = self._ends(axis, lines)
        chosen = (first >= partners[0]) & (first < partners[1])
        found = np.flatnonzero(chosen)
        if not len(found):
            return 0, -1
        behind = (self.around(axis, lines)[0] + int(found[-1]) + 1) * self.sides[axis]
        return self._number(axis, lines, chosen), min(behind, lines[1]) - 1

    def have_begun(self, axis: str, lines: Interval, before: int, partners: Interval) -> bool:
        """Whether some line that has a pair before ``before`` has any with some partners."""
        begun = self._ends(axis, lines)[0] < before
        return bool(self._around(axis, lines, partners)[begun].any())

    # Where something changes

    def pattern_changes(self, axis: str, lines: Interval, partners: Interval) -> Whole:
        """Where neighbouring blocks differ."""
        return self.edges(axis, lines, self._around(axis, lines, partners))

    def flag_changes(self, axis: str, lines: Interval, partners: Interval) -> Whole:
        """Where it may change whether a line has pairs before ``partners``, after them, or any."""
        first, last = self._ends(axis, lines)
        flags = (first < partners[0]) * 1 + (last >= partners[1]) * 2 + (last >= 0) * 4
        return self.edges(axis, lines, flags)

    def breaks(self, axis: str, lines: Interval, partners: Interval) -> Whole:
        """Where, strictly inside ``lines``, anything may change that a program can see of one line."""
        begin, end = self._ends(OTHER_AXIS[axis], partners)
        ends = np.concatenate([begin, begin + 1, end, end + 1])
        changes = self.pattern_changes(axis, lines, partners), self.flag_changes(axis, lines, partners)
        return np.unique(np.concatenate([*changes, ends[(ends > lines[0]) & (ends < lines[1])]]))

    def presence_changes(self, axis: str) -> list[int]:
        """Return where lines with pairs follow on lines without, or the other way round."""
        found: list[int] = self.edges(axis, (0, self.extents[axis]), self._last[axis] >= 0).tolist()
        return found

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

    def steady_parts(self, axis: str, lines: Interval | None = None) -> list[RegularPart]:
        """Return the parts of an axis whose lines all have the same partners."""
        return parts_among(self._steady_parts[axis], lines)

    @cached_property
    def _steady_parts(self) -> dict[str, list[RegularPart]]:
        found = {}
        for axis, extent in self.extents.items():
            whole, partners = (0, extent), (0, self.extents[OTHER_AXIS[axis]])
            marks = [0, *self.pattern_changes(axis, whole, partners).tolist(), extent]
            found[axis] = [
                RegularPart(start, stop, (False, False))
                for start, stop in pairwise(marks)
                if self.last_of(axis, np.array([start]))[0] >= 0
            ]
        return found

    @cached_property
    def digest(self) -> str:
        """A hash of the pairs, if the sides are known."""
        import hashlib

        return hashlib.sha256(np.packbits(self.blocks).tobytes()).hexdigest()

    def _identity(self) -> object:
        return tuple(self.sides.values()), self.digest


def _weighted_before(ends: Whole, weights: Whole, places: Whole) -> Whole:
    """Return the sum of the weights of what ends before each of some places."""
    order = np.argsort(ends, kind="stable")
    sums = np.append(0, np.cumsum(weights[order]))
    return np.asarray(sums[ends[order].searchsorted(places)])
