"""The gradient of the weights for large caches: queries outside, everything finished before it leaves."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Phase, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._tiled_products import product_phase


class Flash2Weights(Schedule):
    """Two sweeps with rows of Q resident: f·h, c and D in the first, p and p·A2 in the second.

    About 10·N²d²/M words for the sweeps; the projections A1·X and A3·Y and the last product A1ᵀ·(p·A2) go on
    tiles of side about √M.
    """

    name = "flash-2"
    summary = "two sweeps with queries outside; projections and last product on tiles"
    source = "after Li et al. 2024, arXiv 2410.09397 (large cache) and Dao 2023, arXiv 2307.08691"
    passes = ("weights",)
    tile_names = ("rows", "grad_rows", "q_rows", "q_cols", "g_rows", "g_cols")
    tile_axes = tuple("iiikkk")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        return program(
            *(product_phase(problem, name, (size["q_rows"], size["q_cols"])) for name in ("Q", "h")),
            _output_sweep(size["rows"]),
            _gradient_sweep(size["grad_rows"]),
            product_phase(problem, "g", (size["g_rows"], size["g_cols"])),
        )


def _output_sweep(rows: int) -> Phase:
    pair = (compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P"))
    finish = loop(
        "i",
        1,
        loop(
            "e",
            1,
            compute("F", "U"),
            load("E"),
            compute("c", "E"),
            compute("D"),
            delete("F"),
            store("c"),
            delete("c"),
        ),
        store("l", "D"),
        delete("l", "D"),
        label="row",
    )
    return phase(
        "f·h, c and D; queries outside",
        loop(
            "i",
            rows,
            load("Q"),
            loop("j", 1, load("A2", "h"), loop("i", 1, *pair, label="row"), delete("A2", "h")),
            delete("Q"),
            finish,
        ),
    )


def _gradient_sweep(rows: int) -> Phase:
    pair = (
        compute("S"),
        compute("P", "S"),
        compute("f", "P"),
        compute("q"),
        compute("p", "q"),
        delete("f"),
        compute("T"),
        delete("p"),
    )
    return phase(
        "p and p·A2; queries outside",
        loop(
            "i",
            rows,
            load("Q", "c", "l", "D"),
            loop("j", 1, load("A2", "h"), loop("i", 1, *pair, label="row"), delete("A2", "h")),
            delete("Q", "c", "l", "D"),
            store("T"),
            delete("T"),
        ),
    )
