"""Standard attention: three blocked passes, scores and probabilities written out."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._softmax import exponentials, statistics, used_up
from schedules._tiled_products import output_phase, parked_sums, score_tiles

__all__ = ["Standard"]


class Standard(Schedule):
    """S = QKᵀ, P = exp(S) with its row sums, O = PV / l: each a pass of its own, the products in tiles.

    With safe softmax the maxima are found beside S, and parked in slow memory between tiles; with online softmax the
    factors by which sums are rescaled are written beside P.
    """

    name = "standard"
    forms = ("plain", "safe", "online")
    summary = "three blocked passes, S and P written out"
    source = "Dao et al. 2022, arXiv 2205.14135, Algorithm 0, with blocked products"
    tile_names = ("rows", "cols", "out_rows", "out_cols")
    tile_axes = ("i", "j", "i", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        rows, cols = tiles["rows"], tiles["cols"]
        out_rows, out_cols = tiles["out_rows"], tiles["out_cols"]
        safe, made = problem.form == "safe", used_up(problem)
        done = parked_sums("m") if safe else None, store("S"), delete("S")
        row = loop("j", 1, load("S"), *exponentials(problem), compute("l"), store(*made), delete(*made))
        kept = [name for name in statistics(problem) if name == "l" or (problem.stats and not safe)]
        ends = store(*kept), delete(*statistics(problem))
        return program(
            phase("S = QKᵀ, tile by tile", score_tiles(problem, "S", rows, cols, *done)),
            phase("P = exp(S) and its row sums", loop("i", 1, load("m") if safe else None, row, *ends)),
            output_phase(problem, out_rows, out_cols, sums=False),
        )
