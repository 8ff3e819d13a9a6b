"""Maximum flow by a library: scipy's where it is installed, else networkx's."""

from __future__ import annotations

import importlib.util

import numpy as np
from numpy.typing import NDArray

__all__ = ["has_scipy", "maximum_flow"]

_Ints = NDArray[np.int64]


def has_scipy() -> bool:
    """Tell whether scipy is installed."""
    return importlib.util.find_spec("scipy") is not None


def maximum_flow(
    n: int, tails: _Ints, heads: _Ints, capacities: _Ints, source: int, sink: int, library: str | None = None
) -> int:
    """Return the value of a maximum flow, by the max-flow min-cut theorem the weight of a least cut.

    Parameters
    ----------
    n : int
        Number of nodes.
    tails, heads, capacities : array of int64, shape (a,)
        Arcs; of parallel arcs the one of greatest capacity counts.
    source, sink : int
    library : {"scipy", "networkx"}, optional
        Whose algorithm; scipy's if it is installed.

    Examples
    --------
    >>> arcs = np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([5, 3, 1])
    >>> maximum_flow(3, *arcs, 0, 2, "networkx")
    4
    """
    if library is None:
        library = "scipy" if has_scipy() else "networkx"
    order = np.lexsort((-capacities, heads, tails))
    tails, heads, capacities = tails[order], heads[order], capacities[order]
    first = np.ones(len(tails), dtype=np.bool_)
    first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    arcs = tails[first], heads[first], capacities[first]
    return (_by_scipy if library == "scipy" else _by_networkx)(n, *arcs, source, sink)


def _by_scipy(n: int, tails: _Ints, heads: _Ints, capacities: _Ints, source: int, sink: int) -> int:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped,unused-ignore]
    from scipy.sparse.csgraph import maximum_flow as solve  # type: ignore[import-untyped,unused-ignore]

    matrix = csr_matrix((capacities.astype(np.int32), (tails, heads)), shape=(n, n))
    return int(solve(matrix, source, sink).flow_value)


def _by_networkx(n: int, tails: _Ints, heads: _Ints, capacities: _Ints, source: int, sink: int) -> int:
    import networkx

    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    for tail, head, capacity in zip(tails.tolist(), heads.tolist(), capacities.tolist(), strict=True):
        graph.add_edge(tail, head, capacity=capacity)
    return int(networkx.maximum_flow_value(graph, source, sink))
