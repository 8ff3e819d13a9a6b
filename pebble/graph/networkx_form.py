"""A DAG as a networkx digraph, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.graph.edge_arrays import compressed_rows
from pebble.graph.names import node_label

if TYPE_CHECKING:
    import networkx

__all__ = ["networkx_graph", "outputs_of_networkx", "rows_of_networkx"]

_Ints = NDArray[np.int64]


def rows_of_networkx(graph: networkx.DiGraph[Any]) -> tuple[_Ints, _Ints, list[str]]:
    """Return the compressed rows of predecessors, as (start, predecessors), and the names of the vertices."""
    if not graph.is_directed():
        raise InvalidInput("the graph is undirected; a computation needs directed edges (networkx.DiGraph)")
    number = {node: v for v, node in enumerate(graph.nodes)}
    rows = [
        [number[p] for p in graph.pred[node] for _ in range(graph.number_of_edges(p, node))]
        for node in number
    ]
    return *compressed_rows(rows), [node_label(node) for node in number]


def outputs_of_networkx(graph: networkx.DiGraph[Any], outputs: Iterable[Any] | None) -> list[int] | None:
    """Return the numbers of the nodes given as outputs, or marked as such; None if there are none."""
    if outputs is None:
        outputs = [u for u, data in graph.nodes(data=True) if data.get("output") is True] or None
    if outputs is None:
        return None
    number = {node: v for v, node in enumerate(graph.nodes)}
    return [_node_number(number, node) for node in outputs]


def networkx_graph(
    start: _Ints, predecessors: _Ints, names: list[str], outputs: Iterable[int], description: str
) -> networkx.DiGraph[str]:
    """Return a networkx digraph of these rows; ``outputs`` get the attribute ``output=True``."""
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph(name=description)
    graph.add_nodes_from(names)
    starts, flat = start.tolist(), predecessors.tolist()
    for v, name in enumerate(names):
        graph.add_edges_from((names[p], name) for p in flat[starts[v] : starts[v + 1]])
    graph.add_nodes_from((names[v] for v in outputs), output=True)
    return graph


def _node_number(number: dict[Any, int], node: Any) -> int:
    """Return the number of a networkx node that was named as an output."""
    try:
        return number[node]
    except (KeyError, TypeError):
        raise InvalidInput(f"the output {node!r} is not a node of the graph") from None
