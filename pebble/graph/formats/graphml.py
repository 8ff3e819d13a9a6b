"""GraphML: directed graphs; node ids are the names, ``output`` and ``isolated`` boolean data of nodes.

Other data is passed over. Undirected edges, nested graphs, hyperedges and document type declarations are refused.
networkx's reader would leave out a nested graph and make a vertex of a misspelt id, without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from pebble.common.errors import InvalidInput
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph
from pebble.graph.names import is_writable

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
    if "<!DOCTYPE" in text:
        line = text.count("\n", 0, text.index("<!DOCTYPE")) + 1
        raise InvalidInput(f"{source}, line {line}: a document type declaration is not accepted; remove it")
    reader = _Reader(source)
    parser: Any = ElementTree.XMLPullParser()
    try:
        for start in range(0, len(text), _PIECE):
            parser.feed(text[start : start + _PIECE])
            for _, element in parser.read_events():
                reader.take(element)
        parser.close()
    except ElementTree.ParseError as error:
        (line, column), what = error.position, str(error).partition(":")[0]
        raise InvalidInput(f"{source}, line {line}, column {column + 1}: {what}") from None
    except UnicodeEncodeError:
        raise InvalidInput(f"{source}: the text is no valid Unicode") from None
    return reader.dag(keep_isolated)


class _Reader:
    """Collects nodes and edges; an element is taken when it ends, and so after what it contains."""

    def __init__(self, source: str) -> None:
        self.parsed = ParsedGraph(source, place=lambda e: f"edge {e + 1}")
        self.edges: list[tuple[str, str]] = []
        self.keys: dict[str, str] = {}
        self.directions: dict[str, int] = {}
        """The first edge of each direction, ``true`` or ``false``, or the graph's own where it has none."""
        self.default = ""
        """The graph's own direction, ``directed`` or ``undirected``; empty before there is a graph."""

    def take(self, element: Element) -> None:
        """Take what an element says."""
        tag = element.tag.rpartition("}")[2]
        if tag == "key":
            self.keys[element.get("id", "")] = element.get("attr.name", "")
        elif tag == "node":
            self._node(element)
        elif tag == "edge":
            source, target = self._needed(element, "source"), self._needed(element, "target")
            self.directions.setdefault(element.get("directed", ""), len(self.edges))
            self.edges.append((source, target))
            element.clear()
        elif tag == "hyperedge":
            raise self._fail("hyperedges cannot be read")
        elif tag == "graph":
            if self.default:
                raise self._fail("there is a second graph; only one can be read")
            self.default = element.get("edgedefault") or "undirected"
            data = self._data(element)
            self.parsed.description = data.get("description", data.get("name", ""))

    def _fail(self, what: str) -> InvalidInput:
        return InvalidInput(f"{self.parsed.source}: {what}")

    def _needed(self, element: Element, key: str) -> str:
        if (value := element.get(key)) is None:
            raise self._fail(f"an element needs the attribute {key}: {dict(element.attrib)}")
        return value

    def _node(self, node: Element) -> None:
        name, v = self._needed(node, "id"), len(self.parsed.numbers)
        if name in self.parsed.numbers:
            raise self._fail(f"the node {name!r} is there twice")
        if not is_writable(name):
            raise self._fail(f"{name!r} cannot be a name: a name is a text without white space")
        self.parsed.vertex(name, v)
        data = self._data(node)
        for key, marked in (("output", self.parsed.outputs), ("isolated", self.parsed.isolated)):
            if data.get(key, "").lower() in ("true", "1"):
                marked.append(v)
        node.clear()

    def _data(self, element: Element) -> dict[str, str]:
        """Return the data of an element by the names of their keys."""
        return {
            self.keys.get(data.get("key", ""), ""): (data.text or "").strip()
            for data in element.iterfind("{*}data")
        }

    def dag(self, keep_isolated: bool) -> Dag:
        """Return the DAG; only now every node is known, and the direction of the edges."""
        if not self.default:
            raise self._fail("there is no <graph> in it; is this GraphML?")
        directed = {"true", ""} if self.default == "directed" else {"true"}
        for e in [e for direction, e in self.directions.items() if direction not in directed]:
            raise self.parsed.fail(e, 'an undirected edge; a computation needs edgedefault="directed"')
        numbers = self.parsed.numbers
        for e, (source, target) in enumerate(self.edges):
            if source not in numbers or target not in numbers:
                missing = target if source in numbers else source
                raise self.parsed.fail(e, f"there is no node {missing!r}")
            self.parsed.add(numbers[source], numbers[target], e)
        return self.parsed.dag(keep_isolated)


def write(dag: Dag) -> Iterator[str]:
    """Yield the DAG as GraphML, a node or edge a line.

    Raises
    ------
    InvalidInput
        If a name has a control character that XML cannot hold.
    """
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
