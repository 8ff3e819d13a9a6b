"""An explicit computation DAG, kept as compressed rows of predecessors."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pebble.common.errors import InvalidInput
from pebble.game.rules import Rules
from pebble.graph.edge_arrays import (
    edge_array,
    edge_pair,
    frozen,
    node_label,
    node_number,
    number_names,
    whole_numbers,
)
from pebble.graph.names import ListedNames, NumberedNames, VertexNames, closest_name

if TYPE_CHECKING:
    import networkx

__all__ = ["Dag", "Vertex"]

Vertex: TypeAlias = "int | np.integer[Any] | str"
"""A vertex as a caller may give it: its number, or its name."""

_SHOWN = 8


class Dag:
    """A directed acyclic graph of values, each computed from its predecessors.

    The inputs are exactly the vertices without predecessors. Vertices are numbered from 0, in any order.
    The object is meant to be left alone once built: its arrays are read-only views.

    Parameters
    ----------
    predecessor_start : array of int64, shape (V + 1,)
        The predecessors of vertex v are ``predecessors[predecessor_start[v]:predecessor_start[v + 1]]``.
    predecessors : array of int64, shape (E,)
        Their numbers, row after row. The order inside a row is kept, and means nothing to the game.
    names : VertexNames or sequence of str, optional
        What the vertices are called; ``v0``, ``v1``, ... by default. An object that computes names on demand
        is never turned into a list.
    outputs : iterable of vertices, optional
        What must carry a blue pebble at the end; the sinks by default. May contain vertices that are no
        sinks, and inputs (which are blue from the start).
    description : str
        One line for people.

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
        self._check_rows()
        self._names = self._checked_names(names)
        self._description = description
        self._check_edges()
        self._order = self._topological_order()
        self._outputs = self._checked_outputs(outputs)

    # -- making one

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
        order = np.argsort(numbers[:, 1], kind="stable")
        start = np.zeros(n_vertices + 1, dtype=np.int64)
        np.cumsum(np.bincount(numbers[:, 1], minlength=n_vertices), out=start[1:])
        return cls(start, numbers[order, 0], names=names, outputs=outputs, description=description)

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
        if not graph.is_directed():
            raise InvalidInput(
                "the graph is undirected; a computation needs directed edges (networkx.DiGraph)"
            )
        number = {node: v for v, node in enumerate(graph.nodes)}
        names = ListedNames([node_label(node) for node in graph.nodes])
        rows = [
            [number[p] for p in graph.pred[node] for _ in range(graph.number_of_edges(p, node))]
            for node in number
        ]
        start = np.cumsum([0, *map(len, rows)])
        flat = np.array([p for row in rows for p in row], dtype=np.int64)
        if outputs is None:
            outputs = [u for u, data in graph.nodes(data=True) if data.get("output") is True] or None
        if outputs is not None:
            outputs = [node_number(number, node) for node in outputs]
        if description is None:
            description = str(graph.graph.get("name", ""))
        return cls(start, flat, names=names, outputs=outputs, description=description)

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

        graph: networkx.DiGraph[str] = networkx.DiGraph(name=self.description)
        names = [self._names[v] for v in range(self.n_vertices)]
        graph.add_nodes_from(names)
        start, flat = self._start.tolist(), self._predecessors.tolist()
        for v, name in enumerate(names):
            graph.add_edges_from((names[p], name) for p in flat[start[v] : start[v + 1]])
        if not np.array_equal(self.outputs, self.sinks):
            graph.add_nodes_from((names[v] for v in self.outputs.tolist()), output=True)
        return graph

    # -- reading it

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
        """What the vertices are called."""
        return self._names

    @property
    def outputs(self) -> NDArray[np.int64]:
        """The vertices that must be blue at the end, ascending."""
        return self._outputs

    @property
    def description(self) -> str:
        """One line for people."""
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
        """The vertices that nothing is computed from, ascending."""
        used = np.zeros(self.n_vertices, dtype=np.bool_)
        used[self._predecessors] = True
        return frozen(np.flatnonzero(~used))

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
        if isinstance(vertex, str):
            return self._vertex_of_name(vertex)
        try:
            number = operator.index(vertex)
        except TypeError:
            number = -1
        if isinstance(vertex, bool) or not 0 <= number < self.n_vertices:
            raise InvalidInput(f"there is no vertex {vertex!s}; the vertices are 0 to {self.n_vertices - 1}")
        return number

    def _vertex_of_name(self, name: str) -> int:
        try:
            return self._names.index(name)
        except (KeyError, ValueError):
            close = closest_name(self._names, name)
            hint = f"; did you mean {close!r}?" if close else ""
            raise InvalidInput(f"no vertex is called {name!r}{hint}") from None

    def predecessors_of(self, vertex: Vertex) -> NDArray[np.int64]:
        """Return the predecessors of a vertex, a read-only view."""
        v = self.vertex(vertex)
        return self._predecessors[self._start[v] : self._start[v + 1]]

    def successors_of(self, vertex: Vertex) -> NDArray[np.int64]:
        """Return the vertices computed from a vertex, ascending, a read-only view."""
        v = self.vertex(vertex)
        start, successors = self.successor_rows
        return successors[start[v] : start[v + 1]]

    @cached_property
    def successor_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges the other way round, as (start, successors); built when first asked for."""
        start = np.zeros(self.n_vertices + 1, dtype=np.int64)
        np.cumsum(np.bincount(self._predecessors, minlength=self.n_vertices), out=start[1:])
        order = np.argsort(self._predecessors, kind="stable")
        return frozen(start), frozen(self._edge_heads()[order])

    def topological_order(self) -> NDArray[np.int64]:
        """Return all vertices, every one after its predecessors: by number where the numbering allows it."""
        return self._order

    def least_M(self, rules: Rules | None = None) -> int:
        """Return the least M with which a complete pebbling exists, exactly.

        Let Δ be the largest indegree among the vertices that some output depends on (itself included).
        Without sliding the least M is Δ + 1, with sliding it is Δ, and in either case at least 1; whether
        recomputation is allowed makes no difference.

        Notes
        -----
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
        return needed if rules is not None and rules.sliding else needed + 1

    @cached_property
    def ancestors_of_outputs(self) -> NDArray[np.bool_]:
        """Which vertices some output depends on, outputs included, shape (V,)."""
        wanted = np.zeros(self.n_vertices, dtype=np.bool_)
        wanted[self._outputs] = True
        if wanted[self.sinks].all():
            wanted[:] = True
            return frozen(wanted)
        marks = bytearray(wanted.tobytes())
        start, flat = self._start.tolist(), self._predecessors.tolist()
        for v in reversed(self._order.tolist()):
            if marks[v]:
                for p in flat[start[v] : start[v + 1]]:
                    marks[p] = 1
        return frozen(np.frombuffer(bytes(marks), dtype=np.bool_))

    # -- as a value

    def __repr__(self) -> str:
        about = f"{self.description}: " if self.description else ""
        counts = ((self.n_vertices, "vertices", "vertex"), (self.n_edges, "edges", "edge"))
        ends = ((len(self.inputs), "inputs", "input"), (len(self._outputs), "outputs", "output"))
        return f"Dag({about}{', '.join(f'{n} {one if n == 1 else many}' for n, many, one in counts + ends)})"

    def __eq__(self, other: object) -> bool:
        """Tell whether names, edges and outputs are the same, whatever the order inside the rows."""
        if not isinstance(other, Dag):
            return NotImplemented
        return (
            np.array_equal(self._start, other._start)
            and np.array_equal(self._outputs, other._outputs)
            and np.array_equal(self._sorted_edges(), other._sorted_edges())
            and (
                self._names == other._names
                or all(self._names[v] == other._names[v] for v in range(self.n_vertices))
            )
        )

    def __hash__(self) -> int:
        return hash((self._start.tobytes(), self._outputs.tobytes()))

    # -- checks

    def _check_rows(self) -> None:
        start = self._start
        if len(start) < 2:
            raise InvalidInput(
                "a DAG needs at least one vertex: predecessor_start must have V + 1 >= 2 entries"
            )
        if start[0] != 0 or start[-1] != len(self._predecessors) or bool(np.any(start[1:] < start[:-1])):
            raise InvalidInput(
                "predecessor_start must rise from 0 to the number of edges, "
                f"{len(self._predecessors)}; it goes from {start[0]} to {start[-1]}"
            )

    def _checked_names(self, names: VertexNames | Sequence[str] | None) -> VertexNames:
        if names is None:
            return NumberedNames(self.n_vertices)
        if isinstance(names, (list, tuple)):
            names = ListedNames(names)
        if len(names) != self.n_vertices:
            raise InvalidInput(f"{len(names)} names for {self.n_vertices} vertices")
        return names

    def _check_edges(self) -> None:
        flat = self._predecessors
        wrong = np.flatnonzero((flat < 0) | (flat >= self.n_vertices))
        if wrong.size:
            v = self._edge_heads()[wrong[0]]
            raise InvalidInput(
                f"{self._names[int(v)]} has the predecessor {flat[wrong[0]]}, "
                f"but the vertices are 0 to {self.n_vertices - 1}"
            )
        loops = np.flatnonzero(flat == self._edge_heads())
        if loops.size:
            raise InvalidInput(f"{self._names[int(flat[loops[0]])]} is its own predecessor; remove that edge")
        edges = self._sorted_edges()
        twice = np.flatnonzero(edges[1:] == edges[:-1])
        if twice.size:
            v, p = divmod(int(edges[twice[0]]), self.n_vertices)
            raise InvalidInput(
                f"the edge {self._names[p]} -> {self._names[v]} is there twice; keep one of them"
            )

    def _edge_heads(self) -> NDArray[np.int64]:
        """Vertex at the head of each edge, in the order of the predecessor rows."""
        return np.repeat(np.arange(self.n_vertices, dtype=np.int64), np.diff(self._start))

    def _sorted_edges(self) -> NDArray[np.int64]:
        return np.sort(self._edge_heads() * self.n_vertices + self._predecessors)

    def _checked_outputs(self, outputs: Iterable[Vertex] | None) -> NDArray[np.int64]:
        if outputs is None:
            return self.sinks
        if isinstance(outputs, np.ndarray):
            chosen = np.unique(whole_numbers(outputs, "outputs"))
            if chosen.size and not 0 <= chosen[0] <= chosen[-1] < self.n_vertices:
                raise InvalidInput(f"an output lies outside 0..{self.n_vertices - 1}")
        else:
            chosen = np.array(sorted({self.vertex(v) for v in outputs}), dtype=np.int64)
        if chosen.size == 0:
            raise InvalidInput("a DAG needs at least one output, or there is nothing to compute")
        return frozen(chosen)

    def _topological_order(self) -> NDArray[np.int64]:
        if not np.any(self._predecessors > self._edge_heads()):
            return frozen(np.arange(self.n_vertices, dtype=np.int64))
        starts, successors = (rows.tolist() for rows in self.successor_rows)
        missing = self.indegree.tolist()
        ready = deque(self.inputs.tolist())
        order: list[int] = []
        while ready:
            v = ready.popleft()
            order.append(v)
            for w in successors[starts[v] : starts[v + 1]]:
                missing[w] -= 1
                if not missing[w]:
                    ready.append(w)
        if len(order) < self.n_vertices:
            raise InvalidInput(f"the graph has a cycle: {self._show_cycle(missing)}; a computation cannot")
        return frozen(np.array(order, dtype=np.int64))

    def _show_cycle(self, missing: list[int]) -> str:
        """Walk back along predecessors that were never ready until one comes up again."""
        place: dict[int, int] = {}
        v = next(v for v, count in enumerate(missing) if count)
        while v not in place:
            place[v] = len(place)
            row = self._predecessors[self._start[v] : self._start[v + 1]].tolist()
            v = next(p for p in row if missing[p])
        cycle = [*list(place)[place[v] :], v][::-1]
        shown = [self._names[w] for w in cycle]
        if len(shown) > _SHOWN:
            shown = [*shown[: _SHOWN - 2], f"... ({len(cycle) - _SHOWN + 1} more)", shown[-1]]
        return " -> ".join(shown)
