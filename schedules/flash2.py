"""FlashAttention-2: queries outside, keys inside; and the schedules that cut its row blocks otherwise, or keep keys."""

from __future__ import annotations

from pebble import Problem, Schedule
from pebble.program import (
    Loop,
    Node,
    Nodes,
    Program,
    Tiles,
    compute,
    delete,
    each_sequence,
    first,
    last,
    load,
    loop,
    phase,
    program,
    store,
    when,
)
from schedules._packed_schedule import PackedSchedule, are_alike_enough, loops_over_parts, short_tile_first
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
        How many keys and values stay in fast memory from one block to the next.
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


class Flash2Pinned(Schedule):
    """Equal row blocks, and what room they leave spent on keys and values that stay.

    About 2Nd(2 + h − 1/h) − (h − 1)M words with h row blocks.
    """

    name = "flash-2-pinned"
    summary = "flash-2 with equal row blocks; spare room keeps keys and values resident"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online", "own")
    tile_names = ("rows", "pinned")
    tile_axes = ("i", "j")
    resident_tiles = ("pinned",)
    may_be_zero = ("pinned",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``pinned`` is cut to the number of keys."""
        tiles = self.check_tiles(tiles)
        return streamed(problem, tiles["rows"], min(tiles.get("pinned", 0), problem.Nk))


class Flash2Causal(Schedule):
    """flash-2 with ``first`` query rows in the first block and ``rows`` in each of the others.

    Under a causal mask the first block sees the fewest keys and the last one all of them, so the short block is
    cheapest at the beginning: N(d + dv) + (d + dv)·(B·N − h·B(B − 1)/2) words with B blocks, h rows in each but the
    first, against up to (d + dv)·(B − 1)·(h − 1) more with the short block at the end. Without a mask it moves
    what flash-2 moves.
    """

    name = "flash-2-causal"
    summary = "flash-2 with the short row block first, where a causal mask shows it the fewest keys"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online", "safe", "own")
    tile_names = ("first", "rows")
    tile_axes = ("i", "i")
    may_be_zero = ("first",)
    masks_only = True

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``first`` is cut to the number of queries."""
        tiles = self.check_tiles(tiles)
        rows, first = tiles["rows"], min(tiles.get("first", 0), problem.Nq)
        return program(
            phase(
                "",
                row_blocks(problem, first, stop=first) if first else None,
                row_blocks(problem, rows, start=first) if first < problem.Nq else None,
            )
        )


class Flash2Packed(PackedSchedule):
    """flash-2-causal for each part of the mask: blocks of ``packed_rows`` queries, cut where the mask falls apart.

    A block that lies in two sequences loads the keys of both, so that many of a sequence's keys are loaded once more
    than its length needs. Here a sequence of L queries has ⌈L / packed_rows⌉ blocks, and the short one comes first,
    where a causal mask shows it the fewest keys.
    """

    name = "flash-2-packed"
    summary = "flash-2 with row blocks cut where packed sequences end, the short one of each first"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("plain", "online", "safe", "own")
    tile_names = ("packed_rows",)
    tile_axes = ("i",)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program: of each part of the mask two loops at most."""
        rows = self.check_tiles(tiles)["packed_rows"]
        if are_alike_enough(problem):
            return each_sequence(problem, lambda part: _of_a_part(part, rows))
        block = row_blocks(problem, min(rows, problem.Nq))
        return program(phase("", *loops_over_parts(problem, block, short_first=True)))


def _of_a_part(problem: Problem, rows: int) -> Program:
    block = row_blocks(problem, min(rows, problem.Nq))
    return program(phase("", short_tile_first(problem, block)))


class KeyWindowBlocks(Schedule):
    """Blocks of queries: all sizes move the same words, and smaller blocks mostly need a little less room."""

    tile_names = ("rows",)
    tile_axes = ("i",)
    follows_mask = True
    masks_only = True


class KeyWindow(KeyWindowBlocks):
    """Queries in order, block by block; a key and its value are loaded once and deleted after their last use.

    Under a sliding window 3Nd words are loaded and Nd stored, and no schedule moves fewer. It fits where few keys are
    in use at a time: about window + rows of them, of d + dv words each.
    """

    name = "key-window"
    summary = "keys and values stay from their first use to their last; every word moves once"
    forms = ("plain", "online", "own")
    source = "derived here; the rolling buffer of sliding-window attention"

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        return streamed(problem, self.check_tiles(tiles)["rows"], problem.Nk)


class Split(Schedule):
    """The maxima in a phase of their own: its row blocks hold no outputs, so they are about twice as large.

    N·d + N·d·⌈N/r₁⌉ words for the maxima in row blocks of r₁ = ``max_rows``, 2N to write and read them, and what
    FlashAttention-2 moves in row blocks of ``rows``: to leading order 5N²d²/M, which no schedule improves.
    """

    name = "split"
    summary = "first the maxima, in larger row blocks; then flash-2 with known maxima"
    source = "derived here"
    forms = ("safe",)
    tile_names = ("max_rows", "rows")
    tile_axes = ("i", "i")

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program."""
        tiles = self.check_tiles(tiles)
        rows = min(tiles["max_rows"], problem.Nq)
        sweep = maxima(problem, rows)
        return program(
            phase(
                "maxima of the scores",
                loop("i", rows, load("Q"), sweep, delete("Q"), store("m"), delete("m")),
            ),
            phase("O, the maxima known", row_blocks(problem, tiles["rows"], maxima_known=True)),
        )
