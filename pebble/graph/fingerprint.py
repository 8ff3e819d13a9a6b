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
from collections.abc import Iterator

from pebble.graph.dag import Dag

__all__ = ["canonical_text", "dag_hash"]

_ROWS = 1 << 14


def canonical_text(dag: Dag) -> Iterator[str]:
    r"""Yield the text that is hashed, in pieces.

    >>> "".join(canonical_text(Dag.from_edges([(1, 2), (0, 2)])))
    'pebble-dag 1\n3 2\n0 2\n1 2\noutputs 2\n'
    """
    yield f"pebble-dag 1\n{dag.n_vertices} {dag.n_edges}\n"
    start = dag.predecessor_start
    for first in range(0, dag.n_vertices, _ROWS):
        last = min(first + _ROWS, dag.n_vertices)
        bounds = start[first : last + 1].tolist()
        flat = dag.predecessors[bounds[0] : bounds[-1]].tolist()
        yield "".join(
            f"{p} {v}\n"
            for v in range(first, last)
            for p in sorted(flat[bounds[v - first] - bounds[0] : bounds[v - first + 1] - bounds[0]])
        )
    yield f"outputs {' '.join(map(str, dag.outputs.tolist()))}\n"


def dag_hash(dag: Dag) -> str:
    """Return the SHA-256 of the canonical text, 64 hexadecimal digits; a second for a million edges.

    >>> dag_hash(Dag.from_edges([(1, 2), (0, 2)]))
    '8fdcf52a15c669d6e6c9a4f893e2229b770aed0e277d90dc95755bf845ccb8cc'
    """
    digest = hashlib.sha256()
    for piece in canonical_text(dag):
        digest.update(piece.encode("ascii"))
    return digest.hexdigest()
