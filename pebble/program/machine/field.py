"""State of one array on a grid whose cuts come and go as a program touches boxes."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.program.nodes import Interval

__all__ = ["Field"]

Join = Callable[[int, "Interval", "Interval", "NDArray[np.int64]", "NDArray[np.int64]"], bool]
"""Whether the cells of two neighbouring intervals are alike, see :meth:`Field.tidy`."""


class Field:
    """How far every element of an array has got in fast and in slow memory, and in memory levels between.

    Parameters
    ----------
    shape : tuple of int
        Lengths of the array's axes.
    slow : int
        What slow memory holds at the start.
    planes : int
        Fast and slow memory, and how much more is known of every element.
    """

    def __init__(self, shape: tuple[int, ...], slow: int, planes: int = 2) -> None:
        self.cuts = [[0, extent] for extent in shape]
        self.state = np.zeros((planes, *(1 for _ in shape)), dtype=np.int64)
        self.state[1] = slow
        self._touched: list[Interval | None] = [None] * len(shape)

    def cells(self, box: tuple[Interval, ...]) -> tuple[slice, ...]:
        """Slices of the cells that make up a box; cuts are made where there are none."""
        return tuple(
            slice(self._cut(position, start), self._cut(position, stop))
            for position, (start, stop) in enumerate(box)
        )

    def _cut(self, position: int, at: int) -> int:
        cuts = self.cuts[position]
        index = bisect_left(cuts, at)
        if cuts[index] != at:
            cuts.insert(index, at)
            before: list[slice] = [slice(None)] * (position + 1)
            halves = (self.state[(*before, slice(index))], self.state[(*before, slice(index - 1, None))])
            self.state = np.concatenate(halves, axis=position + 1)
        return index

    def view(self, box: tuple[Interval, ...]) -> NDArray[np.int64]:
        """State of a box, to be read or written: shape (planes, cells along each axis), fast and slow memory first."""
        slices = self.cells(box)
        self.touch(box)
        return self.state[(slice(None), *slices)]

    def touch(self, box: tuple[Interval, ...]) -> None:
        """Note that cells of a box may have changed: neighbours that were not alike may be so now."""
        for position, (start, stop) in enumerate(box):
            before = self._touched[position]
            self._touched[position] = (
                (start, stop) if before is None else (min(before[0], start), max(before[1], stop))
            )

    def cell(self, box: tuple[Interval, ...]) -> NDArray[np.int64] | None:
        """Return the state of a box that lies in one cell, shape (planes,); None if it does not."""
        if self.state.size == len(self.state):
            return self.state.reshape(-1)
        at: list[Any] = [slice(None)]
        for cuts, (start, stop) in zip(self.cuts, box, strict=True):
            low = bisect_right(cuts, start) - 1
            if cuts[low + 1] < stop:
                return None
            at.append(low)
        state: NDArray[np.int64] = self.state[tuple(at)]
        return state

    def covering(self, box: tuple[Interval, ...]) -> tuple[list[list[Interval]], NDArray[np.int64]]:
        """Return the cells that make up a box, cut to it, axis by axis, and their states; nothing is changed."""
        pieces: list[list[Interval]] = []
        slices = []
        for cuts, (start, stop) in zip(self.cuts, box, strict=True):
            low, high = bisect_right(cuts, start) - 1, bisect_left(cuts, stop)
            slices.append(slice(low, high))
            if high == low + 1:
                pieces.append([(start, stop)])
                continue
            ends = [start, *cuts[low + 1 : high], stop]
            pieces.append(list(itertools.pairwise(ends)))
        return pieces, self.state[(slice(None), *slices)]

    def pieces(self, position: int, interval: Interval) -> list[Interval]:
        """Return the cells of an interval of an axis whose ends are cuts."""
        cuts = self.cuts[position]
        low, high = bisect_left(cuts, interval[0]), bisect_left(cuts, interval[1])
        return list(zip(cuts[low:high], cuts[low + 1 : high + 1], strict=True))

    def tidy(
        self,
        position: int,
        join: Join | None,
        within: Interval | None = None,
    ) -> None:
        """Remove the cuts of an axis between cells that are alike, where any have changed since the last time.

        ``join(position, one, two, first, second)`` says whether the cells of two neighbouring intervals are alike,
        and may change both states to what they have in common; without it they are if their states are the same. Cells
        that reach out of the lines ``within`` are cut before, since they may be alike inside of them only, and joined
        inside of them first.
        """
        touched, self._touched[position] = self._touched[position], None
        cuts = self.cuts[position]
        if touched is None or len(cuts) <= 2:
            return
        if within is not None:
            for at in within:
                known = len(cuts)
                self._cut(position, at)
                if len(cuts) > known:
                    touched = min(touched[0], at), max(touched[1], at)
        ends = set(within or ())
        self._join_at(position, join, touched, lambda at: at not in ends)
        if ends:
            self._join_at(position, join, touched, lambda at: at in ends)

    def _join_at(
        self, position: int, join: Join | None, touched: Interval, chosen: Callable[[int], bool]
    ) -> None:
        """Remove chosen cuts between cells that are alike, next to lines that have changed or between them."""
        cuts = self.cuts[position]
        # From the cell before those that have changed to the one behind them.
        low = max(bisect_left(cuts, touched[0]), 1)
        high = min(bisect_right(cuts, touched[1]), len(cuts) - 1)
        kept = (self._alike if join is None else partial(self._joined, join))(position, low, high, chosen)
        if len(kept) == high - low + 1:
            return
        kept = [*range(low - 1), *kept, *range(high, len(cuts) - 1)]
        self.cuts[position] = [cuts[index] for index in kept] + [cuts[-1]]
        self.state = np.ascontiguousarray(np.take(self.state, kept, axis=position + 1))

    def _lines(self, position: int) -> NDArray[np.int64]:
        """Return the states of the cells along an axis, that axis first."""
        planes = [axis for axis in range(self.state.ndim) if axis != position + 1]
        return self.state.transpose(position + 1, *planes)

    def _alike(self, position: int, low: int, high: int, chosen: Callable[[int], bool]) -> list[int]:
        """Return the cells that stay, of some, if those are joined whose states are the same."""
        lines, cuts = self._lines(position), self.cuts[position]
        others = tuple(range(1, lines.ndim))
        same = (lines[low - 1 : high - 1] == lines[low:high]).all(axis=others).tolist()
        return [low - 1, *(at for at in range(low, high) if not (same[at - low] and chosen(cuts[at])))]

    def _joined(
        self, join: Join, position: int, low: int, high: int, chosen: Callable[[int], bool]
    ) -> list[int]:
        """Return the cells that stay, of some, with the states that those have that are joined."""
        lines, cuts = self._lines(position), self.cuts[position]
        kept, start = [low - 1], cuts[low - 1]
        for index in range(low, high):
            one, two = (start, cuts[index]), (cuts[index], cuts[index + 1])
            if chosen(cuts[index]) and join(position, one, two, lines[kept[-1]], lines[index]):
                lines[kept[-1]] = lines[index]
            else:
                kept.append(index)
                start = cuts[index]
        return kept

    def boxes(self) -> Iterator[tuple[tuple[Interval, ...], NDArray[np.int64]]]:
        """Every cell with its state."""
        for index in np.ndindex(*self.state.shape[1:]):
            box = tuple((cuts[i], cuts[i + 1]) for cuts, i in zip(self.cuts, index, strict=True))
            yield box, self.state[(slice(None), *index)]
