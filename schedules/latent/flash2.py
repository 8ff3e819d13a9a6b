"""FlashAttention-2's order where the values are part of the keys: each key is loaded once and used twice."""

from __future__ import annotations

from pebble import Problem
from pebble.program import Program, Tiles, delete, load, loop, program
from schedules._paper_tiles import PaperTiles
from schedules._softmax import finish
from schedules.flash2 import key_work, whole_tiles

__all__ = ["Flash2Latent"]


class Flash2Latent(PaperTiles):
    """Queries outside, whole keys inside; a key serves the scores and, its first dv words, the output.

    Nq·(d + dv) + Nk·d·⌈Nq/rows⌉ words, in rows·(d + dv + 1) + d + 3 words of fast memory. With ``cols`` whole tiles of
    keys are loaded, 64 × 64 in FlashMLA: the same words, in rows·(d + dv + 1) + cols·d + 2·rows·cols + 1.
    """

    name = "flash-2"
    summary = "queries outside, keys inside; each key is loaded once for scores and output"
    source = "after Dao 2023, arXiv 2307.08691; as FlashMLA and others decode"
    forms = ("latent",)
    outer = "rows"
    optional_tiles = ("cols",)
    presets = ("literal",)
    resident_tiles = ("rows",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``cols`` makes it load whole tiles."""
        tiles = self.check_tiles(tiles)
        queries, keys = ("Qc", "Qr"), ("Kc", "Kr")
        if "cols" in tiles:
            return program(whole_tiles(problem, tiles["rows"], tiles["cols"], queries, keys))
        key = loop("j", 1, load(*keys), key_work(problem, by_row=True), delete(*keys))
        return program(loop("i", tiles["rows"], load(*queries), key, *finish(problem, *queries)))
