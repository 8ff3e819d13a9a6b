"""Which elements a statement reaches in a column of a loop nest, and in which steps first and last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access
from pebble.lower_bounds.nests.affine_set import AffineSet, image

__all__ = [
    "FAR",
    "Box",
    "ElementTimes",
    "Inexact",
    "Parameters",
    "reached",
    "reached_set",
    "step_of",
    "time_of",
]

Parameters = Mapping[str, int]
"""The ends of a column's tiles by name."""

Box = tuple[tuple[int, int], ...]
"""The first and the last place in each dimension of an array."""

_FAR = 1 << 62
FAR = 1 << 30
"""Places on the axes of steps are nearer to 0 than this."""


class Inexact(Exception):
    """A set of elements that is not known exactly."""


@dataclass(frozen=True)
class ElementTimes:
    """The elements that an access reaches from some points, and when.

    Attributes
    ----------
    rank : int
        Dimensions of the array.
    streams, rows : AffineSet
        Elements with the places of their points on the axis of steps, and on both axes of the steps.
    sides : tuple of AffineSet
        What bounds each dimension by itself.
    """

    rank: int
    streams: AffineSet
    rows: AffineSet
    sides: tuple[AffineSet, ...]

    @classmethod
    def of(cls, points: AffineSet, access: Access, stream: Affine, row: Affine) -> ElementTimes:
        """Return what an access reaches from these points; their conditions may have the names of parameters.

        Raises
        ------
        Inexact
            If that is not known exactly.
        """
        rank = len(access.places)
        rows = image(points, Access(access.array, (*access.places, stream, row)))
        if rows is None:
            raise Inexact
        streams, exact = rows.without(str(rank + 1))
        if not exact:
            raise Inexact
        return cls(rank, streams, rows, _sides(streams, rank))

    def box(self, at: Parameters) -> Box | None:
        """Return a box that holds all elements; None if there are none."""
        return _box(self.sides, at)

    def within(
        self, box: Box, at: Parameters
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Return which elements of a box are reached, and the times of their first and last steps."""
        shape = tuple(high - low + 1 for low, high in box)
        here: dict[str, NDArray[np.int64] | int] = {**_grid(box), **at}
        stream, row = str(self.rank), str(self.rank + 1)
        low, high = _between(self.streams.conditions, stream, here, shape)
        there = low <= high
        low, high = np.where(there, low, 0), np.where(there, high, 0)
        first = _between(self.rows.conditions, row, {**here, stream: low}, shape)[0]
        last = _between(self.rows.conditions, row, {**here, stream: high}, shape)[1]
        return there, time_of(low, np.where(there, first, 0)), time_of(high, np.where(there, last, 0))


@overload
def time_of(stream: int, row: int) -> int: ...
@overload
def time_of(stream: NDArray[np.int64], row: NDArray[np.int64]) -> NDArray[np.int64]: ...
def time_of(stream: Any, row: Any) -> Any:
    """Return a step as one number: those on the first axis come first, then those on the second."""
    return stream * (2 * FAR) + row + FAR


def step_of(time: int) -> tuple[int, int]:
    """Return the places of a step.

    >>> step_of(time_of(-3, -7))
    (-3, -7)
    """
    return time // (2 * FAR), time % (2 * FAR) - FAR


def reached_set(points: AffineSet, access: Access) -> tuple[AffineSet, tuple[AffineSet, ...]]:
    """Return the elements that an access reaches, and what bounds each dimension.

    Raises
    ------
    Inexact
        If they are not known exactly.
    """
    found = image(points, access)
    if found is None:
        raise Inexact
    return found, _sides(found, len(access.places))


def reached(found: tuple[AffineSet, tuple[AffineSet, ...]], box: Box, at: Parameters) -> NDArray[np.bool_]:
    """Return which elements of a box are in such a set."""
    shape = tuple(high - low + 1 for low, high in box)
    low, high = _between(found[0].conditions, "", {**_grid(box), **at}, shape)
    return low <= high


def _sides(elements: AffineSet, rank: int) -> tuple[AffineSet, ...]:
    found = []
    for at in range(rank):
        rest = elements
        for name in elements.names:
            if name != str(at):
                rest = rest.without(name)[0]
        found.append(rest)
    return tuple(found)


def _box(sides: Iterable[AffineSet], at: Parameters) -> Box | None:
    found = []
    for number, side in enumerate(sides):
        low, high = _between(side.conditions, str(number), at, ())
        if low > high:
            return None
        found.append((int(low), int(high)))
    return tuple(found)


def _grid(box: Box) -> dict[str, NDArray[np.int64]]:
    axes = [np.arange(low, high + 1) for low, high in box]
    return {str(at): one for at, one in enumerate(np.meshgrid(*axes, indexing="ij", sparse=True))}


def _between(
    conditions: Iterable[Affine],
    name: str,
    at: Mapping[str, NDArray[np.int64] | int],
    shape: tuple[int, ...],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the interval of one coordinate where the others are known; it is empty where there is no point."""
    low, high = np.full(shape, -_FAR, dtype=np.int64), np.full(shape, _FAR, dtype=np.int64)
    for condition in conditions:
        factor = condition.factor(name)
        rest: NDArray[np.int64] | np.int64 = np.int64(condition.constant)
        for other, of_it in condition.terms:
            if other != name:
                rest = rest + of_it * np.asarray(at[other])
        if factor > 0:
            np.maximum(low, -(rest // factor), out=low)
        elif factor < 0:
            np.minimum(high, rest // -factor, out=high)
        else:
            np.copyto(high, -_FAR - 1, where=np.broadcast_to(np.less(rest, 0), shape))
    return low, high
