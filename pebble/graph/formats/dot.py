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

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph

_TOKEN = re.compile(
    r"""(?:\s++|//[^\n]*+|/\*.*?\*/|^\#[^\n]*+)*+
    (?: (?P<mark>->|--|[{}\[\];,=:+])
      | "(?P<quoted>(?:[^"\\]++|\\.)*+)"
      | (?P<id>[^\W\d]\w*+|-?(?:\.\d++|\d++(?:\.\d*+)?))
      | (?P<end>\Z)
      | (?P<wrong>.))""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DEEPEST = 50


def read(text: str, parsed: ParsedGraph) -> None:
    """Read a digraph."""
    _Parser(text, parsed).read()


class _Parser:
    """Takes the tokens one by one."""

    def __init__(self, text: str, parsed: ParsedGraph) -> None:
        self.parsed = parsed
        parsed.place = lambda at: f"line {text.count(chr(10), 0, at) + 1}"
        self._tokens = _TOKEN.finditer(text)
        self._advance()

    def _advance(self) -> None:
        """Go to the next token; its kind, its text and its place are known then."""
        match = next(self._tokens)
        self._kind = str(match.lastgroup)
        self._text: str = match[self._kind]
        self._at = match.start(self._kind)
        if self._kind == "wrong":
            hints = {"<": "; HTML ids cannot be read", '"': "; a quoted text does not end"}
            raise self._fail(f"unexpected {shown(self._text)}{hints.get(self._text, '')}")

    def _fail(self, what: str) -> InvalidInput:
        return self.parsed.fail(self._at, what)

    def _found(self) -> str:
        return shown(self._text) if self._kind != "end" else "the end of the file"

    def _took(self, *marks: str) -> bool:
        """Pass over one of some marks, if it is the next token."""
        found = self._kind == "mark" and self._text in marks
        if found:
            self._advance()
        return found

    def _is_word(self, *words: str) -> bool:
        return self._kind == "id" and self._text.lower() in words

    def _took_word(self, *words: str) -> bool:
        found = self._is_word(*words)
        if found:
            self._advance()
        return found

    def _is_id(self) -> bool:
        return self._kind in ("id", "quoted") and not self._is_word("subgraph")

    def _id(self, what: str) -> str:
        if self._kind not in ("id", "quoted"):
            raise self._fail(f"expected {what}, found {self._found()}")
        text = self._text
        if self._kind == "quoted":
            text = text.replace("\\\n", "").replace('\\"', '"')
        self._advance()
        if self._kind == "mark" and self._text in "+:":
            sums = "texts joined by '+' cannot be read; write one text"
            ports = "ports (name:port) cannot be read; quote a name that contains a colon"
            raise self._fail(sums if self._text == "+" else ports)
        return text

    def read(self) -> None:
        strict = self._took_word("strict")
        if not self._took_word("digraph"):
            undirected = "an undirected graph; a computation needs a digraph"
            raise self._fail(f"this is {undirected if self._is_word('graph') else 'not a digraph'}")
        if self._kind in ("id", "quoted"):
            self.parsed.description = self._id("a name")
        if not self._took("{"):
            raise self._fail(f"expected '{{', found {self._found()}")
        self._statements(0)
        if self._kind != "end":
            raise self._fail(f"unexpected {self._found()} after the graph's end")
        if strict:
            self.parsed.keep_first()

    def _statements(self, depth: int) -> list[int]:
        """Read up to the closing brace; return the vertices that were mentioned."""
        if depth > _DEEPEST:
            raise self._fail(f"subgraphs are nested more than {_DEEPEST} deep")
        mentioned: dict[int, None] = {}
        while not self._took("}"):
            if self._kind == "end":
                raise self._fail("the file ends before the closing '}'")
            if not self._took(";", ","):
                mentioned |= dict.fromkeys(self._statement(depth))
        return list(mentioned)

    def _statement(self, depth: int) -> list[int]:
        """Read a vertex, edges or attributes; return the vertices that were mentioned."""
        if self._took_word("node", "edge", "graph"):
            self._attributes()
            return []
        if self._is_id():
            at, name = self._at, self._id("a vertex")
            if self._took("="):
                self._id("a value")
                return []
            group = [self.parsed.vertex(name, at)]
        else:
            group = self._group(depth)
        mentioned = list(group)
        while self._kind == "mark" and self._text in ("->", "--"):
            if self._text == "--":
                raise self._fail("'--' is an undirected edge; write '->'")
            at = self._at
            self._advance()
            following = self._group(depth)
            for tail in group:
                for head in following:
                    self.parsed.add(tail, head, at)
            mentioned += following
            group = following
        chosen = self._attributes()
        if len(mentioned) == 1:
            for key, marked in (
                ("pebble_output", self.parsed.outputs),
                ("pebble_isolated", self.parsed.isolated),
            ):
                marked += mentioned * (chosen.get(key, "").lower() in ("true", "yes", "1"))
        return mentioned

    def _group(self, depth: int) -> list[int]:
        """Read one end of an edge: an id, or a group in braces."""
        if self._took_word("subgraph") and self._is_id():
            self._id("a name")
        if self._took("{"):
            return self._statements(depth + 1)
        at = self._at
        return [self.parsed.vertex(self._id("a vertex"), at)]

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._took("["):
            while not self._took("]"):
                key = self._id("an attribute or ']'")
                found[key] = self._id("a value") if self._took("=") else "true"
                self._took(";", ",")
        return found


def write(dag: Dag) -> Iterator[str]:
    r"""Yield the DAG as a digraph, a vertex or edge a line; inputs are boxes, outputs have a double line."""
    attributes = {
        "shape=box": set(dag.inputs.tolist()),
        "peripheries=2": set(dag.outputs.tolist()),
        "pebble_output=true": set(dag.marked_outputs.tolist()),
        "pebble_isolated=true": set(dag.isolated.tolist()),
    }
    yield f"digraph {_quoted(dag.description) + ' ' if dag.description else ''}{{\n"
    quoted = [_quoted(dag.names[v]) for v in range(dag.n_vertices)]
    for v, name in enumerate(quoted):
        marks = ", ".join(text for text, chosen in attributes.items() if v in chosen)
        yield f"  {name} [{marks}];\n" if marks else f"  {name};\n"
    yield from (f"  {quoted[p]} -> {quoted[v]};\n" for p, v in dag.edges())
    yield "}\n"


def _quoted(text: str) -> str:
    if text.endswith("\\") or '\\"' in text or "\\\n" in text:
        raise InvalidInput(
            f"DOT cannot hold {text!r} (a backslash before a quote); choose another format or name"
        )
    return '"' + text.replace('"', '\\"') + '"'
