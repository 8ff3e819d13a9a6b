"""Lower bounds with proved constants for matrix multiplication and for the FFT."""

from __future__ import annotations

import math
from functools import partial

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.lower_bounds.bound import HONG_KUNG, LOOMIS_WHITNEY, Bound, Statement, applicable
from pebble.lower_bounds.cutting import Cut, best_cut, best_start
from pebble.lower_bounds.requirements import require_power_of_two, require_sizes

MATMUL = Statement(
    "matmul",
    "I/O ≥ M + 1 + X·(⌈m·n·k / F(M + X)⌉ − 1), F(T) = ⌊(T/3)^(3/2)⌋, for every integer X ≥ 1 with at least two "
    "segments",
    "matrix product C = A·B, A m×k, B k×n, a vertex for each multiply-add, chains in any fixed order",
    "docs/proofs/forward.md, matrix multiplication",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)
MATMUL_SHORT = Statement(
    "matmul, short side",
    "I/O > (1 − γ)·m·n·k/s + M + (n' − 1)·(X − 1), γ = s²/M, n' = ⌈m·n·k / ⌊((M + X)/3)^(3/2)/√γ⌋⌉ ≥ 2, for "
    "every integer X ≥ 1",
    "matrix product C = A·B, A m×k, B k×n, a vertex for each multiply-add; s is one of m, n, k with s² ≤ M",
    "docs/proofs/forward.md, short sides",
    status="machine-checked",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)
MATMUL_PRODUCTS = Statement(
    "matmul, products apart",
    "I/O ≥ M + 1 + X·(⌈m·n·k / F(M + X)⌉ − 1), F(T) = ⌊max(T, (T/3)^(3/2))⌋, for every integer X ≥ 1 with at least "
    "two segments",
    "matrix product C = A·B, A m×k, B k×n, every product and every sum a vertex of its own",
    "docs/proofs/graphs.md, matrix product",
    after=(HONG_KUNG, LOOMIS_WHITNEY),
)
MATMUL_COMPULSORY = Statement(
    "matmul compulsory",
    "I/O ≥ m·k + k·n + m·n",
    "matrix product C = A·B, A m×k, B k×n, a vertex for each multiply-add",
    "docs/proofs/forward.md, compulsory",
    status="machine-checked",
)
FFT = Statement(
    "FFT",
    "I/O ≥ n + M + 1 + X·(⌈n·log₂n / F(M + X)⌉ − 1), F(T) twice the number of one-bits in 0, …, T − 1 (at most "
    "T·log₂T), for every integer X ≥ 1 with at least two segments",
    "FFT on n points, n a power of two: the butterfly",
    "docs/proofs/forward.md, FFT",
    status="machine-checked",
    after=(HONG_KUNG,),
)
FFT_COMPULSORY = Statement(
    "FFT compulsory",
    "I/O ≥ 2n",
    "FFT on n points, n a power of two: the butterfly",
    "docs/proofs/forward.md, compulsory",
    status="machine-checked",
)


def matmul(m: int, n: int, k: int, M: int) -> Bound:
    """Return the best bound of this module for C = A B, with A of shape ``(m, k)`` and B of shape ``(k, n)``.

    The DAG has one vertex per multiply-add, each entry of C a chain of ``k`` of them in any fixed order.
    Recomputation is allowed.

    It is the greatest of :func:`matmul_compulsory`, :func:`matmul_cut` and, for each side that is at most
    ``sqrt(M)``, :func:`matmul_short`.

    Examples
    --------
    >>> matmul(1000, 1000, 1000, 1024).value
    62501015
    >>> matmul(100, 100, 2, 104).value, matmul(100, 100, 2, 104).name
    (10484, 'matmul, short side')
    """
    bounds = [matmul_compulsory(m, n, k, M), matmul_cut(m, n, k, M)]
    for side in {m, n, k}:
        bounds += applicable([partial(_short, m * n * k)], side, M)
    return max(bounds, key=lambda bound: bound.value)


def matmul_compulsory(m: int, n: int, k: int, M: int) -> Bound:
    """Every entry of A and B loaded, every entry of C stored: ``mk + kn + mn`` words.

    >>> matmul_compulsory(2, 3, 4, 10).value
    26
    """
    M = fast_memory_words(M)
    require_sizes(m=m, n=n, k=k)
    return MATMUL_COMPULSORY.bound(m * k + k * n + m * n)


def matmul_cut(m: int, n: int, k: int, M: int) -> Bound:
    """Cut by loads and by starts of entries of C: leading term ``2 m n k / sqrt(M)``.

    Examples
    --------
    >>> matmul_cut(1000, 1000, 1000, 1024).value
    62501015
    """
    cut = matmul_best_cut(m, n, k, M)
    return MATMUL.bound(cut.moves, str(cut))


def matmul_best_cut(m: int, n: int, k: int, M: int) -> Cut:
    """Return the cutting that gives :func:`matmul_cut`."""
    M = fast_memory_words(M)
    require_sizes(m=m, n=n, k=k)
    return best_cut(m * n * k, M, _box_events, 2 * M)


def matmul_short(m: int, n: int, k: int, M: int) -> Bound:
    """Bound for short chains, ``k <= sqrt(M)``: leading term ``m n + m n k**2 / M``.

    The first loads (or starts) of a matrix's entries are charged ``k**2 / M`` each, the rest of them is
    gained outright. :func:`matmul` also uses it with the sides exchanged, for A or B instead of C.

    Examples
    --------
    >>> matmul_short(1000, 1000, 8, 1024).value
    1063455
    """
    M = fast_memory_words(M)
    require_sizes(m=m, n=n, k=k)
    return _short(m * n * k, k, M)


def _short(W: int, side: int, M: int) -> Bound:
    """Discount the matrix of ``W / side`` entries; see docs/proofs/forward.md, short sides."""
    cut = short_side_cut(W, side, M)
    gained = (W // side) * (M - side * side) // M
    value = gained + M + cut.cuts * (cut.X - 1) + 1
    return MATMUL_SHORT.bound(value, f"side {side}, {cut}")


def short_side_cut(W: int, side: int, M: int) -> Cut:
    """Return the cutting of ``W`` multiply-adds where entries without the side weigh ``side**2 / M``."""
    if side * side > M:
        raise BoundDoesNotApply(f"the bound for a short side needs side² <= M; here {side}² > {M}")
    cut = best_cut(W, M, lambda T: math.isqrt(T**3 * M // (27 * side * side)), 2 * M)
    if cut.X < 1:
        raise BoundDoesNotApply(
            f"the bound for a short side needs more than one segment; all {W} multiply-adds fit into one"
        )
    return cut


def matmul_with_products(m: int, n: int, k: int, M: int) -> Bound:
    """Cut for products and sums as separate vertices: leading term ``2 m n k / sqrt(M)``.

    Parameters
    ----------
    m, n, k : int
        Shape; element (i, j) is the sum of k products, added one after the other.
    M : int
        Words of fast memory.

    Notes
    -----
    Events are the first product and the sums of each element. One of them needs the product that it adds, held
    or loaded (one word for one event) or computed from its two factors: a segment that reaches T words has at
    most ``max(T, (T/3)**1.5)`` of them. See docs/proofs/graphs.md.

    Examples
    --------
    >>> matmul_with_products(64, 64, 64, 256).value
    33017
    """
    cut = best_cut(m * n * k, M, lambda T: max(T, _box_events(T)), 2 * M)
    return MATMUL_PRODUCTS.bound(cut.moves, str(cut))


def fft(n: int, M: int) -> Bound:
    """Return the best bound of this module for the FFT on ``n`` points, recomputation allowed.

    The DAG is the butterfly: ``log2 n`` levels of ``n`` vertices above ``n`` inputs, two predecessors each.

    It is the greater of :func:`fft_compulsory` and :func:`fft_cut`.

    Examples
    --------
    >>> fft(2**20, 1024).value
    2511397
    """
    return max(fft_compulsory(n, M), fft_cut(n, M), key=lambda bound: bound.value)


def fft_compulsory(n: int, M: int) -> Bound:
    """Every input loaded and every output stored: ``2 n`` words.

    >>> fft_compulsory(8, 4).value
    16
    """
    M = fast_memory_words(M)
    require_power_of_two(n)
    return FFT_COMPULSORY.bound(2 * n)


def fft_cut(n: int, M: int) -> Bound:
    """Cut by loads; a segment that reaches ``T`` words computes at most :func:`fft_events` new vertices.

    Examples
    --------
    >>> fft_cut(16, 4).value
    33
    """
    cut = fft_best_cut(n, M)
    return FFT.bound(n + cut.moves, f"h = {cut.cuts} cuts, one every X = {cut.X} loads")


def fft_best_cut(n: int, M: int) -> Cut:
    """Return the cutting that gives :func:`fft_cut`; its moves are loads."""
    M = fast_memory_words(M)
    require_power_of_two(n)
    levels = n.bit_length() - 1
    X = best_start(M, fft_events, 1, M * (4 + M.bit_length()))
    return best_cut(n * levels, M, fft_events, X)


def fft_events(T: int) -> int:
    """The most other vertices of a butterfly that ``T`` vertices can dominate.

    Twice the number of one-bits in ``0, 1, ..., T - 1``: at most ``T log2 T``, equal at powers of two.

    >>> [fft_events(T) for T in range(9)]
    [0, 0, 2, 4, 8, 10, 14, 18, 24]
    """
    ones = 0
    for bit in range(T.bit_length()):
        half = 1 << bit
        ones += (T >> bit + 1 << bit) + max(0, (T & 2 * half - 1) - half)
    return 2 * ones


def _box_events(T: int) -> int:
    return math.isqrt(T**3 // 27)
