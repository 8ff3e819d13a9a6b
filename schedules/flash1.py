"""FlashAttention: keys outside, queries inside; outputs are read back and rewritten for every tile of keys."""

from __future__ import annotations

from pebble import Problem
from pebble.program import (
    Program,
    Tiles,
    compute,
    delete,
    largest,
    last,
    load,
    loop,
    not_first,
    not_last,
    program,
    store,
    when,
)
from schedules._paper_tiles import PaperTiles

__all__ = ["Flash1"]


class Flash1(PaperTiles):
    """FlashAttention's loop order, without initialising the accumulators and without running maxima.

    With ``cols`` alone, queries are streamed: Q a word at a time, the accumulators of one row at a time. With
    ``rows`` and ``cols``, whole tiles are loaded as in the paper's algorithm box.
    """

    name = "flash-1"
    summary = "keys outside, queries inside; outputs read back and rewritten for every tile of keys"
    source = "Dao et al. 2022, arXiv 2205.14135, Algorithm 1"
    outer = "cols"

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the largest number of keys that fit with streamed queries."""
        guess = (M - 3) // (problem.d + problem.dv + 1)
        return largest(self, problem, M, "cols", problem.Nk, guess)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``rows`` makes it load whole tiles."""
        tiles = self.check_tiles(tiles)
        cols = tiles.get("cols", problem.Nk)
        if "rows" in tiles:
            return _literal(tiles["rows"], cols, problem.stats)
        return _streamed(cols, problem.stats)


def _streamed(cols: int, stats: bool) -> Program:
    return program(
        loop(
            "j",
            cols,
            load("K", "V"),
            loop(
                "i",
                1,
                loop("k", 1, load("Q"), compute("S"), delete("Q")),
                compute("P", "S"),
                when(not_first("j"), load("l")),
                compute("l"),
                when(not_last("j"), store("l"), delete("l")),
                loop(
                    "e",
                    1,
                    when(not_first("j"), load("U")),
                    compute("U"),
                    when(not_last("j"), store("U"), delete("U")),
                    when(last("j"), compute("O", "U"), store("O"), delete("O")),
                ),
                when(last("j"), store("l") if stats else None, delete("l")),
                delete("P"),
            ),
            delete("K", "V"),
        )
    )


def _literal(rows: int, cols: int, stats: bool) -> Program:
    return program(
        loop(
            "j",
            cols,
            load("K", "V"),
            loop(
                "i",
                rows,
                load("Q"),
                when(not_first("j"), load("U", "l")),
                compute("S"),
                compute("P", "S"),
                compute("l"),
                compute("U"),
                delete("P", "Q"),
                when(not_last("j"), store("U", "l"), delete("U", "l")),
                when(
                    last("j"),
                    compute("O", "U"),
                    store("O"),
                    store("l") if stats else None,
                    delete("O", "l"),
                ),
            ),
            delete("K", "V"),
        )
    )
