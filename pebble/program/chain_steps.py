"""Which steps of a chain exist, and which comes before which: all in a row without a mask, the allowed ones with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pebble.computations.array import Array
    from pebble.computations.family import Family


class ChainSteps:
    """The steps of an array's chain, for every element of a box; small sizes only.

    Parameters
    ----------
    family : Family
    array : Array
        Without a chain it has one step, which exists for every element.

    Attributes
    ----------
    upto : ndarray of int64
        The last step before each place of the chain's axis, from 0 to its length; -1 where there is none. The axes
        before the last are the array's, of length 1 where nothing depends on them.
    """

    def __init__(self, family: Family, array: Array) -> None:
        length = family.chain_length(array.name)
        exists: NDArray[np.bool_] = np.ones((1, length), dtype=bool)
        form = [1] * len(array.axes)
        if array.chain in family.masked_axes:
            assert family.mask is not None
            axis = next(axis for axis in array.axes if axis in family.masked_axes)
            lines = family.extents[axis]
            exists = family.mask.lines_matrix(axis, (0, lines), (0, length))
            form[array.axes.index(axis)] = lines
        steps = np.where(exists, np.arange(length), -1)
        upto = np.concatenate(
            [np.full((len(steps), 1), -1), np.maximum.accumulate(steps, axis=1)], axis=1, dtype=np.int64
        )
        self.upto = upto.reshape(*form, length + 1)
        self._exists = exists.reshape(*form, length)

    def _lines(self, box: tuple[slice, ...]) -> tuple[slice, ...]:
        return tuple(
            one if extent > 1 else slice(None)
            for one, extent in zip(box, self._exists.shape[:-1], strict=True)
        )

    def exist(self, box: tuple[slice, ...], start: int, stop: int) -> NDArray[np.bool_]:
        """Which of the steps in [start, stop) exist; to be broadcast to the box."""
        return self._exists[(*self._lines(box), slice(start, stop))]

    def before(self, box: tuple[slice, ...], start: int, stop: int) -> NDArray[np.int64]:
        """Return the step before each of [start, stop), -1 where there is none; to be broadcast to the box."""
        return self.upto[(*self._lines(box), slice(start, stop))]
