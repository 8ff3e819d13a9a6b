"""Connected components, as labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["joined"]


def joined(labels: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return labels in which a[i] and b[i] agree for all i: the least label of each component.

    Examples
    --------
    >>> joined(np.arange(5), np.array([0, 3]), np.array([3, 4])).tolist()
    [0, 1, 2, 0, 0]
    """
    while True:
        one, other = labels[a], labels[b]
        differ = one != other
        if not differ.any():
            return labels
        low, high = np.minimum(one, other)[differ], np.maximum(one, other)[differ]
        parent = np.arange(len(labels))
        np.minimum.at(parent, high, low)
        while True:
            above = parent[parent]
            if np.array_equal(above, parent):
                break
            parent = above
        labels = parent[labels]
