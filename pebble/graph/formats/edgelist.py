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
from pebble.graph.formats.named_edges import first_words
from pebble.graph.formats.named_edges import read as read_names
from pebble.graph.formats.parsed_graph import ParsedGraph, data_lines, note_lines

_NO_HEADER = "; if the file begins with an edge instead of a line 'V E', use --format named"
_OTHERS = "; lists of edges are also read as --format named, csv, adjlist or multiline-adjlist"


def read(text: str, parsed: ParsedGraph) -> None:
    """Read an edge list."""
    if _begins_with_names(text):
        read_names(text, parsed)
        return
    parsed.hint = _NO_HEADER
    lines = data_lines(text, parsed, "#")
    header, words = next(lines, (0, []))
    if not header:
        raise InvalidInput(
            f"{parsed.source}, line 1: the file is empty; it should begin with 'V E', two numbers"
        )
    if len(words) != 2:
        found = shown(" ".join(words))
        raise parsed.fail(header, f"expected the line 'V E': two numbers; found {found}{_OTHERS}")
    parsed.n_vertices, n_edges = (
        parsed.whole(word, what, header) for word, what in zip(words, "VE", strict=True)
    )
    parsed.size_line = header
    for number, words in lines:
        if len(words) != 2:
            raise parsed.fail(number, f"expected an edge: two numbers, 'u v'; found {shown(' '.join(words))}")
        tail, head = words
        parsed.add(parsed.whole(tail, "a vertex", number), parsed.whole(head, "a vertex", number), number)
    parsed.check_promised(n_edges, len(parsed.tails), "edges", header)


def _begins_with_names(text: str) -> bool:
    """Tell whether the first line with data is an edge between two names, or has networkx's data after the edge."""
    words = first_words(text)
    if len(words) > 2:
        return words[2].startswith("{")
    return len(words) == 2 and not any(map(_is_number, words))


def _is_number(word: str) -> bool:
    return word.lstrip("+-").isdigit()


def write(dag: Dag) -> Iterator[str]:
    """Yield the text of the edge list, edges by ascending vertex in the order of its row."""
    yield f"{dag.n_vertices} {dag.n_edges}\n"
    yield from (f"{p} {v}\n" for p, v in dag.edges())
    yield from note_lines(dag, "#")
