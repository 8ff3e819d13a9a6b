"""Products on tiles of their result, the inner axis streamed one vector at a time.

Room: the tile, its shorter side, and two words.
"""

from __future__ import annotations

from typing import Literal

from pebble import Problem
from pebble.program import Node, Nodes, Phase, compute, delete, load, loop, not_first, phase, store, when
from schedules._softmax import score_words, used_up

__all__ = [
    "output_phase",
    "parked_sums",
    "score_tiles",
    "scores_of_resident_rows",
    "tiled_product",
    "vector_by_vector",
]


def tiled_product(
    result: str,
    left: str,
    right: str,
    axes: tuple[str, str, str],
    tile: tuple[int, int],
    extents: tuple[int, int],
    *after: Nodes,
    labels: tuple[str, str] = ("one", "one"),
) -> Node:
    """Write a product tile by tile.

    Parameters
    ----------
    result, left, right : str
        ``result[a, b] = Σ_c left[a, c]·right[b, c]``, each array with these axes in any order.
    axes : (str, str, str)
        The axes a, b and c.
    tile : (int, int)
        Rows and columns of a tile of the result.
    extents : (int, int)
        Lengths of the axes a and b.
    *after
        What is done with a complete tile; by default it is stored and deleted.
    labels : (str, str)
        What the inner loops over a and over b are called.
    """
    a, b, c = axes
    hold_left = min(tile[0], extents[0]) <= min(tile[1], extents[1])
    step = vector_by_vector(result, left, right, (a, b), hold_left, labels)
    return loop(a, tile[0], loop(b, tile[1], loop(c, 1, *step), *(after or (store(result), delete(result)))))


def vector_by_vector(
    result: str,
    left: str | tuple[str, ...],
    right: str,
    axes: tuple[str, str],
    hold_left: bool,
    labels: tuple[str, str],
    with_left: Nodes = None,
) -> tuple[Nodes, ...]:
    """Advance a tile by one step of its chain: one vector is held, the other passes word by word."""
    left = (left,) if isinstance(left, str) else left
    if hold_left:
        words = loop(axes[1], 1, load(right), compute(result), delete(right), label=labels[1])
        return load(*left), with_left, words, delete(*left)
    words = loop(axes[0], 1, load(*left), with_left, compute(result), delete(*left), label=labels[0])
    return load(right), words, delete(right)


def score_tiles(problem: Problem, result: Literal["S", "dP"], rows: int, cols: int, *after: Nodes) -> Node:
    """S or dP tile by tile, the head dimension streamed; ``after`` stands where a tile is complete."""
    left, right, depth = ("Q", "K", "k") if result == "S" else ("dO", "V", "e")
    extents = (problem.Nq, problem.Nk)
    axes, labels = ("i", "j", depth), ("query", "key")
    return tiled_product(result, left, right, axes, (rows, cols), extents, *after, labels=labels)


def parked_sums(name: str = "l") -> Node:
    """Row sums of a tile of P, or maxima of a tile of S, kept in slow memory between tiles."""
    return loop(
        "i", 1, when(not_first("j"), load(name)), compute(name), store(name), delete(name), label="row"
    )


def scores_of_resident_rows(problem: Problem, rows: int, *work: Nodes) -> Node:
    """Scores of a block of rows of Q in fast memory, all keys streamed; ``work`` is done on the scores of a key.

    Keys pass a row at a time, with one score held, or a word at a time, with the scores of all rows held: whichever
    needs less room.
    """
    if min(rows, problem.Nq) > problem.d:
        return loop("j", 1, load("K"), loop("i", 1, compute("S"), work, label="row"), delete("K"))
    return loop("j", 1, loop("k", 1, load("K"), compute("S"), delete("K")), work)


_RowSums = Literal["read", "compute", "store"]
"""How a sweep comes by the row sums: read, computed on the way, or computed and stored for the next sweep."""


def output_phase(problem: Problem, rows: int, cols: int, *, sums: bool, values: str = "V") -> Phase:
    """O tile by tile, the keys streamed; the row sums are read, or computed on the way.

    Parameters
    ----------
    problem : Problem
    rows, cols : int
        Rows and columns of an output tile. With ``sums``, later tiles have a column more than the first one, which
        has the row sums beside it.
    sums : bool
        Whether the row sums are computed in this phase.
    values : str
        The array that P is multiplied with.
    """
    score = score_words(problem)
    words, first = cols + sums, min(cols, problem.dv)
    hold_left = min(rows, problem.Nq) * score + 1 < min(words, problem.dv) + score
    if not sums:
        sweeps = [_output_tiles(problem, values, cols, hold_left, "read")]
    elif first == problem.dv:
        sweeps = [_output_tiles(problem, values, first, hold_left, "compute", 0, first)]
    else:
        sweeps = [
            _output_tiles(problem, values, first, hold_left, "store", 0, first),
            _output_tiles(problem, values, words, hold_left, "read", first),
        ]
    return phase("O = PV / l, tile by tile", loop("i", rows, *sweeps))


def _output_tiles(
    problem: Problem,
    values: str,
    cols: int,
    hold_left: bool,
    sums: _RowSums,
    start: int = 0,
    stop: int | None = None,
) -> Node:
    work = None if sums == "read" else compute("l")
    step = vector_by_vector("U", used_up(problem), values, ("i", "e"), hold_left, ("row", "column"), work)
    finish = loop(
        "i",
        1,
        load("l") if sums == "read" else None,
        compute("O", "U"),
        store("O"),
        store("l") if sums == "store" or (sums == "compute" and problem.stats) else None,
        delete("O", "l"),
        label="row",
    )
    return loop("e", cols, loop("j", 1, *step), finish, start=start, stop=stop)
