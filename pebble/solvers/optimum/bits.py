"""Sets of vertices as the bits of 64-bit words, many at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Unions", "Words", "columns", "members", "popcount"]

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


class Unions:
    """The union of the sets that the members of a set stand for, by tables for pieces of 11 bits.

    >>> Unions([1, 6, 4])(np.array([0, 3, 4], dtype=np.uint64)).tolist()
    [0, 7, 4]
    """

    def __init__(self, sets: Sequence[int]) -> None:
        values = np.arange(1 << _PIECE)
        self._tables: list[Words] = []
        for first in range(0, len(sets), _PIECE):
            table = np.zeros(1 << _PIECE, dtype=np.uint64)
            for i, members_ in enumerate(sets[first : first + _PIECE]):
                table[values >> i & 1 == 1] |= np.uint64(members_)
            self._tables.append(table)

    def __call__(self, words: Words) -> Words:
        """Return one union for each set."""
        found = np.zeros_like(words)
        for piece, table in enumerate(self._tables):
            found |= table[
                (words >> np.uint64(_PIECE * piece) & np.uint64((1 << _PIECE) - 1)).astype(np.intp)
            ]
        return found
