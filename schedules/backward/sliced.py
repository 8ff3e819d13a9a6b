"""Backward with dP in two slices of the head dimension: the second one shares its words of dO with half of dV."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import Node, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._tiled_products import product_phase, tiled_product
from schedules.backward._loop_nests import row_sums_phase
from schedules.backward.split import probabilities_of_resident_rows


class SlicedBackward(Schedule):
    """P; half of dP; the other half with that half of dV, and dS; the rest of dV; then dK and dQ on tiles.

    A slice of d/2 columns lets a tile have twice as many keys: dP and dV take 1/μ + 5 words a pair instead of 2/μ + 2
    or 4/√μ + 2, for μ = M/d². Cheapest between μ = 1/9 and 1/3.
    """

    name = "dp-sliced"
    summary = "P, half of dP, the other half with half of dV and dS, the rest of dV; then dK and dQ on tiles"
    source = "found by search for this project"
    passes = ("backward",)
    tile_names = (
        *("p_rows", "p_cols", "dp_cols", "ds_cols", "dv_cols"),
        *("dk_rows", "dk_cols", "dq_rows", "dq_cols"),
    )
    tile_axes = tuple("ijjjjjkik")
    may_be_zero = ("p_cols",)

    def smallest(self, problem: Problem) -> Tiles:
        """Return tiles of one element, and one row of Q."""
        return {**dict.fromkeys(self.tile_names, 1), "p_cols": 0}

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; with ``p_cols`` 0, rows of Q stay while P is made."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}
        half = problem.dv // 2
        return program(
            phase("P = exp(QKᵀ) / l", _probabilities(problem, size["p_rows"], size["p_cols"])),
            phase("D, row sums of dO∘O", row_sums_phase()),
            *([phase("first half of dP", _half_of_dP(size["dp_cols"], half))] if half else []),
            phase("dP and half of dV; dS", _rest_of_dP(size["ds_cols"], half, problem.dv)),
            *([phase("first half of dV", _half_of_dV(size["dv_cols"], half))] if half else []),
            product_phase(problem, "dK", (size["dk_rows"], size["dk_cols"])),
            product_phase(problem, "dQ", (size["dq_rows"], size["dq_cols"])),
        )


def _probabilities(problem: Problem, rows: int, cols: int) -> Node:
    if not cols:
        return probabilities_of_resident_rows(problem, rows)
    normalised = loop("i", 1, load("l"), compute("P", "S"), delete("l"), label="row")
    return tiled_product(problem, "S", (rows, cols), normalised, store("P"), delete("P"))


def _half_of_dP(cols: int, half: int) -> Node:
    """Columns of V of a tile of keys stay; those of dO pass by."""
    pairs = loop("j", 1, compute("dP"), store("dP"), delete("dP"), label="key")
    rows = loop("i", 1, load("dO"), pairs, delete("dO"))
    return loop("e", half, loop("j", cols, load("V"), rows, delete("V")), stop=half)


def _rest_of_dP(cols: int, half: int, dv: int) -> Node:
    """The other columns of V and dV stay, and those of dO serve both products."""
    begun = load("dP") if half else None
    work = (
        load("P"),
        begun,
        compute("dV"),
        compute("dP"),
        compute("dS", "dP"),
        delete("P"),
        store("dS"),
        delete("dS"),
    )
    rows = loop("i", 1, load("dO", "D"), loop("j", 1, *work, label="key"), delete("dO", "D"))
    keys = loop("j", cols, load("V"), rows, store("dV"), delete("V", "dV"))
    return loop("e", dv - half, keys, start=half)


def _half_of_dV(cols: int, half: int) -> Node:
    pairs = loop("j", 1, load("P"), compute("dV"), delete("P"), label="key")
    rows = loop("i", 1, load("dO"), pairs, delete("dO"))
    return loop("e", half, loop("j", cols, rows, store("dV"), delete("dV")), stop=half)
