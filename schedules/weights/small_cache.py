"""The gradient of the weights for small caches: every product on tiles of side about √M."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Node,
    Nodes,
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
from schedules._products import best_tile
from schedules.backward._parts import tiled_product
from schedules.weights._parts import final_product, projections

__all__ = ["SmallCacheWeights"]


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

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the cheapest rectangles for each product."""
        self.require(problem, M)
        N, d = problem.Nq, problem.d
        found = {}
        for name, extents, parked in (
            ("q", (N, d, d), 0),
            ("s", (N, N, d), 2),
            ("u", (N, d, N), 1),
            ("t", (N, d, N), 0),
            ("g", (d, d, N), 0),
        ):
            # p needs l, D, f and one word more beside the tile, one more than the products do.
            room = M - 1 if name == "s" else M
            found[f"{name}_rows"], found[f"{name}_cols"] = best_tile(extents, room, parked)
        return found

    def smallest(self, problem: Problem) -> Tiles:
        """Return tiles of one element."""
        return dict.fromkeys(self.tile_names, 1)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; a missing size counts as one."""
        size = {**self.smallest(problem), **self.check_tiles(tiles)}

        def tile(name: str) -> tuple[int, int]:
            return size[f"{name}_rows"], size[f"{name}_cols"]

        N, d = problem.Nq, problem.d
        return program(
            *projections(problem, tile("q")),
            phase(
                "P = exp(Q·A2ᵀ) and its row sums",
                _tiles(N, "S", "Q", "A2", "k", tile("s"), *_probabilities()),
            ),
            _output(problem, tile("u")),
            phase("p = f∘(c·hᵀ − D)", _tiles(N, "q", "c", "h", "e", tile("s"), _gradient())),
            phase("T = p·A2", tiled_product("T", "p", "A2", ("i", "k", "j"), tile("t"), (N, d))),
            final_product(problem, tile("g")),
        )


def _tiles(
    N: int, result: str, left: str, right: str, depth: str, tile: tuple[int, int], *after: Nodes
) -> Node:
    """S or q tile by tile, the inner axis streamed; ``after`` stands where a tile is complete."""
    rows, cols = tile
    if min(rows, N) <= min(cols, N):
        step = (
            load(left),
            loop("j", 1, load(right), compute(result), delete(right), label="one"),
            delete(left),
        )
    else:
        step = (
            load(right),
            loop("i", 1, load(left), compute(result), delete(left), label="one"),
            delete(right),
        )
    return loop("i", rows, loop("j", cols, loop(depth, 1, *step), *after))


def _probabilities() -> tuple[Nodes, ...]:
    sums = loop("i", 1, when(not_first("j"), load("l")), compute("l"), store("l"), delete("l"), label="row")
    return compute("P", "S"), store("P"), sums, delete("P")


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
    rows, cols = tile
    if min(rows, problem.Nq) <= min(cols, problem.d):
        step = (load("P"), loop("e", 1, load("h"), compute("U"), delete("h"), label="one"), delete("P"))
    else:
        step = (load("h"), loop("i", 1, load("P"), compute("U"), delete("P"), label="one"), delete("h"))
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
    return phase(
        "c = f·h − E and D, tile by tile", loop("i", rows, loop("e", cols, loop("j", 1, *step), finish))
    )
