"""A graph read from a file: its edges with their places in the file, and what the edges do not say."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import tell
from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.dag_checks import EdgeFault
from pebble.graph.edge_arrays import grouped
from pebble.graph.names import is_writable

_MOST = 100_000_000
_TOLD = 1 << 16
"""Edges between two progress reports."""


class ParsedGraph:
    """A graph read from a file: edges, names, outputs, intended isolated vertices and the description.

    Millions of edges are kept in arrays of numbers; what a place is called is asked only by errors.

    Parameters
    ----------
    source : str
        What to call the file in messages.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.shift = 0
        """Number of the file's first vertex: 0, or 1 as in Matrix Market."""
        self.place: Callable[[int], str] = "line {}".format
        """Turns the number that :meth:`add` is given as place into words; by default it is the number of a line."""
        self.hint = ""
        """What to add to a message about numbers that are wrong, since the file may be in another format."""
        self.n_vertices = 0
        self.size_line = 0
        """The line that says how many vertices there are, in formats that have one."""
        self.tails, self.heads, self.places = array("q"), array("q"), array("q")
        self.numbers: dict[str, int] = {}
        """The vertices by name, in the order of their numbers, in formats where all have names."""
        self.names: dict[int, str] = {}
        """The names of some vertices, in formats where vertices are numbers."""
        self.outputs: list[int] = []
        self.isolated: list[int] = []
        self.description = ""

    def add(self, tail: int, head: int, place: int) -> None:
        """Add the edge from a predecessor to the vertex computed from it, numbered from 0."""
        if not len(self.tails) % _TOLD:
            tell(f"reading {self.source}: {len(self.tails):,} edges")
        self.tails.append(tail)
        self.heads.append(head)
        self.places.append(place)

    def vertex(self, name: str, place: int) -> int:
        """Return the number of the vertex of a name, a new one where the name is new."""
        v = self.numbers.get(name, -1)
        if v < 0:
            v = self.numbers[self.writable(name, place)] = len(self.numbers)
        return v

    def writable(self, name: str, place: int) -> str:
        """Return a text if it can be a name."""
        if not is_writable(name):
            raise self.fail(place, f"{shown(name)} cannot be a name: a name is a text without white space")
        return name

    def whole(self, text: str, what: str, place: int) -> int:
        """Return the whole number that a text is."""
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            raise self.fail(place, f"{what} must be a whole number, 0 or more, not {shown(text)}{self.hint}")
        return int(text)

    def keep_first(self) -> None:
        """Leave out the edges that are there already."""
        tails, heads = np.array(self.tails), np.array(self.heads)
        kept = np.sort(np.unique(heads * (1 + tails.max(initial=0)) + tails, return_index=True)[1])
        for name in ("tails", "heads", "places"):
            setattr(self, name, array("q", np.array(getattr(self, name))[kept].tobytes()))

    def check_number(self, text: str, what: str, place: int) -> None:
        """Check that a text is a number, whose value does not matter."""
        try:
            float(text)
        except ValueError:
            raise self.fail(place, f"{what} must be a number, not {shown(text)}") from None

    def check_promised(self, promised: int, found: int, what: str, place: int) -> None:
        """Check that as many edges, or lines of another kind, follow as the line at ``place`` says."""
        if found != promised:
            raise self.fail(
                place, f"this line announces {promised} {what}, but the file has {found}{self.hint}"
            )

    def fail(self, place: int, what: str) -> InvalidInput:
        """Return the error for a place in the file."""
        return InvalidInput(f"{self.source}, {self.place(place)}: {what}")

    def _where(self) -> str:
        return f"{self.source}, line {self.size_line}" if self.size_line else self.source

    def dag(self, keep_isolated: bool = False) -> Dag:
        """Check everything and build the DAG."""
        n = self.n_vertices or len(self.numbers)
        if not 1 <= n <= _MOST:
            problem = f"more than {_MOST:,} vertices" if n else "no vertices"
            raise InvalidInput(f"{self._where()}: {problem}; such a DAG cannot be built{self.hint}")
        tails, heads = np.array(self.tails, dtype=np.int64), np.array(self.heads, dtype=np.int64)
        self._check_vertices(tails, heads, n)
        names = list(self.numbers)
        if self.names:
            names = [self.names.get(v, f"v{v}") for v in range(n)]
        labels = names or range(self.shift, self.shift + n)
        self._check_isolated(tails, heads, labels, keep_isolated)
        try:
            return Dag(*grouped(tails, heads, n), names or None, self.outputs or None, self.description)
        except EdgeFault as fault:
            way = np.array(fault.way)
            found = np.flatnonzero(np.isin(tails * n + heads, way[:-1] * n + way[1:]))
            first = f", first on {self.place(self.places[found[0]])}" if len(found) >= len(way) else ""
            raise self.fail(self.places[found[-1]], f"{fault.text(labels)}{first}") from None
        except InvalidInput as error:
            raise InvalidInput(f"{self.source}: {error}") from None

    def _check_vertices(self, tails: NDArray[np.int64], heads: NDArray[np.int64], n: int) -> None:
        known = f"the vertices are {self.shift} to {n - 1 + self.shift}"
        for e in np.flatnonzero((np.minimum(tails, heads) < 0) | (np.maximum(tails, heads) >= n))[:1]:
            v = next(v for v in (self.tails[e], self.heads[e]) if not 0 <= v < n)
            raise self.fail(self.places[e], f"there is no vertex {v + self.shift}; {known}{self.hint}")
        for v in (*self.names, *self.outputs, *self.isolated):
            if not 0 <= v < n:
                raise InvalidInput(
                    f"{self.source}: there is no vertex {v + self.shift} to name, isolate or use as an "
                    f"output; {known}"
                )

    def _check_isolated(
        self, tails: NDArray[np.int64], heads: NDArray[np.int64], labels: Sequence[object], keep: bool
    ) -> None:
        meant, touched = np.array(self.isolated, dtype=np.int64), np.zeros(len(labels), dtype=np.bool_)
        touched[tails] = touched[heads] = True
        for v in meant[touched[meant]][:1]:
            raise InvalidInput(f"{self.source}: {labels[v]} is marked as isolated, but has edges")
        touched[meant] = True
        left = np.flatnonzero(~touched)
        if left.size and not keep:
            more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
            raise InvalidInput(
                f"{self._where()}: vertex {labels[left[0]]}{more} is isolated: no edge leads to it or "
                "from it; remove it, or number the vertices without gaps, or keep it on purpose (keep_isolated, "
                "--keep-isolated)"
            )


_MARK = "pebble:"


def data_lines(text: str, parsed: ParsedGraph, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of the lines that hold data, with the line's number; notes in comments are taken."""
    for number, line in enumerate(text.split("\n"), 1):
        data, _, comment = line.partition(mark)
        if comment:
            _take_note(comment, parsed, number)
        if words := data.split():
            yield number, words


def _take_note(comment: str, parsed: ParsedGraph, number: int) -> None:
    """Take what a comment says; those that are no notes are passed over."""
    words = comment.split(maxsplit=2)
    if words[:1] != [_MARK]:
        return
    key, rest = (*words[1:], "", "")[:2]
    if key == "description":
        parsed.description = rest.strip()
    elif key == "name":
        vertex, _, name = rest.partition(" ")
        v = _vertex(vertex, "the vertex that is named", parsed, number)
        if v in parsed.names:
            raise parsed.fail(number, f"vertex {vertex} was already named {parsed.names[v]}")
        parsed.names[v] = parsed.writable(name.strip(), number)
    elif key in ("output", "isolated"):
        found = parsed.outputs if key == "output" else parsed.isolated
        found += [_vertex(vertex, f"an {key} vertex", parsed, number) for vertex in rest.split()]
    else:
        raise parsed.fail(number, f"unknown note {shown(key)}; known: name, output, isolated, description")


def _vertex(text: str, what: str, parsed: ParsedGraph, number: int) -> int:
    return parsed.whole(text, what, number) - parsed.shift


def note_lines(dag: Dag, mark: str, shift: int = 0) -> Iterator[str]:
    """Yield the comments that hold a DAG's notes; with ``shift`` 1 its vertices are numbered from 1."""
    if dag.description:
        yield f"{mark} {_MARK} description {' '.join(dag.description.split())}\n"
    for key, vertices in (("isolated", dag.isolated), ("output", dag.marked_outputs)):
        yield from (f"{mark} {_MARK} {key} {v + shift}\n" for v in vertices.tolist())
    for v in range(dag.n_vertices):
        if dag.names[v] != f"v{v}":
            yield f"{mark} {_MARK} name {v + shift} {dag.names[v]}\n"
