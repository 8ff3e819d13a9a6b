"""Sparse patterns from the literature that are stored block by block, or pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arrays import as_booleans, can_be_written_out, load_array
from pebble.computations.masks.band_patterns import told
from pebble.computations.masks.block_mask import BlockMask, check_blocks_kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = 2**64 - 1
_CHUNK = 2**20
_GOLDEN = 0x9E3779B97F4A7C15


def _check_size(size: int) -> None:
    if size < 1:
        raise InvalidInput(f"mask blocks: size must be at least 1, not {size}")


def block_mask(Nq: int, Nk: int, size: int, blocks: Any, *, name: str = "blocks") -> BlockMask:
    """Square blocks, each allowed as a whole or not at all; the last ones may be cut off.

    Parameters
    ----------
    Nq, Nk : int
    size : int
        Length of a block's side.
    blocks : array_like of bool, shape (⌈Nq/size⌉, ⌈Nk/size⌉)
    name : str
        How the mask is shown, as for :func:`~pebble.computations.masks.mask_from_array`.

    Examples
    --------
    >>> block_mask(4, 4, 2, [[True, False], [True, True]])
    <Mask array:blocks: 12 of 16 pairs>
    """
    return _blocks(Nq, Nk, size, np.asarray(blocks), f"array:{name}")


def block_file_mask(Nq: int, Nk: int, size: int, path: str) -> BlockMask:
    """Square blocks where the array of booleans in a ``.npy`` file says so; see :func:`block_mask`."""
    spec = f"blocks:size={size},file={path}"
    _check_size(size)
    check_blocks_kept(Nq, Nk, (size, size), spec)
    return _blocks(Nq, Nk, size, load_array(path, f"mask {spec}"), spec)


def _blocks(Nq: int, Nk: int, size: int, blocks: NDArray[Any], spec: str) -> BlockMask:
    _check_size(size)
    chosen = as_booleans(blocks, f"mask {spec}")
    shape = (-(-Nq // size), -(-Nk // size))
    if chosen.shape != shape:
        raise InvalidInput(
            f"mask {spec}: {Nq:,} queries and {Nk:,} keys in blocks of {size:,} take an array of shape {shape}, "
            f"not {chosen.shape}"
        )
    return BlockMask(spec, Nq, Nk, (size, size), chosen)


def random_blocks_mask(
    Nq: int, Nk: int, size: int, density: Decimal | float | str, seed: int = 0
) -> BlockMask:
    """Blocks drawn at random: exactly the nearest whole number to density · (number of blocks), at least one.

    Every block has a random word; in each row of blocks the one with the smallest word is drawn first, so that no
    query is left without keys if there are enough of them, and then the smallest words of all.

    Parameters
    ----------
    Nq, Nk : int
    size : int
        Length of a block's side.
    density : Decimal, float or str
        Above 0 and at most 1.
    seed : int
        Block number n, counted row by row, has the word ``random_words(seed, n)``.

    Examples
    --------
    >>> random_blocks_mask(64, 64, 8, 0.25, seed=1)
    <Mask blocks:size=8,density=0.25,seed=1: 1024 of 4096 pairs>
    """
    _check_size(size)
    if not 0 <= seed < 10**18:
        raise InvalidInput(f"mask blocks: the seed must be a whole number from 0 to 10¹⁸ - 1, not {seed}")
    share = Decimal(str(density))
    if not 0 < share <= 1:
        raise InvalidInput(f"mask blocks: the density must be above 0 and at most 1, not {density}")
    spec = f"blocks:size={size},density={share.normalize():f},seed={seed}"
    rows, columns = -(-Nq // size), -(-Nk // size)
    check_blocks_kept(Nq, Nk, (size, size), spec)
    number = max(1, int(share * rows * columns + Decimal("0.5")))
    return _blocks(Nq, Nk, size, _drawn(seed, rows, columns, number), spec)


def _drawn(seed: int, rows: int, columns: int, number: int) -> NDArray[np.bool_]:
    """Choose ``number`` places: first the smallest of the rows' smallest words, then of the others; all differ."""
    words, step = np.empty((rows, columns), dtype=np.uint64), max(1, _CHUNK // columns)
    for start in range(0, rows, step):
        numbers = np.arange(start * columns, min(start + step, rows) * columns)
        words[start : start + step] = random_words(seed, numbers).reshape(-1, columns)
    found, smallest = np.zeros(words.shape, dtype=bool), words.argmin(axis=1)
    chosen = np.argsort(words[np.arange(rows), smallest])[:number]
    found[chosen, smallest[chosen]] = True
    if number > rows:
        words[found] = _WORD
        found |= words <= np.partition(words, number - rows - 1, axis=None)[number - rows - 1]
    return found


def every_key(N: int, number: int, step: int) -> Callable[[Any, Any], Any]:
    """Return the predicate of ``number`` keys up to a query's own, each ``step`` before the next."""
    if not can_be_written_out(N, N):
        lengths = ",".join(told([-(-(N - first) // step) for first in range(step)]))
        raise InvalidInput(
            f"mask dilated: of {N:,} tokens it is too large to be kept pair by pair. Sort the tokens by their position "
            f"modulo {step}: document:{lengths}&window:{number} has the same pairs"
        )

    def allowed(i: Any, j: Any) -> Any:
        back = i - j
        return (back >= 0) & (back < number * step) & (back % step == 0)

    return allowed


def kept_of_each(Nk: int, keep: int, of: int, seed: int) -> Callable[[Any, Any], Any]:
    """Return the predicate of ``keep`` random keys of each ``of`` in a row: of queries (n, 1) and all keys (1, Nk)."""
    groups = -(-Nk // of)

    def allowed(i: Any, j: Any) -> Any:
        words = np.full((len(i), groups * of), _WORD, dtype=np.uint64)
        words[:, :Nk] = random_words(seed, i * Nk + j)
        order = words.reshape(len(i), groups, of).argsort(axis=2, kind="stable")
        kept = np.zeros(order.shape, dtype=bool)
        np.put_along_axis(kept, order[:, :, :keep], True, axis=2)
        return kept.reshape(len(i), -1)[:, :Nk]

    return allowed


def random_words(seed: int, index: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return outputs number ``index`` (from 0) of the generator SplitMix64 started at ``seed``: the same everywhere.

    References
    ----------
    Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.

    Examples
    --------
    >>> [f"{word:x}" for word in random_words(0, np.arange(2)).tolist()]
    ['e220a8397b1dcdaf', '6e789e6aa1b965f4']
    """
    start = np.uint64((seed + _GOLDEN) & _WORD)
    word = np.asarray(index).astype(np.uint64) * np.uint64(_GOLDEN) + start
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)))
