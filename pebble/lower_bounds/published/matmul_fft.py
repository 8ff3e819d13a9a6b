"""What the literature proves of matrix multiplication and of the FFT, with constants."""

from __future__ import annotations

import math
from fractions import Fraction

from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.lower_bounds.bound import Bound
from pebble.lower_bounds.requirements import require_no_recomputation, require_power_of_two, require_sizes
from pebble.lower_bounds.rounding import ceil_div, ceil_sqrt, log2_above

__all__ = ["fft_machine_checked", "matmul_machine_checked", "matmul_no_recomputation"]

_LEAN = "machine-checked (Lean), github.com/geoconuk/lean-misc-math"


def matmul_machine_checked(m: int, n: int, k: int, M: int) -> Bound:
    """Return ``max(m k n / sqrt(2 M) - M, m k + k n + m n)``, recomputation allowed.

    Raises
    ------
    InvalidInput
        If a size or ``M`` is not a positive whole number.

    Examples
    --------
    >>> matmul_machine_checked(1000, 1000, 1000, 1024).value
    22096063
    """
    M = fast_memory_words(M)
    require_sizes(m=m, n=n, k=k)
    cut = ceil_sqrt(ceil_div((m * n * k) ** 2, 2 * M)) - M
    value = max(cut, m * k + k * n + m * n)
    return Bound("matmul, machine-checked", value, "proved", _LEAN, rules="recomputation allowed")


def matmul_no_recomputation(m: int, n: int, k: int, M: int, rules: Rules) -> Bound:
    """Return ``2 m n k / sqrt(M) - 2 M``, for pebblings that compute nothing twice.

    Raises
    ------
    InvalidInput
        If a size or ``M`` is not a positive whole number.
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
    source = "Smith et al. 2019, arXiv:1702.02017"
    return Bound("matmul, no recomputation", value, "proved", source, rules="recomputation forbidden")


def fft_machine_checked(n: int, M: int) -> Bound:
    """Return ``max(n (log2 n + 1) / (2 log2(4 M)) - M, 2 n)``, recomputation allowed.

    Parameters
    ----------
    n : int
        Points, a power of two, at least 2.
    M : int
        Words of fast memory.

    Raises
    ------
    InvalidInput
        If ``n`` is no power of two, or ``M`` no positive whole number.

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
    return Bound("FFT, machine-checked", max(cut, 2 * n), "proved", _LEAN, rules="recomputation allowed")
