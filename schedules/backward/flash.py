"""FlashAttention's two backward orders: keys outside, dQ read back and rewritten for every tile of keys."""

from __future__ import annotations

from pebble import Problem
from pebble.program import (
    Node,
    Program,
    Tiles,
    compute,
    delete,
    load,
    loop,
    not_first,
    phase,
    program,
    resume,
    store,
    when,
)
from schedules._paper_tiles import PaperTiles
from schedules.backward._loop_nests import row_sums_phase, tiles_outside


class _KeysOutside(PaperTiles):
    """A tile of K, V, dK and dV stays while all queries pass by: what the two versions share.

    With ``cols`` alone, queries pass one row at a time and the tile's keys are handled one by one, so that one
    word each of S, P, dP and dS is held. With ``rows`` and ``cols``, whole tiles are loaded.
    """

    passes = ("backward",)
    outer = "cols"
    optional_tiles = ("rows",)

    def other_smallest(self, problem: Problem) -> tuple[Tiles, ...]:
        """Return whole tiles of one pair: dQ comes after dO has gone, which saves room where one tile has all keys."""
        return ({"rows": 1, "cols": 1},)


class Flash1Backward(_KeysOutside):
    """FlashAttention's backward pass; D is computed again for every tile of keys."""

    name = "flash-1"
    summary = "keys outside, queries inside; dQ read back and rewritten, D recomputed each time"
    source = "Dao et al. 2022, arXiv 2205.14135, Algorithm 4"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``rows`` makes it load whole tiles."""
        tiles = self.check_tiles(tiles)
        cols = tiles["cols"]
        if "rows" in tiles:
            return program(_literal(tiles["rows"], cols, stored_sums=False))
        return program(tiles_outside(problem, "j", cols, "again", both=True))


class Flash2Backward(_KeysOutside):
    """FlashAttention-2's backward pass: D computed first; dQ updated in slow memory."""

    name = "flash-2"
    summary = "D first; keys outside, queries inside, dQ updated in slow memory"
    source = "Dao 2023, arXiv 2307.08691, Algorithm 2"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``rows`` makes it load whole tiles."""
        tiles = self.check_tiles(tiles)
        cols = tiles["cols"]
        if "rows" in tiles:
            nest = _literal(tiles["rows"], cols, stored_sums=True)
        else:
            nest = tiles_outside(problem, "j", cols, "stored", both=True)
        return program(phase("D, row sums of dO∘O", row_sums_phase()), phase("dQ, dK and dV", nest))


def _literal(rows: int, cols: int, *, stored_sums: bool) -> Node:
    sums = (load("D"),) if stored_sums else (load("O"), compute("D"), delete("O"))
    return loop(
        "j",
        cols,
        load("K", "V"),
        loop(
            "i",
            rows,
            load("Q", "dO", "l"),
            sums,
            when(not_first("j"), resume("dQ")),
            compute("S"),
            compute("P", "S"),
            compute("dV"),
            compute("dP"),
            compute("dS", "dP"),
            delete("P", "D", "l", "dO"),
            compute("dK"),
            compute("dQ"),
            delete("dS", "Q"),
            store("dQ"),
            delete("dQ"),
        ),
        store("dK", "dV"),
        delete("K", "V", "dK", "dV"),
    )
