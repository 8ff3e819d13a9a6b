r"""Edge lists: a line ``V E``, then E lines ``u v``, from a predecessor to the vertex computed from it.

Vertices are numbered from 0. Blank lines and ``#`` comments are passed over; what the edges cannot say (names,
outputs other than the sinks, isolated vertices, the description) is written in ``# pebble:`` comments after them.

A file whose first line holds two names (``a b``), or networkx's data after an edge (``0 1 {}``), is read as
:mod:`pebble.graph.formats.named_edges`. Nothing is guessed from other lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats import named_edges
from pebble.graph.formats.named_edges import first_words
from pebble.graph.formats.notes import note_lines, whole
from pebble.graph.formats.parsed_graph import ParsedGraph

__all__ = ["read", "write"]

_NO_HEADER = "; if the file has no line 'V E' but begins with an edge, say so: --format named"
_OTHERS = "; lists of edges are also read as --format named, csv, adjlist or multiline-adjlist"


def read(text: str, source: str = "edge list", keep_isolated: bool = False) -> Dag:
    r"""Read an edge list.

    Examples
    --------
    >>> read("3 2\n0 2\n1 2\n")
    Dag(3 vertices, 2 edges, 2 inputs, 1 output)
    """
    if _begins_with_names(text):
        return named_edges.read(text, source, keep_isolated)
    parsed = ParsedGraph(source)
    header, n_edges = 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        data, _, comment = line.partition("#")
        if comment:
            parsed.notes.read(comment, source, number)
        words = data.split()
        if not words:
            continue
        if len(words) != 2:
            form = "an edge: two numbers, 'u v'" if header else "the line 'V E': two numbers"
            raise parsed.fail(number, f"expected {form}; found {shown(data)}{'' if header else _OTHERS}")
        place = f"{source}, line {number}"
        if not header and not all(map(_is_number, words)):
            raise _mixed(words, place)
        first, second = (
            int(word) if word.isascii() and word.isdigit() and len(word) < 19 else whole(word, what, place)
            for word, what in zip(words, ("a vertex", "a vertex") if header else ("V", "E"), strict=True)
        )
        if not header:
            header, parsed.n_vertices, n_edges = number, first, second
            parsed.vertices_place = f" (line {number})"
        elif len(parsed.tails) == n_edges:
            raise parsed.fail(number, f"line {header} promises {n_edges} edges; this is one more{_NO_HEADER}")
        else:
            parsed.add(first, second, number)
    if not header:
        raise InvalidInput(f"{source}, line 1: the file is empty; it should begin with 'V E', two numbers")
    if len(parsed.tails) < n_edges:
        raise parsed.fail(
            header,
            f"{n_edges} edges are promised, but the file ends after {len(parsed.tails)}{_NO_HEADER}",
        )
    try:
        return parsed.dag(keep_isolated)
    except InvalidInput as error:
        if parsed.n_vertices > max((*parsed.tails, *parsed.heads), default=-1) >= 0:
            raise
        raise InvalidInput(f"{error}{_NO_HEADER}") from None


def _begins_with_names(text: str) -> bool:
    """Tell whether the first line with data is an edge between two names, or has networkx's data after the edge."""
    words = first_words(text)
    if len(words) > 2:
        return words[2].startswith("{")
    return len(words) == 2 and not any(map(_is_number, words))


def _is_number(word: str) -> bool:
    return word.lstrip("+-").isdigit()


def _mixed(words: list[str], place: str) -> InvalidInput:
    """Return the error for a first line with one number and one name, which may be either format."""
    wrong = 0 if not _is_number(words[0]) else 1
    return InvalidInput(
        f"{place}: {'VE'[wrong]} must be a whole number, not {shown(words[wrong])}; if this is an edge between "
        "vertices of these names, say so: --format named"
    )


def write(dag: Dag) -> Iterator[str]:
    """Yield the text of the edge list, edges by ascending vertex in the order of its row."""
    yield f"{dag.n_vertices} {dag.n_edges}\n"
    start, flat = dag.predecessor_start.tolist(), dag.predecessors.tolist()
    for v in range(dag.n_vertices):
        for p in flat[start[v] : start[v + 1]]:
            yield f"{p} {v}\n"
    yield from note_lines(dag, "#")
