"""Standard attention: three blocked passes, scores and probabilities written out."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._tile_shapes import best_rectangles
from schedules._tiled_products import output_phase, score_tiles

__all__ = ["Standard"]


class Standard(Schedule):
    """S = QKᵀ, P = exp(S) with its row sums, O = PV / l: each a pass of its own, the products in tiles."""

    name = "standard"
    summary = "three blocked passes, S and P written out"
    source = "Dao et al. 2022, arXiv 2205.14135, Algorithm 0, with blocked products"
    tile_names = ("rows", "cols", "out_rows", "out_cols")
    tile_axes = ("i", "j", "i", "e")

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest rectangles for each product."""
        self.require(problem, M)
        return best_rectangles(problem, M)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; a missing size means the whole side."""
        tiles = self.check_tiles(tiles)
        rows, cols = tiles.get("rows", problem.Nq), tiles.get("cols", problem.Nk)
        out_rows, out_cols = tiles.get("out_rows", problem.Nq), tiles.get("out_cols", problem.dv)
        row = loop("j", 1, load("S"), compute("P", "S"), compute("l"), store("P"), delete("P"))
        return program(
            phase("S = QKᵀ, tile by tile", score_tiles(problem, "S", rows, cols, store("S"), delete("S"))),
            phase("P = exp(S) and its row sums", loop("i", 1, row, store("l"), delete("l"))),
            output_phase(problem, out_rows, out_cols, sums=False),
        )
