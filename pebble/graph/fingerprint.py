"""A hash of a DAG's content, defined so that anybody can compute it again.

The text that is hashed, with SHA-256, in ASCII, every line ended by a single line feed:

1. ``pebble-dag 1``
2. ``V E``, the numbers of vertices and of edges;
3. for every vertex v from 0 to V - 1 and each of its predecessors p in ascending order, a line ``p v``;
4. ``outputs`` and all outputs in ascending order, separated by single spaces.

Names, the description and the order in which a file gives the edges do not enter; the numbering of the vertices does.
"""

from __future__ import annotations

import hashlib

import numpy as np

from pebble.graph.dag import Dag
from pebble.graph.edge_arrays import sorted_edges

_PIECE = 1 << 16


def dag_hash(dag: Dag) -> str:
    """Return the SHA-256 of the text, 64 hexadecimal digits; a second for a million edges.

    >>> dag_hash(Dag.from_edges([(1, 2), (0, 2)]))
    '8fdcf52a15c669d6e6c9a4f893e2229b770aed0e277d90dc95755bf845ccb8cc'
    """
    digest = hashlib.sha256(f"pebble-dag 1\n{dag.n_vertices} {dag.n_edges}\n".encode())
    edges = sorted_edges(dag.predecessor_start, dag.predecessors)
    for first in range(0, dag.n_edges, _PIECE):
        heads, tails = (half.tolist() for half in np.divmod(edges[first : first + _PIECE], dag.n_vertices))
        digest.update("".join(f"{p} {v}\n" for p, v in zip(tails, heads, strict=True)).encode())
    digest.update(f"outputs {' '.join(map(str, dag.outputs.tolist()))}\n".encode())
    return digest.hexdigest()
