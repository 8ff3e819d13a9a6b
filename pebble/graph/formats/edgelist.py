r"""Edge lists: a line ``V E``, then E lines ``u v``, from a predecessor to the vertex computed from it.

Vertices are numbered from 0. Blank lines and ``#`` comments are passed over; what the edges cannot say (names,
outputs other than the sinks, isolated vertices, the description) is written in ``# pebble:`` comments after them.

Also lists of edges between names, as networkx writes them: ``write_edgelist`` and its two adjacency lists. Their
vertices are numbered in the order in which the names come up; numbers are names too. ``#`` begins a comment at the
beginning of a line, or after white space. They are read only. A file whose first line holds two names (``a b``), or
networkx's data after an edge (``0 1 {}``), is one of them. Nothing is guessed from other lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph, data_lines, note_lines

_NO_HEADER = "; if the file begins with an edge instead of a line 'V E', use --format named"
_OTHERS = "; lists of edges are also read as --format named, csv, adjlist or multiline-adjlist"
_ADJLIST = "; if each line lists a vertex and everything computed from it, use --format adjlist"
_COMMENT = re.compile(r"(?:^|\s)#.*")


def read(text: str, parsed: ParsedGraph) -> None:
    """Read an edge list."""
    if _begins_with_names(text):
        read_named(text, parsed)
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
    words = _first_words(text)
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


def read_named(text: str, parsed: ParsedGraph) -> None:
    """Read a line ``a b`` for each edge; data after the names, ``{'weight': 3}`` or numbers, is passed over."""
    weights: dict[str, int] = {}
    for number, line in _lines(text, parsed):
        words = line.split(None, 2)
        has_weights = len(words) > 2 and not words[2].startswith("{")
        if len(words) < 2 or (has_weights and not _are_numbers(words[2])):
            hint = _ADJLIST if has_weights else " (a '#' begins a comment)"
            raise parsed.fail(number, f"expected an edge: two names, 'a b'; found {shown(line)}{hint}")
        if has_weights:
            weights.update((word, number) for word in words[2].split())
        tail, head = parsed.vertex(words[0], number), parsed.vertex(words[1], number)
        parsed.add(tail, head, number)
    if not parsed.numbers:
        raise InvalidInput(
            f"{parsed.source}, line 1: the file has no edge; write one edge per line, two names 'a b'"
        )
    for word in weights.keys() & parsed.numbers.keys():
        raise parsed.fail(weights[word], f"{word} may be a weight or a vertex: leave out weights{_ADJLIST}")


def read_adjlist(text: str, parsed: ParsedGraph) -> None:
    """Read an adjacency list: a line ``u v w`` for each vertex, and the vertices computed from it."""
    for number, line in _lines(text, parsed):
        u, *heads = (parsed.vertex(name, number) for name in line.split())
        for head in heads:
            parsed.add(u, head, number)


def read_multiline_adjlist(text: str, parsed: ParsedGraph) -> None:
    """Read a line ``u 2``, then two lines with a vertex computed from ``u`` each, and data that is passed over."""
    lines = _lines(text, parsed)
    for number, line in lines:
        name, *rest = line.split()
        if len(rest) != 1:
            raise parsed.fail(
                number, f"expected a vertex and how many are computed from it, 'u 2'; found {shown(line)}"
            )
        promised = parsed.whole(rest[0], "the number of vertices", number)
        u, found = parsed.vertex(name, number), 0
        for at, line_of_head in islice(lines, promised):
            parsed.add(u, parsed.vertex(line_of_head.split(None, 1)[0], at), at)
            found += 1
        parsed.check_promised(promised, found, "lines", number)


def _lines(text: str, parsed: ParsedGraph) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers and without comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("# pebble:"):
            raise parsed.fail(
                number, "'# pebble:' notes are about numbered vertices; use them with a line 'V E', or JSON"
            )
        if "#" in line:
            line = _COMMENT.sub("", line)
        if line and not line.isspace():
            yield number, line


def _first_words(text: str) -> list[str]:
    """Return the words of the first line that is neither blank nor a comment."""
    lines = (_COMMENT.sub("", found[0]).split() for found in re.finditer(r"[^\n]+", text))
    return next(filter(None, lines), [])


def _are_numbers(text: str) -> bool:
    """Tell whether a text is one or more numbers, as weights of an edge are."""
    try:
        return all(float(word) is not None for word in text.split())
    except ValueError:
        return False
