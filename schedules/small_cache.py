"""The small-cache algorithm of Saha and Ye, as published."""

from __future__ import annotations

import math

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._tiled_products import output_from_score_tiles


class PublishedSide(Schedule):
    """Square tiles of the published side, ⌊√(M/4)⌋; less where that does not fit."""

    tile_names = ("side",)
    published_tiles = True

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the published side, or the greatest below it that fits."""
        self.require(problem, M)
        side = max(1, min(math.isqrt(M // 4), self.greatest(problem)["side"]))
        while side > 1 and self.measure(problem, {"side": side}).peak > M:
            side -= 1
        return {"side": side}


class SmallCache(PublishedSide):
    """Square tiles of side ⌊√(M/4)⌋ for both products; P is written out in between.

    With safe and online softmax S is written in place of P, and of safe softmax the maxima.
    """

    name = "small-cache"
    summary = "P, then O, on square tiles of side √(M/4), whole tiles loaded"
    source = "Saha & Ye, ICML 2024, arXiv 2402.07443, Algorithm 1"
    forms = ("plain", "safe", "online")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        side = self.check_tiles(tiles)["side"]
        scores = loop("k", side, load("Q", "K"), compute("S"), delete("Q", "K"))
        if problem.form != "plain":
            most = ("m",) if problem.form == "safe" else ()
            rows = loop("j", side, scores, compute(*most) if most else None, store("S"), delete("S"))
            ends = (store(*most), delete(*most)) if most else ()
            return program(
                phase("S = QKᵀ, tile by tile", loop("i", side, rows, *ends)),
                output_from_score_tiles(problem, side),
            )
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
