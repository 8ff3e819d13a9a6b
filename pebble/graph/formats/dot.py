r"""Graphviz DOT, the part that graphs of computations use.

Read: ``digraph`` with node statements, edges and chains of edges ``a -> b -> c``, groups ``a -> {b c}`` and subgraphs
(whose vertices and edges count as the graph's own), attributes, comments, ``strict``. The ids are the names, in the
order of their first appearance; the graph's id is the description. The node attributes ``pebble_output=true`` and
``pebble_isolated=true`` are ours; all others are passed over. Refused, with the line: undirected graphs, ports, HTML
ids, strings joined by ``+``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph

__all__ = ["read", "write"]

# A whole statement of one simple edge is one token where a statement may begin: most of a large file is made of them.
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|\A)\#[^\n]*)
      | (?P<edge>(?:"(?P<tail>[^"\\\n]*)"|(?P<tail_number>\d+))[ ]?->[ ]?
                 (?:"(?P<head>[^"\\\n]*)"|(?P<head_number>\d+));)
      | (?P<mark>->|--|[{}\[\];,=:+])
      | "(?P<quoted>(?:[^"\\]|\\.)*)"
      | (?P<id>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
      | (?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
_SIMPLE = re.compile(r'"(?P<quoted>[^"\\\n]*)"|(?P<id>\d+)')
_DEEPEST = 50
_Ends = tuple[str | None, ...]


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    tail: _Ends = ()
    head: _Ends = ()


def read(text: str, source: str = "DOT", keep_isolated: bool = False) -> Dag:
    """Read a digraph.

    Examples
    --------
    >>> dag = read('digraph "two sums" { a -> s; b -> s; {s c} -> t }')
    >>> dag
    Dag(two sums: 5 vertices, 4 edges, 3 inputs, 1 output)
    """
    return _Parser(text, source).dag(keep_isolated)


def _tokens(text: str, parsed: ParsedGraph) -> Iterator[_Token]:
    line, at, end = 1, 0, len(text)
    begins = False
    while at < end:
        match = _TOKEN.match(text, at)
        assert match is not None
        kind, piece = str(match.lastgroup), match.group()
        if kind == "edge" and not begins:
            match = _SIMPLE.match(text, at)
            assert match is not None
            kind, piece = str(match.lastgroup), match.group()
        at = match.end()
        if kind == "wrong":
            hint = "; HTML ids cannot be read" if piece == "<" else ""
            hint = "; a quoted text does not end" if piece == '"' else hint
            raise parsed.fail(line, f"unexpected {shown(piece)}{hint}")
        if kind == "edge":
            yield _Token(
                "edge", piece, line, match.group("tail", "tail_number"), match.group("head", "head_number")
            )
        elif kind == "quoted":
            joined = match.group("quoted").replace("\\\n", "").replace('\\"', '"')
            yield _Token("quoted", joined, line)
        elif kind != "space":
            yield _Token(kind, piece, line)
        if kind != "space":
            begins = kind == "edge" or (kind == "mark" and piece in ";{")
        if kind in ("space", "quoted"):
            line += piece.count("\n")
    yield _Token("end", "", line)


class _Parser:
    """Takes the tokens one by one."""

    def __init__(self, text: str, source: str) -> None:
        self.parsed = ParsedGraph(source)
        self.number: dict[str, int] = {}
        self._known: set[tuple[int, int]] = set()
        self._tokens = list(_tokens(text, self.parsed))
        self._at = 0
        self._strict = False

    def dag(self, keep_isolated: bool) -> Dag:
        self._strict = self._take_word("strict")
        if not self._take_word("digraph"):
            kind = (
                "an undirected graph; a computation needs a digraph"
                if self._is_word("graph")
                else "no digraph"
            )
            raise self._fail(f"this is {kind}")
        if self._next.kind in ("id", "quoted"):
            self.parsed.notes.description = self._take().text
        self._expect("{")
        self._statements(0)
        if self._next.kind != "end":
            raise self._fail(f"unexpected {shown(self._next.text)} after the graph's end")
        self.parsed.n_vertices = len(self.number)
        return self.parsed.dag(keep_isolated)

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _fail(self, what: str) -> InvalidInput:
        return self.parsed.fail(self._next.line, what)

    def _is_mark(self, text: str) -> bool:
        return self._next.kind == "mark" and self._next.text == text

    def _is_word(self, *words: str) -> bool:
        return self._next.kind == "id" and self._next.text.lower() in words

    def _take_word(self, word: str) -> bool:
        found = self._is_word(word)
        self._at += found
        return found

    def _take_mark(self, text: str) -> bool:
        found = self._is_mark(text)
        self._at += found
        return found

    def _expect(self, mark: str) -> None:
        if not self._take_mark(mark):
            found = shown(self._next.text) if self._next.kind != "end" else "the end of the file"
            raise self._fail(f"expected {mark!r}, found {found}")

    def _statements(self, depth: int) -> list[int]:
        """Read up to the closing brace; return the vertices that were mentioned."""
        if depth > _DEEPEST:
            raise self._fail(f"subgraphs are nested more than {_DEEPEST} deep")
        mentioned: dict[int, None] = {}
        while not self._take_mark("}"):
            if self._next.kind == "end":
                raise self._fail("the file ends before the closing '}'")
            if not (self._take_mark(";") or self._take_mark(",")):
                mentioned.update(dict.fromkeys(self._statement(depth)))
        return list(mentioned)

    def _statement(self, depth: int) -> list[int]:
        if self._next.kind == "edge":
            token = self._take()
            ends = [
                self._vertex(quoted or number or "", token.line)
                for quoted, number in (token.tail, token.head)
            ]
            self._connect(ends[:1], ends[1:], token.line)
            return ends
        if self._is_word("node", "edge", "graph"):
            self._take()
            self._attributes()
            return []
        after = self._tokens[self._at + 1]
        if self._next.kind in ("id", "quoted") and after.kind == "mark" and after.text == "=":
            self._at += 2
            self._id("a value")
            return []
        mentioned = group = self._group(depth)
        while self._is_mark("->") or self._is_mark("--"):
            line = self._next.line
            if self._take().text == "--":
                raise self.parsed.fail(line, "'--' is an undirected edge; write '->'")
            following = self._group(depth)
            self._connect(group, following, line)
            mentioned, group = [*mentioned, *following], following
        chosen = self._attributes()
        if len(mentioned) == 1:
            self._mark_vertex(mentioned[0], chosen)
        return mentioned

    def _group(self, depth: int) -> list[int]:
        """Read one end of an edge: an id, or a group in braces."""
        if self._take_word("subgraph") and self._next.kind in ("id", "quoted"):
            self._take()
        if self._take_mark("{"):
            return self._statements(depth + 1)
        line = self._next.line
        name = self._id("a vertex")
        if self._is_mark(":"):
            raise self._fail("ports (name:port) cannot be read; quote a name that contains a colon")
        return [self._vertex(name, line)]

    def _vertex(self, name: str, line: int) -> int:
        v = self.number.setdefault(name, len(self.number))
        if v not in self.parsed.notes.names:
            self.parsed.notes.names[v] = (name, line)
            self.parsed.vertex_places[v] = line
        return v

    def _id(self, what: str) -> str:
        if self._next.kind not in ("id", "quoted"):
            found = shown(self._next.text) if self._next.kind != "end" else "the end of the file"
            raise self._fail(f"expected {what}, found {found}")
        name = self._take().text
        if self._is_mark("+"):
            raise self._fail("texts joined by '+' cannot be read; write one text")
        return name

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._take_mark("["):
            while not self._take_mark("]"):
                key = self._id("an attribute or ']'")
                found[key] = self._id("a value") if self._take_mark("=") else "true"
                if not self._take_mark(";"):
                    self._take_mark(",")
        return found

    def _mark_vertex(self, v: int, attributes: dict[str, str]) -> None:
        notes, line = self.parsed.notes, self.parsed.vertex_places[v]
        for key, chosen in (("pebble_output", notes.outputs), ("pebble_isolated", notes.isolated)):
            if attributes.get(key, "").lower() in ("true", "yes", "1"):
                chosen[v] = line

    def _connect(self, tails: list[int], heads: list[int], line: int) -> None:
        for tail in tails:
            for head in heads:
                if not self._strict or (tail, head) not in self._known:
                    self.parsed.add(tail, head, line)
                if self._strict:
                    self._known.add((tail, head))


def write(dag: Dag) -> Iterator[str]:
    r"""Yield the DAG as a digraph, a vertex or edge a line; inputs are boxes, outputs have a double line.

    Raises
    ------
    InvalidInput
        If a name or the description ends with a backslash or has one before a quote, which DOT cannot hold.
    """
    outputs = set() if np.array_equal(dag.outputs, dag.sinks) else set(dag.outputs.tolist())
    isolated, inputs = set(dag.isolated.tolist()), set(dag.inputs.tolist())
    shown_outputs = set(dag.outputs.tolist())
    yield f"digraph {_quoted(dag.description) + ' ' if dag.description else ''}{{\n"
    quoted = [_quoted(dag.names[v]) for v in range(dag.n_vertices)]
    for v, name in enumerate(quoted):
        attributes = [
            text
            for text, chosen in (
                ("shape=box", inputs),
                ("peripheries=2", shown_outputs),
                ("pebble_output=true", outputs),
                ("pebble_isolated=true", isolated),
            )
            if v in chosen
        ]
        marks = ", ".join(attributes)
        yield f"  {name} [{marks}];\n" if marks else f"  {name};\n"
    start, flat = dag.predecessor_start.tolist(), dag.predecessors.tolist()
    for v, name in enumerate(quoted):
        for p in flat[start[v] : start[v + 1]]:
            yield f"  {quoted[p]} -> {name};\n"
    yield "}\n"


def _quoted(text: str) -> str:
    if text.endswith("\\") or '\\"' in text or "\\\n" in text:
        raise InvalidInput(
            f"DOT cannot hold {text!r} (a backslash before a quote); choose another format or name"
        )
    return '"' + text.replace('"', '\\"') + '"'
