"""Counts and properties of a DAG: vertices, edges, depth, least M, compulsory I/O, hash."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pebble.common.clock import tell
from pebble.common.tables import words
from pebble.common.whole_numbers import singular
from pebble.graph.dag import Dag
from pebble.graph.fingerprint import dag_hash
from pebble.graph.order import heights


@dataclass(frozen=True)
class DagInfo:
    """Counts and properties of a DAG.

    Attributes
    ----------
    name : str
    vertices, edges, inputs, outputs, sinks : int
    isolated : int
        Vertices without any edge.
    max_indegree : int
    depth : int
        Edges on a longest path.
    least_M : int
        The least number of words with which any pebbling exists, sliding not allowed.
    compulsory_loads, compulsory_stores : int
        I/O that no pebbling can avoid; see :func:`compulsory_io`.
    hash : str
        See :mod:`pebble.graph.fingerprint`.
    """

    name: str
    vertices: int
    edges: int
    inputs: int
    outputs: int
    sinks: int
    isolated: int
    max_indegree: int
    depth: int
    least_M: int
    compulsory_loads: int
    compulsory_stores: int
    hash: str

    @property
    def compulsory_io(self) -> int:
        """Loads and stores that no pebbling can avoid, together."""
        return self.compulsory_loads + self.compulsory_stores

    def to_dict(self) -> dict[str, Any]:
        """Return them as plain data."""
        figures = asdict(self)
        digest = figures.pop("hash")
        return {"schema_version": 1, **figures, "compulsory_io": self.compulsory_io, "hash": digest}

    def __str__(self) -> str:
        counts = ("vertices", "edges", "inputs", "outputs", "sinks", *["isolated"] * bool(self.isolated))
        io = (self.compulsory_io, self.compulsory_loads, self.compulsory_stores)
        lines = {
            "name": self.name or "(none)",
            **{key: words(getattr(self, key)) for key in counts},
            "max indegree": words(self.max_indegree),
            "depth": words(self.depth),
            "least M": singular(f"{words(self.least_M)} words"),
            "compulsory I/O": singular("{} ({} loads, {} stores)".format(*map(words, io))),
            "hash": self.hash,
        }
        return "\n".join(f"{key:<15} {value}" for key, value in lines.items())


def dag_info(dag: Dag, name: str | None = None) -> DagInfo:
    """Return the counts and properties of a DAG.

    Parameters
    ----------
    dag : Dag
    name : str, optional
        The description by default.

    Notes
    -----
    Costs a few plain passes over the edges, about two seconds for a million.

    Examples
    --------
    >>> info = dag_info(Dag.from_edges([(0, 2), (1, 2), (2, 3)]))
    >>> info.depth, info.least_M, info.compulsory_io
    (2, 3, 3)
    """
    tell("compulsory I/O")
    loads, stores = compulsory_io(dag)
    tell("longest path")
    longest = depth(dag)
    tell("hash")
    return DagInfo(
        name=dag.description if name is None else name,
        vertices=dag.n_vertices,
        edges=dag.n_edges,
        inputs=len(dag.inputs),
        outputs=len(dag.outputs),
        sinks=len(dag.sinks),
        isolated=len(dag.isolated),
        max_indegree=dag.max_indegree,
        depth=longest,
        least_M=dag.least_M(),
        compulsory_loads=loads,
        compulsory_stores=stores,
        hash=dag_hash(dag),
    )


def depth(dag: Dag) -> int:
    """Return the number of edges on a longest path.

    >>> depth(Dag.from_edges([(0, 1), (1, 2), (0, 2)]))
    2
    """
    return max(heights(dag.topological_order(), dag.predecessor_start, dag.predecessors))


def compulsory_io(dag: Dag) -> tuple[int, int]:
    """Return how many loads and how many stores no pebbling can avoid, whatever M and the rules.

    Every vertex that some output depends on, and that is no input, is computed at least once; so each input it
    is computed from is loaded at least once. Every output that is no input is stored at least once.

    Examples
    --------
    Here vertex 1 is an input that only a vertex nobody needs is computed from:

    >>> compulsory_io(Dag.from_edges([(0, 2), (1, 3)], outputs=[0, 2]))
    (1, 1)
    """
    needed = np.repeat(dag.ancestors_of_outputs, dag.indegree)
    used = np.zeros(dag.n_vertices, dtype=np.bool_)
    used[dag.predecessors[needed]] = True
    return int(used[dag.inputs].sum()), int((dag.indegree[dag.outputs] > 0).sum())
