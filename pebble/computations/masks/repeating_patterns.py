"""Sparse patterns from the literature whose pairs follow a rule at every size: windows, blocks and columns."""

from __future__ import annotations

from pebble.common.errors import InvalidInput
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.band_patterns import causal_mask, check_lines, window_mask
from pebble.computations.masks.block_toeplitz import BlockToeplitzMask
from pebble.computations.masks.sparse_patterns import check_positive
from pebble.computations.masks.staircase import Staircase
from pebble.computations.masks.union_mask import UnionMask

__all__ = ["equal_documents_mask", "fixed_mask", "longformer_mask", "strided_mask"]


def longformer_mask(N: int, window: int, global_tokens: int) -> BandMask | UnionMask:
    """A window of window/2 keys to either side, and global tokens that see all and that all see.

    Parameters
    ----------
    N : int
        Number of queries and of keys, at most 10⁹.
    window : int
        Even: half of it lies before a token and half after it; the token itself comes on top.
    global_tokens : int
        The first so many tokens are global.

    Returns
    -------
    BandMask or UnionMask
        A band without global tokens, or where all pairs are allowed.

    References
    ----------
    Beltagy, Peters, Cohan: Longformer, 2020, arXiv:2004.05150, section 3.1.

    Examples
    --------
    >>> longformer_mask(5, 2, 1).matrix((0, 5), (0, 5)).astype(int).tolist()
    [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 0, 1, 1, 1], [1, 0, 0, 1, 1]]
    """
    if window < 0 or window % 2:
        raise InvalidInput(
            f"mask longformer: half of the window lies to either side, so it is even; not {window}"
        )
    if not 0 <= global_tokens <= N:
        raise InvalidInput(f"mask longformer: there are {N:,} tokens, {global_tokens:,} cannot be global")
    check_lines(N)
    spec, side, G = f"longformer:window={window},global={global_tokens}", window // 2, global_tokens
    if G == 0:
        return _named(spec, window_mask(N, N, side, side))
    if G + side >= N - 1:
        return BandMask(spec, N, Staircase(N, 0, 0, 0), Staircase(N, 0, N, 0))
    global_keys = Staircase(N, 0, 0, 0), Staircase(N, 0, G, 0)
    global_queries = Staircase(N, [0, G], [G, N], [0, 0]), Staircase(N, 0, N, 0)
    # The other queries, and of their windows what lies behind the global keys.
    begin = Staircase.clipped(N, -side, G, N)
    end = Staircase(N, [0, G, N - side - 1], [G, G + side + 1, N], [0, 1, 0])
    return UnionMask(spec, [BandMask(spec, N, *ends) for ends in (global_keys, global_queries, (begin, end))])


def strided_mask(N: int, stride: int) -> BandMask | BlockToeplitzMask:
    """Key j ≤ i is seen if it is at most ``stride`` back, or a multiple of the stride back.

    Both heads of the strided pattern merged into one.

    Parameters
    ----------
    N : int
        Number of queries and of keys, at most 10⁹.
    stride : int

    Returns
    -------
    BandMask or BlockToeplitzMask
        A band for a stride of 1, or where no token is two strides behind another.

    References
    ----------
    Child, Gray, Radford, Sutskever: Generating Long Sequences with Sparse Transformers, 2019, arXiv:1904.10509,
    section 4.3.

    Examples
    --------
    >>> strided_mask(7, 2).matrix((6, 7), (0, 7)).astype(int).tolist()
    [[1, 0, 1, 0, 1, 1, 1]]
    """
    check_positive("strided", stride=stride)
    check_lines(N)
    spec = f"strided:{stride}"
    if stride == 1 or stride >= N - 1:
        return _named(spec, causal_mask(N, N))
    if 2 * stride >= N:
        return _named(spec, window_mask(N, N, stride))
    own, before = causal_mask(stride, stride), window_mask(stride, stride, 0, stride)
    return BlockToeplitzMask(spec, N, stride, [own, before], window_mask(stride, stride, 0))


def fixed_mask(N: int, stride: int, columns: int = 1) -> BandMask | BlockToeplitzMask:
    """Key j ≤ i is seen if it is in the query's own block, or among the last ``columns`` keys of any block.

    Both heads of the fixed pattern merged into one; blocks are ``stride`` long and begin at 0.

    Parameters
    ----------
    N : int
        Number of queries and of keys, at most 10⁹.
    stride, columns : int

    Returns
    -------
    BandMask or BlockToeplitzMask
        A band for at most two blocks, or as many columns as there are in a block.

    References
    ----------
    Child, Gray, Radford, Sutskever: Generating Long Sequences with Sparse Transformers, 2019, arXiv:1904.10509,
    section 4.3.

    Examples
    --------
    >>> fixed_mask(7, 3).matrix((6, 7), (0, 7)).astype(int).tolist()
    [[0, 0, 1, 0, 0, 1, 1]]
    """
    check_positive("fixed", stride=stride, columns=columns)
    check_lines(N)
    if columns > stride:
        raise InvalidInput(f"mask fixed: a block has {stride} keys, its last {columns} cannot be taken")
    spec = f"fixed:{stride}" + (f",{columns}" if columns > 1 else "")
    if columns == stride or stride >= N:
        return _named(spec, causal_mask(N, N))
    first = stride - columns
    if 2 * stride >= N:
        return BandMask(
            spec, N, Staircase(N, [0, stride], [0, first], [0, 0]), causal_mask(N, N).ends("i")[1]
        )
    far = BandMask(spec, stride, Staircase(stride, 0, first, 0), Staircase(stride, 0, stride, 0))
    return BlockToeplitzMask(spec, N, stride, [causal_mask(stride, stride)], far)


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
    check_positive("document", length=length, times=times)
    check_lines(length * times)
    spec = f"document:{'causal,' if causal else ''}{length}x{times}"
    start, whole = Staircase(length, 0, 0, 0), Staircase(length, 0, length, 0)
    own = causal_mask(length, length) if causal else BandMask(spec, length, start, whole)
    return BlockToeplitzMask(spec, length * times, length, [own], BandMask("none", length, start, start))


def _named(spec: str, band: BandMask) -> BandMask:
    return BandMask(spec, band.Nk, *band.ends("i"))
