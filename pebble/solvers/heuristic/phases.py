"""Phases: how often the loop over an axis must be run again, because a result of the whole loop is used in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["phases"]

_MOST_PHASES = 8
_BACK = 0.3
"""Part of the edges between two families that must lead back on an axis; then all of the family waits for its end."""


def phases(
    column: NDArray[np.int64],
    family: NDArray[np.int64],
    tail: NDArray[np.int64],
    head: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """Return the number of the loop over an axis in which each family of vertices is computed, as late as may be.

    A family that takes what another has only when the loop is over comes one loop later: a row is divided by its
    sum. What nobody needs before is computed in the loop that needs it first.

    Parameters
    ----------
    column : array of int64, shape (V,)
        Places on the axis, negative where there is none.
    family : array of int64, shape (V,)
        At least 0 for all heads and tails.
    tail, head : arrays of int64, shape (E,)

    Returns
    -------
    array of int64, length of the families, or None
        None if one loop is enough, or no small number is.

    Examples
    --------
    Three values are summed, and each is divided by the sum:

    >>> column, family = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2]), np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    >>> tail, head = np.array([0, 1, 2, 5, 5, 5, 0, 1, 2]), np.array([3, 4, 5, 6, 7, 8, 6, 7, 8])
    >>> phases(column, family, tail, head).tolist()
    [0, 0, 1]
    """
    known = (column[tail] >= 0) & (column[head] >= 0)
    pairs, place = np.unique(np.stack([family[tail], family[head]]), axis=1, return_inverse=True)
    place = place.reshape(-1)
    back, many = np.zeros(pairs.shape[1]), np.zeros(pairs.shape[1])
    np.add.at(back, place, known & (column[tail] > column[head]))
    np.add.at(many, place, known)
    wait = (back >= _BACK * np.maximum(many, 1)).astype(np.int64)
    first = np.zeros(int(family.max(initial=0)) + 1, dtype=np.int64)
    for _ in range(_MOST_PHASES * len(first)):
        later = first.copy()
        np.maximum.at(later, pairs[1], first[pairs[0]] + wait)
        if np.array_equal(later, first) or later.max() >= _MOST_PHASES:
            first = later
            break
        first = later
    if not 0 < first.max() < _MOST_PHASES:
        return None
    return _late(first, pairs, wait)


def _late(first: NDArray[np.int64], pairs: NDArray[np.int64], wait: NDArray[np.int64]) -> NDArray[np.int64]:
    """Move each family that others use to the last phase that these allow."""
    used = np.isin(np.arange(len(first)), pairs[0][pairs[0] != pairs[1]])
    last = np.where(used, first.max(), first)
    for _ in range(_MOST_PHASES * len(first)):
        sooner = last.copy()
        np.minimum.at(sooner, pairs[0], last[pairs[1]] - wait)
        if np.array_equal(sooner, last):
            break
        last = sooner
    return np.maximum(last, first)
