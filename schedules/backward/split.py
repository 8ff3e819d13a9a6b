"""Backward in two passes, each with its own orientation: dK and dV with keys outside, dQ with queries outside."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Node, Program, Tiles, compute, delete, largest, load, loop, phase, program, store
from schedules._tile_shapes import ceil_div
from schedules._tiled_products import scores_of_resident_rows
from schedules.backward._gradient_products import gradient_phase, gradient_tile
from schedules.backward._loop_nests import keys_outside, queries_outside, row_sums

__all__ = ["HybridBackward", "PFirstBackward", "SplitBackward", "probabilities_of_resident_rows"]


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

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the fewest tiles for each pass, cut equally, and as many resident rows as then fit."""
        self.require(problem, M)
        width, found = problem.d + problem.dv, dict(self.smallest(problem))
        guess = (M - width - 5) // (2 * width)
        found = largest(self, problem, M, "cols", problem.Nk, guess, found)
        found["cols"] = ceil_div(problem.Nk, ceil_div(problem.Nk, found["cols"]))
        small = {"rows": 1, "pinned_keys": 0}
        if found["cols"] < problem.Nk:
            guess = (M - (2 * found["cols"] + 1) * width - 5) // (width + 1)
            fixed = {**found, **small}
            found |= _pinned(self, problem, M, "pinned_queries", problem.Nq, guess, fixed)
        small = {"cols": 1, "pinned_queries": 0}
        guess = (M - width - 3) // (width + problem.d + 2)
        rows = largest(self, problem, M, "rows", problem.Nq, guess, {**small, "pinned_keys": 0})["rows"]
        found["rows"] = ceil_div(problem.Nq, ceil_div(problem.Nq, rows))
        if found["rows"] < problem.Nq:
            guess = (M - found["rows"] * (width + problem.d + 2) - width - 3) // width
            fixed = {**found, **small}
            found |= _pinned(self, problem, M, "pinned_keys", problem.Nk, guess, fixed)
        return found

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        first = keys_outside(problem, size["cols"], "kept", dQ=False, pinned=size["pinned_queries"])
        second = queries_outside(problem, size["rows"], "stored", gradients=False, pinned=size["pinned_keys"])
        return program(phase("dK and dV, keys outside", first), phase("dQ, queries outside", second))


def _pinned(
    schedule: Schedule, problem: Problem, M: int, name: str, high: int, guess: int, fixed: Tiles
) -> dict[str, int]:
    """Return the largest number of resident rows that fits, perhaps none."""
    if guess < 1 and schedule.room_told(problem, {**fixed, name: 1}) > M:
        return {name: 0}
    found = largest(schedule, problem, M, name, high, guess, fixed)[name]
    return {name: found if schedule.measure(problem, {**fixed, name: found}).peak <= M else 0}


class HybridBackward(Schedule):
    """dK and dV with keys outside, dS written on the way; then dQ = dS·K on tiles. About (9·d²/M + 2)·N²."""

    name = "hybrid"
    summary = "dK and dV with keys outside, dS written; then dQ = dS·K on tiles"
    source = "derived here"
    passes = ("backward",)
    tile_names = ("cols", "dq_rows", "dq_cols")
    tile_axes = ("j", "i", "k")

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest tiles for each of the two passes."""
        self.require(problem, M)
        width = problem.d + problem.dv
        dq_rows, dq_cols = gradient_tile(problem, "dQ", M)
        fixed = {"dq_rows": 1, "dq_cols": 1}
        cols = largest(self, problem, M, "cols", problem.Nk, (M - width - 5) // (2 * width), fixed)
        return {**cols, "dq_rows": dq_rows, "dq_cols": dq_cols}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        return program(
            phase(
                "dK and dV, keys outside; dS written",
                keys_outside(problem, size["cols"], "first", dQ=False, store_dS=True),
            ),
            gradient_phase(problem, "dQ", size["dq_rows"], size["dq_cols"]),
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

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest tiles for each phase."""
        self.require(problem, M)
        d, dv = problem.d, problem.dv
        rows = max((M - 2) // (d + 2), (M - 2 - d) // (d + 1))
        found = largest(self, problem, M, "rows", problem.Nq, rows, self.smallest(problem))
        found = largest(self, problem, M, "cols", problem.Nk, (M - dv - 5) // (2 * dv), found)
        found["dk_rows"], found["dk_cols"] = gradient_tile(problem, "dK", M)
        found["dq_rows"], found["dq_cols"] = gradient_tile(problem, "dQ", M)
        return found

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        return program(
            phase(
                "P = exp(QKᵀ) / l, rows of Q resident", probabilities_of_resident_rows(problem, size["rows"])
            ),
            phase("dV and dS, columns of V and dV resident", _gradient_of_scores(size["cols"])),
            gradient_phase(problem, "dK", size["dk_rows"], size["dk_cols"]),
            gradient_phase(problem, "dQ", size["dq_rows"], size["dq_cols"]),
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
