"""Causal masks, sliding windows and packed documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from pebble.common.errors import InvalidInput
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.staircase import Staircase

_MOST_LINES = 10**9
"""Sums over as many pairs fit 64 bits."""
_MOST_WRITTEN_OUT = 4
"""Equal lengths in a row that a mask's text has one by one."""


def check_lines(lines: int) -> None:
    """Refuse a mask with too many queries or keys."""
    if lines > _MOST_LINES:
        raise InvalidInput(f"a mask can have at most {_MOST_LINES:,} queries and keys, not {lines:,}")


def past_own(Nq: int, Nk: int, more: int, least: int = 0) -> Staircase:
    """Return every query's position among the keys, the last query's at the last key, plus ``more``; clipped."""
    check_lines(max(Nq, Nk))
    return Staircase.clipped(Nq, Nk - Nq + more, least, Nk)


def _zero(Nq: int) -> Staircase:
    return Staircase(Nq, 0, 0, 0)


def causal_mask(Nq: int, Nk: int) -> BandMask:
    """Query i attends to the keys up to its own position i + Nk - Nq: the last query sees all keys.

    Examples
    --------
    >>> causal_mask(2, 4).matrix((0, 2), (0, 4)).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    """
    stop = past_own(Nq, Nk, 1)
    return BandMask("causal", Nk, _zero(Nq), stop)


def window_mask(Nq: int, Nk: int, left: int, right: int = 0) -> BandMask:
    """Query i attends to the keys from ``left`` before its own position i + Nk - Nq to ``right`` after it.

    Examples
    --------
    >>> window_mask(4, 4, left=1)
    <Mask window:2: 7 of 16 pairs>
    >>> window_mask(4, 4, left=1, right=2)
    <Mask window:left=1,right=2: 12 of 16 pairs>
    """
    if left < 0 or right < 0:
        raise InvalidInput(f"a window reaches 0 or more keys to either side, not {min(left, right)}")
    spec = f"window:left={left},right={right}" if right else f"window:{left + 1}"
    return BandMask(spec, Nk, past_own(Nq, Nk, -left), past_own(Nq, Nk, right + 1))


def told(lengths: Sequence[int]) -> Iterator[str]:
    """Yield lengths as a mask's text has them: many equal ones in a row once, with their number."""
    for length, same in groupby(lengths):
        times = len(list(same))
        yield from [f"{length}x{times}"] if times > _MOST_WRITTEN_OUT else [str(length)] * times


def document_mask(lengths: Sequence[int], *, causal: bool = False) -> BandMask:
    """Sequences packed one behind the other: a query attends to the keys of its own sequence only.

    Parameters
    ----------
    lengths : sequence of int
        Numbers of tokens; their sum is Nq = Nk.
    causal : bool
        Whether a query attends only to the keys up to its own.

    Examples
    --------
    >>> document_mask([3, 1]), document_mask([3, 1], causal=True)
    (<Mask document:3,1: 10 of 16 pairs>, <Mask document:causal,3,1: 7 of 16 pairs>)
    >>> document_mask([512] * 2000)
    <Mask document:512x2000: 524288000 of 1048576000000 pairs>
    """
    if not lengths or min(lengths) < 1:
        raise InvalidInput("mask document: every sequence has at least one token, and there is at least one")
    N = sum(lengths)
    own = past_own(N, N, 1)
    sizes = np.asarray(lengths, dtype=np.int64)
    ends = np.cumsum(sizes)
    flat = np.zeros_like(ends)
    stop = own if causal else Staircase(N, ends - sizes, ends, flat)
    spec = "document:" + ",".join(["causal"] * causal + list(told(lengths)))
    return BandMask(spec, N, Staircase(N, ends - sizes, ends - sizes, flat), stop)


def equal_documents_mask(length: int, times: int, *, causal: bool = False) -> BlockToeplitzMask:
    """Packed sequences of one length: blocks on the diagonal, and no pairs elsewhere.

    The pairs are those of :func:`.document_mask`, in memory that does not follow the number of sequences.

    Parameters
    ----------
    length : int
        Tokens of a sequence.
    times : int
        How many there are; at most 10⁹ tokens in all.
    causal : bool
        Whether a query attends only to the keys up to its own.

    Examples
    --------
    >>> equal_documents_mask(100, 10**7)
    <Mask document:100x10000000: 100000000000 of 1000000000000000000 pairs>
    """
    check_lines(length * times)
    spec = f"document:{'causal,' if causal else ''}{length}x{times}"
    start, whole = Staircase(length, 0, 0, 0), Staircase(length, 0, length, 0)
    own = causal_mask(length, length) if causal else BandMask(spec, length, start, whole)
    return BlockToeplitzMask(spec, length * times, length, [own], BandMask("none", length, start, start))
