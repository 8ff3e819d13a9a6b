"""JSON: our own form, and networkx's node-link form, which is read too.

Ours: ``{"format": "pebble-dag", "version": 1, "description": "...", "vertices": ["a", "b", "c"],
"outputs": [2], "isolated": [], "edges": [[0, 2], [1, 2]]}``. ``vertices`` is a number instead of a list where there are
no names; edges are pairs (predecessor, vertex) of numbers, or of names. Only ``vertices`` and ``edges`` must be there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph
from pebble.graph.names import node_label

__all__ = ["read", "write"]

_KEYS = ("format", "version", "description", "vertices", "outputs", "isolated", "edges")
_NO_EDGE = {"id", "name", "nodes", "vertices"}
"""An object with one of these keys may be a node, the graph, or the whole document."""


def read(text: str, source: str = "JSON", keep_isolated: bool = False) -> Dag:
    """Read a DAG in either form.

    Examples
    --------
    >>> read('{"vertices": ["a", "b", "c"], "edges": [["a", "c"], ["b", "c"]]}').name(2)
    'c'
    >>> read('{"directed": true, "nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1}]}')
    Dag(2 vertices, 1 edge, 1 input, 1 output)
    """
    try:
        document = json.loads(text, object_pairs_hook=_Objects().make)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{source}, line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source}: {error}") from None
    if not isinstance(document, dict) or not ({"vertices", "nodes"} & set(document)):
        raise InvalidInput(
            f"{source}: expected an object with 'vertices' and 'edges', or networkx's node-link form"
        )
    what = "vertices" if "vertices" in document else "nodes"
    parsed = ParsedGraph(source, edge_place=lambda e: f"edges[{e}]", vertex_place=lambda v: f"{what}[{v}]")
    if what == "vertices":
        _read_own(document, parsed)
    else:
        _read_node_link(document, parsed)
    document.clear()
    return parsed.dag(keep_isolated)


class _Link(NamedTuple):
    """An edge of the node-link form."""

    source: Any
    target: Any

    def __repr__(self) -> str:
        return repr(self._asdict())


class _Objects:
    """Makes the objects of a document; those that are edges become pairs, as there may be millions."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def make(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Link:
        """Return an object."""
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"an object has the key {twice!r} twice")
        if "source" in found and "target" in found and not _NO_EDGE & found.keys():
            return _Link(self._once(found["source"]), self._once(found["target"]))
        return found

    def _once(self, end: Any) -> Any:
        """Return a name as the same object wherever it occurs."""
        return self._texts.setdefault(end, end) if isinstance(end, str) else end


def _read_own(document: dict[str, Any], parsed: ParsedGraph) -> None:
    if unknown := [key for key in document if key not in _KEYS]:
        raise InvalidInput(f"{parsed.source}: unknown key {unknown[0]!r}; known: {', '.join(_KEYS)}")
    if document.get("format", "pebble-dag") != "pebble-dag" or document.get("version", 1) != 1:
        raise InvalidInput(f"{parsed.source}: only the format pebble-dag, version 1, can be read")
    parsed.notes.description = _text(document.get("description", ""), "description", parsed)
    vertices = document["vertices"]
    number: dict[str, int] = {}
    if isinstance(vertices, list):
        number = _names(vertices, "vertices", parsed)
    elif _is_number(vertices) and vertices >= 0:
        parsed.n_vertices = vertices
    else:
        raise InvalidInput(
            f"{parsed.source}: vertices must be a number or a list of names, not {shown(str(vertices))}"
        )
    for e, edge in enumerate(_list(document.get("edges"), "edges", parsed)):
        if not isinstance(edge, list) or len(edge) != 2:
            raise parsed.fail(
                f"edges[{e}]", f"an edge is a pair [predecessor, vertex], not {shown(json.dumps(edge))}"
            )
        tail, head = (_vertex(v, number, parsed, "edges", e) for v in edge)
        parsed.add(tail, head, e)
    for key, found in (("outputs", parsed.notes.outputs), ("isolated", parsed.notes.isolated)):
        for i, v in enumerate(_list(document.get(key, []), key, parsed)):
            w = _vertex(v, number, parsed, key, i)
            if not 0 <= w < parsed.n_vertices:
                raise InvalidInput(f"{parsed.source}, {key}[{i}]: there is no vertex {w}")
            found[w] = f"{key}[{i}]"
    if document.get("outputs") == []:
        raise InvalidInput(f"{parsed.source}: outputs is empty; leave it out to have the sinks")


def _read_node_link(document: dict[str, Any], parsed: ParsedGraph) -> None:
    if document.get("directed") is not True:
        raise InvalidInput(f"{parsed.source}: the graph is undirected; a computation needs 'directed': true")
    graph = document.get("graph")
    if isinstance(graph, dict):
        parsed.notes.description = _text(graph.get("name", ""), "the graph's name", parsed)
    nodes = _list(document["nodes"], "nodes", parsed)
    for i, node in enumerate(nodes):
        if not isinstance(node, dict) or "id" not in node:
            raise InvalidInput(f"{parsed.source}, nodes[{i}]: a node needs an id")
        for key, found in (("output", parsed.notes.outputs), ("isolated", parsed.notes.isolated)):
            if node.get(key) is True:
                found[i] = f"nodes[{i}]"
        nodes[i] = _key(node["id"])
    number = _names(nodes, "nodes", parsed)
    edges = _list(document.get("edges", document.get("links")), "edges", parsed)
    for e, edge in enumerate(edges):
        if isinstance(edge, dict) and {"source", "target"} <= set(edge):
            edge = edge["source"], edge["target"]
        elif not isinstance(edge, _Link):
            raise parsed.fail(f"edges[{e}]", "an edge needs a source and a target")
        tail, head = (_vertex(_key(end), number, parsed, "edges", e) for end in edge)
        parsed.add(tail, head, e)


def _key(node: Any) -> str:
    """Return a node's id as a name; lists stand for tuples."""
    return f"({','.join(map(_key, node))})" if isinstance(node, list) else node_label(node)


def _names(vertices: list[Any], what: str, parsed: ParsedGraph) -> dict[str, int]:
    number = parsed.numbers
    for v, name in enumerate(vertices):
        if not isinstance(name, str):
            raise InvalidInput(
                f"{parsed.source}, {what}[{v}]: a name is a text, not {shown(json.dumps(name))}"
            )
        if name in number:
            raise InvalidInput(f"{parsed.source}, {what}[{v}]: {name!r} is already {what}[{number[name]}]")
        parsed.vertex(name, v)
    parsed.n_vertices = len(vertices)
    return number


def _vertex(value: Any, number: dict[str, int], parsed: ParsedGraph, what: str, at: int) -> int:
    if isinstance(value, str) and value in number:
        return number[value]
    if _is_number(value):
        return int(value)
    raise InvalidInput(f"{parsed.source}, {what}[{at}]: there is no vertex {shown(json.dumps(value))}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 60


def _text(value: Any, what: str, parsed: ParsedGraph) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{parsed.source}: {what} must be a text, not {shown(json.dumps(value))}")
    return value


def _list(value: Any, what: str, parsed: ParsedGraph) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInput(f"{parsed.source}: {what} must be a list")
    return value


def write(dag: Dag) -> Iterator[str]:
    """Yield the DAG in our form, an edge a line."""
    names = [dag.names[v] for v in range(dag.n_vertices)]
    plain = all(name == f"v{v}" for v, name in enumerate(names))
    yield '{\n"format": "pebble-dag",\n"version": 1,\n'
    yield f'"description": {json.dumps(dag.description, ensure_ascii=False)},\n'
    yield f'"vertices": {dag.n_vertices if plain else json.dumps(names, ensure_ascii=False)},\n'
    if not np.array_equal(dag.outputs, dag.sinks):
        yield f'"outputs": {dag.outputs.tolist()},\n'
    if isolated := dag.isolated.tolist():
        yield f'"isolated": {isolated},\n'
    yield '"edges": ['
    start, flat = dag.predecessor_start.tolist(), dag.predecessors.tolist()
    comma = ""
    for v in range(dag.n_vertices):
        for p in flat[start[v] : start[v + 1]]:
            yield f"{comma}\n[{p}, {v}]"
            comma = ","
    yield "\n]\n}\n"
