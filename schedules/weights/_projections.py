"""The projections Q = A1·X and h = A3·Y, and the last product, on tiles."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Phase, phase
from schedules._tiled_products import tiled_product

__all__ = ["final_product", "projections"]


def projections(problem: Problem, tile: tuple[int, int]) -> tuple[Phase, Phase]:
    """Q = A1·X and h = A3·Y on tiles, written out."""
    extents = (problem.Nq, problem.d)
    return (
        phase("Q = A1·X, tile by tile", tiled_product("Q", "A1", "X", ("i", "k", "a"), tile, extents)),
        phase("h = A3·Y, tile by tile", tiled_product("h", "A3", "Y", ("j", "e", "b"), tile, extents)),
    )


def final_product(problem: Problem, tile: tuple[int, int]) -> Phase:
    """G = A1ᵀ·T on tiles."""
    product = tiled_product("g", "A1", "T", ("a", "k", "i"), tile, (problem.d, problem.d))
    return phase("g = A1ᵀ·T, tile by tile", product)
