"""GraphML: directed graphs; node ids are the names, ``output`` and ``isolated`` boolean data of nodes.

Other data is passed over. Undirected edges, nested graphs, hyperedges and document type declarations are refused.
networkx's reader would leave out a nested graph and make a vertex of a misspelt id, without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from pebble.common.errors import InvalidInput
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph

_PIECE = 1 << 20
_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read(text: str, parsed: ParsedGraph) -> None:
    """Read a DAG."""
    reader, source = _Reader(parsed), parsed.source
    try:
        for start in range(0, len(text), _PIECE):
            reader.parser.Parse(text[start : start + _PIECE].encode("utf-8"), False)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        what = expat.errors.messages[error.code]
        raise InvalidInput(f"{source}, line {error.lineno}, column {error.offset + 1}: {what}") from None
    except UnicodeEncodeError:
        raise InvalidInput(f"{source}: the text is not valid Unicode") from None
    reader.add_edges()


class _Reader:
    """Collects nodes and edges with their lines while the parser runs."""

    def __init__(self, parsed: ParsedGraph) -> None:
        self.parsed = parsed
        self.edges: list[tuple[str, str, int]] = []
        self.keys: dict[str, str] = {}
        self.open: list[tuple[str, int]] = []
        """The elements that have begun and not ended, with the last node before them, or themselves."""
        self.key = self.text = ""
        self.directed: bool | None = None
        """Whether edges are directed that do not say so; None before there is a graph."""
        self.parser = expat.ParserCreate(encoding="utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _fail(self, what: str) -> InvalidInput:
        return self.parsed.fail(self.parser.CurrentLineNumber, what)

    def _doctype(self, *_: object) -> None:
        raise self._fail("a document type declaration is not accepted; remove it")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "key":
            self.keys[attributes.get("id", "")] = attributes.get("attr.name", "")
        elif tag == "graph":
            if self.directed is not None:
                raise self._fail("a second graph; only one can be read")
            self.directed = attributes.get("edgedefault") == "directed"
        elif tag == "node":
            v = len(self.parsed.numbers)
            name = self._needed(tag, attributes, "id")
            if self.parsed.vertex(name, self.parser.CurrentLineNumber) < v:
                raise self._fail(f"the node {name!r} is given twice")
        elif tag == "edge":
            if attributes.get("directed", "true" if self.directed else "false") != "true":
                raise self._fail('an undirected edge; a computation needs edgedefault="directed"')
            source, target = (self._needed(tag, attributes, end) for end in ("source", "target"))
            self.edges.append((source, target, self.parser.CurrentLineNumber))
        elif tag == "hyperedge":
            raise self._fail("hyperedges cannot be read")
        elif tag == "data":
            self.key, self.text = self.keys.get(attributes.get("key", ""), ""), ""
            self.parser.CharacterDataHandler = self._characters
        self.open.append((tag, len(self.parsed.numbers) - 1))

    def _needed(self, tag: str, attributes: dict[str, str], key: str) -> str:
        if key not in attributes:
            raise self._fail(f"<{tag}> needs the attribute {key}")
        return attributes[key]

    def _characters(self, text: str) -> None:
        self.text += text

    def _end(self, _: str) -> None:
        if self.open.pop()[0] != "data":
            return
        self.parser.CharacterDataHandler = None
        owner, v = self.open[-1] if self.open else ("", 0)
        value = self.text.strip()
        if owner == "graph" and self.key in ("description", "name"):
            self.parsed.description = value
        elif owner == "node" and self.key in ("output", "isolated") and value.lower() in ("true", "1"):
            (self.parsed.outputs if self.key == "output" else self.parsed.isolated).append(v)

    def add_edges(self) -> None:
        """Add the edges; only now every node is known."""
        if self.directed is None:
            raise InvalidInput(f"{self.parsed.source}: it contains no <graph>; is this GraphML?")
        numbers = self.parsed.numbers
        for source, target, line in self.edges:
            for end in (source, target):
                if end not in numbers:
                    raise self.parsed.fail(line, f"there is no node {end!r}")
            self.parsed.add(numbers[source], numbers[target], line)


def write(dag: Dag) -> Iterator[str]:
    """Yield the DAG as GraphML, a node or edge a line."""
    marks = {"output": set(dag.marked_outputs.tolist()), "isolated": set(dag.isolated.tolist())}
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_NAMESPACE}">\n'
    yield '<key id="description" for="graph" attr.name="description" attr.type="string"/>\n'
    for key in marks:
        yield f'<key id="{key}" for="node" attr.name="{key}" attr.type="boolean"/>\n'
    yield '<graph edgedefault="directed">\n'
    if dag.description:
        yield f'<data key="description">{escape(_held(dag.description))}</data>\n'
    quoted = [quoteattr(_held(dag.names[v])) for v in range(dag.n_vertices)]
    for v, name in enumerate(quoted):
        data = "".join(f'<data key="{key}">true</data>' for key, marked in marks.items() if v in marked)
        yield f"<node id={name}>{data}</node>\n" if data else f"<node id={name}/>\n"
    yield from (f"<edge source={quoted[p]} target={quoted[v]}/>\n" for p, v in dag.edges())
    yield "</graph>\n</graphml>\n"


def _held(text: str) -> str:
    if _ILLEGAL.search(text):
        raise InvalidInput(f"XML cannot hold {text!r}; choose another format, or another name")
    return text
