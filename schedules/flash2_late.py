"""flash-2 whose last row block is larger than fast memory: some columns of some outputs are made later, from P."""

from __future__ import annotations

import math

from pebble import Problem, Schedule
from pebble.program import Node, Nodes, Program, Tiles, compute, delete, load, loop, phase, program, store
from schedules._roles import (
    accumulator,
    exponentials,
    finish,
    lines,
    output_names,
    outputs,
    products,
    queries,
    row_sums,
    sums,
    used_up,
    values,
)
from schedules.flash2 import row_blocks


class Flash2Late(Schedule):
    """flash-2 where the last row block takes all queries that are left, though its outputs do not fit.

    Of the last ``late`` queries P is stored, and the last ``cols`` columns of their outputs are made in a sweep of
    their own, which loads P and these columns of the values. This takes late·cols words less and moves
    Nk·(2·late + cols) more; another row block would move Nk·d more, because values are part of the keys.
    """

    name = "flash-2-late"
    summary = "flash-2 with a larger last row block; some columns of some of its outputs are made later, from stored P"
    source = "derived here, from Dao 2023, arXiv 2307.08691"
    forms = ("latent",)
    tile_names = ("rows", "late", "cols")
    tile_axes = ("i", "i", "e")
    may_be_zero = ("late", "cols")

    def tiles(self, problem: Problem, M: int) -> Tiles:
        """Return the largest row blocks that fit with the cheapest late part, or about equal blocks without one."""
        self.require(problem, M)
        Nq, row, work = problem.Nq, problem.d + problem.dv + 1, problem.d + 3
        most = min(max((M - work) // row, 1), Nq)
        last = Nq - _start(problem, most)
        missing = last * row + work - M
        equal = Nq // -(-Nq // most)
        rows = equal if Nq - _start(problem, equal) <= most else 1
        shapes = [(_sweeps(problem, rows) * problem.d, rows, 0, 0)]
        # 2·late + cols is least where late is the root of half the missing words.
        least, near = -(-missing // problem.dv), math.isqrt(max(missing, 0) // 2)
        for late in {min(max(near + more, least, 1), last) for more in range(-2, 3)}:
            if (cols := max(-(-missing // late), 0)) <= problem.dv:
                words = _sweeps(problem, most) * problem.d + 2 * late + cols
                shapes.append((words, most, late, cols))
        return dict(zip(self.tile_names, min(shapes)[1:], strict=True))

    def program(self, problem: Problem, tiles: Tiles) -> Program:
        """Write the program; ``late`` is cut to the queries of the last block."""
        tiles = self.check_tiles(tiles)
        start = _start(problem, min(tiles["rows"], problem.Nq))
        late = min(tiles.get("late", 0), problem.Nq - start) if tiles.get("cols", 0) else 0
        cols = min(tiles.get("cols", 0), problem.dv) if late else 0
        whole = row_blocks(problem, tiles["rows"], stop=start) if start else None
        return program(phase("", whole, _last_block(problem, start, problem.Nq - late, problem.dv - cols)))


def _start(problem: Problem, rows: int) -> int:
    """Return the first query of the last block, which has fewer than twice as many as the others."""
    return max(problem.Nq // rows - 1, 0) * rows


def _sweeps(problem: Problem, rows: int) -> int:
    return _start(problem, rows) // rows + 1


def _last_block(problem: Problem, start: int, middle: int, early: int) -> list[Node]:
    """Write the last block: of queries from ``middle`` on, columns of the output from ``early`` on are made later."""
    Nq = problem.Nq

    def queries_from(first: int, stop: int | None, tile: int, *body: Nodes) -> Node | None:
        return loop("i", tile, *body, start=first, stop=stop, label="row") if first < (stop or Nq) else None

    scores = tuple(map(compute, products(problem)))
    weights = *exponentials(problem), *map(compute, row_sums(problem))
    first = loop("e", early, compute(accumulator(problem)), stop=early) if early else None
    late = *scores, *weights, first, store(*used_up(problem)), delete(*used_up(problem))
    sweep = loop(
        "j",
        1,
        load(*lines(problem)),
        queries_from(start, middle, 1, *scores, *sums(problem)),
        queries_from(middle, None, 1, *late),
        delete(*lines(problem)),
    )
    made = *outputs(problem), delete(*output_names(problem))
    ends = loop("e", early, *made, stop=early) if early else None
    again = load(*used_up(problem)), compute(accumulator(problem)), delete(*used_up(problem))
    key = loop("j", 1, load(values(problem)), queries_from(middle, None, 1, *again), delete(values(problem)))
    later = loop("e", problem.dv, key, queries_from(middle, None, Nq, *made), start=early)
    nodes = (
        queries_from(start, None, Nq, load(*queries(problem))),
        sweep,
        queries_from(start, middle, Nq, *finish(problem, *queries(problem))),
        queries_from(middle, None, Nq, ends, delete(*queries(problem))),
        later if middle < Nq else None,
        queries_from(middle, None, Nq, _statistics_end(problem)),
    )
    return [node for node in nodes if node]


def _statistics_end(problem: Problem) -> Nodes:
    return (store(*row_sums(problem)) if problem.stats else ()), delete(*row_sums(problem))
