"""Linear codes on a DAG: every vertex gets a vector of bits, a sum of the vectors of its predecessors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pebble.solvers.optimum.bits import Words, members

__all__ = ["best_codes", "ranks"]

_CANDIDATES = 6
_SETS = 12
_ONE = np.uint64(1)


def ranks(codes: Words, sets: Words) -> NDArray[np.int64]:
    """Return the rank of the vectors of each set's members.

    Parameters
    ----------
    codes : array of uint64, shape (rows, n)
        For each set a code, whose rows are the sets of vertices that have a 1 there.
    sets : array of uint64, shape (n,)

    Examples
    --------
    Three vertices with the vectors 01, 10 and 11:

    >>> codes = np.array([[0b101], [0b110]], dtype=np.uint64)
    >>> [int(ranks(codes, np.array([s], dtype=np.uint64))[0]) for s in (0b000, 0b100, 0b101, 0b111)]
    [0, 1, 2, 2]
    """
    rows = [row & sets for row in codes]
    rank = np.zeros(len(sets), dtype=np.int64)
    while rows:
        row = rows.pop()
        pivot = row & (~row + _ONE)
        rank += pivot != 0
        for other in rows:
            other ^= row * ((other & pivot) != 0)
    return rank


def best_codes(before: Sequence[int], wanted: Sequence[tuple[int, int]]) -> Words:
    """Return codes of high rank.

    Parameters
    ----------
    before : sequence of int
        Predecessors of each vertex, as masks.
    wanted : sequence of (int, int)
        For each code the inputs whose vectors are the unit vectors, and the vertices whose vectors are 0. All other
        inputs have the vector 0, all other vertices the sum of some of their predecessors' vectors.

    Returns
    -------
    array of uint64, shape (rows, n)
        Of a few codes with random sums the ones that give the highest ranks to some random sets.
    """
    rng = np.random.default_rng(0)
    units, zeros = (np.array(column, dtype=np.uint64) for column in zip(*wanted, strict=True))
    sets = [
        rng.integers(1 << 63, size=len(wanted), dtype=np.uint64)
        & rng.integers(1 << 63, size=len(wanted), dtype=np.uint64)
        for _ in range(_SETS)
    ]
    best, total = _code(before, units, zeros, rng), np.full(len(wanted), -1)
    for _ in range(_CANDIDATES):
        code = _code(before, units, zeros, rng)
        found = np.sum([ranks(code, chosen) for chosen in sets], axis=0)
        better = found > total
        best[:, better], total[better] = code[:, better], found[better]
    return best


def _code(before: Sequence[int], units: Words, zeros: Words, rng: np.random.Generator) -> Words:
    """Return a code for each set of inputs and each set of zeros."""
    vectors: list[Words] = []
    for v, operands in enumerate(before):
        vector = units & np.uint64(0 if operands else 1 << v)
        for p in members(operands):
            vector = vector ^ vectors[p] * (rng.random(len(units)) < 0.92)
        vectors.append(vector * (zeros >> np.uint64(v) & _ONE == 0))
    n_inputs = sum(not operands for operands in before)
    rows = np.zeros((n_inputs, len(units)), dtype=np.uint64)
    for v, vector in enumerate(vectors):
        for i, row in enumerate(rows):
            row |= (vector >> np.uint64(i) & _ONE) << np.uint64(v)
    return rows
