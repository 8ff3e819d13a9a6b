"""Linear attention by tiles: of the state, which stay in fast memory while all tokens pass, or of its two products."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Node,
    Nodes,
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
from schedules._roles import each_query_head
from schedules._tiled_products import product_phase


class StateTiles(Schedule):
    """A tile of the state of ``state_rows`` features and ``state_cols`` value entries at a time.

    The keys and values pass and are added to the tile; the queries pass and read it. Outputs are partial sums over
    features, kept in slow memory between tiles of features. If the whole state fits, every word moves once.
    """

    name = "state-tiles"
    summary = "tiles of the state stay in fast memory, tokens pass; the whole state if it fits"
    source = "derived here"
    forms = ("linear", "recurrent", "gated")
    tile_names = ("state_rows", "state_cols")
    tile_axes = ("k", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        rows = min(tiles["state_rows"], problem.d)
        cols = min(tiles["state_cols"], problem.dv)
        update, output = _update(problem, rows, cols), _output(rows <= cols)
        if problem.form == "linear":
            passes: Nodes = (loop("j", 1, update), loop("i", 1, output))
            title = "H = KᵀV and O = QH, a tile of H at a time"
        else:
            passes = loop("n", 1, update, each_query_head(problem, *output))
            title = "the state token by token, a tile of it at a time"
        return program(phase(title, loop("k", rows, loop("e", cols, passes, delete("H")))))


def _update(problem: Problem, rows: int, cols: int) -> tuple[Nodes, ...]:
    """Add a token's key times value to a tile of the state: one vector is held, the other passes word by word."""
    gate = when(not_first("n"), load("G")) if problem.gate else None
    no_gate = when(not_first("n"), delete("G")) if problem.gate else None
    if _holds_keys(problem, rows, cols):
        words = loop("e", 1, load("V"), compute("H"), delete("V"), label="value")
        return load("K"), gate, words, no_gate, delete("K")
    words = loop("k", 1, load("K"), gate, compute("H"), no_gate, delete("K"), label="feature")
    return load("V"), words, delete("V")


def _output(hold_queries: bool) -> tuple[Nodes, ...]:
    """Add what a tile of the state gives to a token's outputs."""
    parked: Node = when(not_first("k"), load("O"))
    if hold_queries:
        words = loop("e", 1, parked, compute("O"), store("O"), delete("O"), label="value")
        return load("Q"), words, delete("Q")
    words = loop("k", 1, load("Q"), compute("O"), delete("Q"), label="feature")
    return parked, words, store("O"), delete("O")


def _holds_keys(problem: Problem, rows: int, cols: int) -> bool:
    """Tell whether keys, with their gates, are held while values pass, which needs the less room."""
    return 2 * rows + 1 <= cols + 2 if _has_gates(problem) else rows <= cols


def _has_gates(problem: Problem) -> bool:
    """Tell whether any gate is read; there is none before the first token."""
    return problem.gate and problem.Nk > 1


class TiledProducts(Schedule):
    """H = KᵀV on tiles of H, which is written; then O = QH on tiles of O. About 4N·d·dv/√M words for M below d²."""

    name = "tiled-products"
    summary = "H = KᵀV, then O = QH, each on tiles of its result; H is written"
    source = "Hong & Kung 1981, for each product"
    forms = ("linear",)
    tile_names = ("h_rows", "h_cols", "out_rows", "out_cols")
    tile_axes = ("k", "e", "i", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        size = self.check_tiles(tiles)
        return program(
            product_phase(problem, "H", (size["h_rows"], size["h_cols"])),
            product_phase(problem, "O", (size["out_rows"], size["out_cols"])),
        )
