"""A tile of P stays while the values pass by, and partial sums of the outputs are added in slow memory."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
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
from schedules._roles import (
    accumulator,
    exponentials,
    output_names,
    outputs,
    products,
    statistics,
    statistics_of_outputs,
    used_up,
    values,
)
from schedules._tiled_products import parked_sums, tiled_product


class PTile(Schedule):
    """S by columns of Q and K on a tile; then V passes by a column at a time, and what it adds to U leaves at once.

    P is never written out. On square tiles of side c, c² + c + 2 ≤ M, with sums added in slow memory,

        ⌈Nk/c⌉·Nq·(d + dv + 1) + ⌈Nq/c⌉·Nk·(d + dv) + Nq·(2dv + 1)

    words: 2(d + dv)·Nq·Nk/√M to leading order, the least known for M ≤ (d + dv)²/4. Where the sums are loaded and
    stored it moves a quarter more for dv = d, and is counted only if it is named.
    """

    name = "p-tile"
    summary = "a tile of P stays; V passes by, and partial sums of O are added in slow memory"
    source = "derived here"
    tile_names = ("tile_rows", "tile_cols")
    tile_axes = ("i", "j")

    def is_offered(self, problem: Problem) -> bool:
        """Whether partial sums are added in slow memory."""
        return problem.sums == "accumulate" and super().is_offered(problem)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        total, value, made = accumulator(problem), values(problem), used_up(problem)
        row = when(not_first("j"), resume(total)), compute(total), store(total), delete(total)
        columns = loop("e", 1, load(value), loop("i", 1, *row, label="row"), delete(value))
        work = (*exponentials(problem), *map(parked_sums, statistics(problem)), columns, delete(*made))
        tile = size["tile_rows"], size["tile_cols"]
        read = statistics_of_outputs(problem)
        word = load(total), *outputs(problem), delete(*output_names(problem))
        return program(
            phase(
                "P on a tile, and what it adds to the sums",
                tiled_product(problem, products(problem), tile, *work),
            ),
            phase("O = U / l", loop("i", 1, load(*read), loop("e", 1, *word), delete(*read))),
        )
