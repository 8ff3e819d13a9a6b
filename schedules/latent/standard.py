"""Standard attention where the values are part of the keys: blocked products, scores and weights written out."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, phase, program
from schedules._tiled_products import output_phase, tiled_product
from schedules.latent.naive import weights_and_row_sums

__all__ = ["StandardLatent"]


class StandardLatent(Schedule):
    """Both parts of the scores, P with its row sums, then the output: each a pass, the products in tiles."""

    name = "standard"
    summary = "blocked passes; both parts of the scores, and P, written out"
    source = "after Dao et al. 2022, arXiv 2205.14135, Algorithm 0, with blocked products"
    forms = ("latent",)
    tile_names = ("rows", "cols", "out_rows", "out_cols")
    tile_axes = ("i", "j", "i", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        shape = tiles["rows"], tiles["cols"]
        extents, labels = (problem.Nq, problem.Nk), ("query", "key")
        scores = [
            phase(
                f"{result} = {queries}·{keys}ᵀ, tile by tile",
                tiled_product(result, queries, keys, ("i", "j", depth), shape, extents, labels=labels),
            )
            for result, queries, keys, depth in (("S1", "Qc", "Kc", "e"), ("S2", "Qr", "Kr", "r"))
        ]
        out = tiles["out_rows"], tiles["out_cols"]
        return program(
            *scores,
            phase("P = exp(S1 + S2) and its row sums", weights_and_row_sums()),
            output_phase(problem, *out, sums=False, values="Kc"),
        )
