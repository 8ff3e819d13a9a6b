"""Backward on tiles of the products: the standard one, and P and dS materialised in two products fewer passes."""

from __future__ import annotations

from typing import Literal

from pebble import InvalidInput, Problem, Schedule
from pebble.program import (
    Nodes,
    Phase,
    Program,
    Tiles,
    compute,
    delete,
    load,
    loop,
    phase,
    program,
    store,
)
from schedules._tiled_products import score_tiles
from schedules.backward._gradient_products import GRADIENTS, gradient_phase
from schedules.backward._loop_nests import row_sums_phase

__all__ = ["SquareTileBackward", "StandardBackward"]

_SIDES = (
    "s_rows",
    "s_cols",
    "dp_rows",
    "dp_cols",
    "dv_rows",
    "dv_cols",
    "dk_rows",
    "dk_cols",
    "dq_rows",
    "dq_cols",
)
_AXES = tuple("ijijjejkik")


def _gradients(problem: Problem, size: dict[str, int]) -> list[Phase]:
    return [
        gradient_phase(problem, name, size[f"{name.lower()}_rows"], size[f"{name.lower()}_cols"])
        for name in GRADIENTS
    ]


class StandardBackward(Schedule):
    """Five blocked products and two passes element by element, with S, P, dP and dS written out."""

    name = "standard"
    summary = "five blocked products; S, P, dP and dS written out"
    source = "Dao et al. 2022, arXiv 2205.14135, Algorithm 3, with blocked products"
    passes = ("backward",)
    tile_names = _SIDES
    tile_axes = _AXES

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        probabilities = loop("j", 1, load("S"), compute("P", "S"), store("P"), delete("P"))
        gradients = loop("j", 1, load("P", "dP"), compute("dS", "dP"), store("dS"), delete("P", "dS"))
        return program(
            _scores(problem, "S", "S = QKᵀ", size),
            phase("P = exp(S) / l", loop("i", 1, load("l"), probabilities, delete("l"))),
            phase("D, row sums of dO∘O", row_sums_phase()),
            _scores(problem, "dP", "dP = dO·Vᵀ", size),
            phase("dS = P∘(dP − D)", loop("i", 1, load("D"), gradients, delete("D"))),
            *_gradients(problem, size),
        )


class SquareTileBackward(Schedule):
    """P, then dS, made tile by tile and written once; then the three gradients on tiles; products streamed.

    About (3 + 10·d/√M)·N² words. ``side`` gives square tiles for all products.
    """

    name = "square-tile"
    summary = "small-cache with streamed products: P, dS, then the gradients, on tiles of side about √M"
    source = "after Li et al. 2024, arXiv 2410.09397, Algorithm 6; streaming derived here"
    passes = ("backward",)
    tile_names = optional_tiles = ("side", *_SIDES)
    tile_axes = ("", *_AXES)

    def smallest(self, problem: Problem) -> Tiles:
        """Return rectangles of one element."""
        return dict.fromkeys(_SIDES, 1)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; a missing size counts as ``side``.

        Raises
        ------
        InvalidInput
            If a size is missing, and ``side`` is too.
        """
        tiles = self.check_tiles(tiles)
        missing = [name for name in _SIDES if name not in tiles]
        if missing and "side" not in tiles:
            raise InvalidInput(f"{self.name}: give a size for {', '.join(missing)} too, or one for side")
        size = {**dict.fromkeys(missing, tiles.get("side", 1)), **tiles}
        probabilities = loop("i", 1, load("l"), compute("P", "S"), delete("l"), label="row")
        one = loop("j", 1, load("P"), compute("dS", "dP"), store("dS"), delete("P", "dS"), label="one")
        gradients = loop("i", 1, load("D"), one, delete("D"), label="row")
        return program(
            _scores(problem, "S", "P = exp(QKᵀ) / l", size, probabilities, store("P"), delete("P")),
            phase("D, row sums of dO∘O", row_sums_phase()),
            _scores(problem, "dP", "dS = P∘(dO·Vᵀ − D)", size, gradients),
            *_gradients(problem, size),
        )


def _scores(
    problem: Problem, result: Literal["S", "dP"], title: str, size: dict[str, int], *after: Nodes
) -> Phase:
    rows, cols = size[f"{result.lower()}_rows"], size[f"{result.lower()}_cols"]
    return phase(f"{title}, tile by tile", score_tiles(problem, result, rows, cols, *after))
