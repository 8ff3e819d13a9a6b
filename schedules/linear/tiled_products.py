"""The right product of linear attention as two matrix products, each on tiles of its result."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, program
from schedules._tiled_products import product_phase

__all__ = ["TiledProducts"]


class TiledProducts(Schedule):
    """H = KᵀV on tiles of H, which is written; then O = QH on tiles of O. About 4N·d·dv/√M words for M below d²."""

    name = "tiled-products"
    summary = "H = KᵀV, then O = QH, each on tiles of its result; H is written"
    source = "Hong & Kung 1981, for each product"
    forms = ("linear",)
    tile_names = ("h_rows", "h_cols", "out_rows", "out_cols")
    tile_axes = ("k", "e", "i", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        return program(
            product_phase(problem, "H", (size["h_rows"], size["h_cols"])),
            product_phase(problem, "O", (size["out_rows"], size["out_cols"])),
        )
