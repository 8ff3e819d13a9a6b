"""Names of the vertices of a DAG: kept as a list, or made from the vertex numbers on demand."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DeferredNames",
    "ListedNames",
    "NamedArray",
    "NumberedNames",
    "VertexNames",
    "Vertices",
    "is_writable",
    "node_label",
    "vertex_in",
]

_GUESSES_UP_TO = 20_000
_NUMBER = re.compile(r"(?<!\d)\d{1,100}(?!\d)")


class VertexNames(Protocol):
    """What a DAG asks of the names of its vertices.

    Any object with these three methods will do. A name is a non-empty text without white space, and no two
    vertices share one. A large family computes them on demand instead of keeping a list.
    """

    def __len__(self) -> int:
        """Return the number of vertices."""
        ...

    def __getitem__(self, vertex: int, /) -> str:
        """Return the name of a vertex, given as a number from 0."""
        ...

    def index(self, name: str, /) -> int:
        """Return the vertex of a name; raise KeyError or ValueError if there is none."""
        ...


@dataclass(frozen=True, eq=False)
class NamedArray:
    """Vertices whose names are those of the elements of an array, ``S[1,0,3]``, in row-major order.

    Names that know their arrays, in an attribute ``arrays``, can be read and written many at a time.

    Parameters
    ----------
    name : str
    shape : tuple of int
    first : int
        Number of the first vertex.
    places : array of int64, optional
        Which elements are vertices, by their row-major numbers, ascending; by default all.

    Examples
    --------
    >>> array = NamedArray("S", (2, 3), 10, np.array([0, 1, 5]))
    >>> array.vertices(np.array([1, 5])), array.vertices(np.array([2])), array.elements(np.array([12]))
    (array([11, 12]), None, array([5]))
    """

    name: str
    shape: tuple[int, ...]
    first: int
    places: NDArray[np.int64] | None = None

    def vertices(self, places: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the vertices at some places of the array; None if one of them is no vertex."""
        if self.places is None:
            return places + self.first
        rank = np.searchsorted(self.places, places)
        if len(rank) and (rank.max() == len(self.places) or not (self.places[rank] == places).all()):
            return None
        return rank + self.first

    def elements(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of some vertices of the array."""
        return vertices - self.first if self.places is None else self.places[vertices - self.first]


class Vertices(Protocol):
    """What writing a pebbling needs of a computation: the number of its vertices and their names."""

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        ...

    @property
    def names(self) -> VertexNames:
        """Names of the vertices."""
        ...


class NumberedNames:
    """The default names of vertices: ``v0``, ``v1``, ...

    Parameters
    ----------
    n_vertices : int
        Number of vertices.

    Examples
    --------
    >>> names = NumberedNames(12)
    >>> names[7], names.index("v11")
    ('v7', 11)
    """

    def __init__(self, n_vertices: int) -> None:
        self._n = n_vertices

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, vertex: int) -> str:
        if not 0 <= vertex < self._n:
            raise IndexError(vertex)
        return f"v{vertex}"

    def index(self, name: str) -> int:
        """Return the vertex of a name; raise KeyError or ValueError if there is none."""
        vertex = int(name[1:])
        if 0 <= vertex < self._n and name == f"v{vertex}":
            return vertex
        raise KeyError(name)


class ListedNames:
    """Names kept as a list, one for each vertex.

    Parameters
    ----------
    names : sequence of str
        Name of vertex 0, of vertex 1, ...
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._vertex: dict[str, int] = {}
        for vertex, name in enumerate(self._names):
            if not is_writable(name):
                raise InvalidInput(
                    f"vertex {vertex}: {name!r} cannot be a name; a name is a text without white space, "
                    "so that it fits on a line of a pebbling file"
                )
            first = self._vertex.setdefault(name, vertex)
            if first != vertex:
                raise InvalidInput(
                    f"vertices {first} and {vertex} are both called {name!r}; give one a new name"
                )

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, vertex: int) -> str:
        return self._names[vertex]

    def index(self, name: str) -> int:
        """Return the vertex of a name; raise KeyError if there is none."""
        return self._vertex[name]


class DeferredNames(ListedNames):
    """Names that are all made when the first one is asked for.

    Parameters
    ----------
    n_vertices : int
    make : callable
        Returns the list of all names; they are trusted to be distinct and without white space.

    Examples
    --------
    >>> names = DeferredNames(3, lambda: ["a", "b", "c"])
    >>> names[1], names.index("c")
    ('b', 2)
    """

    def __init__(self, n_vertices: int, make: Callable[[], list[str]]) -> None:
        self._n = n_vertices
        self._make = make

    @cached_property
    def _names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._make())

    @cached_property
    def _vertex(self) -> dict[str, int]:  # type: ignore[override]
        return {name: vertex for vertex, name in enumerate(self._names)}

    def __len__(self) -> int:
        return self._n


def vertex_in(names: VertexNames, vertex: int | np.integer[Any] | str) -> int:
    """Return the number of a vertex given by name (or by number, which is checked and returned)."""
    if isinstance(vertex, str):
        try:
            return names.index(vertex)
        except (KeyError, ValueError):
            raise InvalidInput(f"no vertex is called {vertex!r}{_hint(names, vertex)}") from None
    try:
        number = operator.index(vertex)
    except TypeError:
        number = -1
    if isinstance(vertex, bool) or not 0 <= number < len(names):
        raise InvalidInput(f"there is no vertex {vertex!s}; the vertices are 0 to {len(names) - 1}")
    return number


def _hint(names: VertexNames, wanted: str) -> str:
    """Suggest the name that may have been meant."""
    plain = _NUMBER.sub(lambda match: str(int(match[0])), wanted)
    if plain != wanted:
        try:
            names.index(plain)
        except (KeyError, ValueError):
            pass
        else:
            return f"; write {plain!r}: the digits are 0 to 9, without leading zeros"
    close = _closest_name(names, wanted)
    return f"; did you mean {close!r}?" if close else ""


def _closest_name(names: VertexNames, wanted: str) -> str | None:
    """Return the existing name most like the wanted one, or None; too large a DAG is not searched."""
    if len(names) > _GUESSES_UP_TO or len(wanted) > 100:
        return None
    found = difflib.get_close_matches(wanted, [names[v] for v in range(len(names))], n=1)
    return found[0] if found else None


def is_writable(name: object) -> bool:
    """Tell whether a text can stand as one word in a pebbling file: not empty, no white space, valid Unicode.

    >>> is_writable("S[0,1]"), is_writable("a b"), is_writable("")
    (True, False, False)
    """
    if not isinstance(name, str) or name.split() != [name]:
        return False
    return name.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in name)


def node_label(node: Any) -> str:
    """Name of a networkx node; tuples lose the space after the comma so that they fit on a line."""
    return f"({','.join(map(node_label, node))})" if isinstance(node, tuple) else str(node)
