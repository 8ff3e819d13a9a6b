"""Edges as arrays of whole numbers: read as callers give them, and kept as compressed rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pebble.common.errors import InvalidInput
from pebble.graph.names import node_label

if TYPE_CHECKING:
    import networkx


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def whole_numbers(values: ArrayLike, what: str) -> NDArray[np.int64]:
    """Return the values as a read-only int64 array, or say why ``what`` is no list of whole numbers."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInput(
            f"{what} must be a one-dimensional array of whole numbers, not {array.dtype} {array.shape}"
        )
    return frozen(np.ascontiguousarray(array, dtype=np.int64))


def edge_pair(edge: Any) -> tuple[Any, Any]:
    """Return the edge as (predecessor, vertex), or say why it is none."""
    try:
        tail, head = edge
    except (TypeError, ValueError):
        tail = head = None
    if isinstance(edge, str) or isinstance(tail, str) != isinstance(head, str) or tail is None:
        raise InvalidInput(
            f"an edge is a pair (predecessor, vertex) of two numbers or two names, not {edge!r}"
        )
    return tail, head


def edge_array(pairs: list[tuple[Any, Any]] | NDArray[Any]) -> NDArray[np.int64]:
    """Return pairs of vertex numbers as an array of shape (E, 2)."""
    array = np.asarray(pairs) if len(pairs) else np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise InvalidInput(
            f"edges must be pairs of vertex numbers or pairs of names, "
            f"not {array.dtype} in shape {array.shape}"
        )
    return array.astype(np.int64)


def number_names(
    pairs: list[tuple[Any, Any]], names: Sequence[str] | None
) -> tuple[NDArray[np.int64], Sequence[str]]:
    """Turn pairs of names into pairs of numbers."""
    if names is None:
        names = list(dict.fromkeys(name for pair in pairs for name in pair))
    number = {name: v for v, name in enumerate(names)}
    try:
        return edge_array([(number[p], number[v]) for p, v in pairs]), names
    except KeyError as error:
        raise InvalidInput(f"an edge uses {error.args[0]!r}, which is not among the names") from None


def number_nodes(
    graph: networkx.DiGraph[Any], outputs: Iterable[Any] | None
) -> tuple[NDArray[np.int64], list[str], list[int] | None]:
    """Return the edges of a networkx digraph as pairs of numbers, the names of its nodes and the outputs.

    Outputs that are not given are the nodes marked as such; None if there are none.
    """
    if not graph.is_directed():
        raise InvalidInput("the graph is undirected; a computation needs directed edges (networkx.DiGraph)")
    number = {node: v for v, node in enumerate(graph.nodes)}
    if outputs is None:
        outputs = [u for u, data in graph.nodes(data=True) if data.get("output") is True] or None
    try:
        chosen = None if outputs is None else [number[node] for node in outputs]
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"an output is not a node of the graph: {error}") from None
    edges = edge_array([(number[p], number[v]) for p, v in graph.in_edges()])
    return edges, [node_label(node) for node in number], chosen


def grouped(
    values: NDArray[np.int64], groups: NDArray[np.int64], n_groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return values as compressed rows, one row a group, as (start, values); their order in a row is kept."""
    start = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(groups, minlength=n_groups), out=start[1:])
    return start, values[np.argsort(groups, kind="stable")]


def compressed_rows(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of numbers as (start, numbers)."""
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return start, np.array([number for row in rows for number in row], dtype=np.int64)


def edge_heads(start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the vertex at the head of each edge, in the order of the rows of predecessors."""
    return np.repeat(np.arange(len(start) - 1, dtype=np.int64), np.diff(start))


def sorted_edges(start: NDArray[np.int64], predecessors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the edges as ascending numbers, head times number of vertices plus predecessor."""
    return np.sort(edge_heads(start) * (len(start) - 1) + predecessors)
