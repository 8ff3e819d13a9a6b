"""FlashAttention-2's order where the values are part of the keys: each key is loaded once and used twice."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Program, Tiles, compute, delete, largest, load, loop, program
from schedules._softmax import finish

__all__ = ["Flash2Latent"]


class Flash2Latent(Schedule):
    """Queries outside, whole keys inside; a key serves the scores and, its first dv words, the output.

    Nq·(d + dv) + Nk·d·⌈Nq/rows⌉ words, in rows·(d + dv + 1) + d + 3 words of fast memory.
    """

    name = "flash-2"
    summary = "queries outside, keys inside; each key is loaded once for scores and output"
    source = "after Dao 2023, arXiv 2307.08691; as FlashMLA and others decode"
    forms = ("latent",)
    tile_names = ("rows",)
    tile_axes = ("i",)
    resident_tiles = ("rows",)

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the largest number of query rows that fit."""
        guess = (M - problem.d - 3) // (problem.d + problem.dv + 1)
        return largest(self, problem, M, "rows", problem.Nq, guess)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        rows = self.check_tiles(tiles)["rows"]
        scores = compute("S1"), compute("S2"), compute("P", "S1"), delete("S2")
        row = loop("i", 1, *scores, compute("l"), compute("U"), delete("P"), label="row")
        keys = loop("j", 1, load("Kc", "Kr"), row, delete("Kc", "Kr"))
        return program(loop("i", rows, load("Qc", "Qr"), keys, *finish(problem, "Qc", "Qr")))
