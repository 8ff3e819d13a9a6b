"""The connected components (parts) of a mask: no query of one attends to a key of another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Labels = NDArray[np.int64]

__all__ = ["parts_of_rows", "places_apart"]


def parts_of_rows(rows: Iterable[NDArray[np.bool_]], Nq: int, Nk: int) -> dict[str, Labels]:
    """Label queries and keys, the keys of one query after the other given as booleans.

    >>> import numpy as np
    >>> parts_of_rows(np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0]], dtype=bool), 3, 3)
    {'i': array([0, 1, 0]), 'j': array([0, 1, 0])}
    """
    above = list(range(Nq))  # of each query, one of its part; joined parts hang below one of them
    labels = {"i": np.full(Nq, -1, dtype=np.int64), "j": np.full(Nk, -1, dtype=np.int64)}
    for query, row in enumerate(rows):
        keys = np.flatnonzero(row)
        if not len(keys):
            continue
        known = labels["j"][keys]
        for other in np.unique(known[np.append(True, known[1:] != known[:-1])]):
            if other >= 0:
                above[_top(above, int(other))] = query
        labels["i"][query] = labels["j"][keys] = query
    tops = np.array([_top(above, query) for query in range(Nq)], dtype=np.int64)
    used, first = np.unique(tops[labels["i"] >= 0], return_index=True)
    numbers = np.full(Nq, -1, dtype=np.int64)
    numbers[used[np.argsort(first)]] = np.arange(len(used))
    for label in labels.values():
        label[label >= 0] = numbers[tops[label[label >= 0]]]
    return labels


def _top(above: list[int], query: int) -> int:
    while above[query] != query:
        above[query] = above[above[query]]
        query = above[query]
    return query


def places_apart(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lines before which all partners come before all partners from there on; both sides have some.

    Parameters
    ----------
    first, last : ndarray of int64
        First and last partner of every line; more than any other, and -1, where it has none.
    """
    before = np.maximum.accumulate(last)[:-1]
    behind = np.minimum.accumulate(first[::-1])[::-1][1:]
    return np.flatnonzero((before < behind) & (before >= 0) & (last[1:] >= 0)) + 1
