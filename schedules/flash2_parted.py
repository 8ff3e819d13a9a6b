"""Latent attention with parted keys: scores begun on some words of the keys, and outputs of these words made last."""

from __future__ import annotations

from collections.abc import Callable

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
    resume,
    store,
    when,
)
from schedules._roles import (
    accumulator,
    exponentials,
    output_names,
    outputs,
    products,
    queries,
    row_sums,
    used_up,
    values,
)
from schedules._roles import lines as keys

_MOST_PIECES = 12
"""The first and last sweep are cut into at most this many pieces."""
_MOST_SHARES = 512
"""At most this many numbers of words are tried for the first and last sweep."""


class Flash2Parted(Schedule):
    """Three sweeps, each with row blocks of its own, in which the first ``cols`` words of the keys are taken apart.

    First the scores are begun on these words. Then they are finished on the other words, and the outputs of the other
    words are made, as in flash-2. Last come the outputs of the first words. Scores and P pass through slow memory in
    between. In the first and last sweep ``score_cols`` and ``out_cols`` of the words are taken at a time.
    """

    name = "flash-2-parted"
    summary = "scores begun on some words of the keys; then flash-2 on the others; then the outputs of the first words"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("latent",)
    tile_names = ("cols", "score_rows", "score_cols", "rows", "out_rows", "out_cols")
    tile_axes = ("e", "i", "e", "i", "i", "e")

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the tiles that move the fewest words if there is no mask."""
        self.require(problem, M)
        step = -(-problem.dv // _MOST_SHARES)
        shapes = [one for cols in range(step, problem.dv + 1, step) if (one := _cheapest(problem, M, cols))]
        return dict(zip(self.tile_names, min(shapes)[1:], strict=True)) if shapes else self.smallest(problem)

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``cols`` is cut to the words of a value."""
        tiles = self.check_tiles(tiles)
        cols = min(tiles["cols"], problem.dv)
        begun = _begun(problem, cols, tiles["score_cols"])
        return program(
            phase("scores begun on the first words of the keys", loop("i", tiles["score_rows"], begun)),
            phase("flash-2 on the other words", loop("i", tiles["rows"], _finished(problem, cols))),
            phase(
                "outputs of the first words",
                loop("i", tiles["out_rows"], _last_outputs(problem, cols, tiles["out_cols"])),
            ),
        )


def _begun(problem: Problem, cols: int, tile: int) -> Node:
    score, query, value = products(problem)[0], queries(problem)[0], values(problem)
    work = when(not_first("e"), resume(score)), compute(score), store(score), delete(score)
    key = loop("j", 1, load(value), loop("i", 1, *work, label="row"), delete(value))
    return loop("e", tile, load(query), key, delete(query), stop=cols)


def _finished(problem: Problem, cols: int) -> list[Nodes]:
    score, *scores = products(problem)

    def on_others(*names: Nodes) -> Node | None:
        return loop("e", problem.dv, *names, start=cols) if cols < problem.dv else None

    def of_lines(move: Callable[..., Nodes], names: tuple[str, ...]) -> tuple[Nodes, ...]:
        return on_others(move(names[0])), move(*names[1:])

    P = used_up(problem)
    row = (
        resume(score),
        on_others(compute(score)),
        *map(compute, scores),
        *exponentials(problem),
        *map(compute, row_sums(problem)),
        on_others(compute(accumulator(problem))),
        store(*P),
        delete(*P),
    )
    key = loop(
        "j",
        1,
        of_lines(load, keys(problem)),
        loop("i", 1, *row, label="row"),
        of_lines(delete, keys(problem)),
    )
    end = on_others(outputs(problem), delete(*output_names(problem))), store(*row_sums(problem))
    return [
        of_lines(load, queries(problem)),
        key,
        *end,
        delete(*row_sums(problem)),
        of_lines(delete, queries(problem)),
    ]


def _last_outputs(problem: Problem, cols: int, tile: int) -> Node:
    P, value, total = used_up(problem), values(problem), row_sums(problem)
    work = load(*P), compute(accumulator(problem)), delete(*P)
    key = loop("j", 1, load(value), loop("i", 1, *work, label="row"), delete(value))
    end = load(*total), outputs(problem), delete(*total, *output_names(problem))
    return loop("e", tile, key, loop("i", 1, *end, label="row"), stop=cols)


def _cheapest(problem: Problem, M: int, cols: int) -> tuple[int, ...]:
    """Return the words of keys and scores that are moved without a mask, and the tiles; nothing if they do not fit."""
    Nq, Nk, d, dv = problem.Nq, problem.Nk, problem.d, problem.dv
    rows = min((M - (d - cols) - 3) // (d - cols + dv - cols + 1), Nq)
    if rows < 1:
        return ()

    def sweep(passes: int) -> tuple[int, int, int]:
        pieces = []
        for number in range(1, min(cols, _MOST_PIECES) + 1):
            tile = -(-cols // number)
            most = min((M - tile - 2) // tile, Nq)
            if most > 0:
                words = Nk * (cols * -(-Nq // most) + passes * Nq * -(-cols // tile))
                pieces.append((words, most, tile))
        return min(pieces, default=(0, 0, 0))

    (begun, score_rows, score_cols), (last, out_rows, out_cols) = sweep(2), sweep(1)
    if not score_rows:
        return ()
    words = begun + Nk * (d - cols) * -(-Nq // rows) + last
    return words, cols, score_rows, score_cols, rows, out_rows, out_cols
