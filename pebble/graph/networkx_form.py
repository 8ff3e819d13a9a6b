"""A DAG as a networkx digraph, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx
import numpy as np

from pebble.common.errors import InvalidInput
from pebble.graph.dag import Dag
from pebble.graph.edge_arrays import compressed_rows
from pebble.graph.names import ListedNames, node_label

__all__ = ["dag_from_networkx", "networkx_of_dag"]


def dag_from_networkx(
    graph: networkx.DiGraph[Any], outputs: Iterable[Any] | None, description: str | None
) -> Dag:
    """Build a DAG from a networkx digraph; see :meth:`pebble.graph.dag.Dag.from_networkx`."""
    if not graph.is_directed():
        raise InvalidInput("the graph is undirected; a computation needs directed edges (networkx.DiGraph)")
    number = {node: v for v, node in enumerate(graph.nodes)}
    names = ListedNames([node_label(node) for node in graph.nodes])
    rows = [
        [number[p] for p in graph.pred[node] for _ in range(graph.number_of_edges(p, node))]
        for node in number
    ]
    if outputs is None:
        outputs = [u for u, data in graph.nodes(data=True) if data.get("output") is True] or None
    if outputs is not None:
        outputs = [_node_number(number, node) for node in outputs]
    if description is None:
        description = str(graph.graph.get("name", ""))
    return Dag(*compressed_rows(rows), names=names, outputs=outputs, description=description)


def networkx_of_dag(dag: Dag) -> networkx.DiGraph[str]:
    """Return a DAG as a networkx digraph; see :meth:`pebble.graph.dag.Dag.to_networkx`."""
    graph: networkx.DiGraph[str] = networkx.DiGraph(name=dag.description)
    names = [dag.names[v] for v in range(dag.n_vertices)]
    graph.add_nodes_from(names)
    start, flat = dag.predecessor_start.tolist(), dag.predecessors.tolist()
    for v, name in enumerate(names):
        graph.add_edges_from((names[p], name) for p in flat[start[v] : start[v + 1]])
    if not np.array_equal(dag.outputs, dag.sinks):
        graph.add_nodes_from((names[v] for v in dag.outputs.tolist()), output=True)
    return graph


def _node_number(number: dict[Any, int], node: Any) -> int:
    """Return the number of a networkx node that was named as an output."""
    try:
        return number[node]
    except (KeyError, TypeError):
        raise InvalidInput(f"the output {node!r} is not a node of the graph") from None
