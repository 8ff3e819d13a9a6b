"""The gradient of the weights for small caches: every product on tiles of side about √M."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Node,
    Phase,
    Program,
    Tiles,
    compute,
    delete,
    load,
    loop,
    not_first,
    phase,
    program,
    store,
    when,
)
from schedules._tiled_products import parked_sums, product_phase, tiled_product


class SmallCacheWeights(Schedule):
    """Q and h, then P, then c and D, then p, then p·A2, then g: P and p are written once, products streamed."""

    name = "small-cache"
    summary = "all products on tiles of side about √M, P and p written out"
    source = "after Li et al. 2024, arXiv 2410.09397, Algorithm 6; streaming derived here"
    passes = ("weights",)
    tile_names = (
        "q_rows",
        "q_cols",
        "s_rows",
        "s_cols",
        "u_rows",
        "u_cols",
        "t_rows",
        "t_cols",
        "g_rows",
        "g_cols",
    )
    tile_axes = tuple("ikijikikkk")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)

        def tile(name: str) -> tuple[int, int]:
            return size[f"{name}_rows"], size[f"{name}_cols"]

        done = compute("P", "S"), store("P"), parked_sums(), delete("P")
        return program(
            *(product_phase(problem, name, tile("q")) for name in ("Q", "h")),
            phase(
                "P = exp(Q·A2ᵀ) and its row sums",
                tiled_product(problem, "S", tile("s"), *done),
            ),
            _output(problem, tile("u")),
            phase(
                "p = f∘(c·hᵀ − D)",
                tiled_product(problem, "q", tile("s"), _gradient()),
            ),
            product_phase(problem, "T", tile("t")),
            product_phase(problem, "g", tile("g")),
        )


def _gradient() -> Node:
    one = loop(
        "j",
        1,
        load("P"),
        compute("f", "P"),
        compute("p", "q"),
        delete("f"),
        store("p"),
        delete("p"),
        label="one",
    )
    return loop("i", 1, load("l", "D"), one, delete("l", "D"), label="row")


def _output(problem: Problem, tile: tuple[int, int]) -> Phase:
    """C and D from tiles of f·h; D is parked between tiles of columns."""
    entry = loop(
        "e",
        1,
        load("l"),
        compute("F", "U"),
        delete("l"),
        load("E"),
        compute("c", "E"),
        compute("D"),
        delete("F"),
        store("c"),
        delete("c"),
        label="entry",
    )
    finish = loop("i", 1, when(not_first("e"), load("D")), entry, store("D"), delete("D"), label="row")
    return phase("c = f·h − E and D, tile by tile", tiled_product(problem, "U", tile, finish))
