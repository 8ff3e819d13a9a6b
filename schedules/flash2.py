"""FlashAttention-2: queries outside, keys inside; outputs stay in fast memory until they are done."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Node,
    Nodes,
    Program,
    Tiles,
    compute,
    delete,
    first,
    largest,
    last,
    load,
    loop,
    phase,
    program,
    store,
    when,
)
from schedules._shapes import literal_tiles, paper_tiles

__all__ = ["Flash2", "streamed"]


class Flash2(Schedule):
    """FlashAttention-2's loop order, with keys and values streamed by default.

    With ``rows`` alone, keys and values pass by either a word at a time (all scores of the tile with one key
    are held) or a row at a time (one score is held), whichever needs less room. With ``rows`` and ``cols``,
    whole tiles are loaded as in the paper's algorithm box.
    """

    name = "flash-2"
    summary = "queries outside, keys inside; outputs stay in fast memory until done"
    source = "Dao 2023, arXiv 2307.08691, Algorithm 1"
    tile_names = ("rows", "cols")
    presets = ("literal", "paper")

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the largest number of query rows that fit with streamed keys."""
        d = problem.d + problem.dv
        guess = max((M - 2) // (d + 2), (M - 2 - d) // (d + 1))
        return largest(self, problem, M, "rows", problem.Nq, guess)

    def smallest(self, problem: Problem) -> Tiles:
        """Return one query row at a time."""
        return {"rows": 1}

    def preset(self, problem: Problem, M: int, name: str) -> Tiles:
        """``literal``: the paper's shape, as large as fits; ``paper``: the published sizes."""
        if name == "literal":
            return literal_tiles(self, problem, M, "rows")
        return paper_tiles(problem, M) if name == "paper" else super().preset(problem, M, name)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``cols`` makes it load whole tiles."""
        tiles = self.check_tiles(tiles)
        rows = tiles.get("rows", problem.Nq)
        if "cols" in tiles:
            return _literal(rows, tiles["cols"], problem.stats)
        return streamed(problem, rows, 0)


def _finish(stats: bool) -> tuple[Nodes, ...]:
    return compute("O", "U"), store("O"), store("l") if stats else (), delete("O", "l", "Q")


def _literal(rows: int, cols: int, stats: bool) -> Program:
    inner = loop(
        "j",
        cols,
        load("K", "V"),
        compute("S"),
        compute("P", "S"),
        compute("l"),
        compute("U"),
        delete("P", "K", "V"),
    )
    return program(phase("", loop("i", rows, load("Q"), inner, *_finish(stats))))


def streamed(problem: Problem, rows: int, pinned: int) -> Program:
    """FlashAttention-2 with streamed keys and values, the first ``pinned`` of which stay in fast memory."""
    held = min(rows, problem.Nq)
    by_row = held > problem.d + problem.dv if pinned < problem.Nk else held > 1
    parts = []
    if pinned:
        parts.append(_pinned_keys(pinned, by_row))
    if pinned < problem.Nk:
        parts.append(_streamed_keys(pinned, by_row))
    return program(phase("", loop("i", rows, load("Q"), *parts, *_finish(problem.stats))))


def _streamed_keys(start: int, by_row: bool) -> Node:
    if by_row:
        one_query = loop(
            "i", 1, compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P"), label="row"
        )
        return loop("j", 1, load("K", "V"), one_query, delete("K", "V"), start=start)
    return loop(
        "j",
        1,
        loop("k", 1, load("K"), compute("S"), delete("K")),
        compute("P", "S"),
        compute("l"),
        loop("e", 1, load("V"), compute("U"), delete("V")),
        delete("P"),
        start=start,
    )


def _pinned_keys(stop: int, by_row: bool) -> Node:
    work = (compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P"))
    return loop(
        "j",
        1,
        when(first("i"), load("K", "V")),
        loop("i", 1, *work, label="row") if by_row else work,
        when(last("i"), delete("K", "V")),
        stop=stop,
    )
