"""A graph read from a file, with the line of every vertex and edge; errors name these lines."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import tell
from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.dag_checks import path_text
from pebble.graph.edge_arrays import grouped
from pebble.graph.formats.notes import Notes, Place, place_text
from pebble.graph.names import ListedNames, VertexNames, is_writable
from pebble.graph.order import order_vertices

__all__ = ["ParsedGraph"]

_MOST = 100_000_000
_TOLD = 1 << 16
"""Edges between two progress reports."""


class ParsedGraph:
    """A graph read from a file: edges, names and outputs, with the places in the file they come from.

    Millions of vertices and edges are kept in arrays of numbers; what a place is called is asked only by errors.

    Parameters
    ----------
    source : str
        What to call the file in messages.
    shift : int
        Number of the file's first vertex: 0, or 1 as in Matrix Market.
    edge_place, vertex_place : callable
        From the number that :meth:`add` (:meth:`vertex`) was given as place to the place: the number of a line, or a
        text. By default it is the number of a line itself.
    """

    def __init__(
        self,
        source: str,
        shift: int = 0,
        edge_place: Callable[[int], Place] = int,
        vertex_place: Callable[[int], Place] = int,
    ) -> None:
        self.source = source
        self.n_vertices = 0
        self.tails, self.heads, self.places = array("q"), array("q"), array("q")
        self.notes = Notes(shift=shift)
        self.numbers: dict[str, int] = {}
        """The vertices by name, in the order of their numbers, in formats where all have names."""
        self.vertex_places = array("q")
        self.vertices_place = ""
        self._shift = shift
        self._edge_place, self._vertex_place = edge_place, vertex_place

    def add(self, tail: int, head: int, place: int) -> None:
        """Add the edge from a predecessor to the vertex computed from it, numbered from 0."""
        if not len(self.tails) % _TOLD:
            tell(f"reading {self.source}: {len(self.tails):,} edges")
        self.tails.append(tail)
        self.heads.append(head)
        self.places.append(place)

    def vertex(self, name: str, place: int) -> int:
        """Return the number of the vertex of a name, a new one where the name is new."""
        v = self.numbers.setdefault(name, len(self.numbers))
        if v == len(self.vertex_places):
            self.vertex_places.append(place)
        return v

    def keep_first(self) -> None:
        """Leave out the edges that are there already."""
        tails, heads = np.array(self.tails), np.array(self.heads)
        key = heads * (1 + max(tails.max(initial=0), heads.max(initial=0))) + tails
        kept = np.sort(np.unique(key, return_index=True)[1])
        for name, values in (("tails", tails), ("heads", heads), ("places", np.array(self.places))):
            setattr(self, name, array("q", values[kept].tobytes()))

    def fail(self, place: Place, what: str) -> InvalidInput:
        """Return the error for a place in the file."""
        return InvalidInput(f"{self.source}, {place_text(place)}: {what}")

    def fail_edge(self, e: int, what: str) -> InvalidInput:
        """Return the error for an edge."""
        return self.fail(self._edge_place(self.places[e]), what)

    def dag(self, keep_isolated: bool = False) -> Dag:
        """Check everything and build the DAG.

        Raises
        ------
        InvalidInput
            If there is no vertex, a vertex is missing or isolated, an edge is a loop or there twice, there is a
            cycle, or a name or output cannot be; with the line.
        """
        self.n_vertices = self.n_vertices or len(self.numbers)
        if not 1 <= self.n_vertices <= _MOST:
            problem = f"more than {_MOST:,} vertices" if self.n_vertices else "no vertices"
            raise InvalidInput(f"{self.source}{self._where()}: {problem}; such a DAG cannot be built")
        tails, heads = np.array(self.tails, dtype=np.int64), np.array(self.heads, dtype=np.int64)
        self._check_range(tails, heads)
        self._check_loops(tails, heads)
        self._check_isolated(tails, heads, keep_isolated)
        self._check_twice(tails, heads)
        names, outputs = self._all_names() or self._checked_names(), self._checked_outputs()
        description = self.notes.description
        start, predecessors = grouped(tails, heads, self.n_vertices)
        try:
            return Dag(start, predecessors, names, outputs, description)
        except InvalidInput as error:
            if cycle := _cycle(tails, heads):
                raise self._cycle_error(cycle, names) from None
            raise InvalidInput(f"{self.source}: {error}") from None

    def _label(self, v: int) -> str:
        if self.numbers:
            return next(islice(self.numbers, v, None))
        return str(v + self._shift) if v not in self.notes.names else self.notes.names[v][0]

    def _check_range(self, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> None:
        over = np.flatnonzero(np.maximum(tails, heads) >= self.n_vertices)
        under = np.flatnonzero(np.minimum(tails, heads) < 0)
        if over.size or under.size:
            e = int((over if over.size else under)[0])
            v = (max if over.size else min)(self.tails[e], self.heads[e])
            raise self.fail_edge(
                e,
                f"there is no vertex {v + self._shift}; "
                f"the vertices are {self._shift} to {self.n_vertices - 1 + self._shift}{self.vertices_place}",
            )

    def _check_loops(self, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> None:
        for e in np.flatnonzero(tails == heads)[:1].tolist():
            raise self.fail_edge(
                e,
                f"{self._label(self.tails[e])} is its own predecessor; a computation cannot have a cycle",
            )

    def _check_isolated(self, tails: NDArray[np.int64], heads: NDArray[np.int64], keep: bool) -> None:
        noted = self.notes.isolated
        touched = np.zeros(self.n_vertices, dtype=np.bool_)
        touched[tails] = touched[heads] = True
        for v, place in noted.items():
            if v >= self.n_vertices:
                raise self.fail(place, f"there is no vertex {v + self._shift} to be isolated")
            if touched[v]:
                raise self.fail(place, f"{self._label(v)} is said to be isolated, but has edges")
            touched[v] = True
        free_vertices = np.flatnonzero(~touched)
        if free_vertices.size and not keep:
            raise self._isolated_error(int(free_vertices[0]), len(free_vertices))

    def _isolated_error(self, v: int, count: int = 1) -> InvalidInput:
        more = f" (and {count - 1} more)" if count > 1 else ""
        return InvalidInput(
            f"{self.source}{self._where(v)}: vertex {self._label(v)}{more} is isolated: no edge leads to it or "
            "from it; remove it, or number the vertices without gaps, or keep it on purpose (keep_isolated, "
            "--keep-isolated)"
        )

    def _where(self, v: int = -1) -> str:
        """Return the place of a vertex, or else of the number of vertices, as far as there is one."""
        if 0 <= v < len(self.vertex_places):
            return f", {place_text(self._vertex_place(self.vertex_places[v]))}"
        return self.vertices_place and f", {self.vertices_place.strip(' ()')}"

    def _check_twice(self, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> None:
        key = heads * self.n_vertices + tails
        order = np.argsort(key, kind="stable")
        twice = np.flatnonzero(key[order][1:] == key[order][:-1])
        if twice.size:
            second, at = min((int(order[t + 1]), int(t)) for t in twice.tolist())
            first = place_text(self._edge_place(self.places[int(order[at])]))
            raise self.fail_edge(
                second,
                f"the edge {self._label(self.tails[second])} -> {self._label(self.heads[second])} is there twice, "
                f"first on {first}; keep one of them",
            )

    def _all_names(self) -> ListedNames | None:
        """Return the names where all vertices have one; the dictionary that was filled is theirs from now on."""
        if not self.numbers:
            return None
        for v, name in enumerate(self.numbers):
            if not is_writable(name):
                raise self._name_error(name, self._vertex_place(self.vertex_places[v]))
        return ListedNames.of_numbers(self.numbers)

    def _name_error(self, name: str, place: Place) -> InvalidInput:
        return self.fail(place, f"{shown(name)} cannot be a name: a name is a text without white space")

    def _checked_names(self) -> list[str] | None:
        found = self.notes.names
        if not found:
            return None
        names = [f"v{v}" for v in range(self.n_vertices)]
        for v, (name, place) in found.items():
            if v >= self.n_vertices:
                raise self.fail(place, f"there is no vertex {v + self._shift} to be named")
            if not is_writable(name):
                raise self._name_error(name, place)
            names[v] = name
        first: dict[str, int] = {}
        for v, name in enumerate(names):
            if (u := first.setdefault(name, v)) != v:
                place = next(found[w][1] for w in (v, u) if w in found)
                raise self.fail(
                    place, f"vertices {u + self._shift} and {v + self._shift} are both called {name}"
                )
        return names

    def _checked_outputs(self) -> Iterable[int] | None:
        for v, place in self.notes.outputs.items():
            if v >= self.n_vertices:
                raise self.fail(place, f"there is no vertex {v + self._shift} to be an output")
        return list(self.notes.outputs) or None

    def _cycle_error(self, cycle: list[int], names: VertexNames | list[str] | None) -> InvalidInput:
        def label(v: int) -> str:
            return names[v] if names else str(v + self._shift)

        last = max(cycle)
        at = cycle.index(last)
        turned = [*cycle[at + 1 :], *cycle[: at + 1]]
        way = [label(self.tails[turned[0]]), *(label(self.heads[e]) for e in turned)]
        return self.fail_edge(
            last,
            f"the edge {label(self.tails[last])} -> {label(self.heads[last])} closes a cycle: {path_text(way)}; "
            "a computation cannot have one",
        )


def _cycle(tails: NDArray[np.int64], heads: NDArray[np.int64]) -> list[int]:
    """Return the edges of some cycle in the order one walks it, or an empty list."""
    n = int(max(tails.max(initial=-1), heads.max(initial=-1))) + 1
    _, missing = order_vertices(*grouped(heads, tails, n), np.bincount(heads, minlength=n))
    into = {w: e for e, (v, w) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)) if missing[v]}
    return _walk_back(into, tails) if into else []


def _walk_back(into: dict[int, int], tails: NDArray[np.int64]) -> list[int]:
    """Follow edges backwards until a vertex comes up again; return the edges between, the way they lead."""
    v = next(iter(into))
    seen: dict[int, int] = {}
    way: list[int] = []
    while v not in seen:
        seen[v] = len(way)
        way.append(into[v])
        v = int(tails[into[v]])
    return way[seen[v] :][::-1]
