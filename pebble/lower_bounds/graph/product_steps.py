"""Steps of sums that read two values each, and how often a sum or a pair comes back among those that hang together."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pebble.graph.order import joined
from pebble.lower_bounds.graph.sums import NONE, Sums

__all__ = ["ProductSteps"]

_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]


class ProductSteps:
    """Some events of the sums of a DAG.

    The values are the vertices of a graph, the pairs that are read its edges; *component* means one of this graph.

    Attributes
    ----------
    root, one, other : array of int64, shape (e,)
        The sum and the two values of each.
    component : array of int64, shape (e,)
        The least value of the component.
    bipartite : array of bool, shape (e,)
        Whether it is bipartite.
    """

    def __init__(self, sums: Sums, chosen: _Ints) -> None:
        self.sums = sums
        self.chosen = chosen
        self.root, self.one, self.other = sums.event[chosen], sums.one[chosen], sums.other[chosen]
        n = len(sums.tree)
        # Each value twice, each pair from copy to copy: exactly in a bipartite component the copies fall apart.
        twice = joined(
            np.arange(2 * n),
            np.concatenate([self.one, self.one + n]),
            np.concatenate([self.other + n, self.other]),
        )
        self.component = np.minimum(twice[:n], twice[n:])[self.one]
        self.bipartite = (twice[:n] != twice[n:])[self.one]

    def __len__(self) -> int:
        return len(self.chosen)

    @cached_property
    def values(self) -> _Ints:
        """The values that are read."""
        return np.unique(np.concatenate([self.one, self.other]))

    @cached_property
    def roots(self) -> _Ints:
        """The sums."""
        return np.unique(self.root)

    @cached_property
    def in_one_sum(self) -> _Ints:
        """For each event, the most events of its component that are steps of one sum."""
        return _most(self.component, self.component, self.root)

    @cached_property
    def of_one_pair(self) -> _Ints:
        """For each event, the most events of its component that read one pair of values."""
        return _most(self.component, self.one, self.other)

    @cached_property
    def quadruple(self) -> _Ints:
        """For each event, 4·μ of its component: (events)² is at most μ · (sums near) · (values near)²."""
        found: _Ints = self.in_one_sum * self.of_one_pair * np.where(self.bipartite, 1, 2)
        return found

    @cached_property
    def family(self) -> _Ints:
        """For each event, the least component that sums and values connect it with."""
        n = len(self.sums.tree)
        return joined(np.arange(2 * n), self.component, self.root + n)[self.component]

    def where(self, inside: _Bools) -> ProductSteps:
        """Return those that a mask chooses."""
        return ProductSteps(self.sums, self.chosen[inside])

    def chain_words(self) -> _Bools:
        """Return the vertices that a segment can go on with in a sum, or begin it with."""
        sums = self.sums
        inside = np.zeros(len(sums.tree), dtype=np.bool_)
        inside[self.roots] = True
        words: _Bools = sums.on_chain & (sums.tree != NONE) & inside[sums.tree]
        words[self.roots] = False
        words[sums.first[self.roots]] = True
        return words

    def branch_words(self) -> _Bools:
        """Return the vertices on branches of these sums."""
        sums = self.sums
        inside = np.zeros(len(sums.tree), dtype=np.bool_)
        inside[self.roots] = True
        words: _Bools = sums.in_branch & inside[sums.tree]
        return words


def _most(component: _Ints, a: _Ints, b: _Ints) -> _Ints:
    """Return for each row the greatest number of equal (a, b) among the rows of its component."""
    if not len(component):
        return component
    pairs = np.stack([a, b])
    order = np.lexsort(pairs)
    new = np.concatenate([[True], np.diff(pairs[:, order], axis=1).any(axis=0)])
    starts = np.flatnonzero(new)
    most = np.zeros(int(component.max()) + 1, dtype=np.int64)
    np.maximum.at(most, component[order[starts]], np.diff([*starts, len(order)]))
    return most[component]
