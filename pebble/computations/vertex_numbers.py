"""How the vertices of an array are numbered: by place, or by rank among the places that exist.

The *place* of a vertex is its row-major number among all indices of its array, the chain's last. Without a mask
every place has a vertex; a mask leaves places out, and the vertices are numbered without gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NumbersByRank", "VertexNumbers"]


class VertexNumbers:
    """From the places of an array to the numbers of its vertices (from 0 within the array), and back.

    Here every place has a vertex, and its number is the place.
    """

    def number(self, name: str, place: int) -> int | None:
        """Return the number of the vertex at a place; None if there is none."""
        return place

    def numbers(self, name: str, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of the vertices at places that exist."""
        return places

    def place(self, name: str, number: int) -> int:
        """Return the place of a vertex."""
        return number

    def places(self, name: str) -> NDArray[np.int64] | None:
        """Return the places of an array's vertices, ascending; None if every place has one."""
        return None

    def of_vertices(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Return, of values given for all places of an array, those of its vertices, in their order."""
        return values.ravel()


class NumbersByRank(VertexNumbers):
    """Only some places have a vertex, and its number is its rank among them.

    Parameters
    ----------
    exists : callable
        Takes the name of an array and returns which of its vertices exist, as booleans of the array's shape.

    Notes
    -----
    Memory: one integer for each vertex of the arrays that are asked about.
    """

    def __init__(self, exists: Callable[[str], NDArray[np.bool_]]) -> None:
        self._exists = exists
        self._known: dict[str, NDArray[np.int64]] = {}

    def places(self, name: str) -> NDArray[np.int64]:
        """Return the places of an array's vertices, ascending."""
        if name not in self._known:
            self._known[name] = np.flatnonzero(self._exists(name))
        return self._known[name]

    def number(self, name: str, place: int) -> int | None:
        """Return the rank of a place, found by bisection; None if it does not exist."""
        places = self.places(name)
        rank = int(np.searchsorted(places, place))
        return rank if rank < len(places) and places[rank] == place else None

    def numbers(self, name: str, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of places that exist."""
        return np.searchsorted(self.places(name), places).astype(np.int64)

    def place(self, name: str, number: int) -> int:
        """Return the place of this rank."""
        return int(self.places(name)[number])

    def of_vertices(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values at places that exist."""
        return np.asarray(values[self._exists(name)])
