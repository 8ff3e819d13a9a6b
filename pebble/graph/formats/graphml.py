"""GraphML: directed graphs; node ids are the names, ``output`` and ``isolated`` boolean data of nodes.

Other data is passed over. Undirected edges, nested graphs, hyperedges and document type declarations are refused.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph

__all__ = ["read", "write"]

_PIECE = 1 << 20
_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read(text: str, source: str = "GraphML", keep_isolated: bool = False) -> Dag:
    r"""Read a DAG.

    Examples
    --------
    >>> read('<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/>'
    ...      '<edge source="a" target="b"/></graph></graphml>').name(1)
    'b'
    """
    reader = _Reader(source)
    try:
        for start in range(0, len(text), _PIECE):
            reader.parser.Parse(text[start : start + _PIECE].encode("utf-8"), False)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        what = expat.errors.messages[error.code]
        raise InvalidInput(f"{source}, line {error.lineno}, column {error.offset + 1}: {what}") from None
    except UnicodeEncodeError:
        raise InvalidInput(f"{source}: the text is no valid Unicode") from None
    return reader.dag(keep_isolated)


class _Reader:
    """Collects nodes and edges with their lines while the parser runs."""

    def __init__(self, source: str) -> None:
        self.parsed = ParsedGraph(source)
        self.ends: dict[str, int] = {}
        """The names in the order in which nodes or edges mention them."""
        self.node_of_end = array("q")
        """The number of the node of each such name; -1 before there is one."""
        self.keys: dict[str, str] = {}
        self.open: list[tuple[str, str]] = []
        self.data_key = ""
        self.data = ""
        self.graphs = 0
        self.directed = False
        self.parser = expat.ParserCreate(encoding="utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype

    @property
    def _line(self) -> int:
        return self.parser.CurrentLineNumber

    def _doctype(self, *_: object) -> None:
        raise self.parsed.fail(self._line, "a document type declaration is not accepted; remove it")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        self.open.append((tag, attributes.get("id", "")))
        if tag == "key":
            self.keys[attributes.get("id", "")] = attributes.get("attr.name", "")
        elif tag == "graph":
            self._graph(attributes)
        elif tag == "node":
            self._node(self._needed(tag, attributes, "id"))
        elif tag == "edge":
            self._edge(attributes)
        elif tag == "hyperedge":
            raise self.parsed.fail(self._line, "hyperedges cannot be read")
        elif tag == "data":
            self.data_key = self.keys.get(attributes.get("key", ""), "")
            self.data = ""
            self.parser.CharacterDataHandler = self._text

    def _needed(self, tag: str, attributes: dict[str, str], key: str) -> str:
        if key not in attributes:
            raise self.parsed.fail(self._line, f"<{tag}> needs the attribute {key}")
        return attributes[key]

    def _graph(self, attributes: dict[str, str]) -> None:
        self.graphs += 1
        if self.graphs > 1:
            raise self.parsed.fail(self._line, "a second graph; only one can be read")
        self.directed = attributes.get("edgedefault") == "directed"

    def _node(self, name: str) -> None:
        number = len(self.parsed.numbers)
        v = self.parsed.vertex(name, self._line)
        if v < number:
            first = self.parsed.vertex_places[v]
            raise self.parsed.fail(self._line, f"the node {name!r} is there twice, first on line {first!s}")
        self.node_of_end[self._end_number(name)] = v

    def _end_number(self, name: str) -> int:
        end = self.ends.setdefault(name, len(self.ends))
        if end == len(self.node_of_end):
            self.node_of_end.append(-1)
        return end

    def _edge(self, attributes: dict[str, str]) -> None:
        if attributes.get("directed", "true" if self.directed else "false") != "true":
            raise self.parsed.fail(
                self._line, 'an undirected edge; a computation needs edgedefault="directed"'
            )
        tail, head = (self._end_number(self._needed("edge", attributes, end)) for end in ("source", "target"))
        self.parsed.add(tail, head, self._line)

    def _text(self, text: str) -> None:
        self.data += text

    def _end(self, tag: str) -> None:
        tag = self.open.pop()[0]
        owner, name = self.open[-1] if self.open else ("", "")
        if tag != "data":
            return
        self.parser.CharacterDataHandler = None
        value = self.data.strip()
        if owner == "node" and self.data_key in ("output", "isolated") and value.lower() in ("true", "1"):
            notes = self.parsed.notes
            (notes.outputs if self.data_key == "output" else notes.isolated)[self.parsed.numbers[name]] = (
                self._line
            )
        elif owner == "graph" and self.data_key in ("description", "name"):
            self.parsed.notes.description = value

    def dag(self, keep_isolated: bool) -> Dag:
        if not self.graphs:
            raise InvalidInput(f"{self.parsed.source}: there is no <graph> in it; is this GraphML?")
        nodes = np.array(self.node_of_end, dtype=np.int64)
        tails, heads = nodes[np.array(self.parsed.tails)], nodes[np.array(self.parsed.heads)]
        for e in np.flatnonzero(np.minimum(tails, heads) < 0)[:1].tolist():
            end = (self.parsed.tails if tails[e] < 0 else self.parsed.heads)[e]
            raise self.parsed.fail_edge(e, f"there is no node {list(self.ends)[end]!r}")
        self.ends.clear()
        self.parsed.tails, self.parsed.heads = array("q", tails.tobytes()), array("q", heads.tobytes())
        return self.parsed.dag(keep_isolated)


def write(dag: Dag) -> Iterator[str]:
    """Yield the DAG as GraphML, a node or edge a line.

    Raises
    ------
    InvalidInput
        If a name has a control character that XML cannot hold.
    """
    outputs = set() if np.array_equal(dag.outputs, dag.sinks) else set(dag.outputs.tolist())
    isolated = set(dag.isolated.tolist())
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_NAMESPACE}">\n'
    yield '<key id="description" for="graph" attr.name="description" attr.type="string"/>\n'
    yield '<key id="output" for="node" attr.name="output" attr.type="boolean"/>\n'
    yield '<key id="isolated" for="node" attr.name="isolated" attr.type="boolean"/>\n'
    yield '<graph edgedefault="directed">\n'
    if dag.description:
        yield f'<data key="description">{escape(_held(dag.description))}</data>\n'
    quoted = [quoteattr(_held(dag.names[v])) for v in range(dag.n_vertices)]
    for v, name in enumerate(quoted):
        data = "".join(
            f'<data key="{key}">true</data>'
            for key, chosen in (("output", outputs), ("isolated", isolated))
            if v in chosen
        )
        yield f"<node id={name}>{data}</node>\n" if data else f"<node id={name}/>\n"
    start, flat = dag.predecessor_start.tolist(), dag.predecessors.tolist()
    for v, name in enumerate(quoted):
        for p in flat[start[v] : start[v + 1]]:
            yield f"<edge source={quoted[p]} target={name}/>\n"
    yield "</graph>\n</graphml>\n"


def _held(text: str) -> str:
    if _ILLEGAL.search(text):
        raise InvalidInput(f"XML cannot hold {text!r}; choose another format, or another name")
    return text
