"""The small-cache algorithm where the values are part of the keys: P on tiles, made of two tiles of scores."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Node, Program, Tiles, compute, delete, loop, phase, program, store
from schedules._tiled_products import output_phase, parked_sums, vector_by_vector

__all__ = ["SquareTileLatent", "weight_tiles"]


class SquareTileLatent(Schedule):
    """P tile by tile, both parts of its scores in fast memory; then the output tile by tile."""

    name = "square-tile"
    summary = "small-cache with streamed products: P, then O, on tiles"
    source = "after Saha & Ye, arXiv 2402.07443, Algorithm 1; for two parts of the scores derived here"
    forms = ("latent",)
    tile_names = ("rows", "cols", "out_rows", "out_cols")
    tile_axes = ("i", "j", "i", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        out = tiles["out_rows"], tiles["out_cols"]
        return program(
            phase(
                "P = exp(S1 + S2) and its row sums, tile by tile",
                weight_tiles(problem, tiles, "e"),
            ),
            output_phase(problem, *out, sums=False, values="Kc"),
        )


def weight_tiles(problem: Problem, tiles: Tiles, latent: str) -> Node:
    """Write P and its row sums tile by tile; ``latent`` is the axis of the first part of the scores."""
    rows, cols = tiles["rows"], tiles["cols"]
    hold_rows = min(rows, problem.Nq) <= min(cols, problem.Nk)
    parts = [
        loop(depth, 1, *vector_by_vector(result, queries, keys, ("i", "j"), hold_rows, ("query", "key")))
        for result, queries, keys, depth in (("S1", "Qc", "Kc", latent), ("S2", "Qr", "Kr", "r"))
    ]
    done = compute("P", "S1"), delete("S2"), store("P"), parked_sums(), delete("P")
    return loop("i", rows, loop("j", cols, *parts, *done))
