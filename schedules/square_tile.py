"""The small-cache algorithm with streamed products, which leaves room for tiles of side about √M."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, delete, phase, program, store
from schedules._roles import each_head, exponentials, product_text, products
from schedules._tiled_products import output_from_scores, output_phase, parked_sums, tiled_product


class SquareTile(Schedule):
    """P, then O, tile by tile, the third axis of each product streamed one vector at a time.

    ``side`` gives square tiles for both products; ``rows``, ``cols``, ``out_rows`` and ``out_cols`` give
    rectangles. The row sums are parked in slow memory between tiles: that costs 2N words for every column of
    tiles, less than a column of the tile would where M is well below d².

    With safe and online softmax S is written in place of P, which is computed again where it is read; of safe softmax
    the maxima are parked.
    """

    name = "square-tile"
    summary = "small-cache with streamed products: P, then O, on tiles of side about √M"
    source = "after Saha & Ye, arXiv 2402.07443, Algorithm 1; streaming derived here"
    forms = ("plain", "safe", "online", "latent", "shared-rope")
    tile_names = optional_tiles = ("side", "rows", "cols", "out_rows", "out_cols")
    tile_axes = ("", "i", "j", "i", "e")

    def smallest(self, problem: Problem) -> Tiles:
        """Return rectangles of one element."""
        return {name: 1 for name in self.tile_names if name != "side"}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; a missing size means ``side``, or the whole side of the array."""
        tiles = self.check_tiles(tiles)
        side = tiles.get("side")
        rows = tiles.get("rows", side or problem.Nq)
        cols = tiles.get("cols", side or problem.Nk)
        out_rows, out_cols = (
            tiles.get("out_rows", side or problem.Nq),
            tiles.get("out_cols", side or problem.dv),
        )
        scores = products(problem)
        text = " + ".join(product_text(problem, name) for name in scores)
        if problem.form in ("safe", "online"):
            maxima = parked_sums("m") if problem.form == "safe" else None
            tiled = tiled_product(problem, "S", (rows, cols), maxima, store("S"), delete("S"))
            return program(
                phase(f"S = {text}, tile by tile", tiled),
                output_from_scores(problem, out_rows, out_cols),
            )
        done = *exponentials(problem), store("P"), parked_sums(), delete("P")
        tiled = tiled_product(problem, scores, (rows, cols), *done)
        return program(
            phase(f"P = exp({text}) and its row sums, tile by tile", each_head(problem, tiled)),
            output_phase(problem, out_rows, out_cols, sums=False),
        )
