"""Masks of key caches: lists of selected blocks, and sequences whose keys lie in pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.arrays import load_lists
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.band_patterns import check_lines, told
from pebble.computations.masks.block_mask import BlockMask, check_blocks_kept
from pebble.computations.masks.sparse_patterns import random_words
from pebble.computations.masks.staircase import Staircase
from pebble.computations.masks.union_mask import UnionMask, combined_bands

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 2**20
_OWN_FIRST_BEFORE = range(3)
"""The places of a query's own block, the first one and the one before its own in the order of selection."""


def selected_mask(Nq: int, Nk: int, size: int, number: int, queries: int = 1, seed: int = 0) -> BlockMask:
    """Each ``queries`` queries in a row attend to ``number`` blocks of keys, none behind their own.

    The blocks are their own, which counts whole, the first one, the one before their own, and others at random.

    Parameters
    ----------
    Nq, Nk : int
    size : int
        Keys of a block.
    number : int
        Blocks of each list; fewer where there are not as many.
    queries : int
        Queries that share a list, at most ``size``.
    seed : int
        Block c of list r has the word ``random_words(seed, r · ⌈Nk/size⌉ + c)``; the smallest words are taken.

    Examples
    --------
    >>> selected_mask(8, 8, 2, 2).matrix((6, 8), (0, 8)).astype(int).tolist()
    [[1, 1, 0, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0, 1, 1]]
    """
    spec = f"selected:size={size},blocks={number}{_shared(queries)}" + (f",seed={seed}" if seed else "")
    if queries > size:
        raise InvalidInput(
            f"mask selected: at most {size:,} queries can share a list of blocks of {size:,} keys"
        )
    check_blocks_kept(Nq, Nk, (queries, size), spec)
    parts = [_chosen(own, -(-Nk // size), number, seed) for own in _own_blocks(Nq, Nk, size, queries)]
    return BlockMask(spec, Nq, Nk, (queries, size), np.concatenate(parts))


def _shared(queries: int) -> str:
    return f",queries={queries}" if queries > 1 else ""


def _own_blocks(Nq: int, Nk: int, size: int, queries: int) -> Iterator[NDArray[np.int64]]:
    """Yield for some lists at a time their number and the block of the last of their queries, shape (lists, 2)."""
    rows, step = -(-Nq // queries), max(1, _CHUNK * size // Nk)
    for start in range(0, rows, step):
        lists = np.arange(start, min(start + step, rows))
        last = np.minimum((lists + 1) * queries, Nq) - 1 + Nk - Nq
        yield np.stack([lists, last // size], axis=1)


def _chosen(lists: NDArray[np.int64], columns: int, number: int, seed: int) -> NDArray[np.bool_]:
    """Choose blocks for some lists, given as by :func:`_own_blocks`."""
    block, own = np.arange(columns), lists[:, 1:]
    words = random_words(seed, lists[:, :1] * columns + block)
    for place, one in zip(_OWN_FIRST_BEFORE, (own, 0 * own, own - 1), strict=True):
        words = np.where((block == one) & (words > place), np.uint64(place), words)
    words[block > own] = np.uint64(2**64 - 1)
    found = np.zeros(words.shape, dtype=bool)
    least = np.argpartition(words, min(number, columns) - 1, axis=1)[:, :number]
    np.put_along_axis(found, least, True, axis=1)
    return found & (block <= own)


def lists_mask(Nq: int, Nk: int, size: int, path: str, queries: int = 1) -> BlockMask:
    """Each ``queries`` queries in a row attend to the blocks of keys that a row of a ``.npy`` file lists.

    Parameters
    ----------
    Nq, Nk : int
    size : int
        Keys of a block.
    path : str
        An array of whole numbers, shape (⌈Nq/queries⌉, any); blocks from 0, negative where a list is shorter.
    queries : int
    """
    spec = f"selected:size={size}{_shared(queries)},file={path}"
    shape = (-(-Nq // queries), -(-Nk // size))
    check_blocks_kept(Nq, Nk, (queries, size), spec)
    lists = load_lists(path, f"mask {spec}")
    if len(lists) != shape[0]:
        raise InvalidInput(
            f"mask {spec}: {Nq:,} queries take {shape[0]:,} lists; the file has {len(lists):,}"
        )
    if lists.max(initial=-1) >= shape[1]:
        raise InvalidInput(
            f"mask {spec}: {Nk:,} keys make blocks 0 to {shape[1] - 1:,}; there is a {lists.max():,}"
        )
    blocks = np.zeros(shape, dtype=bool)
    rows, at = np.nonzero(lists >= 0)
    blocks[rows, lists[rows, at]] = True
    return BlockMask(spec, Nq, Nk, (queries, size), blocks)


def paged_mask(Nq: int, Nk: int, page: int, lengths: Sequence[int], shared: int = 0) -> BandMask | UnionMask:
    """Sequences whose keys lie in pages of ``page`` keys: the queries of each attend to all keys of its pages.

    Parameters
    ----------
    Nq : int
        The same number of queries for each sequence.
    Nk : int
        Keys of all pages, those behind the end of a sequence in its last page among them.
    page : int
    lengths : sequence of int
        Keys of each sequence that are its own.
    shared : int
        Keys of a prefix that all sequences share, in the first pages.

    Examples
    --------
    >>> paged_mask(2, 12, 4, [5, 3]).matrix((0, 2), (0, 12)).astype(int).tolist()
    [[1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]
    """
    prefix, *rest = np.cumsum(-(-np.asarray([shared, *lengths], dtype=np.int64) // page) * page)
    ends = np.array(rest)
    begins, flat = np.append(prefix, ends[:-1]), np.zeros_like(ends)
    if Nq % len(lengths):
        raise InvalidInput(
            f"mask paged: each of {len(lengths):,} sequences has as many queries; there are {Nq:,}"
        )
    if ends[-1] != Nk:
        raise InvalidInput(f"mask paged: the pages hold {ends[-1]:,} keys, not {Nk:,}: give --kv {ends[-1]}")
    check_lines(max(Nq, Nk))
    starts = np.arange(len(lengths), dtype=np.int64) * (Nq // len(lengths))
    spec = f"paged:{page},{','.join(told(lengths))}" + (f",shared={shared}" if shared else "")
    own = BandMask(spec, Nk, Staircase(Nq, starts, begins, flat), Staircase(Nq, starts, ends, flat))
    first = BandMask(spec, Nk, Staircase(Nq, 0, 0, 0), Staircase(Nq, 0, int(prefix), 0))
    return combined_bands(spec, [first, own]) if shared else own
