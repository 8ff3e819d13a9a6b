"""FlashAttention-2: queries outside, keys inside; outputs stay in fast memory until they are done."""

from __future__ import annotations

from pebble import Problem
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
    program,
    store,
    when,
)
from schedules._paper_tiles import PaperTiles
from schedules._resident_rows import resident_and_streamed

__all__ = ["Flash2", "most_rows", "row_blocks", "streamed"]


class Flash2(PaperTiles):
    """FlashAttention-2's loop order, with keys and values streamed by default.

    With ``rows`` alone, keys and values pass by either a word at a time (all scores of the tile with one key
    are held) or a row at a time (one score is held), whichever needs less room. With ``rows`` and ``cols``,
    whole tiles are loaded as in the paper's algorithm box.
    """

    name = "flash-2"
    summary = "queries outside, keys inside; outputs stay in fast memory until done"
    source = "Dao 2023, arXiv 2307.08691, Algorithm 1"
    outer = "rows"

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the largest number of query rows that fit with streamed keys."""
        return largest(self, problem, M, "rows", problem.Nq, most_rows(problem, M))

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``cols`` makes it load whole tiles."""
        tiles = self.check_tiles(tiles)
        rows = tiles.get("rows", problem.Nq)
        if "cols" in tiles:
            return _literal(rows, tiles["cols"], problem.stats)
        return streamed(problem, rows, 0)


def most_rows(problem: Problem, M: int) -> int:
    """Return how many query rows fit beside streamed keys, however many there are; below one if none fits."""
    width = problem.d + problem.dv
    return max((M - 2) // (width + 2), (M - 2 - width) // (width + 1))


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
    return program(loop("i", rows, load("Q"), inner, *_finish(stats)))


def streamed(problem: Problem, rows: int, pinned: int) -> Program:
    """Write FlashAttention-2 with streamed keys and values, the first ``pinned`` of which stay in fast memory."""
    return program(row_blocks(problem, rows, pinned))


def row_blocks(problem: Problem, rows: int, pinned: int = 0, start: int = 0, stop: int | None = None) -> Node:
    """Write the loop over blocks of query rows from ``start`` to ``stop``, keys and values streamed.

    Parameters
    ----------
    problem : Problem
    rows : int
        Query rows of a block.
    pinned : int
        So many keys and values stay in fast memory from one block to the next.
    start, stop : int, optional
        The query rows that the blocks divide; all of them by default.
    """
    held = min(rows, (problem.Nq if stop is None else stop) - start)
    by_row = held > problem.d + problem.dv if pinned < problem.Nk else held > 1

    def keys(resident: bool, start: int, stop: int | None) -> Node:
        body: tuple[Nodes, ...] = _word_by_word()
        if resident:
            body = when(first("i"), load("K", "V")), _work(by_row), when(last("i"), delete("K", "V"))
        elif by_row:
            body = load("K", "V"), _work(by_row), delete("K", "V")
        return loop("j", 1, *body, start=start, stop=stop)

    parts = resident_and_streamed(pinned, problem.Nk, keys)
    return loop("i", rows, load("Q"), *parts, *_finish(problem.stats), start=start, stop=stop)


def _work(by_row: bool) -> Nodes:
    """Write what is done with one key and value in fast memory, for the whole tile or query by query."""
    work = (compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P"))
    return loop("i", 1, *work, label="row") if by_row else work


def _word_by_word() -> tuple[Nodes, ...]:
    """Write what is done with one key and value, of which a word at a time is in fast memory."""
    return (
        loop("k", 1, load("K"), compute("S"), delete("K")),
        compute("P", "S"),
        compute("l"),
        loop("e", 1, load("V"), compute("U"), delete("V")),
        delete("P"),
    )
