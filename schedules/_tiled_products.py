"""Products on tiles of their result, the inner axis streamed one vector at a time.

Room: the tile, its shorter side, and two words. For safe and online softmax O is made from scores that were written
out, and P is computed again at each use. With safe softmax the maxima are read; with online softmax they are found
again in every sweep over the keys, so that nothing else is written for each pair.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pebble import Problem
from pebble.program import (
    Node,
    Nodes,
    Phase,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    phase,
    resume,
    store,
    when,
)
from schedules._roles import (
    each_head,
    exponentials,
    family,
    product_text,
    score_words,
    statistics,
    used_up,
    values,
)


def tiled_product(
    problem: Problem, names: str | tuple[str, ...], tile: tuple[int, int], *after: Nodes
) -> Node:
    """Write a product tile by tile, or several of the same two axes, one after the other in each tile.

    Parameters
    ----------
    problem : Problem
    names : str or tuple of str
        The arrays of the computation that are products.
    tile : (int, int)
        Rows and columns of a tile of the result.
    *after
        What is done with a complete tile; by default it is stored and deleted.
    """
    names = (names,) if isinstance(names, str) else names
    of = family(problem)
    rows, cols = of[names[0]].axes[-2:]
    hold_left = min(tile[0], of.extents[rows]) <= min(tile[1], of.extents[cols])
    steps = _steps(problem, names, hold_left)
    return loop(rows, tile[0], loop(cols, tile[1], steps, after or (store(*names), delete(*names))))


@lru_cache(maxsize=64)
def _steps(problem: Problem, names: tuple[str, ...], hold_left: bool) -> tuple[Node, ...]:
    """Write the loops over the chains of products in a tile."""
    found = []
    for one in (family(problem)[name] for name in names):
        rows, cols = one.axes[-2:]
        labels = ("query", "key") if (rows, cols) == ("i", "j") else ("one", "one")
        left, right = one.operands
        step = _vector_by_vector(one.name, left, right, (rows, cols), hold_left, labels)
        found.append(loop(str(one.chain), 1, *step))
    return tuple(found)


def product_phase(problem: Problem, name: str, tile: tuple[int, int], *after: Nodes) -> Phase:
    """Write a phase that is a product tile by tile."""
    title = f"{name} = {product_text(problem, name)}, tile by tile"
    return phase(title, tiled_product(problem, name, tile, *after))


def product_by_row(problem: Problem, name: str) -> Phase:
    """Write a phase that is a product of queries and keys, row by row."""
    row, column = family(problem)[name].operands
    one = loop("j", 1, load(column), compute(name), delete(column), store(name), delete(name))
    rows = each_head(problem, loop("i", 1, load(row), one, delete(row)))
    return phase(f"{name} = {product_text(problem, name)}", rows)


def _vector_by_vector(
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


@lru_cache(maxsize=8)
def parked_sums(name: str = "l") -> Node:
    """Row sums of a tile of P, or maxima of a tile of S, kept in slow memory between tiles."""
    return loop(
        "i", 1, when(not_first("j"), resume(name)), compute(name), store(name), delete(name), label="row"
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


def output_phase(problem: Problem, rows: int, cols: int, *, sums: bool) -> Phase:
    """O tile by tile, the keys streamed; the row sums are read, or computed on the way.

    Parameters
    ----------
    problem : Problem
    rows, cols : int
        Rows and columns of an output tile. With ``sums``, later tiles have a column more than the first one, which
        has the row sums beside it.
    sums : bool
        Whether the row sums are computed in this phase.
    """
    score = score_words(problem)
    words, first = cols + sums, min(cols, problem.dv)
    hold_left = min(rows, problem.Nq) * score + 1 < min(words, problem.dv) + score
    if not sums:
        sweeps = [_output_tiles(problem, cols, hold_left, "read")]
    elif first == problem.dv:
        sweeps = [_output_tiles(problem, first, hold_left, "compute", 0, first)]
    else:
        sweeps = [
            _output_tiles(problem, first, hold_left, "store", 0, first),
            _output_tiles(problem, words, hold_left, "read", first),
        ]
    return phase("O = PV / l, tile by tile", each_head(problem, loop("i", rows, *sweeps)))


def _output_tiles(
    problem: Problem,
    cols: int,
    hold_left: bool,
    sums: _RowSums,
    start: int = 0,
    stop: int | None = None,
) -> Node:
    return loop("e", cols, _output_steps(problem, hold_left, sums), start=start, stop=stop)


@lru_cache(maxsize=64)
def _output_steps(problem: Problem, hold_left: bool, sums: _RowSums) -> tuple[Node, ...]:
    """Write what is done in a tile of O."""
    work = None if sums == "read" else compute("l")
    step = _vector_by_vector(
        "U", used_up(problem), values(problem), ("i", "e"), hold_left, ("row", "column"), work
    )
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
    return loop("j", 1, *step), finish


def output_from_scores(problem: Problem, rows: int, cols: int) -> Phase:
    """Write the phase on tiles of O of ``rows`` and ``cols``, the keys streamed.

    Room: the tile, two words for each of its rows, and either a row of V, the words of a score and one, or the words
    of a score for each row and two.
    """
    used, held = used_up(problem), min(rows, problem.Nq)
    made = load("S"), *exponentials(problem), when(first("e"), compute("l"))
    if held * score_words(problem) + 1 < min(cols, problem.dv) + score_words(problem):
        words = loop("e", 1, load("V"), compute("U"), delete("V"), label="column")
        step: tuple[Nodes, ...] = (*made, words, delete(*used))
    else:
        step = load("V"), loop("i", 1, *made, compute("U"), delete(*used), label="row"), delete("V")
    return phase("O = PV / l from S, tile by tile", _tiles(problem, rows, cols, loop("j", 1, *step)))


def output_from_score_tiles(problem: Problem, side: int) -> Phase:
    """Write the phase on square tiles, tiles of S and V loaded whole."""
    work = (*exponentials(problem), when(first("e"), compute("l")), compute("U"), delete(*used_up(problem)))
    inner: Nodes = loop("j", 1, *work, label="key") if problem.form == "online" else work
    keys = loop("j", side, load("S", "V"), inner, delete("V"))
    return phase("O = PV / l from S, tile by tile", _tiles(problem, side, side, keys))


def _tiles(problem: Problem, rows: int, cols: int, keys: Node) -> Node:
    """Write the loops over the tiles of O around a sweep over the keys."""
    safe = problem.form == "safe"
    kept = [name for name in statistics(problem) if problem.stats and not (safe and name == "m")]
    end = (
        compute("O", "U"),
        store("O"),
        delete("O"),
        when(last("e"), store(*kept) if kept else None, delete("l")),
        None if safe else delete("m"),
    )
    begin, after = (load("m"), delete("m")) if safe else (None, None)
    return loop("i", rows, begin, loop("e", cols, keys, *end), after)
