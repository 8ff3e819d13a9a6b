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

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|\A)\#[^\n]*)
      | (?P<mark>->|--|[{}\[\];,=:+])
      | "(?P<quoted>(?:[^"\\]|\\.)*)"
      | (?P<id>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
      | (?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
_WORD = r"(?i:(?!(?:node|edge|graph|digraph|subgraph|strict)\b))[^\W\d]\w*+"
_ID = rf'("[^"\\\n]*+"|{_WORD}|\d++(?![\w.]))'
_VALUE = r'(?:"(?:[^"\\]++|\\.)*+"|[^\W\d]\w*+|-?(?:\.\d++|\d++(?:\.\d*+)?)(?![\w.]))'
_STATEMENT = re.compile(
    rf"\s*+{_ID}(?:\s*+->\s*+{_ID})?"
    rf"(\s*+\[(?:\s*+[^\W\d]\w*+\s*+=\s*+{_VALUE}\s*+[,;]?+)*+\s*+\])?"
    r'(?:[ \t]*+;|(?=\s++["\w]|\s*+\}))'
)
"""A vertex, or one edge, with plain attributes: most of a large file. It ends where surely a new statement begins."""

_DEEPEST = 50


class _Token(NamedTuple):
    kind: str
    text: str
    offset: int


def read(text: str, source: str = "DOT", keep_isolated: bool = False) -> Dag:
    """Read a digraph.

    Examples
    --------
    >>> dag = read('digraph "two sums" { a -> s; b -> s; {s c} -> t }')
    >>> dag
    Dag(two sums: 5 vertices, 4 edges, 3 inputs, 1 output)
    """
    return _Parser(text, source).dag(keep_isolated)


class _Parser:
    """Takes the tokens one by one, and simple statements as a whole."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.parsed = ParsedGraph(source, edge_place=self._line, vertex_place=self._line)
        self._at = 0
        self._counted = 0, 1
        self._waiting: _Token | None = None

    def dag(self, keep_isolated: bool) -> Dag:
        strict = self._take_word("strict")
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
        if strict:
            self.parsed.keep_first()
        return self.parsed.dag(keep_isolated)

    # -- tokens

    def _line(self, offset: int) -> int:
        """Return the line of an offset; cheap where offsets only grow."""
        if offset < self._counted[0]:
            self._counted = 0, 1
        start, line = self._counted
        self._counted = offset, line + self.text.count("\n", start, offset)
        return self._counted[1]

    @property
    def _next(self) -> _Token:
        if self._waiting is None:
            self._waiting = self._read_token()
        return self._waiting

    def _read_token(self) -> _Token:
        """Read on to the next token; space and comments are passed over."""
        while match := _TOKEN.match(self.text, self._at):
            offset, self._at = self._at, match.end()
            kind, piece = str(match.lastgroup), match.group()
            if kind == "wrong":
                hint = "; HTML ids cannot be read" if piece == "<" else ""
                hint = "; a quoted text does not end" if piece == '"' else hint
                raise self.parsed.fail(self._line(offset), f"unexpected {shown(piece)}{hint}")
            if kind == "quoted":
                return _Token(kind, match.group(kind).replace("\\\n", "").replace('\\"', '"'), offset)
            if kind != "space":
                return _Token(kind, piece, offset)
        return _Token("end", "", len(self.text))

    def _take(self) -> _Token:
        token = self._next
        if token.kind != "end":
            self._waiting = None
        return token

    def _fail(self, what: str) -> InvalidInput:
        return self.parsed.fail(self._line(self._next.offset), what)

    def _is_mark(self, text: str) -> bool:
        return self._next.kind == "mark" and self._next.text == text

    def _is_word(self, *words: str) -> bool:
        return self._next.kind == "id" and self._next.text.lower() in words

    def _take_word(self, word: str) -> bool:
        found = self._is_word(word)
        if found:
            self._take()
        return found

    def _take_mark(self, text: str) -> bool:
        found = self._is_mark(text)
        if found:
            self._take()
        return found

    def _expect(self, mark: str) -> None:
        if not self._take_mark(mark):
            found = shown(self._next.text) if self._next.kind != "end" else "the end of the file"
            raise self._fail(f"expected {mark!r}, found {found}")

    # -- statements

    def _statements(self, depth: int) -> list[int]:
        """Read up to the closing brace; return the vertices that were mentioned, inside a group."""
        if depth > _DEEPEST:
            raise self._fail(f"subgraphs are nested more than {_DEEPEST} deep")
        mentioned: dict[int, None] = {}
        while True:
            self._simple_statements(mentioned if depth else None)
            if self._take_mark("}"):
                return list(mentioned)
            if self._next.kind == "end":
                raise self._fail("the file ends before the closing '}'")
            if not (self._take_mark(";") or self._take_mark(",")):
                found = self._statement(depth)
                if depth:
                    mentioned.update(dict.fromkeys(found))

    def _simple_statements(self, mentioned: dict[int, None] | None) -> None:
        """Read as many simple statements as follow: the same as :meth:`_statement` would, in one step each."""
        if self._waiting is not None:
            return
        text, match, add = self.text, _STATEMENT.match, self.parsed.add
        vertex = self.parsed.vertex
        while found := match(text, self._at):
            first, second, attributes = found.groups()
            if attributes and "pebble_" in attributes:
                return
            self._at = found.end()
            offset = found.start(1)
            v = vertex(first[1:-1] if first[0] == '"' else first, offset)
            if mentioned is not None:
                mentioned[v] = None
            if second is not None:
                w = vertex(second[1:-1] if second[0] == '"' else second, found.start(2))
                add(v, w, offset)
                if mentioned is not None:
                    mentioned[w] = None

    def _statement(self, depth: int) -> list[int]:
        if self._is_word("node", "edge", "graph"):
            self._take()
            self._attributes()
            return []
        if self._next.kind in ("id", "quoted") and not self._is_word("subgraph"):
            token = self._take()
            if self._take_mark("="):
                self._id("a value")
                return []
            group = [self._named_vertex(token)]
        else:
            group = self._group(depth)
        mentioned = list(group)
        while self._is_mark("->") or self._is_mark("--"):
            arrow = self._take()
            if arrow.text == "--":
                raise self.parsed.fail(self._line(arrow.offset), "'--' is an undirected edge; write '->'")
            following = self._group(depth)
            for tail in group:
                for head in following:
                    self.parsed.add(tail, head, arrow.offset)
            mentioned += following
            group = following
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
        if self._next.kind not in ("id", "quoted"):
            self._id("a vertex")
        return [self._named_vertex(self._take())]

    def _named_vertex(self, token: _Token) -> int:
        self._refuse_sum()
        if self._is_mark(":"):
            raise self._fail("ports (name:port) cannot be read; quote a name that contains a colon")
        return self.parsed.vertex(token.text, token.offset)

    def _id(self, what: str) -> str:
        if self._next.kind not in ("id", "quoted"):
            found = shown(self._next.text) if self._next.kind != "end" else "the end of the file"
            raise self._fail(f"expected {what}, found {found}")
        name = self._take().text
        self._refuse_sum()
        return name

    def _refuse_sum(self) -> None:
        if self._is_mark("+"):
            raise self._fail("texts joined by '+' cannot be read; write one text")

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
        notes = self.parsed.notes
        for key, chosen in (("pebble_output", notes.outputs), ("pebble_isolated", notes.isolated)):
            if attributes.get(key, "").lower() in ("true", "yes", "1"):
                chosen[v] = self._line(self._at)


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
