"""Backward on tiles of the products: the standard one, and P and dS materialised in two products fewer passes."""

from __future__ import annotations

from pebble import InvalidInput, Problem, Schedule
from pebble.program import Phase, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._tiled_products import product_phase, tiled_product
from schedules.backward._loop_nests import GRADIENTS, row_sums_phase

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


def _sides(size: dict[str, int], name: str) -> tuple[int, int]:
    return size[f"{name.lower()}_rows"], size[f"{name.lower()}_cols"]


def _products(problem: Problem, size: dict[str, int], *names: str) -> list[Phase]:
    return [product_phase(problem, name, _sides(size, name)) for name in names]


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
            *_products(problem, size, "S"),
            phase("P = exp(S) / l", loop("i", 1, load("l"), probabilities, delete("l"))),
            phase("D, row sums of dO∘O", row_sums_phase()),
            *_products(problem, size, "dP"),
            phase("dS = P∘(dP − D)", loop("i", 1, load("D"), gradients, delete("D"))),
            *_products(problem, size, *GRADIENTS),
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
            raise InvalidInput(
                f"{self.name} also needs tile sizes for {', '.join(missing)}; or give only side"
            )
        size = {**dict.fromkeys(missing, tiles.get("side", 1)), **tiles}
        probabilities = loop("i", 1, load("l"), compute("P", "S"), delete("l"), label="row")
        scores = tiled_product(problem, "S", _sides(size, "S"), probabilities, store("P"), delete("P"))
        one = loop("j", 1, load("P"), compute("dS", "dP"), store("dS"), delete("P", "dS"), label="one")
        gradients = loop("i", 1, load("D"), one, delete("D"), label="row")
        return program(
            phase("P = exp(Q·Kᵀ) / l, tile by tile", scores),
            phase("D, row sums of dO∘O", row_sums_phase()),
            phase(
                "dS = P∘(dO·Vᵀ − D), tile by tile",
                tiled_product(problem, "dP", _sides(size, "dP"), gradients),
            ),
            *_products(problem, size, *GRADIENTS),
        )
