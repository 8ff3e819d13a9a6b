"""Linear attention by tiles: of the state, which stay in fast memory while all tokens pass, or of its two products."""

from __future__ import annotations

from collections.abc import Mapping

from pebble import Array, Problem, Schedule
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
from schedules._roles import each_query_head
from schedules._tiled_products import product_phase
from schedules.linear._token_passes import TokenPass, token_passes

Sizes = Mapping[str, int]
"""Of a tile of the state: its rows, k, and columns, e."""


class StateTiles(Schedule):
    """A tile of the state of ``state_rows`` features and ``state_cols`` value entries at a time.

    The keys and values pass and are added to the tile; the queries pass and read it. Outputs are partial sums over
    features, kept in slow memory between tiles of features. If the whole state fits, every word moves once. Backward
    the tokens pass twice: from the first on for dQ, then from the last on for dK and dV, which share a state.
    """

    name = "state-tiles"
    summary = "tiles of the state stay in fast memory, tokens pass; the whole state if it fits"
    source = "derived here"
    passes = ("forward", "backward")
    forms = ("linear", "recurrent", "gated")
    tile_names = ("state_rows", "state_cols")
    tile_axes = ("k", "e")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        sizes = {"k": min(tiles["state_rows"], problem.d), "e": min(tiles["state_cols"], problem.dv)}
        return program(*(_pass(problem, sizes, one_pass) for one_pass in token_passes(problem)))


def _pass(problem: Problem, sizes: Sizes, one_pass: TokenPass) -> Phase:
    """All tokens pass by each tile of a state."""
    update = _update(problem, sizes, one_pass)
    outputs = tuple(_output(one, sizes) for one in one_pass.outputs)
    if problem.form == "linear":
        work: Nodes = (loop("j", 1, update), loop("i", 1, *outputs))
        title = "H = KᵀV and O = QH, a tile of H at a time"
    else:
        work = loop("n", 1, update, each_query_head(problem, *outputs))
        what = "the state" if one_pass.state == "H" else "its gradient, from the last,"
        title = f"{what} token by token, a tile of it at a time"
    return phase(title, loop("k", sizes["k"], loop("e", sizes["e"], work, delete(one_pass.state))))


def _update(problem: Problem, sizes: Sizes, one_pass: TokenPass) -> tuple[Nodes, ...]:
    """Add a token's key times value to a tile of the state: one vector is held, the other passes word by word."""
    gate = when(not_first("n"), load(*one_pass.gates)) if one_pass.gates else None
    no_gate = when(not_first("n"), delete(*one_pass.gates)) if one_pass.gates else None
    left, right, state = one_pass.left, one_pass.right, one_pass.state
    if _holds_keys(problem, sizes):
        words = loop("e", 1, load(right), compute(state), delete(right), label="value")
        return load(left), gate, words, no_gate, delete(left)
    words = loop("k", 1, load(left), gate, compute(state), no_gate, delete(left), label="feature")
    return load(right), words, delete(right)


def _output(output: Array, sizes: Sizes) -> tuple[Nodes, ...]:
    """Add what a tile of the state gives to a token's outputs, sums over rows or columns of the state."""
    across, along, read = str(output.chain), output.axes[-1], output.operands[0]
    name, label = output.name, {"k": "feature", "e": "value"}
    parked: Node = when(not_first(across), load(name))
    if sizes[across] <= sizes[along]:
        words = loop(along, 1, parked, compute(name), store(name), delete(name), label=label[along])
        return load(read), words, delete(read)
    words = loop(across, 1, load(read), compute(name), delete(read), label=label[across])
    return parked, words, store(name), delete(name)


def _holds_keys(problem: Problem, sizes: Sizes) -> bool:
    """Tell whether keys, with their gates, are held while values pass, which needs the less room."""
    rows, cols = sizes["k"], sizes["e"]
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
