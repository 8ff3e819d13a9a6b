"""FlashAttention: keys outside, queries inside; outputs are read back and rewritten for every tile of keys."""

from __future__ import annotations

from pebble import Problem
from pebble.program import (
    Node,
    Nodes,
    Program,
    Tiles,
    compute,
    delete,
    last,
    load,
    loop,
    not_first,
    not_last,
    program,
    resume,
    store,
    when,
)
from schedules._paper_tiles import PaperTiles
from schedules._roles import exponentials, finish, statistics, sums, sums_of_tile, used_up


class Flash1(PaperTiles):
    """FlashAttention's loop order, without initialising the accumulators and without running maxima.

    With ``cols`` alone, queries are streamed: Q a word at a time, the accumulators of one row at a time. With
    ``rows`` and ``cols``, whole tiles are loaded as in the paper's algorithm box.

    With online softmax the maxima are rewritten too. The scores of a row with all keys of the tile are held, or its
    query and its accumulators: whichever needs less room.
    """

    name = "flash-1"
    summary = "keys outside, queries inside; outputs read back and rewritten for every tile of keys"
    source = "Dao et al. 2022, arXiv 2205.14135, Algorithm 1"
    forms = ("plain", "online")
    outer = "cols"
    optional_tiles = ("rows",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``rows`` makes it load whole tiles."""
        tiles = self.check_tiles(tiles)
        cols = tiles["cols"]
        if "rows" in tiles:
            return _literal(problem, tiles["rows"], cols)
        if problem.form == "online" and 2 * min(cols, problem.Nk) > problem.d + problem.dv + 2:
            return _literal(problem, 1, cols, by_key=True)
        return _streamed(problem, cols)


def _before(problem: Problem, *names: str) -> Node:
    """Write how a tile of keys comes by sums that earlier ones have left in slow memory.

    Where they are added there, only the last tile loads them: it reads them.
    """
    if problem.sums != "accumulate":
        return when(not_first("j"), load(*names))
    return when(not_first("j"), when(not_last("j"), resume(*names)), when(last("j"), load(*names)))


def _streamed(problem: Problem, cols: int) -> Program:
    kept, made = statistics(problem), exponentials(problem)
    before = _before(problem, *kept)
    work: Nodes = (*made, before, compute("l"))
    if problem.form == "online":
        work = before, loop("j", 1, *made, compute("l"), label="key")
    return program(
        loop(
            "j",
            cols,
            load("K", "V"),
            loop(
                "i",
                1,
                loop("k", 1, load("Q"), compute("S"), delete("Q")),
                work,
                when(not_last("j"), store(*kept), delete(*kept)),
                loop(
                    "e",
                    1,
                    _before(problem, "U"),
                    compute("U"),
                    when(not_last("j"), store("U"), delete("U")),
                    when(last("j"), compute("O", "U"), store("O"), delete("O")),
                ),
                when(last("j"), store(*kept) if problem.stats else None, delete(*kept)),
                delete(*used_up(problem)),
            ),
            delete("K", "V"),
        )
    )


def _literal(problem: Problem, rows: int, cols: int, by_key: bool = False) -> Program:
    """Write it with whole tiles loaded; ``by_key``: with one score held at a time."""
    kept = statistics(problem)
    work: tuple[Nodes, ...] = (compute("S"), *sums_of_tile(problem, "Q"))
    if by_key:
        work = loop("j", 1, compute("S"), *sums(problem), label="key"), delete("Q")
    return program(
        loop(
            "j",
            cols,
            load("K", "V"),
            loop(
                "i",
                rows,
                load("Q"),
                _before(problem, "U", *kept),
                work,
                when(not_last("j"), store("U", *kept), delete("U", *kept)),
                when(last("j"), finish(problem)),
            ),
            delete("K", "V"),
        )
    )
