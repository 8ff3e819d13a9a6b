"""Names of the vertices of a DAG: kept as a list, or made from the vertex numbers on demand."""

from __future__ import annotations

import difflib
import operator
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pebble.common.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


class NamedArray:
    """Vertices whose names are those of the elements of an array, ``S[1,0,3]``.

    Parameters
    ----------
    name : str
    shape : tuple of int
        How many indices there are along each axis.
    first : int
        Number of the first vertex.
    places : array of int64, or callable that returns it, optional
        Which elements are vertices, by their row-major numbers, in the order of the vertices; by default all. What a
        callable returns is ascending, and it is called when it is needed.
    low : tuple of int, optional
        The least index along each axis; 0 by default.

    Examples
    --------
    >>> array = NamedArray("S", (2, 3), 10, np.array([0, 1, 5]))
    >>> array.vertices(np.array([1, 5])), array.vertices(np.array([2])), array.elements(np.array([12]))
    (array([11, 12]), None, array([5]))
    >>> array.index(12), array.vertex((1, 2)), array.vertex((1, 1))
    ((1, 2), 12, None)
    """

    def __init__(
        self,
        name: str,
        shape: tuple[int, ...],
        first: int,
        places: NDArray[np.int64] | Callable[[], NDArray[np.int64]] | None = None,
        low: tuple[int, ...] = (),
    ) -> None:
        self.name, self.shape, self.first = name, shape, first
        self.low = low or (0,) * len(shape)
        self._places = places

    @cached_property
    def places(self) -> NDArray[np.int64] | None:
        """Which elements are vertices; None if all are."""
        return self._places() if callable(self._places) else self._places

    @cached_property
    def _sorter(self) -> NDArray[np.int64] | None:
        """The order that makes the places ascend; None if they do."""
        given = self._places
        if given is None or callable(given) or not np.any(given[1:] <= given[:-1]):
            return None
        return np.argsort(given, kind="stable")

    @property
    def is_plain(self) -> bool:
        """Whether vertices stand in the order of their places, and indices begin at 0."""
        return self._sorter is None and not any(self.low)

    def vertices(self, places: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the vertices at some places of the array; None if one of them is no vertex."""
        if self.places is None:
            return places + self.first
        rank = np.searchsorted(self.places, places, sorter=self._sorter)
        if len(rank) and rank.max() == len(self.places):
            return None
        number = rank if self._sorter is None else self._sorter[rank]
        return number + self.first if (self.places[number] == places).all() else None

    def elements(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of some vertices of the array."""
        return vertices - self.first if self.places is None else self.places[vertices - self.first]

    def index(self, vertex: int) -> tuple[int, ...]:
        """Return the indices of a vertex of the array."""
        number, found = vertex - self.first, list[int]()
        place = number if self.places is None else int(self.places[number])
        for low, extent in zip(reversed(self.low), reversed(self.shape), strict=True):
            place, at = divmod(place, extent)
            found.append(low + at)
        return tuple(reversed(found))

    def vertex(self, index: Sequence[int]) -> int | None:
        """Return the vertex with these indices, as many as there are axes; None if there is none."""
        place = 0
        for at, low, extent in zip(index, self.low, self.shape, strict=True):
            if not low <= at < low + extent:
                return None
            place = place * extent + at - low
        found = self.vertices(np.array([place]))
        return None if found is None else int(found[0])


_INDEX = "(?:0|-?[1-9][0-9]*)"
_ELEMENT = re.compile(rf"([^\W\d]\w*(?:@\d+)?)\[((?:{_INDEX}(?:,{_INDEX})*)?)\]")


class ArrayNames:
    """The names of vertices that are elements of arrays, computed on demand.

    Parameters
    ----------
    all_arrays : sequence of NamedArray
        In the order of their vertices; no name is in two of them.
    n_vertices : int

    Examples
    --------
    >>> names = ArrayNames([NamedArray("A", (2,), 0), NamedArray("S", (2, 2), 2)], 6)
    >>> names[3], names.index("S[1,1]")
    ('S[0,1]', 5)
    """

    def __init__(self, all_arrays: Sequence[NamedArray], n_vertices: int) -> None:
        self._all, self._length = tuple(all_arrays), n_vertices
        self._starts = [array.first for array in self._all]
        self._found: dict[tuple[str, int], list[NamedArray]] = {}
        for array in self._all:
            self._found.setdefault((array.name, len(array.shape)), []).append(array)

    @property
    def arrays(self) -> tuple[NamedArray, ...] | None:
        """The arrays, for reading and writing many names at a time; None if some name or place is unusual."""
        plain = len({array.name for array in self._all}) == len(self._all)
        return self._all if plain and all(array.is_plain for array in self._all) else None

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, vertex: int) -> str:
        name, index = self.element(vertex)
        return f"{name}[{','.join(map(str, index))}]"

    def __iter__(self) -> Iterator[str]:
        return (self[vertex] for vertex in range(len(self)))

    def element(self, vertex: int) -> tuple[str, tuple[int, ...]]:
        """Return array and indices of a vertex; raise IndexError if there is none."""
        if not 0 <= vertex < self._length:
            raise IndexError(vertex)
        array = self._all[bisect_right(self._starts, vertex) - 1]
        return array.name, array.index(int(vertex))

    def index(self, name: str) -> int:
        """Return the vertex of a name, written as it is written; KeyError if there is none."""
        if match := _ELEMENT.fullmatch(name):
            index = [int(part) for part in match[2].split(",") if part]
            for array in self._found.get((match[1], len(index)), []):
                if (vertex := array.vertex(index)) is not None:
                    return vertex
        raise KeyError(name)


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
