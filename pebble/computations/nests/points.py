"""The points of a statement: the values of its loop indices that are in range and meet its conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Assignment

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_POINTS = 40_000_000
"""More points than this are not listed: it would take gigabytes."""


_LARGEST_EXTENT = 10**10
"""So that places are numbers of eight bytes."""


class TooManyPoints(InvalidInput):
    """A loop nest that is too large to be built point by point."""


def points_of(
    statement: Assignment, extents: Mapping[str, int], most: int = MOST_POINTS
) -> NDArray[np.int64]:
    """Return the points of a statement in lexicographic order, shape (points, indices).

    Parameters
    ----------
    statement : Assignment
    extents : mapping of str to int
    most : int
        How many points may be listed.

    Raises
    ------
    TooManyPoints
        If there are more; said before they are listed.

    Notes
    -----
    An index is bounded by the conditions whose other indices stand before it, so that only points that meet these are
    ever made. Cost: proportional to the points, and to those of each leading part of the indices.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> nest = loop_nest("B[i,j] = A[i,j] for j < i, 1 <= j", {"i": 4, "j": 4})
    >>> points_of(nest.statements[0], nest.extents).tolist()
    [[2, 1], [3, 1], [3, 2]]
    """
    columns, low, counts = _outer(statement, extents, most)
    if counts is None:
        return np.stack(columns, axis=1) if columns else np.zeros((1, 0), dtype=np.int64)
    _check_count(statement, int(counts.sum()), most)
    return np.stack([*_repeated(columns, counts), _runs(low, counts)], axis=1)


def count_points(statement: Assignment, extents: Mapping[str, int], most: int = MOST_POINTS) -> int:
    """Return how many points a statement has; those of its last index are counted without being listed.

    Raises
    ------
    TooManyPoints
        If too many points of the other indices would have to be listed.
    """
    if not statement.conditions:
        found = 1
        for name in statement.indices:
            found *= extents[name]
        return found
    columns, _, counts = _outer(statement, extents, most)
    return int(counts.sum()) if counts is not None else (len(columns[0]) if columns else 1)


def affine_values(place: Affine, indices: Sequence[str], points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the value of an affine expression at every point."""
    found = np.full(len(points), place.constant, dtype=np.int64)
    for name, factor in place.terms:
        found += factor * points[:, indices.index(name)]
    return found


def _outer(
    statement: Assignment, extents: Mapping[str, int], most: int
) -> tuple[list[NDArray[np.int64]], NDArray[np.int64], NDArray[np.int64] | None]:
    """Return the points of all indices but the last, and where the last begins and how many values it has.

    The counts are None where nothing is left to list: there is no index, or no point.
    """
    nothing = np.zeros(0, dtype=np.int64)
    if any(not condition.terms and condition.constant < 0 for condition in statement.conditions):
        return [nothing for _ in statement.indices] or [nothing], nothing, None
    columns: list[NDArray[np.int64]] = []
    low, counts = nothing, None
    for name in statement.indices:
        if extents[name] > _LARGEST_EXTENT:
            raise TooManyPoints(f"the extent {name}={extents[name]:,} is too large to list points one by one")
    for at, name in enumerate(statement.indices):
        if counts is not None:
            _check_count(statement, int(counts.sum()), most)
            columns = [*_repeated(columns, counts), _runs(low, counts)]
        low, counts = _range(statement, at, extents[name], columns)
    return columns, low, counts


def _range(
    statement: Assignment, at: int, extent: int, columns: list[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for every point of the indices before one, where that one begins and how many values it has."""
    known, name = statement.indices[:at], statement.indices[at]
    length = len(columns[0]) if columns else 1
    low, high = np.zeros(length, dtype=np.int64), np.full(length, extent - 1, dtype=np.int64)
    for condition in statement.conditions:
        factor = condition.factor(name)
        if not factor or not set(condition.names) <= {*known, name}:
            continue
        rest = np.full(length, condition.constant, dtype=np.int64)
        for other, times in condition.terms:
            if other != name:
                rest += times * columns[known.index(other)]
        if factor > 0:
            low = np.maximum(low, -(rest // factor))
        else:
            high = np.minimum(high, rest // -factor)
    return low, np.maximum(high - low + 1, 0)


def _repeated(columns: list[NDArray[np.int64]], counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [np.repeat(column, counts) for column in columns]


def _runs(low: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers from each low on, as many as counted, one run after the other."""
    begin = np.cumsum(counts) - counts
    found: NDArray[np.int64] = np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(low - begin, counts)
    return found


def _check_count(statement: Assignment, count: int, most: int) -> None:
    if count > most:
        raise TooManyPoints(
            f"{statement}: {count:,} points are too many to list (limit {most:,}); choose smaller extents"
        )
