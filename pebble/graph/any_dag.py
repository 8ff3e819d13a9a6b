"""What playing a game asks of a DAG, be it explicit or one whose predecessors are computed on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from pebble.graph.names import Vertices

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vertex: TypeAlias = "int | np.integer[Any] | str"
"""A vertex as a caller may give it: its number, or its name."""


class Rows(NamedTuple):
    """Predecessors of some vertices, as compressed rows.

    Attributes
    ----------
    start : array of int64
        Row r is ``predecessors[start[r]:start[r + 1]]``.
    predecessors : array of int64
    row : array of int64
        Which row is that of each vertex given.
    """

    start: NDArray[np.int64]
    predecessors: NDArray[np.int64]
    row: NDArray[np.int64]


class AnyDag(Vertices, Protocol):
    """A DAG of numbered vertices as a game sees it; :class:`~pebble.graph.dag.Dag` says what its members mean."""

    @property
    def inputs(self) -> NDArray[np.int64]:
        """The vertices without predecessors."""
        ...

    @property
    def outputs(self) -> NDArray[np.int64]:
        """The vertices that must be blue at the end, ascending."""
        ...

    def name(self, vertex: int | np.integer[Any]) -> str:
        """Return the name of a vertex."""
        ...

    def vertex(self, vertex: Vertex) -> int:
        """Return the number of a vertex given by name or number."""
        ...

    def predecessors_of(self, vertex: Vertex) -> NDArray[np.int64]:
        """Return the predecessors of a vertex."""
        ...

    def rows_of(self, vertices: NDArray[np.int64]) -> Rows:
        """Return rows of predecessors, those of some vertices (numbers that exist) among them."""
        ...
