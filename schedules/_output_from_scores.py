"""O tile by tile from scores that were written out, for safe and online softmax.

P is computed again at each use. With safe softmax the maxima are read; with online softmax they are found again in
every sweep over the keys, so that nothing else is written for each pair.
"""

from __future__ import annotations

from pebble import Problem
from pebble.program import Node, Nodes, Phase, compute, delete, first, last, load, loop, phase, store, when
from schedules._roles import exponentials, score_words, statistics, used_up

__all__ = ["output_from_score_tiles", "output_from_scores"]


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
