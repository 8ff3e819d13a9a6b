"""What the literature states: bounds with constants, asymptotic curves, and one published exact count.

An asymptotic curve has no constant: its value is the expression under the Θ or Ω, to compare shapes with, and
its status ``"asymptotic"`` keeps it out of every assertion. The curves of FlashAttention's paper are costs of
algorithms, not lower bounds; they are here to be drawn beside them.
"""

from __future__ import annotations

from pebble.lower_bounds.published.all_pairs import (
    attenio_count,
    fast_multiplication,
    flash_attention,
    li_et_al,
    li_et_al_gradient,
    saha_ye,
    standard_attention,
)
from pebble.lower_bounds.published.curves import published_curves
from pebble.lower_bounds.published.masked import block_sparse_flash_attention, li_et_al_sparse
from pebble.lower_bounds.published.matmul_fft import (
    fft_machine_checked,
    matmul_machine_checked,
    matmul_no_recomputation,
)

__all__ = [
    "attenio_count",
    "block_sparse_flash_attention",
    "fast_multiplication",
    "fft_machine_checked",
    "flash_attention",
    "li_et_al",
    "li_et_al_gradient",
    "li_et_al_sparse",
    "matmul_machine_checked",
    "matmul_no_recomputation",
    "published_curves",
    "saha_ye",
    "standard_attention",
]
