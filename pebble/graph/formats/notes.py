"""Comments in which text formats keep a DAG's names, outputs, isolated vertices and description.

``# pebble: name 3 S[0,1]``, ``# pebble: output 5``, ``# pebble: isolated 7``, ``# pebble: description ...``: what edges
between numbered vertices do not say. Other programs pass over them.
"""

from __future__ import annotations

from collections.abc import Iterator

from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph

__all__ = ["data_lines", "note_lines"]

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
