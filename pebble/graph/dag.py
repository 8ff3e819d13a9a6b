"""An explicit computation DAG, kept as compressed rows of predecessors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pebble.common.errors import InvalidInput
from pebble.common.whole_numbers import singular
from pebble.graph.any_dag import Rows, Vertex
from pebble.graph.dag_checks import check_edges, check_rows, checked_names, checked_outputs, cycle_fault
from pebble.graph.drawing import dag_svg
from pebble.graph.edge_arrays import (
    edge_array,
    edge_heads,
    edge_pair,
    frozen,
    grouped,
    number_names,
    number_nodes,
    sorted_edges,
    whole_numbers,
)
from pebble.graph.names import VertexNames, vertex_in
from pebble.graph.order import marked_ancestors, order_vertices

if TYPE_CHECKING:
    import networkx

__all__ = ["Dag", "Vertex"]


class Dag:
    """A directed acyclic graph of values, each computed from its predecessors.

    The inputs are exactly the vertices without predecessors. Vertices are numbered from 0, in any order.
    A DAG does not change once it is built: its arrays are read-only views.

    Parameters
    ----------
    predecessor_start : array of int64, shape (V + 1,)
        The predecessors of vertex v are ``predecessors[predecessor_start[v]:predecessor_start[v + 1]]``.
    predecessors : array of int64, shape (E,)
        Their numbers, row after row. The order inside a row is kept, and means nothing to the game.
    names : VertexNames or sequence of str, optional
        Names of the vertices; ``v0``, ``v1``, ... by default. An object that computes names on demand
        is never turned into a list.
    outputs : iterable of vertices, optional
        What must carry a blue pebble at the end; the sinks by default. May contain vertices that are no
        sinks, and inputs (which are blue from the start).
    description : str
        A description in one line.

    Raises
    ------
    InvalidInput
        If the arrays do not fit together, a vertex is its own predecessor or has one predecessor
        twice, there is a cycle (the message shows one), no vertex, or no output.

    Notes
    -----
    Building costs O(V + E) array operations if every predecessor has a smaller number than its vertex;
    otherwise a pass of plain Python over the edges (about a million a second) makes sure there is no cycle.

    Examples
    --------
    >>> dag = Dag.from_edges([("a", "sum"), ("b", "sum")])
    >>> dag
    Dag(3 vertices, 2 edges, 2 inputs, 1 output)
    >>> [dag.name(v) for v in dag.predecessors_of("sum")]
    ['a', 'b']
    """

    def __init__(
        self,
        predecessor_start: ArrayLike,
        predecessors: ArrayLike,
        names: VertexNames | Sequence[str] | None = None,
        outputs: Iterable[Vertex] | None = None,
        description: str = "",
    ) -> None:
        self._start = whole_numbers(predecessor_start, "predecessor_start")
        self._predecessors = whole_numbers(predecessors, "predecessors")
        check_rows(self._start, self._predecessors)
        self._names = checked_names(names, self.n_vertices)
        self._description = description
        check_edges(self._start, self._predecessors, self._names)
        self._order = self._topological_order()
        self._outputs = (
            self.sinks if outputs is None else checked_outputs(outputs, self.n_vertices, self.vertex)
        )

    # -- construction

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[Any, Any]] | NDArray[np.integer[Any]],
        n_vertices: int | None = None,
        names: Sequence[str] | None = None,
        outputs: Iterable[Vertex] | None = None,
        description: str = "",
    ) -> Dag:
        """Build a DAG from pairs (predecessor, vertex).

        Parameters
        ----------
        edges : iterable of pairs, or integer array of shape (E, 2)
            All numbers, or all names. Names are numbered in the order of their first appearance
            unless ``names`` is given.
        n_vertices : int, optional
            For numbers: how many vertices there are, if not up to the largest one mentioned.
        names : sequence of str, optional
            All vertices in order; also the way to have vertices without any edge.
        outputs, description
            As for :class:`Dag`.

        Raises
        ------
        InvalidInput
            Also if an edge is no pair, or names a vertex that ``names`` lacks.

        Examples
        --------
        >>> Dag.from_edges([(0, 2), (1, 2)], n_vertices=4)
        Dag(4 vertices, 2 edges, 3 inputs, 2 outputs)
        """
        pairs = edges if isinstance(edges, np.ndarray) else [edge_pair(edge) for edge in edges]
        if not isinstance(pairs, np.ndarray) and pairs and isinstance(pairs[0][0], str):
            numbers, names = number_names(pairs, names)
        else:
            numbers = edge_array(pairs)
        if names is not None:
            n_vertices = len(names)
        elif n_vertices is None:
            n_vertices = int(numbers.max(initial=-1)) + 1
        if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < n_vertices:
            raise InvalidInput(f"an edge names a vertex outside 0..{n_vertices - 1}")
        start, predecessors = grouped(numbers[:, 0], numbers[:, 1], n_vertices)
        return cls(start, predecessors, names=names, outputs=outputs, description=description)

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.DiGraph[Any],
        outputs: Iterable[Any] | None = None,
        description: str | None = None,
    ) -> Dag:
        """Build a DAG from a networkx digraph; the labels of its nodes become names.

        Parameters
        ----------
        graph : networkx.DiGraph
            Edges lead from a predecessor to the vertex computed from it.
        outputs : iterable of node labels, optional
            By default the nodes with an attribute ``output=True``; if there are none, the sinks.
        description : str, optional
            The graph's own name by default.

        Raises
        ------
        InvalidInput
            If the graph is undirected, has parallel edges, self loops or a cycle, or if two labels give
            the same name or one gives a name with white space.

        Examples
        --------
        >>> import networkx as nx
        >>> Dag.from_networkx(nx.DiGraph([((0, 0), (1, 0)), ((0, 1), (1, 0))])).name(0)
        '(0,0)'
        """
        edges, names, chosen = number_nodes(graph, outputs)
        if description is None:
            description = str(graph.graph.get("name", ""))
        return cls.from_edges(edges, names=names, outputs=chosen, description=description)

    def to_networkx(self) -> networkx.DiGraph[str]:
        """Return the DAG as a networkx digraph whose nodes are the names; costs about 400 bytes an edge.

        Nothing is lost: :meth:`from_networkx` gives an equal DAG. The description is the graph's name; where the
        outputs are not the sinks, they have the node attribute ``output=True``.

        Examples
        --------
        >>> sorted(Dag.from_edges([(0, 2), (1, 2)]).to_networkx().edges)
        [('v0', 'v2'), ('v1', 'v2')]
        """
        import networkx

        names = [self._names[v] for v in range(self.n_vertices)]
        graph: networkx.DiGraph[str] = networkx.DiGraph(name=self.description)
        graph.add_nodes_from(names)
        graph.add_edges_from((names[p], names[v]) for p, v in self.edges())
        graph.add_nodes_from((names[v] for v in self.marked_outputs.tolist()), output=True)
        return graph

    # -- access

    @property
    def predecessor_start(self) -> NDArray[np.int64]:
        """Where each vertex's row of predecessors begins, shape (V + 1,)."""
        return self._start

    @property
    def predecessors(self) -> NDArray[np.int64]:
        """All rows of predecessors one after the other, shape (E,)."""
        return self._predecessors

    @property
    def names(self) -> VertexNames:
        """Names of the vertices."""
        return self._names

    @property
    def outputs(self) -> NDArray[np.int64]:
        """The vertices that must be blue at the end, ascending."""
        return self._outputs

    @property
    def marked_outputs(self) -> NDArray[np.int64]:
        """The outputs that a file must name: all if they are not the sinks, else none."""
        return self._outputs[:0] if np.array_equal(self._outputs, self.sinks) else self._outputs

    @property
    def description(self) -> str:
        """A description in one line."""
        return self._description

    @property
    def n_vertices(self) -> int:
        """Number of vertices, V."""
        return len(self._start) - 1

    @property
    def n_edges(self) -> int:
        """Number of edges, E."""
        return len(self._predecessors)

    @cached_property
    def indegree(self) -> NDArray[np.int64]:
        """Number of predecessors of each vertex, shape (V,)."""
        return frozen(np.diff(self._start))

    @cached_property
    def inputs(self) -> NDArray[np.int64]:
        """The vertices without predecessors, ascending."""
        return frozen(np.flatnonzero(self.indegree == 0))

    @cached_property
    def sinks(self) -> NDArray[np.int64]:
        """The vertices without successors, ascending."""
        used = np.zeros(self.n_vertices, dtype=np.bool_)
        used[self._predecessors] = True
        return frozen(np.flatnonzero(~used))

    @property
    def isolated(self) -> NDArray[np.int64]:
        """The vertices without any edge, ascending."""
        return np.intersect1d(self.inputs, self.sinks)

    @property
    def max_indegree(self) -> int:
        """The largest number of predecessors of any vertex."""
        return int(self.indegree.max())

    def name(self, vertex: int | np.integer[Any]) -> str:
        """Return the name of a vertex.

        Raises
        ------
        InvalidInput
            If there is no vertex of that number.
        """
        return self._names[self.vertex(vertex)]

    def vertex(self, vertex: Vertex) -> int:
        """Return the number of a vertex given by name (or by number, which is checked and returned).

        Raises
        ------
        InvalidInput
            If there is none; where a similar name exists, the message suggests it.

        Examples
        --------
        >>> Dag.from_edges([("left", "sum"), ("right", "sum")]).vertex("rigth")
        Traceback (most recent call last):
        ...
        pebble.common.errors.InvalidInput: no vertex is called 'rigth'; did you mean 'right'?
        """
        return vertex_in(self._names, vertex)

    def predecessors_of(self, vertex: Vertex) -> NDArray[np.int64]:
        """Return the predecessors of a vertex, a read-only view."""
        v = self.vertex(vertex)
        return self._predecessors[self._start[v] : self._start[v + 1]]

    def edges(self) -> Iterator[tuple[int, int]]:
        """Return the edges (predecessor, vertex) by ascending vertex, in the order of its row."""
        return zip(self._predecessors.tolist(), edge_heads(self._start).tolist(), strict=True)

    def rows_of(self, vertices: NDArray[np.int64]) -> Rows:
        """Return rows of predecessors, those of some vertices among them; here these are all rows there are."""
        return Rows(self._start, self._predecessors, vertices)

    def successors_of(self, vertex: Vertex) -> NDArray[np.int64]:
        """Return the vertices computed from a vertex, ascending, a read-only view."""
        v = self.vertex(vertex)
        start, successors = self.successor_rows
        return successors[start[v] : start[v + 1]]

    @cached_property
    def successor_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Compressed rows of successors, as (start, successors); built when first asked for."""
        start, successors = grouped(edge_heads(self._start), self._predecessors, self.n_vertices)
        return frozen(start), frozen(successors)

    def topological_order(self) -> NDArray[np.int64]:
        """Return all vertices, each after its predecessors; ascending where that is such an order."""
        return self._order

    def least_M(self, *, sliding: bool = False) -> int:
        """Return the least M with which a complete pebbling exists, exactly.

        Parameters
        ----------
        sliding : bool
            Whether a red pebble may slide from a predecessor to the vertex that is computed.

        Notes
        -----
        Let Δ be the largest indegree among the vertices that some output depends on (itself included).
        Without sliding the least M is Δ + 1, with sliding it is Δ, and in either case at least 1; whether
        recomputation is allowed makes no difference.

        *Needed.* An output that is no input becomes blue by a store, so it was red before. A vertex that is
        no input is not blue before its first store and so not red before its first computation: it was
        computed, and then all its predecessors were red at once; the same argument applies to them. When the
        vertex with Δ predecessors is computed there are Δ + 1 red pebbles, or Δ after a slide. *Enough.*
        Take these vertices in topological order: load the predecessors, compute (or slide from one of them),
        store, delete everything. That pebbling exists; nothing is claimed about its I/O.
        """
        needed = int(self.indegree[self.ancestors_of_outputs].max(initial=0))
        if needed == 0:
            return 1
        return needed if sliding else needed + 1

    @cached_property
    def ancestors_of_outputs(self) -> NDArray[np.bool_]:
        """Which vertices are outputs or ancestors of one, as booleans of shape (V,)."""
        wanted = np.zeros(self.n_vertices, dtype=np.bool_)
        wanted[self._outputs] = True
        if wanted[self.sinks].all():
            wanted[:] = True
            return frozen(wanted)
        return frozen(marked_ancestors(wanted, self._order, self._start, self._predecessors))

    # -- comparison

    def __repr__(self) -> str:
        about = f"{self.description}: " if self.description else ""
        size = f"{self.n_vertices} vertices, {self.n_edges} edges"
        ends = f"{len(self.inputs)} inputs, {len(self._outputs)} outputs"
        return f"Dag({about}{singular(f'{size}, {ends}')})"

    def _repr_svg_(self) -> str:
        return dag_svg(self, f"most predecessors of a vertex: {self.max_indegree:,}")

    def __eq__(self, other: object) -> bool:
        """Tell whether names, edges and outputs are the same, whatever the order inside the rows."""
        if not isinstance(other, Dag):
            return NotImplemented
        return (
            np.array_equal(self._start, other._start)
            and np.array_equal(self._outputs, other._outputs)
            and np.array_equal(
                sorted_edges(self._start, self._predecessors), sorted_edges(other._start, other._predecessors)
            )
            and all(self._names[v] == other._names[v] for v in range(self.n_vertices))
        )

    def __hash__(self) -> int:
        return hash((self._start.tobytes(), self._outputs.tobytes()))

    # -- checks

    def _topological_order(self) -> NDArray[np.int64]:
        if not np.any(self._predecessors > edge_heads(self._start)):
            return frozen(np.arange(self.n_vertices, dtype=np.int64))
        order, missing = order_vertices(*self.successor_rows, self.indegree)
        if len(order) < self.n_vertices:
            raise cycle_fault(self._start, self._predecessors, missing, self._names)
        return frozen(np.array(order, dtype=np.int64))
