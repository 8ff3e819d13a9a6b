"""Tile shapes of products on tiles: those for which the fewest words move."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble import Problem
from schedules._softmax import score_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "best_output_tile",
    "best_rectangles",
    "best_tile",
    "ceil_div",
    "cheapest",
    "cuts_otherwise",
    "square_side",
]

_EVERY_SIDE = 1 << 17
"""Up to here every side of a tile is tried; beyond it, as many again on a logarithmic scale."""


def ceil_div(a: Any, b: Any) -> Any:
    """Return ⌈a/b⌉, for whole numbers or arrays of them (as floats, exact below 2⁵³)."""
    return -(-a // b)


def cuts_otherwise(extent: int, parts: int) -> bool:
    """Whether fewer parts of equal length than so many never are of that length.

    Examples
    --------
    >>> [parts for parts in range(1, 9) if cuts_otherwise(8, parts)]
    [1, 2, 3, 4, 8]
    """
    return bool(ceil_div(extent, ceil_div(extent, parts)) == parts)


def square_side(M: int) -> int:
    """Return the side of the largest square tile with B² + B + 2 ≤ M."""
    side = (math.isqrt(4 * M - 7) - 1) // 2 if M > 2 else 0
    return max(side, 1)


def cheapest(
    rows: NDArray[np.int64], cols: NDArray[np.int64], cost: Callable[[Any, Any], Any]
) -> tuple[int, int]:
    """Return the pair with the least exact cost; floats only narrow the choice."""
    values = cost(rows.astype(float), cols.astype(float))
    near = np.flatnonzero(values <= values.min() * (1 + 1e-9))
    return min(((int(rows[i]), int(cols[i])) for i in near), key=lambda pair: cost(*pair))


def best_tile(extents: tuple[int, int, int], M: int, parked: int = 0, *, beside: int = 2) -> tuple[int, int]:
    """Return the rows and columns of a product's tile for which the fewest words move.

    Parameters
    ----------
    extents : (int, int, int)
        Rows and columns of the result, and the length of the streamed axis.
    M : int
        Words of fast memory.
    parked : int
        Words that move besides for each row of the result and each column of tiles.
    beside : int
        Words of fast memory besides the tile and its shorter side: one that passes by, and one for a sum that moves on.
    """
    n_rows, n_cols, depth = extents
    most = min(math.isqrt(M), max(n_rows, n_cols))
    sides = np.arange(1, min(most, _EVERY_SIDE) + 1, dtype=np.int64)
    if most > _EVERY_SIDE:
        sides = np.unique(np.append(sides, np.geomspace(_EVERY_SIDE, most, _EVERY_SIDE).astype(np.int64)))
    other = (M - beside - sides) // sides
    sides, other = sides[other >= sides], other[other >= sides]
    if not len(sides):
        return 1, 1
    rows = np.minimum(np.concatenate([sides, other]), n_rows)
    cols = np.minimum(np.concatenate([other, sides]), n_cols)

    def cost(r: Any, c: Any) -> Any:
        trips = ceil_div(n_cols, c)
        return n_rows * depth * trips + n_cols * depth * ceil_div(n_rows, r) + parked * n_rows * trips

    return cheapest(rows, cols, cost)


def best_output_tile(problem: Problem, M: int, *, sums: bool) -> tuple[int, int]:
    """Return the rows and columns of the tile of O for which the fewest words of P, V and row sums move."""
    width = problem.dv + (1 if sums else 0)
    widths = np.array(
        sorted({ceil_div(width, n) for n in range(1, width + 1)} - ({1} if sums else set())), dtype=np.int64
    )
    # Scores are held for each row, or a row of V and the words of one score.
    score = score_words(problem)
    rows = np.maximum((M - 1 - score - widths) // widths, (M - 2) // (widths + score))
    rows = np.minimum(rows, problem.Nq)
    widths, rows = widths[rows >= 1], rows[rows >= 1]
    if not len(widths):
        return 1, 2 if sums else 1

    def cost(r: Any, c: Any) -> Any:
        trips = ceil_div(width, c)
        row_sums = trips if not sums else trips * (trips > 1) + problem.stats * (trips == 1)
        return (
            score * problem.pairs * trips
            + problem.Nk * problem.dv * ceil_div(problem.Nq, r)
            + problem.Nq * row_sums
        )

    return cheapest(rows, widths, cost)


def best_rectangles(problem: Problem, M: int) -> dict[str, int]:
    """Return the cheapest tiles of S, where row sums are parked between tiles, and of O."""
    rows, cols = best_tile((problem.Nq, problem.Nk, problem.d), M, parked=2)
    out_rows, out_cols = best_output_tile(problem, M, sums=False)
    return {"rows": rows, "cols": cols, "out_rows": out_rows, "out_cols": out_cols}
