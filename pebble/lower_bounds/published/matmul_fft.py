"""What the literature proves of matrix multiplication and of the FFT, with constants."""

from __future__ import annotations

import math
from fractions import Fraction

from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.references import LEAN, SMITH
from pebble.lower_bounds.requirements import require_no_recomputation, require_power_of_two, require_sizes
from pebble.lower_bounds.rounding import ceil_div, ceil_sqrt, log2_above
from pebble.lower_bounds.statement import Statement

__all__ = [
    "FFT_MACHINE_CHECKED",
    "MATMUL_MACHINE_CHECKED",
    "MATMUL_NO_RECOMPUTATION",
    "fft_machine_checked",
    "matmul_machine_checked",
    "matmul_no_recomputation",
]

_LEAN_SOURCE = "machine-checked (Lean), github.com/geoconuk/lean-misc-math"

MATMUL_MACHINE_CHECKED = Statement(
    "matmul, machine-checked",
    "I/O ≥ max(m·n·k/√(2M) − M, m·k + k·n + m·n)",
    "matrix product C = A·B, A m×k, B k×n, a vertex for each multiply-add",
    _LEAN_SOURCE,
    rules="recomputation allowed",
    by=LEAN,
)
MATMUL_NO_RECOMPUTATION = Statement(
    "matmul, no recomputation",
    "I/O ≥ 2·m·n·k/√M − 2M",
    "matrix product C = A·B, A m×k, B k×n, a vertex for each multiply-add",
    "Smith et al. 2019, arXiv:1702.02017",
    rules="recomputation forbidden",
    by=SMITH,
)
FFT_MACHINE_CHECKED = Statement(
    "FFT, machine-checked",
    "I/O ≥ max(n·(log₂n + 1)/(2·log₂(4M)) − M, 2n)",
    "FFT on n points, n a power of two: the butterfly",
    _LEAN_SOURCE,
    rules="recomputation allowed",
    by=LEAN,
)


def matmul_machine_checked(m: int, n: int, k: int, M: int) -> Bound:
    """Return ``max(m k n / sqrt(2 M) - M, m k + k n + m n)``, recomputation allowed.

    Examples
    --------
    >>> matmul_machine_checked(1000, 1000, 1000, 1024).value
    22096063
    """
    M = fast_memory_words(M)
    require_sizes(m=m, n=n, k=k)
    cut = ceil_sqrt(ceil_div((m * n * k) ** 2, 2 * M)) - M
    value = max(cut, m * k + k * n + m * n)
    return MATMUL_MACHINE_CHECKED.bound(value)


def matmul_no_recomputation(m: int, n: int, k: int, M: int, rules: Rules) -> Bound:
    """Return ``2 m n k / sqrt(M) - 2 M``, for pebblings that compute nothing twice.

    Raises
    ------
    BoundDoesNotApply
        If the rules allow recomputation, for which it was not proved.

    Examples
    --------
    >>> matmul_no_recomputation(1000, 1000, 1000, 1024, Rules(recomputation=False)).value
    62497952
    """
    M = fast_memory_words(M)
    require_sizes(m=m, n=n, k=k)
    require_no_recomputation(rules, "2mnk/√M − 2M")
    value = max(0, ceil_sqrt(ceil_div(4 * (m * n * k) ** 2, M)) - 2 * M)
    return MATMUL_NO_RECOMPUTATION.bound(value)


def fft_machine_checked(n: int, M: int) -> Bound:
    """Return ``max(n (log2 n + 1) / (2 log2(4 M)) - M, 2 n)``, recomputation allowed.

    Parameters
    ----------
    n : int
        Points, a power of two, at least 2.
    M : int
        Words of fast memory.

    Examples
    --------
    >>> fft_machine_checked(2**40, 16).value == 2**40 * 41 // 12 - 16 + 1
    True
    >>> fft_machine_checked(2**10, 1024).value
    2048
    """
    M = fast_memory_words(M)
    require_power_of_two(n)
    cut = math.ceil(Fraction(n * n.bit_length()) / (2 * log2_above(4 * M))) - M
    return FFT_MACHINE_CHECKED.bound(max(cut, 2 * n))
