"""The game on a small DAG, its sets of vertices as the bits of 64-bit words.

Only vertices that some output needs take part. They are numbered anew, in topological order: first the inputs,
then the middle, then the sinks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.game.rules import Rules
from pebble.graph.dag import Dag

__all__ = ["BitGame", "Unions", "Words", "columns", "make_bit_game", "members", "pieces", "popcount"]

_PIECE = 11

Words = NDArray[np.uint64]
"""One set of at most 64 vertices in each element."""


def _popcount_by_halves(words: Words) -> NDArray[np.int64]:
    """Count bits with the usual divide-and-conquer sums, for a numpy without ``bitwise_count``.

    >>> _popcount_by_halves(np.array([0, 5, 2**64 - 1], dtype=np.uint64)).tolist()
    [0, 2, 64]
    """
    pairs, fours = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    bytes_, ones = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
    x = words - ((words >> np.uint64(1)) & pairs)
    x = (x & fours) + ((x >> np.uint64(2)) & fours)
    x = (x + (x >> np.uint64(4))) & bytes_
    counts: NDArray[np.int64] = ((x * ones) >> np.uint64(56)).astype(np.int64)
    return counts


if hasattr(np, "bitwise_count"):

    def popcount(words: Words) -> NDArray[np.int64]:
        """Return how many bits of each word are set.

        >>> popcount(np.array([0, 5], dtype=np.uint64)).tolist()
        [0, 2]
        """
        counts: NDArray[np.int64] = np.bitwise_count(words).astype(np.int64)
        return counts

else:  # pragma: no cover
    popcount = _popcount_by_halves


def columns(words: Words, n: int) -> list[Words]:
    """Return the lowest ``n`` set bits of each word, one array a bit; 0 where there are fewer.

    >>> [c.tolist() for c in columns(np.array([6, 8], dtype=np.uint64), 2)]
    [[2, 8], [4, 0]]
    """
    rest, found = words.copy(), []
    for _ in range(n):
        low = rest & (~rest + np.uint64(1))
        found.append(low)
        rest ^= low
    return found


def members(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, ascending.

    >>> list(members(0b1010))
    [1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def pieces(words: Words) -> list[NDArray[np.intp]]:
    """Return the words cut into pieces of 11 bits, the lowest first."""
    mask = np.uint64((1 << _PIECE) - 1)
    return [(words >> np.uint64(shift) & mask).astype(np.intp) for shift in range(0, 64, _PIECE)]


class Unions:
    """The union of the sets that the members of a set stand for, by tables for pieces of 11 bits.

    >>> Unions([1, 6, 4])(np.array([0, 3, 4], dtype=np.uint64)).tolist()
    [0, 7, 4]
    """

    def __init__(self, sets: Sequence[int]) -> None:
        values = np.arange(1 << _PIECE)
        self._tables: list[Words] = []
        for first in range(0, max(len(sets), 1), _PIECE):
            table = np.zeros(1 << _PIECE, dtype=np.uint64)
            for i, members_ in enumerate(sets[first : first + _PIECE]):
                table[values >> i & 1 == 1] |= np.uint64(members_)
            self._tables.append(table)

    def __call__(self, words: Words) -> Words:
        """Return one union for each set."""
        return self.of(pieces(words))

    def of(self, cut: list[NDArray[np.intp]]) -> Words:
        """Return one union for each set that was cut into these pieces."""
        found = self._tables[0][cut[0]]
        for table, piece in zip(self._tables[1:], cut[1:], strict=False):
            found |= table[piece]
        return found


MAX_BITS = 64


@dataclass(frozen=True)
class BitGame:
    """A DAG, M and rules as the search uses them; vertices have the positions that the head of this file names.

    Attributes
    ----------
    M : int
        Words of fast memory, cut down to the number of vertices.
    rules : Rules
    vertices : tuple of int
        The DAG's vertex at each position.
    n_inputs, n_middle, n_sinks : int
    before, after : tuple of int
        Predecessors and successors of each position, as bit masks.
    stored_at : dict of int to int
        For every output that must be computed, the bit of ``blue`` that says it has been stored.
    """

    M: int
    rules: Rules
    vertices: tuple[int, ...]
    n_inputs: int
    n_middle: int
    n_sinks: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    stored_at: dict[int, int]

    @property
    def n(self) -> int:
        """How many vertices take part."""
        return len(self.vertices)

    @property
    def width(self) -> int:
        """How many bits ``blue`` uses."""
        return self.n + len(self.stored_at) - self.n_sinks

    @property
    def red_bits(self) -> int:
        """How many bits ``red`` uses."""
        return self.n_inputs + self.n_middle

    @property
    def inputs(self) -> int:
        """The inputs, as a mask."""
        return (1 << self.n_inputs) - 1

    @property
    def middle(self) -> int:
        """The vertices that are neither inputs nor sinks, as a mask."""
        return (1 << self.red_bits) - 1 ^ self.inputs

    @property
    def sinks(self) -> int:
        """The sinks, as a mask."""
        return (1 << self.n) - 1 ^ (1 << self.red_bits) - 1

    @property
    def stores(self) -> int:
        """How many outputs have to be stored, whatever else happens."""
        return len(self.stored_at)


def make_bit_game(dag: Dag, M: int, rules: Rules) -> BitGame:
    """Lay out the part of a DAG that its outputs need; M is a positive whole number.

    Raises
    ------
    CacheTooSmall
        If some vertex has more predecessors than M allows.
    """
    wanted = [int(v) for v in dag.outputs if dag.indegree[v] > 0]
    order, rows = _needed(dag, wanted)
    _check_memory(dag, order, M, rules)
    used = {p for row in rows.values() for p in row}
    inputs = [v for v in order if not rows[v]]
    middle = [v for v in order if rows[v] and v in used]
    vertices = (*inputs, *middle, *(v for v in order if rows[v] and v not in used))
    place = {v: position for position, v in enumerate(vertices)}
    before = tuple(sum(1 << place[p] for p in rows[v]) for v in vertices)
    inner = [v for v in wanted if v in used]
    if len(vertices) + len(inner) > MAX_BITS:
        raise InvalidInput(
            f"this DAG needs {len(vertices):,} vertices; the exact search handles at most {MAX_BITS} "
            "(outputs that are used further count twice). Try pebble dag schedule or pebble dag bounds, "
            "which have no such limit"
        )
    stored_at = {place[v]: 1 << place[v] for v in wanted if v not in used}
    stored_at |= {place[v]: 1 << len(vertices) + i for i, v in enumerate(inner)}
    return BitGame(
        M=min(M, len(vertices) + 1),
        rules=rules,
        vertices=vertices,
        n_inputs=len(inputs),
        n_middle=len(middle),
        n_sinks=len(vertices) - len(inputs) - len(middle),
        before=before,
        after=_transposed(before),
        stored_at=stored_at,
    )


def _needed(dag: Dag, wanted: list[int]) -> tuple[list[int], dict[int, list[int]]]:
    """Return what the wanted vertices depend on, in topological order, and its rows of predecessors."""
    rows: dict[int, list[int]] = {}
    stack = list(wanted)
    while stack:
        v = stack.pop()
        if v not in rows:
            rows[v] = [int(p) for p in dag.predecessors_of(v)]
            stack.extend(rows[v])
    return [int(v) for v in dag.topological_order() if int(v) in rows], rows


def _check_memory(dag: Dag, order: list[int], M: int, rules: Rules) -> None:
    widest = max(order, key=lambda v: int(dag.indegree[v]), default=None)
    least = 1 if widest is None else int(dag.indegree[widest]) + (not rules.sliding)
    if widest is not None and least > M:
        raise CacheTooSmall(
            f"no pebbling exists with M = {M}: computing {dag.name(widest)} needs {least} words ({rules})",
            least,
        )


def _transposed(before: tuple[int, ...]) -> tuple[int, ...]:
    after = [0] * len(before)
    for v, mask in enumerate(before):
        for p in members(mask):
            after[p] |= 1 << v
    return tuple(after)
