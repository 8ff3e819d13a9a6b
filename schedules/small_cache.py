"""The small-cache algorithm of Saha and Ye, as published."""

from __future__ import annotations

import math

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, load, loop, phase, program, store

__all__ = ["SmallCache"]


class SmallCache(Schedule):
    """Square tiles of side ⌊√(M/4)⌋ for both products; P is written out in between."""

    name = "small-cache"
    summary = "P, then O, on square tiles of side √(M/4), whole tiles loaded"
    source = "Saha & Ye, ICML 2024, arXiv 2402.07443, Algorithm 1"
    tile_names = ("side",)
    published_tiles = True

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the published side, ⌊√(M/4)⌋."""
        self.require(problem, M)
        return {"side": max(1, math.isqrt(M // 4))}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        side = self.check_tiles(tiles).get("side", 1)
        scores = loop("k", side, load("Q", "K"), compute("S"), delete("Q", "K"))
        output = loop("j", side, load("P", "V"), compute("U"), delete("P", "V"))
        return program(
            phase(
                "P = exp(QKᵀ) and its row sums, tile by tile",
                loop(
                    "i",
                    side,
                    loop("j", side, scores, compute("P", "S"), compute("l"), store("P"), delete("P")),
                    store("l"),
                    delete("l"),
                ),
            ),
            phase(
                "O = PV / l, tile by tile",
                loop(
                    "i",
                    side,
                    load("l"),
                    loop("e", side, output, compute("O", "U"), store("O"), delete("O")),
                    delete("l"),
                ),
            ),
        )
