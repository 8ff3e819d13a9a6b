"""Sets of small numbers as rows of bits, many at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bits = NDArray[np.uint64]

__all__ = ["distinct", "members", "packed", "popcount", "repeats", "word_count"]


def word_count(size: int) -> int:
    """Return how many words of 64 bits hold a set of numbers below a size."""
    return -(-size // 64)


def packed(flags: NDArray[np.bool_]) -> Bits:
    """Return rows of truth values as rows of bits.

    >>> packed(np.array([[True, False, True]]))
    array([[5]], dtype=uint64)
    """
    rows, size = flags.shape
    full = np.zeros((rows, 64 * word_count(size)), bool)
    full[:, :size] = flags
    return np.packbits(full, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def members(numbers: NDArray[np.integer[Any]], size: int) -> Bits:
    """Return the set of each row's numbers, which are below a size, a row of bits each."""
    found = np.zeros((len(numbers), word_count(size)), np.uint64)
    row = np.arange(len(numbers))
    for column in numbers.T if numbers.shape[1] <= len(numbers) else ():
        found[row, column >> 6] |= np.uint64(1) << (column & 63).astype(np.uint64)
    if numbers.shape[1] > len(numbers):
        for number, line in enumerate(numbers):
            np.bitwise_or.at(found[number], line >> 6, np.uint64(1) << (line & 63).astype(np.uint64))
    return found


def repeats(numbers: NDArray[np.integer[Any]]) -> bool:
    """Tell whether a number occurs twice; quick where they ascend."""
    if bool((numbers[1:] > numbers[:-1]).all()):
        return False
    ordered = np.sort(numbers)
    return bool((ordered[1:] == ordered[:-1]).any())


def distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct numbers in order; ``np.unique`` hashes, which takes longer."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def popcount(bits: Bits) -> NDArray[np.int64]:
    """Return how many bits each row has.

    >>> popcount(np.array([[5, 1], [0, 0]], np.uint64))
    array([3, 0])
    """
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(bits).sum(axis=-1), np.int64)
    as_bytes = np.ascontiguousarray(bits).view(np.uint8)
    return np.asarray(np.unpackbits(as_bytes, axis=-1).sum(axis=-1), np.int64)
