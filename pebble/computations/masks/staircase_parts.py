"""A staircase between some of its places, counted from the first; and what tells such parts apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from pebble.computations.masks.staircase import Staircase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = ["outlines_of_parts", "part_of"]


def part_of(ends: Staircase, places: tuple[int, int], values: tuple[int, int]) -> Staircase:
    """Return a staircase on some places; these and the values, cut to an interval, are counted from the first.

    >>> part_of(Staircase.clipped(9, 0, 0, 9), (2, 9), (4, 6)).values(0, 7).tolist()
    [0, 0, 0, 1, 2, 2, 2]
    """
    pieces = ends.clipped_pieces(*places, *values)
    return Staircase(places[1] - places[0], *zip(*pieces, strict=True))


def outlines_of_parts(ends: Staircase, places: Whole, values: Whole) -> Iterator[Hashable]:
    """Yield for the parts between some places what, with the numbers of places and values, tells :func:`part_of`.

    Parameters
    ----------
    ends : Staircase
    places, values : ndarray of int64
        Where parts begin, and where the last one ends.

    Examples
    --------
    >>> import numpy as np
    >>> begins = Staircase.from_values([0, 0, 2, 2, 4, 5])
    >>> one, two, three = outlines_of_parts(begins, np.array([0, 2, 4, 6]), np.array([0, 2, 4, 6]))
    >>> one == two, one == three
    (True, False)
    """
    first = ends.piece(places[:-1]).tolist()
    behind = ends.starts.searchsorted(places[1:]).tolist()
    heights = (ends.at(places[:-1]) - values[:-1]).tolist()
    starts, tops, slopes = ends.starts, ends.heights, ends.slopes
    for low, high, place, value, height in zip(
        first, behind, places.tolist(), values.tolist(), heights, strict=False
    ):
        more = slice(low + 1, high)
        others = (starts[more] - place).tobytes(), (tops[more] - value).tobytes()
        yield height, slopes[low:high].tobytes(), *others
