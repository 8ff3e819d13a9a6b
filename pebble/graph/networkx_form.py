"""What a DAG is built from, taken from a networkx digraph."""

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

__all__ = ["parts_of_networkx"]

_Ints = NDArray[np.int64]


def parts_of_networkx(
    graph: networkx.DiGraph[Any], outputs: Iterable[Any] | None
) -> tuple[_Ints, _Ints, list[str], list[int] | None]:
    """Return the compressed rows of predecessors (start, predecessors), the names, and the outputs.

    Outputs that are not given are the nodes marked as such; None if there are none.
    """
    if not graph.is_directed():
        raise InvalidInput("the graph is undirected; a computation needs directed edges (networkx.DiGraph)")
    number = {node: v for v, node in enumerate(graph.nodes)}
    rows = [
        [number[p] for p in graph.pred[node] for _ in range(graph.number_of_edges(p, node))]
        for node in number
    ]
    if outputs is None:
        outputs = [u for u, data in graph.nodes(data=True) if data.get("output") is True] or None
    try:
        chosen = None if outputs is None else [number[node] for node in outputs]
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"an output is not a node of the graph: {error}") from None
    return *compressed_rows(rows), [node_label(node) for node in number], chosen
