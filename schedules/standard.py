"""Standard attention: blocked passes, scores and probabilities written out."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, delete, load, phase, program, store
from schedules._roles import products, statistics, weights_by_row
from schedules._tiled_products import output_phase, parked_sums, product_phase


class Standard(Schedule):
    """S = QKᵀ, P = exp(S) with its row sums, O = PV / l: each a pass of its own, the products in tiles.

    With safe softmax the maxima are found beside S, and parked in slow memory between tiles; with online softmax the
    factors by which sums are rescaled are written beside P.
    """

    name = "standard"
    forms = ("plain", "safe", "online", "latent")
    summary = "blocked passes, S and P written out"
    source = "Dao et al. 2022, arXiv 2205.14135, Algorithm 0, with blocked products"
    tile_names = ("rows", "cols", "out_rows", "out_cols")
    tile_axes = ("i", "j", "i", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        tile, safe, scores = (tiles["rows"], tiles["cols"]), problem.form == "safe", products(problem)
        kept = [name for name in statistics(problem) if name == "l" or (problem.stats and not safe)]
        return program(
            *(
                product_phase(
                    problem, name, tile, parked_sums("m") if safe else None, store(name), delete(name)
                )
                for name in scores
            ),
            phase(
                f"P = exp({' + '.join(scores)}) and its row sums",
                weights_by_row(problem, load("m") if safe else None, *kept),
            ),
            output_phase(problem, tiles["out_rows"], tiles["out_cols"], sums=False),
        )
