"""Automorphisms of a small DAG, and one representative for all states that they take into each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bit_game import BitGame, Unions, Words, members, pieces
from pebble.solvers.optimum.states import Codec

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


_BLOCK = 1 << 14
_WHOLE_GROUP = 150
_PASSES = 2


class Symmetry:
    """The automorphisms of a DAG, acting on rows of states.

    In a group of up to 150 automorphisms all images of a state are compared and the least is taken. In a larger
    group the levels of a stabiliser chain are tried one after the other. This finds a small image, not always the
    least; the image is in the same orbit in any case, so the search stays right and only expands more states.

    Attributes
    ----------
    order : int
        Number of automorphisms.
    exact : bool
        Whether states of one orbit always get the same representative.
    """

    def __init__(self, game: BitGame, codec: Codec) -> None:
        marks = [v in game.stored_at for v in range(game.n)]
        levels = _chain(game.before, game.after, tuple(marks))
        self.order = int(np.prod([len(level) + 1 for level in levels], dtype=object)) if levels else 1
        self.exact = self.order <= _WHOLE_GROUP
        if self.exact:
            levels = [_products(levels, game.n)]
        self._identity = tuple(range(game.n))
        self._levels = [[_Action(p, _bit_moves(game, codec, p)) for p in level] for level in levels if level]

    @property
    def trivial(self) -> bool:
        """Whether there is no automorphism but the identity."""
        return not self._levels

    def least(self, rows: Words) -> Words:
        """Return a representative of each row's orbit."""
        if self.trivial or not len(rows):
            return rows
        return np.concatenate([self._least(rows[i : i + _BLOCK]) for i in range(0, len(rows), _BLOCK)])

    def taking(self, row: Words) -> Permutation:
        """Return the automorphism that takes one row, an array of length 1, to its representative."""
        taken = self._identity
        for level in self._passes():
            best, chosen = row, self._identity
            cut = _cut(row)
            for action in level:
                image = _smaller(best, action.apply(cut))
                if (image != best).any():
                    best, chosen = image, action.permutation
            row, taken = best, compose(chosen, taken)
        return taken

    def _least(self, rows: Words) -> Words:
        for level in self._passes():
            cut = _cut(rows)
            best = rows
            for action in level:
                best = _smaller(best, action.apply(cut))
            rows = best
        return rows

    def _passes(self) -> list[list[_Action]]:
        return self._levels * (1 if self.exact else _PASSES)


# Both searches of a game ask for the same chain.
_chain = lru_cache(maxsize=1)(stabiliser_chain)


def _products(levels: list[list[Permutation]], n: int) -> list[Permutation]:
    """Return all automorphisms but the identity."""
    identity = tuple(range(n))
    group = [identity]
    for level in levels:
        group += [compose(p, q) for p in group for q in level]
    return [p for p in group if p != identity]


def _bit_moves(game: BitGame, codec: Codec, permutation: Permutation) -> list[dict[int, int]]:
    """Return, for each word of a row, where its bits go."""
    red = {v: permutation[v] for v in range(game.red_bits)}
    blue = {v: permutation[v] for v in range(game.n_inputs, game.n)}
    for v, stored in game.stored_at.items():
        blue[stored.bit_length() - 1] = game.stored_at[permutation[v]].bit_length() - 1
    if not codec.narrow:
        return [red, blue]
    by = codec.red_bits - game.n_inputs
    return [red | {v + by: u + by for v, u in blue.items()}]


class _Action:
    """A permutation of the bits of a row."""

    def __init__(self, permutation: Permutation, words: Sequence[dict[int, int]]) -> None:
        self.permutation = permutation
        self._images = [
            Unions([1 << moves[i] if i in moves else 0 for i in range(max(moves, default=0) + 1)])
            for moves in words
        ]

    def apply(self, cut: list[list[NDArray[np.intp]]]) -> Words:
        """Return the image of the rows whose words were cut into these pieces."""
        words = [images.of(parts) for images, parts in zip(self._images, cut, strict=True)]
        return words[0] if len(words) == 1 else np.stack(words, axis=1)


def _cut(rows: Words) -> list[list[NDArray[np.intp]]]:
    return [pieces(word) for word in ([rows] if rows.ndim == 1 else rows.T)]


def _smaller(left: Words, right: Words) -> Words:
    if left.ndim == 1:
        return np.minimum(left, right)
    less, equal = np.zeros(len(left), dtype=np.bool_), np.ones(len(left), dtype=np.bool_)
    for ours, theirs in zip(left.T, right.T, strict=True):
        less |= equal & (theirs < ours)
        equal &= theirs == ours
    return np.where(less[:, None], right, left)
