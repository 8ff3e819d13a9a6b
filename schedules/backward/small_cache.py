"""The small-cache backward algorithm of Li et al., on square tiles, whole tiles loaded."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._roles import family, product_text
from schedules.backward._loop_nests import GRADIENTS
from schedules.small_cache import PublishedSide


class SmallCacheBackward(PublishedSide):
    """Four phases on tiles of side ⌊√(M/4)⌋: P, the row sums D, dS, and the three gradients."""

    name = "small-cache"
    summary = "P, D, dS, then the gradients, on square tiles of side √(M/4), whole tiles loaded"
    source = "Li, Liang, Shi, Song & Zhou 2024, arXiv 2410.09397, Algorithm 6 (in terms of Q, K, V)"
    passes = ("backward",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        side = self.check_tiles(tiles)["side"]
        scores = loop("k", side, load("Q", "K"), compute("S"), delete("Q", "K"))
        dP = loop("e", side, load("dO", "V"), compute("dP"), delete("dO", "V"))
        gradients = []
        for name in GRADIENTS:
            array = family(problem)[name]
            step = loop(str(array.chain), side, load(*array.operands), compute(name), delete(*array.operands))
            rows, cols = array.axes
            nest = loop(rows, side, loop(cols, side, step, store(name), delete(name)))
            gradients.append(phase(f"{name} = {product_text(problem, name)}", nest))
        return program(
            phase(
                "P = exp(QKᵀ) / l",
                loop(
                    "i",
                    side,
                    load("l"),
                    loop("j", side, scores, compute("P", "S"), store("P"), delete("P")),
                    delete("l"),
                ),
            ),
            phase(
                "D, row sums of dO∘O",
                loop(
                    "i",
                    side,
                    loop("e", side, load("dO", "O"), compute("D"), delete("dO", "O")),
                    store("D"),
                    delete("D"),
                ),
            ),
            phase(
                "dS = P∘(dO·Vᵀ − D)",
                loop(
                    "i",
                    side,
                    load("D"),
                    loop(
                        "j", side, dP, load("P"), compute("dS", "dP"), delete("P"), store("dS"), delete("dS")
                    ),
                    delete("D"),
                ),
            ),
            *gradients,
        )
