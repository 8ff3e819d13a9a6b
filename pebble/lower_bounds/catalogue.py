"""Every lower bound and published curve that can be shown, by its permanent name."""

from __future__ import annotations

import difflib

from pebble.common.errors import InvalidInput
from pebble.lower_bounds.attention.any_order import ANY_ORDER
from pebble.lower_bounds.attention.b1 import B1
from pebble.lower_bounds.attention.b2 import B2
from pebble.lower_bounds.attention.by_parts import BY_PARTS
from pebble.lower_bounds.attention.causal_triangles import CAUSAL_TRIANGLES
from pebble.lower_bounds.attention.communication import D1_BUSIEST, D1_TOTAL, D2, D3_TOTAL, PHI
from pebble.lower_bounds.attention.compulsory import COMPULSORY
from pebble.lower_bounds.attention.large_cache import LARGE_CACHE, LARGE_CACHE_BACKWARD
from pebble.lower_bounds.attention.latent import MLA
from pebble.lower_bounds.attention.linear import LINEAR
from pebble.lower_bounds.attention.safe_softmax import S_BY_BLOCKS, S
from pebble.lower_bounds.attention.shared_rope import WITHOUT_ROPE
from pebble.lower_bounds.attention.t1 import T1
from pebble.lower_bounds.attention.t2 import T2
from pebble.lower_bounds.certified.b3 import B3
from pebble.lower_bounds.certified.b4 import B4
from pebble.lower_bounds.certified.t3 import T3
from pebble.lower_bounds.certified.t4 import T4
from pebble.lower_bounds.graph.butterfly import BUTTERFLY
from pebble.lower_bounds.graph.exhaustive import EXHAUSTIVE
from pebble.lower_bounds.graph.min_cut import CONVEX_MIN_CUT
from pebble.lower_bounds.graph.partition import PARTITIONS
from pebble.lower_bounds.graph.parts import CUTS_OF_PARTS
from pebble.lower_bounds.graph.products import PRODUCTS, PRODUCTS_ONCE
from pebble.lower_bounds.graph.spectral import SPECTRAL
from pebble.lower_bounds.levels import LEVELS
from pebble.lower_bounds.matmul_fft import (
    FFT,
    FFT_COMPULSORY,
    MATMUL,
    MATMUL_COMPULSORY,
    MATMUL_PRODUCTS,
    MATMUL_SHORT,
)
from pebble.lower_bounds.nests.statements import (
    NEST_COMPULSORY,
    NEST_ONCE_ONLY,
    NEST_PASSES,
    NEST_PROJECTIONS,
    NEST_STENCILS,
    NEST_STENCILS_ONCE_ONLY,
    NEST_SUM,
    NEST_SUM_ONCE_ONLY,
    NEST_TURNS,
)
from pebble.lower_bounds.published.all_pairs import (
    FAST_MULTIPLICATION,
    FLASH_ATTENTION,
    LI_ET_AL,
    LI_ET_AL_GRADIENT,
    SAHA_YE_CURVE,
    STANDARD_ATTENTION,
)
from pebble.lower_bounds.published.masked import BLOCK_SPARSE, LI_ET_AL_SPARSE
from pebble.lower_bounds.published.matmul_fft import (
    FFT_MACHINE_CHECKED,
    MATMUL_MACHINE_CHECKED,
    MATMUL_NO_RECOMPUTATION,
)
from pebble.lower_bounds.statement import Statement

__all__ = ["STATEMENTS", "statement"]

STATEMENTS: tuple[Statement, ...] = (
    COMPULSORY,
    T1,
    T2,
    T3,
    T4,
    B1,
    B2,
    B3,
    B4,
    BY_PARTS,
    CAUSAL_TRIANGLES,
    LARGE_CACHE,
    LARGE_CACHE_BACKWARD,
    ANY_ORDER,
    S,
    S_BY_BLOCKS,
    MLA,
    WITHOUT_ROPE,
    LEVELS,
    LINEAR,
    D1_TOTAL,
    D1_BUSIEST,
    PHI,
    D2,
    D3_TOTAL,
    MATMUL,
    MATMUL_SHORT,
    MATMUL_PRODUCTS,
    MATMUL_COMPULSORY,
    FFT,
    FFT_COMPULSORY,
    NEST_COMPULSORY,
    NEST_PROJECTIONS,
    NEST_ONCE_ONLY,
    NEST_SUM,
    NEST_SUM_ONCE_ONLY,
    NEST_TURNS,
    NEST_PASSES,
    NEST_STENCILS,
    NEST_STENCILS_ONCE_ONLY,
    CONVEX_MIN_CUT,
    SPECTRAL,
    CUTS_OF_PARTS,
    PARTITIONS,
    PRODUCTS,
    PRODUCTS_ONCE,
    BUTTERFLY,
    EXHAUSTIVE,
    MATMUL_MACHINE_CHECKED,
    MATMUL_NO_RECOMPUTATION,
    FFT_MACHINE_CHECKED,
    SAHA_YE_CURVE,
    FAST_MULTIPLICATION,
    LI_ET_AL,
    LI_ET_AL_GRADIENT,
    LI_ET_AL_SPARSE,
    FLASH_ATTENTION,
    STANDARD_ATTENTION,
    BLOCK_SPARSE,
)
"""Attention first, then other computations, any DAG, and what others publish."""


def statement(name: str) -> Statement:
    """Return the statement of a name; case, spaces and punctuation do not matter.

    Raises
    ------
    InvalidInput
        If there is none; the message has the known names and the closest one.

    Examples
    --------
    >>> statement("t1").source, statement("li-et-al-worst-pattern").authors
    ('docs/bounds.md, T1', 'Li et al. 2024')
    """
    known = {_plain(one.name): one for one in STATEMENTS}
    if (found := known.get(_plain(name))) is not None:
        return found
    close = difflib.get_close_matches(_plain(name), known, n=1)
    hint = f"; did you mean {known[close[0]].name!r}?" if close else "."
    names = "; ".join(one.name for one in STATEMENTS)
    raise InvalidInput(
        f"no bound is called {name!r}{hint} Known are pebble, the program itself, and: {names}"
    )


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
