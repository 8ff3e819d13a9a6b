"""Comments in which text formats keep a DAG's names, outputs, isolated vertices and description."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag

__all__ = ["Notes", "Place", "note_lines", "place_text", "whole"]

_MARK = "pebble:"


def whole(text: str, what: str, place: str) -> int:
    """Read a whole number, or say what is wrong where.

    >>> whole("12", "the number of vertices", "line 1")
    12
    """
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InvalidInput(f"{place}: {what} must be a whole number, 0 or more, not {shown(text)}")
    return int(text)


Place: TypeAlias = "int | str"
"""Where something stands in a file: the number of its line, or a text such as ``edges[3]``."""


def place_text(place: Place) -> str:
    """Return a place in words."""
    return place if isinstance(place, str) else f"line {place}"


@dataclass
class Notes:
    """Names, outputs, intended isolated vertices and the description of a DAG, which its edges do not hold.

    The text formats keep it in comments, ``# pebble: name 3 S[0,1]``, ``# pebble: output 5``,
    ``# pebble: isolated 7``, ``# pebble: description ...``; other programs pass over them. Vertices are written
    from ``shift`` on, 0 or 1, and kept from 0 on.
    """

    shift: int = 0

    names: dict[int, tuple[str, Place]] = field(default_factory=dict)
    outputs: dict[int, Place] = field(default_factory=dict)
    isolated: dict[int, Place] = field(default_factory=dict)
    description: str = ""

    def read(self, comment: str, source: str, number: int) -> None:
        """Take what a comment says, its mark (``#`` or ``%``) already removed; other comments are passed over."""
        words = comment.split(maxsplit=2)
        if not words or words[0] != _MARK:
            return
        key, rest = (words[1] if len(words) > 1 else ""), (words[2] if len(words) > 2 else "")
        place = f"{source}, line {number}"
        if key == "description":
            self.description = rest.strip()
        elif key == "name":
            vertex, _, name = rest.strip().partition(" ")
            v = self._vertex(vertex, "the vertex that is named", place)
            if v in self.names:
                raise InvalidInput(
                    f"{place}: vertex {vertex} was already named on {place_text(self.names[v][1])}"
                )
            self.names[v] = (name.strip(), number)
        elif key in ("output", "isolated"):
            found = self.outputs if key == "output" else self.isolated
            for text in rest.split():
                found.setdefault(self._vertex(text, f"an {key} vertex", place), number)
        else:
            raise InvalidInput(
                f"{place}: unknown note {shown(key)}; known: name, output, isolated, description"
            )

    def _vertex(self, text: str, what: str, place: str) -> int:
        v = whole(text, what, place) - self.shift
        if v < 0:
            raise InvalidInput(f"{place}: there is no vertex {text}; they are numbered from {self.shift}")
        return v


def note_lines(dag: Dag, mark: str, shift: int = 0) -> Iterator[str]:
    """Yield the comments that hold a DAG's notes; with ``shift`` 1 its vertices are numbered from 1."""
    if dag.description:
        yield f"{mark} {_MARK} description {' '.join(dag.description.split())}\n"
    for v in dag.isolated.tolist():
        yield f"{mark} {_MARK} isolated {v + shift}\n"
    if not np.array_equal(dag.outputs, dag.sinks):
        for v in dag.outputs.tolist():
            yield f"{mark} {_MARK} output {v + shift}\n"
    for v in range(dag.n_vertices):
        if dag.names[v] != f"v{v}":
            yield f"{mark} {_MARK} name {v + shift} {dag.names[v]}\n"
