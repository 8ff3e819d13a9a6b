"""Automorphisms of a small DAG, found by colour refinement and a search over what it cannot tell apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pebble.solvers.optimum.bits import members

__all__ = ["Permutation", "compose", "inverse", "stabiliser_chain"]

Permutation = tuple[int, ...]
"""Where each vertex goes."""


def compose(second: Permutation, first: Permutation) -> Permutation:
    """Return the permutation that does ``first`` and then ``second``.

    >>> compose((1, 2, 0), (0, 2, 1))
    (1, 0, 2)
    """
    return tuple(second[v] for v in first)


def inverse(permutation: Permutation) -> Permutation:
    """Return the permutation that undoes this one.

    >>> inverse((1, 2, 0))
    (2, 0, 1)
    """
    undone = [0] * len(permutation)
    for v, image in enumerate(permutation):
        undone[image] = v
    return tuple(undone)


_Colours = list[int]
_TRIES = 2000


class _Graph:
    """Predecessors and successors as lists, and the colours that every automorphism must respect."""

    def __init__(self, before: Sequence[int], after: Sequence[int], marks: Sequence[int]) -> None:
        self.n = len(before)
        self.before = [list(members(mask)) for mask in before]
        self.after = [list(members(mask)) for mask in after]
        self.marks = list(marks)

    def refined(self, left: _Colours, right: _Colours) -> tuple[_Colours, _Colours] | None:
        """Refine two colourings side by side until stable; None as soon as they cannot be matched."""
        n_colours = len(set(left))
        while True:
            names: dict[object, int] = {}
            left, right = (
                [names.setdefault(self._signature(side, v), len(names)) for v in range(self.n)]
                for side in (left, right)
            )
            if Counter(left) != Counter(right):
                return None
            if len(names) == n_colours:
                return left, right
            n_colours = len(names)

    def _signature(self, colours: _Colours, v: int) -> object:
        below = tuple(sorted(colours[p] for p in self.before[v]))
        above = tuple(sorted(colours[s] for s in self.after[v]))
        return colours[v], below, above

    def coloured(self, fixed: Sequence[int]) -> _Colours:
        """Return the marks with every fixed vertex in a colour of its own."""
        colours = [2 * mark + 1 for mark in self.marks]
        for i, v in enumerate(fixed):
            colours[v] = -2 * i - 2
        return colours

    def matching(self, left: Sequence[int], right: Sequence[int]) -> Permutation | None:
        """Return an automorphism that takes the vertices ``left`` to ``right``, if one is found in time."""
        stack = [(list(left), list(right))]
        for _ in range(_TRIES):
            if not stack:
                return None
            sources, targets = stack.pop()
            stable = self.refined(self.coloured(sources), self.coloured(targets))
            if stable is None:
                continue
            v = _first_shared(stable[0])
            if v is None:
                where = {colour: u for u, colour in enumerate(stable[1])}
                return tuple(where[colour] for colour in stable[0])
            candidates = [u for u in range(self.n) if stable[1][u] == stable[0][v]]
            stack += [([*sources, v], [*targets, u]) for u in reversed(candidates)]
        return None


def _first_shared(colours: _Colours) -> int | None:
    count = Counter(colours)
    return next((v for v, colour in enumerate(colours) if count[colour] > 1), None)


def stabiliser_chain(
    before: Sequence[int], after: Sequence[int], marks: Sequence[int]
) -> list[list[Permutation]]:
    """Return automorphisms in levels: level i fixes the base points before the i-th and moves that one.

    Every automorphism is a product of one from each level (or none), unless the search for some pair was
    given up; then the levels still hold automorphisms only.

    Parameters
    ----------
    before, after : sequence of int
        Predecessors and successors of each vertex, as bit masks.
    marks : sequence of int
        Automorphisms keep the mark of each vertex.

    Examples
    --------
    A vertex with three equal predecessors: they can be permuted in 3 · 2 ways.

    >>> levels = stabiliser_chain([0, 0, 0, 0b111], [0b1000] * 3 + [0], [0, 0, 0, 1])
    >>> [len(level) + 1 for level in levels]
    [3, 2]
    """
    graph = _Graph(before, after, marks)
    base: list[int] = []
    levels: list[list[Permutation]] = []
    while True:
        stable = graph.refined(graph.coloured(base), graph.coloured(base))
        v = None if stable is None else _first_shared(stable[0])
        if stable is None or v is None:
            return levels
        cell = [u for u in range(graph.n) if stable[0][u] == stable[0][v] and u != v]
        found = [graph.matching([*base, v], [*base, u]) for u in cell]
        levels.append([permutation for permutation in found if permutation is not None])
        base.append(v)
