"""Families of computations, from which the DAG can be built, and other families made."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.computations.family_arrays import FamilyArrays
from pebble.computations.implicit_dag import ImplicitDag
from pebble.graph.dag import Dag

if TYPE_CHECKING:
    from pebble.computations.array import Array
    from pebble.computations.masks.mask import Mask
    from pebble.graph.any_dag import AnyDag

_EXPLICIT_EDGES = 4_000_000
"""Edges up to which the DAG is built: half a second and 120 MB, after which every move is played faster."""


class Family(FamilyArrays):
    """A computation given as arrays of vertices; nothing is built until :meth:`dag` is called.

    Parameters
    ----------
    name : str
        As written in the header of a pebbling file, such as ``attention-forward``.
    arrays : sequence of Array
        In an order in which they can be computed.
    extents : mapping of str to int
        Length of every axis.
    symbols : mapping of str to str
        How formulas write the length of an axis: ``{"i": "N", "k": "d"}``.
    parameters : mapping of str to str
        The header's parameters, from which the family can be built again.
    mask : Mask, optional
        Which pairs of queries (axis ``i``) and keys (axis ``j``) take part; all by default.

    Attributes
    ----------
    masked_axes : tuple of str
        ``("i", "j")`` under a mask, else empty: the axes of which a part may be missing.

    Raises
    ------
    InvalidInput
        If the arrays, the axes and the mask do not fit together.

    Examples
    --------
    >>> from pebble.computations.attention import attention_family
    >>> from pebble.computations.masks import causal_mask
    >>> from pebble.computations.problem import Problem
    >>> family = attention_family(Problem.square(2, 1))
    >>> family
    <Family attention-forward Nq=2 Nk=2 d=1 dv=1: 24 vertices, 32 edges>
    >>> family.predecessors("O", (0, 0))
    [('U', (0, 0, 1)), ('l', (0, 1))]
    >>> causal = family.under(causal_mask(2, 2))
    >>> causal
    <Family attention-forward Nq=2 Nk=2 d=1 dv=1 mask=causal: 20 vertices, 24 edges>
    >>> causal.predecessors("O", (0, 0)), causal.predecessors("O", (1, 0))
    ([('U', (0, 0, 0)), ('l', (0, 0))], [('U', (1, 0, 1)), ('l', (1, 1))])
    """

    def under(self, mask: Mask) -> Family:
        """Return the same computation under a mask, of as many queries and keys.

        Raises
        ------
        InvalidInput
            If the mask is of other sizes, or a chain over queries or keys belongs to neither.
        """
        parameters = {**self.parameters, "mask": mask.spec}
        return Family(self.name, self.arrays, self.extents, self.symbols, parameters, mask)

    def with_free_sums(self, axes: Collection[str] = ("i", "j")) -> Family:
        """Return the same computation with the chains over some axes, queries and keys, added in any order."""
        return self._with(lambda one: {"sum": one.chain if one.chain in axes else one.sum}, sums="free")

    def with_accumulation(self) -> Family:
        """Return the same computation with sums over queries and keys added in slow memory: U and l, or dQ, dK, dV."""
        return self._with(lambda one: {"accumulated": one.chain in ("i", "j")}, sums="accumulate")

    def widened(self, names: Collection[str], width: int) -> Family:
        """Return the same computation in which each element of some arrays takes ``width`` words."""
        return self._with(lambda one: {"width": width if one.name in names else one.width})

    def with_chains(self) -> Family:
        """Return the same computation with sums in the order of the indices, which are not added in slow memory."""
        return self._with(lambda one: {"sum": None, "accumulated": False}, sums="")

    def _with(self, changes: Callable[[Array], dict[str, Any]], **parameters: str) -> Family:
        """Return the same computation with other sums."""
        arrays = tuple(replace(array, **changes(array)) for array in self.arrays)
        known = {name: text for name, text in {**self.parameters, **parameters}.items() if text}
        return Family(self.name, arrays, self.extents, self.symbols, known, self.mask)

    def predecessors(self, name: str, index: tuple[int, ...]) -> list[tuple[str, tuple[int, ...]]]:
        """Predecessors of one vertex: the chain's step before, then the operands."""
        names = self.names
        return [
            names.element(v) for v in ImplicitDag(self).predecessors_of(self.vertex(name, index)).tolist()
        ]

    def dag(self) -> Dag:
        """Build the explicit DAG.

        Memory is proportional to the number of edges, and under a mask to the number of places as well.
        """
        found = ImplicitDag(self)
        rows = found.rows_of(np.arange(found.n_vertices))
        return Dag(rows.start, rows.predecessors, self.names, found.outputs, repr(self))


def dag_to_play(family: Family) -> AnyDag:
    """Return the DAG of a family for a game: explicit if it is small, implicit otherwise; the verdicts are the same."""
    return family.dag() if family.n_edges <= _EXPLICIT_EDGES else ImplicitDag(family)
