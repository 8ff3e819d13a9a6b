"""The two products of attention as separate phases, and the tiles that move the fewest words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pebble import Problem
from pebble.program import Node, Nodes, Phase, compute, delete, load, loop, phase, store

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "best_output_tile",
    "best_score_tile",
    "best_tile",
    "ceil_div",
    "output_phase",
    "score_nest",
    "square_side",
]


_EVERY_SIDE = 1 << 17
"""Up to here every side of a tile is tried, beyond it so many more on a logarithmic scale."""


def ceil_div(a: Any, b: Any) -> Any:
    """⌈a/b⌉, for whole numbers or arrays of them (as floats, exact below 2⁵³)."""
    return -(-a // b)


def score_nest(problem: Problem, rows: int, cols: int, *after: Nodes) -> Node:
    """S tile by tile, the head dimension streamed: one column of the shorter side held, the other word by word.

    ``after`` stands inside the loops over ``i`` and ``j``, where a tile of S is complete. Room: the tile, its
    shorter side, and two words.
    """
    if min(rows, problem.Nq) <= min(cols, problem.Nk):
        inner = loop("j", 1, load("K"), compute("S"), delete("K"), label="key")
        step = (load("Q"), inner, delete("Q"))
    else:
        inner = loop("i", 1, load("Q"), compute("S"), delete("Q"), label="query")
        step = (load("K"), inner, delete("K"))
    return loop("i", rows, loop("j", cols, loop("k", 1, *step), *after))


def output_phase(problem: Problem, rows: int, cols: int, *, sums: bool) -> Phase:
    """O tile by tile, the keys streamed; the row sums are read, or computed on the way.

    Parameters
    ----------
    problem : Problem
    rows, cols : int
        Words per row and rows of an output tile. With ``sums``, one word of each row of the first tile is its
        row sum, so ``cols`` must be at least 2 and the first tile has ``cols - 1`` columns.
    sums : bool
        Whether the row sums are computed in this phase.

    Notes
    -----
    Room: the tile, its shorter side, and two words.
    """
    hold_values = min(cols, problem.dv) <= min(rows, problem.Nq)
    if not sums:
        body = _output_tiles(problem, cols, hold_values, "read", 0, None)
    else:
        split = min(cols - 1, problem.dv)
        more = split < problem.dv
        body = (
            *_output_tiles(problem, cols, hold_values, "store" if more else "compute", 0, split),
            *(_output_tiles(problem, cols, hold_values, "read", split, None) if more else ()),
        )
    return phase("O = PV / l, tile by tile", loop("i", rows, *body))


def _output_tiles(
    problem: Problem, cols: int, hold_values: bool, sums: str, start: int, stop: int | None
) -> tuple[Node, ...]:
    work = compute("l") if sums != "read" else None
    if hold_values:
        inner = loop("i", 1, load("P"), work, compute("U"), delete("P"), label="row")
        step: tuple[Nodes, ...] = (load("V"), inner, delete("V"))
    else:
        inner = loop("e", 1, load("V"), compute("U"), delete("V"), label="column")
        step = (load("P"), work, inner, delete("P"))
    keep = sums == "store" or (sums == "compute" and problem.stats)
    finish = loop(
        "i",
        1,
        load("l") if sums == "read" else None,
        compute("O", "U"),
        store("O"),
        store("l") if keep else None,
        delete("O", "l"),
        label="row",
    )
    tile = cols if sums == "read" else (stop or problem.dv)
    return (loop("e", tile, loop("j", 1, *step), finish, start=start, stop=stop),)


def square_side(M: int) -> int:
    """Side of the largest square tile with B² + B + 2 ≤ M."""
    side = (math.isqrt(4 * M - 7) - 1) // 2 if M > 2 else 0
    return max(side, 1)


def _cheapest(
    rows: NDArray[np.int64], cols: NDArray[np.int64], cost: Callable[[Any, Any], Any]
) -> tuple[int, int]:
    """Return the pair with the least exact cost; floats only narrow the field."""
    values = cost(rows.astype(float), cols.astype(float))
    near = np.flatnonzero(values <= values.min() * (1 + 1e-9))
    return min(((int(rows[i]), int(cols[i])) for i in near), key=lambda pair: cost(*pair))


def best_tile(extents: tuple[int, int, int], M: int, parked: int = 0) -> tuple[int, int]:
    """Rows and columns of a product's tile for which the fewest words move.

    Parameters
    ----------
    extents : (int, int, int)
        Rows and columns of the result, and the length of the streamed axis.
    M : int
        Words of fast memory; the tile takes its size, its shorter side, and two words.
    parked : int
        Words moved besides for each row and each column of tiles.
    """
    n_rows, n_cols, depth = extents
    most = min(math.isqrt(M), max(n_rows, n_cols))
    sides = np.arange(1, min(most, _EVERY_SIDE) + 1, dtype=np.int64)
    if most > _EVERY_SIDE:
        sides = np.unique(np.append(sides, np.geomspace(_EVERY_SIDE, most, _EVERY_SIDE).astype(np.int64)))
    other = (M - 2 - sides) // sides
    sides, other = sides[other >= sides], other[other >= sides]
    if not len(sides):
        return 1, 1
    rows = np.minimum(np.concatenate([sides, other]), n_rows)
    cols = np.minimum(np.concatenate([other, sides]), n_cols)

    def cost(r: Any, c: Any) -> Any:
        trips = ceil_div(n_cols, c)
        return n_rows * depth * trips + n_cols * depth * ceil_div(n_rows, r) + parked * n_rows * trips

    return _cheapest(rows, cols, cost)


def best_score_tile(problem: Problem, M: int) -> tuple[int, int]:
    """Rows and columns of the S tile for which the fewest words of Q, K and parked row sums move."""
    return best_tile((problem.Nq, problem.Nk, problem.d), M, parked=2)


def best_output_tile(problem: Problem, M: int, *, sums: bool) -> tuple[int, int]:
    """Rows and words per row of the O tile for which the fewest words of P, V and row sums move."""
    width = problem.dv + (1 if sums else 0)
    widths = np.array(
        sorted({ceil_div(width, n) for n in range(1, width + 1)} - ({1} if sums else set())), dtype=np.int64
    )
    rows = np.maximum((M - 2 - widths) // widths, np.minimum((M - 2) // (widths + 1), widths))
    rows = np.minimum(rows, problem.Nq)
    widths, rows = widths[rows >= 1], rows[rows >= 1]
    if not len(widths):
        return 1, 2 if sums else 1

    def cost(r: Any, c: Any) -> Any:
        trips = ceil_div(width, c)
        row_sums = trips if not sums else trips * (trips > 1) + problem.stats * (trips == 1)
        return (
            problem.pairs * trips + problem.Nk * problem.dv * ceil_div(problem.Nq, r) + problem.Nq * row_sums
        )

    return _cheapest(rows, widths, cost)
