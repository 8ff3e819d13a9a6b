"""The state of linear attention in tiles: each tile stays in fast memory while all tokens pass."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

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
    store,
    when,
)
from pebble.program import program as program_of
from schedules._tile_shapes import ceil_div
from schedules.linear._query_heads import each_query_head

__all__ = ["StateTiles"]


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

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the tiles that move the fewest words, of those that fit the smallest."""
        self.require(problem, M)
        found = [(_words(problem, *tile), prod(tile), tile) for tile in _fitting(problem, M)]
        rows, cols = min(found)[2] if found else (1, 1)
        return {"state_rows": rows, "state_cols": cols}

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
        return program_of(phase(title, loop("k", rows, loop("e", cols, passes, delete("H")))))


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


def _room(problem: Problem, rows: int, cols: int) -> int:
    """Words that a tile needs: itself, the held vector, the words that pass, and a word for a chain to move on."""
    update = min(2 * rows + 1, cols + 2) if _has_gates(problem) else min(rows, cols) + 1
    update += problem.Nk > 1
    output = min(rows, cols) + 1 + (problem.d > 1)
    return rows * cols + max(update, output)


def _words(problem: Problem, rows: int, cols: int) -> int:
    """Words that move: Q, K and G once for each column of tiles, V once and O read and written for each row."""
    row_tiles, col_tiles = ceil_div(problem.d, rows), ceil_div(problem.dv, cols)
    keys = (problem.Nq + problem.Nk + (problem.Nk - 1) * problem.gate) * problem.d
    values = problem.Nk * row_tiles + problem.Nq * (2 * row_tiles - 1)
    return keys * int(col_tiles) + problem.dv * int(values)


def _fitting(problem: Problem, M: int) -> Iterator[tuple[int, int]]:
    """Yield the tiles that fit and may be the cheapest: axes cut evenly, and the most rows for every width."""
    for cols in _even_cuts(problem.dv):
        low, high = 0, problem.d
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if _room(problem, middle, cols) <= M else (low, middle - 1)
        if low:
            yield ceil_div(problem.d, ceil_div(problem.d, low)), cols


def _even_cuts(extent: int) -> Iterator[int]:
    """Yield the least tile for each number of tiles of an axis, the whole axis first."""
    size = extent
    while size:
        tiles = ceil_div(extent, size)
        least = ceil_div(extent, tiles)
        yield least
        size = least - 1
