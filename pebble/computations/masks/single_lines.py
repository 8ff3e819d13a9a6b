"""Lines that a single partner sees, one at a time, by kinds: how many look alike, wherever they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pebble.computations.masks.lines_by_first import LinesByFirst
from pebble.computations.masks.mask import OTHER_AXIS, Mask
from pebble.computations.masks.questions import Questions, Runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Truth = NDArray[np.bool_]

__all__ = ["SingleLines"]


class SingleLines:
    """The lines of an axis, by what a single partner can see of each: six kinds.

    Its first line in the loop, its last one, and of the others those that have pairs before the partner, or not, and
    behind it, or not.

    Parameters
    ----------
    mask : Mask
    axis : str
    """

    def __init__(self, mask: Mask, axis: str) -> None:
        self._asked: Questions = mask.questions
        self._axis = axis
        partners = mask.extents[OTHER_AXIS[axis]]
        first, last = mask.first(axis), mask.last(axis)
        # Lines that only begin with a partner, that only end with it, that have no other.
        self._special = [
            LinesByFirst(np.where(chosen, ends, partners), partners)
            for chosen, ends in (
                (first < last, first),
                (first < last, last),
                (first == last, first),
            )
        ]

    def kinds(self, w0: Whole, w1: Whole, p: Whole) -> Runs:
        """Return of every loop over lines [w0, w1), seen by partner p alone, one line of each kind and how many."""
        n = len(w0)

        def visited(stop: Whole) -> Whole:
            return self._asked.pairs(self._axis, w0, stop, p, p + 1)

        total = visited(w1)
        first = _least(w0, w1, lambda stop: visited(stop) >= 1) - 1
        last = _least(w0, w1, lambda stop: visited(stop) >= total) - 1
        low, high = np.minimum(first + 1, w1), np.maximum(last, np.minimum(first + 1, w1))

        def usual(stop: Whole) -> Whole:
            special = sum(
                lines.begun(low, stop, p + 1) - lines.begun(low, stop, p) for lines in self._special
            )
            return np.asarray(visited(stop) - 1 - special)

        line, times = [first, last], [(total > 0) * 1, (total > 1) * 1]
        for lines in self._special:
            line.append(lines.behind_latest(low, high, p, p + 1) - 1)
            times.append(lines.begun(low, high, p + 1) - lines.begun(low, high, p))
        line.append(_least(low, high, lambda stop: usual(stop) >= 1) - 1)
        times.append(np.maximum(total - 2, 0) - sum(times[2:]))
        columns = np.stack(line, axis=1), np.stack(times, axis=1)
        some = columns[1] > 0
        parent = np.repeat(np.arange(n), 6).reshape(n, 6)[some]
        return Runs(parent, columns[0][some] - w0[parent], np.ones_like(parent), columns[1][some])


def _least(low: Whole, high: Whole, holds: Callable[[Whole], Truth]) -> Whole:
    """Return the least places of intervals from which on something holds; it is taken to hold at their ends."""
    while (low < high).any():
        middle = (low + high) // 2
        yes = holds(middle)
        low, high = np.where(yes, low, np.minimum(middle + 1, high)), np.where(yes, middle, high)
    return high
