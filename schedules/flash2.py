"""FlashAttention-2: queries outside, keys inside; outputs stay in fast memory until they are done."""

from __future__ import annotations

from pebble import Problem
from pebble.program import (
    Loop,
    Node,
    Nodes,
    Program,
    Tiles,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    program,
    when,
)
from schedules._paper_tiles import PaperTiles
from schedules._resident_rows import resident_and_streamed
from schedules._roles import (
    accumulator,
    exponentials,
    family,
    finish,
    lines,
    products,
    queries,
    row_sums,
    score_words,
    streamed_work,
    sums,
    sums_of_tile,
    used_up,
    values,
)
from schedules._tiled_products import scores_of_resident_rows

__all__ = [
    "Flash2",
    "key_work",
    "maxima",
    "row_blocks",
    "streamed",
]


class Flash2(PaperTiles):
    """FlashAttention-2's loop order, with keys and values streamed by default.

    With ``rows`` alone, keys and values pass by either a word at a time (all scores of the tile with one key
    are held) or a row at a time (one score is held), whichever needs less room. With ``rows`` and ``cols``,
    whole tiles are loaded as in the paper's algorithm box.

    With safe softmax every block sweeps over the keys twice, first for the maxima. Where the values are part of the
    keys, whole keys pass by, each loaded once for its scores and the output, as FlashMLA and others decode:
    Nq·(d + dv) + Nk·d·⌈Nq/rows⌉ words.
    """

    name = "flash-2"
    summary = "queries outside, keys inside; outputs stay in fast memory until done"
    source = "Dao 2023, arXiv 2307.08691, Algorithm 1"
    forms = ("plain", "online", "safe", "latent", "own")
    outer = "rows"
    optional_tiles = ("cols",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``cols`` makes it load whole tiles."""
        tiles = self.check_tiles(tiles)
        rows = tiles["rows"]
        if "cols" in tiles:
            return program(_whole_tiles(problem, rows, tiles["cols"]))
        return streamed(problem, rows, 0)


def _whole_tiles(problem: Problem, rows: int, cols: int) -> Loop:
    """Write the loop over blocks of query rows where whole tiles of keys and values are loaded."""
    keys = lines(problem)
    inner = loop("j", cols, load(*keys), *map(compute, products(problem)), sums_of_tile(problem, *keys))
    before: Nodes = None
    if problem.form == "safe":
        before = loop("j", cols, load("K"), compute("S"), compute("m"), delete("S", "K"))
    return loop("i", rows, load(*queries(problem)), before, inner, *finish(problem, *queries(problem)))


def streamed(problem: Problem, rows: int, pinned: int) -> Program:
    """Write FlashAttention-2 with streamed keys and values, the first ``pinned`` of which stay in fast memory."""
    return program(row_blocks(problem, rows, pinned))


def row_blocks(
    problem: Problem,
    rows: int,
    pinned: int = 0,
    start: int = 0,
    stop: int | None = None,
    *,
    maxima_known: bool = False,
) -> Loop:
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
    maxima_known : bool
        Of safe softmax: whether the maxima are read from slow memory, not found in a sweep of their own.
    """
    held = min(rows, (problem.Nq if stop is None else stop) - start)
    # Keys pass word by word where there is one product, of one array of keys that are not the values.
    by_row, keys_of = held > 1, lines(problem)
    scores = products(problem)
    if len(keys_of) != 2 or len(scores) != 1 or family(problem)[scores[0]].operands[1] == values(problem):
        by_row = True
    elif pinned < problem.Nk:
        by_row = held * score_words(problem) + 2 > streamed_work(problem)

    def keys(resident: bool, start: int, stop: int | None) -> Node:
        body: tuple[Nodes, ...]
        if resident:
            body = (
                when(first("i"), load(*keys_of)),
                key_work(problem, by_row),
                when(last("i"), delete(*keys_of)),
            )
        elif by_row:
            body = load(*keys_of), key_work(problem, by_row), delete(*keys_of)
        else:
            body = _word_by_word(problem)
        return loop("j", 1, *body, start=start, stop=stop)

    before: Nodes = load("m") if maxima_known else None
    if problem.form == "safe" and not maxima_known:
        before = maxima(problem, held)
    parts = resident_and_streamed(pinned, problem.Nk, keys)
    end = finish(problem, *queries(problem), stored=("m",) if maxima_known else ())
    return loop("i", rows, load(*queries(problem)), before, *parts, *end, start=start, stop=stop)


def maxima(problem: Problem, rows: int) -> Node:
    """Write a sweep over the keys that finds the maximum of the scores of each row of a block."""
    return scores_of_resident_rows(problem, rows, compute("m"), delete("S"))


def key_work(problem: Problem, by_row: bool) -> Nodes:
    """Write what is done with keys and values in fast memory, for the whole tile or query by query."""
    work = (*map(compute, products(problem)), *sums(problem))
    return loop("i", 1, *work, label="row") if by_row else work


def _word_by_word(problem: Problem) -> tuple[Nodes, ...]:
    """Write what is done with one key and value, of which a word at a time is in fast memory."""
    (score,), (key, value) = products(problem), lines(problem)
    return (
        loop("k", 1, load(key), compute(score), delete(key)),
        *exponentials(problem),
        *map(compute, row_sums(problem)),
        loop("e", 1, load(value), compute(accumulator(problem)), delete(value)),
        delete(*used_up(problem)),
    )
