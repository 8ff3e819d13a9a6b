"""Backward in two passes, each with its own orientation: dK and dV with keys outside, dQ with queries outside."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Node, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._tiled_products import product_phase, scores_of_resident_rows
from schedules.backward._loop_nests import row_sums, tiles_outside


class SplitBackward(Schedule):
    """dK and dV with keys outside, then dQ with queries outside; spare room keeps rows that stream by resident.

    Seven products instead of five, and yet fewer words than FlashAttention: nothing that is not finished
    leaves fast memory. In units of N²d²/M, 4·2 for the first pass (tiles of four vectors a key, two vectors
    stream by) and 3·2 for the second, 14 in all, against 4·4 = 16 with dQ read back and rewritten.
    """

    name = "split"
    summary = "dK and dV with keys outside, then dQ with queries outside; S and dP computed twice"
    source = "derived here"
    passes = ("backward",)
    tile_names = ("cols", "rows", "pinned_queries", "pinned_keys")
    tile_axes = ("j", "i", "i", "j")
    may_be_zero = ("pinned_queries", "pinned_keys")
    resident_tiles = ("pinned_queries", "pinned_keys")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        first = tiles_outside(problem, "j", size["cols"], "kept", both=False, pinned=size["pinned_queries"])
        second = tiles_outside(problem, "i", size["rows"], "stored", both=False, pinned=size["pinned_keys"])
        return program(phase("dK and dV, keys outside", first), phase("dQ, queries outside", second))


class HybridBackward(Schedule):
    """dK and dV with keys outside, dS written on the way; then dQ = dS·K on tiles. About (9·d²/M + 2)·N²."""

    name = "hybrid"
    summary = "dK and dV with keys outside, dS written; then dQ = dS·K on tiles"
    source = "derived here"
    passes = ("backward",)
    tile_names = ("cols", "dq_rows", "dq_cols")
    tile_axes = ("j", "i", "k")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        return program(
            phase(
                "dK and dV, keys outside; dS written",
                tiles_outside(problem, "j", size["cols"], "first", both=False, store_dS=True),
            ),
            product_phase(problem, "dQ", (size["dq_rows"], size["dq_cols"])),
        )


class PFirstBackward(Schedule):
    """P with rows of Q resident; dV and dS with columns of V and dV resident; then dK and dQ on tiles.

    About (3/μ + 3 + 4/√μ)·N² words for μ = M/d² ≤ 1 and (5/μ + 5)·N² above: products fed by the same stream
    share it, and dP and dV both need dO and P.
    """

    name = "p-first"
    summary = "P, then dV and dS together, then dK and dQ on tiles; P and dS written once"
    source = "found by search for this project"
    passes = ("backward",)
    tile_names = ("rows", "cols", "dk_rows", "dk_cols", "dq_rows", "dq_cols")
    tile_axes = ("i", "j", "j", "k", "i", "k")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        return program(
            phase(
                "P = exp(QKᵀ) / l, rows of Q resident", probabilities_of_resident_rows(problem, size["rows"])
            ),
            phase("dV and dS, columns of V and dV resident", _gradient_of_scores(size["cols"])),
            product_phase(problem, "dK", (size["dk_rows"], size["dk_cols"])),
            product_phase(problem, "dQ", (size["dq_rows"], size["dq_cols"])),
        )


def probabilities_of_resident_rows(problem: Problem, rows: int) -> Node:
    """P of a block of rows of Q in fast memory, written out."""
    scores = scores_of_resident_rows(problem, rows, compute("P", "S"), store("P"), delete("P"))
    return loop("i", rows, load("Q", "l"), scores, delete("Q", "l"))


def _gradient_of_scores(cols: int) -> Node:
    pair = (
        load("P"),
        compute("dV"),
        compute("dP"),
        compute("dS", "P"),
        delete("dP"),
        store("dS"),
        delete("dS"),
    )
    work = loop("j", 1, *pair, label="key")
    rows = loop("i", 1, load("dO"), *row_sums("first", "j"), work, delete("dO", "D"))
    return loop("j", cols, load("V"), rows, store("dV"), delete("V", "dV"))
