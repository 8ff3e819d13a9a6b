"""The small-cache algorithm where heads share rotary words of keys: P on tiles, made of two tiles of scores."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Program, Tiles, loop, phase, program
from schedules._tiled_products import output_phase
from schedules.latent.square_tile import SquareTileLatent, weight_tiles

__all__ = ["SquareTileSharedRope"]


class SquareTileSharedRope(SquareTileLatent):
    """P tile by tile, both parts of its scores in fast memory; then the output tile by tile; head by head."""

    forms = ("shared-rope",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        out = output_phase(problem, tiles["out_rows"], tiles["out_cols"], sums=False)
        return program(
            phase(
                "P = exp(S1 + S2) and its row sums, tile by tile",
                loop("h", 1, weight_tiles(problem, tiles, "k")),
            ),
            phase(out.title, loop("h", 1, *out.body)),
        )
