"""The products that give dV, dK and dQ, as phases on tiles, and their cheapest tiles."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Phase, phase
from schedules._tiled_products import tiled_product

__all__ = ["GRADIENTS", "gradient_phase", "gradient_title"]

GRADIENTS = {
    "dV": ("P", "dO", ("j", "e", "i")),
    "dK": ("dS", "Q", ("j", "k", "i")),
    "dQ": ("dS", "K", ("i", "k", "j")),
}
"""Of each gradient: the weights, the values, and the axes of its rows, its columns and its chain."""


def _extent(problem: Problem, axis: str) -> int:
    return {"i": problem.Nq, "j": problem.Nk, "k": problem.d, "e": problem.dv}[axis]


def gradient_title(name: str) -> str:
    """Return the product in letters.

    >>> gradient_title("dV")
    'dV = Pᵀ·dO'
    """
    weights, values, axes = GRADIENTS[name]
    return f"{name} = {weights}{'ᵀ' if axes[0] == 'j' else ''}·{values}"


def gradient_phase(problem: Problem, name: str, rows: int, cols: int) -> Phase:
    """A gradient on tiles, its chain streamed."""
    weights, values, axes = GRADIENTS[name]
    extents = (_extent(problem, axes[0]), _extent(problem, axes[1]))
    product = tiled_product(name, weights, values, axes, (rows, cols), extents)
    return phase(f"{gradient_title(name)}, tile by tile", product)
