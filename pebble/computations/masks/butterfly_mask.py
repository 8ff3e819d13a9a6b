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
_MOST_COMPARED = 2**22
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

    def part(self, blocks: int) -> ButterflyMask:
        """Return the butterfly of so many blocks of the same sides."""
        sides = self.sides["i"], self.sides["j"]
        return ButterflyMask(self.spec, blocks * sides[0], blocks * sides[1], sides)

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

    def count(self, queries: Interval, keys: Interval) -> int:
        """Number of allowed pairs in a box."""
        if queries[0] >= queries[1] or keys[0] >= keys[1]:
            return 0
        # The corners of the blocks around the corners of the box, all at once.
        (r, a), (c, b) = (
            np.divmod(np.array(places), self.sides[axis]) for axis, places in (("i", queries), ("j", keys))
        )
        sums = self.blocks_before(
            np.stack([r, r + 1])[:, :, None, None], np.stack([c, c + 1])[None, None, :, :]
        )
        above, below = np.stack([self.sides["i"] - a, a]), np.stack([self.sides["j"] - b, b])
        corners = np.einsum("xryc,xr,yc->rc", sums, above, below)
        return int(corners[1, 1] - corners[0, 1] - corners[1, 0] + corners[0, 0])

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

    def begun(self, axis: str, lines: tuple[Whole, Whole], before: Whole) -> Whole:
        """Numbers of lines of many intervals that have a pair with a partner before a place each."""
        start, stop = lines
        side = self.sides[axis]
        first, _ = self._ends_of(axis, start // side)
        found = np.where(first < before, stop - start, 0)
        wide = np.flatnonzero(stop > (start // side + 1) * side)
        for at in range(0, len(wide), _MANY):
            some = wide[at : at + _MANY]
            blocks = -(-before[some] // self.sides[OTHER_AXIS[axis]])
            interval = start[some, None], stop[some, None]
            found[some] = self._in_pieces(axis, interval, 0, blocks[:, None] + self._back)
        return found

    @cached_property
    def questions(self) -> Questions:
        """What the mask answers about many boxes at once."""
        from pebble.computations.masks.block_questions import ButterflyQuestions

        return ButterflyQuestions(self)

    def partners_of(self, blocks: Whole) -> Whole:
        """Return the blocks that any of some blocks is allowed with, in order."""
        found = np.concatenate([blocks, *(blocks ^ (1 << digit) for digit in range(self.digits))])
        return np.unique(found[found < self.blocks])

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

    def presence_changes(self, axis: str) -> list[int]:
        """Every line has a pair."""
        return []

    def _in_pieces(self, axis: str, lines: tuple[Any, Any], low: Any, high: Any) -> Whole:
        """Number of some lines in blocks from ``low`` to before ``high`` of every piece, by the last axis of these."""
        side = self.sides[axis]
        low, high = np.maximum(self._starts, low) * side, np.minimum(self._stops, high) * side
        found = np.minimum(high, lines[1]) - np.maximum(low, lines[0])
        return np.asarray(np.maximum(found, 0).sum(axis=-1))

    def started_of(self, axis: str, lines: Interval, places: Whole) -> Whole:
        """Numbers of some lines that have a pair with a partner before each of some places."""
        blocks = -(-np.asarray(places) // self.sides[OTHER_AXIS[axis]])
        return self._in_pieces(axis, lines, 0, blocks[:, None] + self._back)

    def started(self, axis: str, lines: Interval, before: int) -> int:
        """Number of lines that have a pair with a partner before ``before``."""
        return int(self.started_of(axis, lines, np.array([before]))[0])

    def _unfinished_of(self, axis: str, lines: Interval, places: Whole) -> Whole:
        other = OTHER_AXIS[axis]
        # Behind the end of the axis, and in the last block of which a part is left out, nothing is.
        blocks = np.where(places < self.extents[other], places // self.sides[other], self.blocks)
        return self._in_pieces(axis, lines, blocks[:, None] - self._on, self.blocks)

    def unfinished(self, axis: str, lines: Interval, place: int) -> int:
        """Number of lines that have a pair with a partner at ``place`` or behind it."""
        return int(self._unfinished_of(axis, lines, np.array([place]))[0])

    def started_before(self, axis: str, places: Whole) -> Whole:
        """Numbers of lines of an axis that have a pair with a partner before each of some places."""
        return self.started_of(axis, (0, self.extents[axis]), places)

    def finished_before(self, axis: str, places: Whole) -> Whole:
        """Numbers of lines of an axis that have all their pairs with partners before each of some places."""
        whole = 0, self.extents[axis]
        return whole[1] - self._unfinished_of(axis, whole, np.asarray(places))

    def beginning(self, axis: str, lines: Interval, partners: Interval) -> tuple[int, int]:
        """Number of lines whose first pair is with one of some partners, and the last of these lines (-1: none)."""
        low, high = (-(-place // self.sides[OTHER_AXIS[axis]]) + self._back for place in partners)
        found = int(self._in_pieces(axis, lines, low, high))
        if not found:
            return 0, -1
        side = self.sides[axis]
        start = np.maximum(np.maximum(self._starts, low) * side, lines[0])
        stop = np.minimum(np.minimum(self._stops, high) * side, lines[1])
        return found, int(stop[start < stop].max()) - 1

    def have_begun(self, axis: str, lines: Interval, before: int, partners: Interval) -> bool:
        """Whether some line that has a pair before ``before`` has any with some partners."""
        side, other = self.sides[axis], OTHER_AXIS[axis]
        begun = np.minimum(self._stops, -(-before // self.sides[other]) + self._back) * side
        start, stop = np.maximum(self._starts * side, lines[0]), np.minimum(begun, lines[1])
        start, stop = start[start < stop], stop[start < stop]
        both = (start, stop), tuple(np.full_like(start, place) for place in partners)
        return bool((self.counts(*(both if axis == "i" else both[::-1])) > 0).any())

    # Where something changes

    def _real(
        self, axis: str, lines: Interval, blocks: Whole, rows: NDArray[Any], before: NDArray[Any]
    ) -> Whole:
        """Where, strictly inside of some lines, blocks begin whose row differs from the one of the block before."""
        differ = rows != before
        places = blocks[differ if differ.ndim == 1 else differ.any(axis=1)] * self.sides[axis]
        return np.asarray(places[(places > lines[0]) & (places < lines[1])])

    def pattern_changes(self, axis: str, lines: Interval, partners: Interval) -> Whole:
        """Where neighbouring blocks differ; of many partners, where they may."""
        low, high = self.around(axis, lines)
        seen = self.around(OTHER_AXIS[axis], partners)
        if seen[1] - seen[0] > max(high - low, 64):
            blocks = np.arange(low + 1, high)
        else:
            near = self.partners_of(np.arange(*seen))
            blocks = np.unique(np.concatenate([near, near + 1]))
            blocks = blocks[(blocks > low) & (blocks < high)]
        if len(blocks) * (seen[1] - seen[0]) > _MOST_COMPARED:
            return np.asarray(blocks * self.sides[axis])
        rows = (self.allowed(axis, some, seen) for some in (blocks, blocks - 1))
        return self._real(axis, lines, blocks, *rows)

    def flag_changes(self, axis: str, lines: Interval, partners: Interval) -> Whole:
        """Where it may change whether a line has pairs before ``partners``, or after them."""
        side = self.sides[OTHER_AXIS[axis]]
        begun, ended = -(-partners[0] // side) + self._back, partners[1] // side - self._on
        blocks = np.unique(np.concatenate([self._starts, begun, ended]))
        blocks = blocks[(blocks > 0) & (blocks < self.blocks)]

        def flags(some: Whole) -> Whole:
            first, last = self._ends_of(axis, some)
            return (first < partners[0]) * 1 + (last >= partners[1]) * 2

        return self._real(axis, lines, blocks, flags(blocks), flags(blocks - 1))

    def breaks(self, axis: str, lines: Interval, partners: Interval) -> Whole:
        """Where, strictly inside ``lines``, anything may change that a program can see of one line."""
        other = OTHER_AXIS[axis]
        begin, end = self._ends_of(other, np.arange(*self.around(other, partners)))
        ends = np.concatenate([begin, begin + 1, end, end + 1])
        changes = self.pattern_changes(axis, lines, partners), self.flag_changes(axis, lines, partners)
        return np.unique(np.concatenate([*changes, ends[(ends > lines[0]) & (ends < lines[1])]]))

    def steady_parts(self, axis: str, lines: Interval | None = None) -> list[RegularPart]:
        """Return the parts of an axis whose lines all have the same partners: blocks, but that two are alike."""
        extent, side = self.extents[axis], self.sides[axis]
        if self.blocks <= 2:
            return [RegularPart(0, extent, (False, False))]
        low, high = self.around(axis, (0, extent) if lines is None else lines)
        return [
            RegularPart(block * side, min((block + 1) * side, extent), (False, False))
            for block in range(low, high)
        ]

    @cached_property
    def pairs(self) -> int:
        """Number of allowed pairs."""
        return self.count((0, self.Nq), (0, self.Nk))

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
