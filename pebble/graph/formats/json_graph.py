"""JSON: our own form, and networkx's node-link form, which is read too.

Ours: ``{"format": "pebble-dag", "version": 1, "description": "...", "vertices": ["a", "b", "c"],
"outputs": [2], "isolated": [], "edges": [[0, 2], [1, 2]]}``. ``vertices`` is a number instead of a list where there are
no names; edges are pairs (predecessor, vertex) of numbers, or of names. Only ``vertices`` and ``edges`` must be there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pebble.common.errors import InvalidInput
from pebble.common.text_lines import shown
from pebble.graph.dag import Dag
from pebble.graph.formats.parsed_graph import ParsedGraph
from pebble.graph.names import is_writable, node_label

_KEYS = ("format", "version", "description", "vertices", "outputs", "isolated", "edges")


def read(text: str, parsed: ParsedGraph) -> None:
    """Read a DAG in either form."""
    parsed.place, source = "edges[{}]".format, parsed.source
    try:
        document = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{source}, line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source}: {error}") from None
    if not isinstance(document, dict) or not ({"vertices", "nodes"} & document.keys()):
        raise InvalidInput(
            f"{source}: expected an object with 'vertices' and 'edges', or networkx's node-link form"
        )
    _read(document if "vertices" in document else _from_node_link(document, parsed), parsed)
    document.clear()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, each of whose keys is there once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"an object has the key {next(key for key in keys if keys.count(key) > 1)!r} twice")
    return found


def _from_node_link(document: dict[str, Any], parsed: ParsedGraph) -> dict[str, Any]:
    """Return the node-link form of a graph in our form."""
    if document.get("directed") is not True:
        raise InvalidInput(f"{parsed.source}: the graph is undirected; a computation needs 'directed': true")
    nodes, links = (
        _list(document, key, parsed) for key in ("nodes", "edges" if "edges" in document else "links")
    )
    for i, node in enumerate(nodes):
        if not isinstance(node, dict) or "id" not in node:
            raise InvalidInput(f"{parsed.source}, nodes[{i}]: a node needs an id")
    for e, link in enumerate(links):
        if not isinstance(link, dict) or not {"source", "target"} <= link.keys():
            raise parsed.fail(e, "an edge needs a source and a target")
        links[e] = [_name(link["source"]), _name(link["target"])]
    graph = document.get("graph")
    marked = {
        key: [i for i, node in enumerate(nodes) if node.get(mark) is True]
        for key, mark in (("outputs", "output"), ("isolated", "isolated"))
    }
    return {
        "description": graph.get("name", "") if isinstance(graph, dict) else "",
        "vertices": [_name(node["id"]) for node in nodes],
        "edges": links,
        **{key: vertices for key, vertices in marked.items() if vertices},
    }


def _name(node: Any) -> str:
    """Return a node's id as a name; lists stand for tuples."""
    return f"({','.join(map(_name, node))})" if isinstance(node, list) else node_label(node)


def _read(document: dict[str, Any], parsed: ParsedGraph) -> None:
    """Read a document in our form."""
    if unknown := [key for key in document if key not in _KEYS]:
        raise InvalidInput(f"{parsed.source}: unknown key {unknown[0]!r}; known: {', '.join(_KEYS)}")
    if document.get("format", "pebble-dag") != "pebble-dag" or document.get("version", 1) != 1:
        raise InvalidInput(f"{parsed.source}: only the format pebble-dag, version 1, can be read")
    parsed.description = document.get("description", "")
    if not isinstance(parsed.description, str):
        raise InvalidInput(
            f"{parsed.source}: the description must be a text, not {_shown(parsed.description)}"
        )
    _read_vertices(document["vertices"], parsed)
    for e, edge in enumerate(_list(document, "edges", parsed)):
        if not isinstance(edge, list) or len(edge) != 2:
            raise parsed.fail(e, f"an edge is a pair [predecessor, vertex], not {_shown(edge)}")
        tail, head = (_vertex(end, parsed, "edges", e) for end in edge)
        parsed.add(tail, head, e)
    for key, found in (("outputs", parsed.outputs), ("isolated", parsed.isolated)):
        if key in document:
            found += [_vertex(v, parsed, key, i) for i, v in enumerate(_list(document, key, parsed))]
    if document.get("outputs") == []:
        raise InvalidInput(f"{parsed.source}: outputs is empty; leave it out to use the sinks")


def _read_vertices(vertices: Any, parsed: ParsedGraph) -> None:
    if _is_number(vertices) and vertices >= 0:
        parsed.n_vertices = vertices
    elif not isinstance(vertices, list):
        raise InvalidInput(
            f"{parsed.source}: vertices must be a number or a list of names, not {_shown(vertices)}"
        )
    else:
        for v, name in enumerate(vertices):
            place = f"{parsed.source}, vertices[{v}]"
            if not is_writable(name):
                raise InvalidInput(f"{place}: {_shown(name)} cannot be a name: a text without white space")
            if parsed.vertex(name, v) != v:
                raise InvalidInput(f"{place}: {name!r} is already vertices[{parsed.numbers[name]}]")


def _vertex(value: Any, parsed: ParsedGraph, what: str, at: int) -> int:
    if isinstance(value, str) and value in parsed.numbers:
        return parsed.numbers[value]
    if _is_number(value):
        return int(value)
    raise InvalidInput(f"{parsed.source}, {what}[{at}]: there is no vertex {_shown(value)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 60


def _list(document: dict[str, Any], key: str, parsed: ParsedGraph) -> list[Any]:
    found = document.get(key)
    if not isinstance(found, list):
        raise InvalidInput(f"{parsed.source}: {key} must be a list")
    return found


def _shown(value: Any) -> str:
    return shown(json.dumps(value))


def write(dag: Dag) -> Iterator[str]:
    """Yield the DAG in our form, an edge a line."""
    names = [dag.names[v] for v in range(dag.n_vertices)]
    plain = all(name == f"v{v}" for v, name in enumerate(names))
    yield '{\n"format": "pebble-dag",\n"version": 1,\n'
    yield f'"description": {json.dumps(dag.description, ensure_ascii=False)},\n'
    yield f'"vertices": {dag.n_vertices if plain else json.dumps(names, ensure_ascii=False)},\n'
    for key, vertices in (("outputs", dag.marked_outputs), ("isolated", dag.isolated)):
        if vertices.size:
            yield f'"{key}": {vertices.tolist()},\n'
    yield '"edges": ['
    for e, (p, v) in enumerate(dag.edges()):
        yield f"{',' if e else ''}\n[{p}, {v}]"
    yield "\n]\n}\n"
