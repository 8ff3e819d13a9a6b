"""One representative for all states that automorphisms of the DAG take into each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.automorphism import Permutation, compose, stabiliser_chain
from pebble.solvers.optimum.bit_game import BitGame
from pebble.solvers.optimum.bits import Words
from pebble.solvers.optimum.states import Codec

__all__ = ["Symmetry"]

_PIECE = 11
_MASK = np.uint64((1 << _PIECE) - 1)
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
            pieces = _cut(row)
            for action in level:
                image = _smaller(best, action.apply(pieces))
                if (image != best).any():
                    best, chosen = image, action.permutation
            row, taken = best, compose(chosen, taken)
        return taken

    def _least(self, rows: Words) -> Words:
        for level in self._passes():
            pieces = _cut(rows)
            best = rows
            for action in level:
                best = _smaller(best, action.apply(pieces))
            rows = best
        return rows

    def _passes(self) -> list[list[_Action]]:
        return self._levels * (1 if self.exact else _PASSES)


# The spaces of one game and that without recomputation ask for the same chain.
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
    """A permutation of the bits of a row, as tables for pieces of 11 bits."""

    def __init__(self, permutation: Permutation, words: Sequence[dict[int, int]]) -> None:
        self.permutation = permutation
        self._tables = [_tables(moves) for moves in words]

    def apply(self, pieces: list[list[NDArray[np.intp]]]) -> Words:
        """Return the image of the rows that were cut into these pieces."""
        words = [
            _looked_up(tables, parts[: len(tables)])
            for tables, parts in zip(self._tables, pieces, strict=True)
        ]
        return words[0] if len(words) == 1 else np.stack(words, axis=1)


def _looked_up(tables: list[Words], parts: list[NDArray[np.intp]]) -> Words:
    image = tables[0][parts[0]]
    for table, part in zip(tables[1:], parts[1:], strict=True):
        image |= table[part]
    return image


def _tables(moves: dict[int, int]) -> list[Words]:
    tables = []
    for first in range(0, max(moves, default=0) + 1, _PIECE):
        table = np.zeros(1 << _PIECE, dtype=np.uint64)
        values = np.arange(1 << _PIECE)
        for i in range(_PIECE):
            if first + i in moves:
                table[values >> i & 1 == 1] |= np.uint64(1 << moves[first + i])
        tables.append(table)
    return tables


def _cut(rows: Words) -> list[list[NDArray[np.intp]]]:
    words = [rows] if rows.ndim == 1 else [*rows.T]
    return [
        [(word >> np.uint64(shift) & _MASK).astype(np.intp) for shift in range(0, 64, _PIECE)]
        for word in words
    ]


def _smaller(left: Words, right: Words) -> Words:
    if left.ndim == 1:
        return np.minimum(left, right)
    less, equal = np.zeros(len(left), dtype=np.bool_), np.ones(len(left), dtype=np.bool_)
    for ours, theirs in zip(left.T, right.T, strict=True):
        less |= equal & (theirs < ours)
        equal &= theirs == ours
    return np.where(less[:, None], right, left)
