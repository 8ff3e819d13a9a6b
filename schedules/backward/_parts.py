"""Loop nests that the backward schedules share."""

from __future__ import annotations

from typing import Literal

from pebble import Problem
from pebble.program import (
    Node,
    Nodes,
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    not_last,
    store,
    when,
)

__all__ = [
    "RowSums",
    "keys_outside",
    "queries_outside",
    "row_sums",
    "row_sums_phase",
    "score_tiles",
    "tiled_product",
]

RowSums = Literal["again", "first", "kept", "stored"]
"""How a pass comes by D: computed from O every time; computed the first time, and stored if the pass needs it
again; the same but stored in any case, for a later pass; or only loaded."""


def row_sums(how: RowSums, outer: str) -> tuple[Nodes, ...]:
    """D of the current rows, whose dO is in fast memory."""
    made = loop("e", 1, load("O"), compute("D"), delete("O"), label="entry")
    if how == "again":
        return (made,)
    if how == "stored":
        return (load("D"),)
    keep = store("D") if how == "kept" else when(not_last(outer), store("D"))
    return when(first(outer), made, keep), when(not_first(outer), load("D"))


def row_sums_phase() -> Node:
    """D row by row, a word of dO and of O at a time, written out."""
    return loop(
        "i", 1, loop("e", 1, load("dO", "O"), compute("D"), delete("dO", "O")), store("D"), delete("D")
    )


def keys_outside(
    cols: int,
    sums: RowSums,
    *,
    dQ: bool,
    store_dS: bool = False,
    pinned: int = 0,
    queries: int | None = None,
) -> Node:
    """Keys outside: K, V, dK and dV of a tile stay; query rows pass by one at a time, their keys one by one.

    Parameters
    ----------
    cols : int
        Keys of a tile.
    sums : {"again", "first", "kept", "stored"}
    dQ : bool
        Whether dQ is made too, read back and rewritten for every tile of keys.
    store_dS : bool
        Whether dS is written out.
    pinned : int
        With dQ: so many rows of dQ stay in fast memory. Without: so many rows of Q and dO do.
    queries : int, optional
        Number of queries; only needed with pinned rows.
    """
    pair = (
        compute("S"),
        compute("P", "S"),
        compute("dV"),
        compute("dP"),
        compute("dS", "dP"),
        delete("P"),
        compute("dK"),
        compute("dQ") if dQ else None,
        store("dS") if store_dS else None,
        delete("dS"),
    )
    work = loop("j", 1, *pair, label="key")

    def rows(resident: bool, start: int, stop: int | None) -> Node:
        keep_inputs = resident and not dQ
        given = load("Q", "dO", "l")
        inputs = (when(first("j"), given) if keep_inputs else given, *row_sums(sums, "j"))
        before: tuple[Nodes, ...] = ()
        after: tuple[Nodes, ...] = ()
        if dQ and resident:
            after = (when(last("j"), store("dQ"), delete("dQ")),)
        elif dQ:
            before, after = (when(not_first("j"), load("dQ")),), (store("dQ"), delete("dQ"))
        drop = (
            (when(last("j"), delete("Q", "dO", "l")), delete("D"))
            if keep_inputs
            else delete("Q", "dO", "l", "D")
        )
        return loop("i", 1, *inputs, *before, work, *after, drop, start=start, stop=stop)

    parts = [rows(True, 0, pinned)] if pinned else []
    if not pinned or queries is None or pinned < queries:
        parts.append(rows(False, pinned, None))
    return loop("j", cols, load("K", "V"), *parts, store("dK", "dV"), delete("K", "V", "dK", "dV"))


def queries_outside(
    rows: int,
    sums: RowSums,
    *,
    gradients: bool,
    pinned: int = 0,
    keys: int | None = None,
) -> Node:
    """Queries outside: Q, dO and dQ of a tile stay; key rows pass by one at a time, their queries one by one.

    Parameters
    ----------
    rows : int
        Queries of a tile.
    sums : {"again", "stored"}
        ``"again"`` computes D once for every tile, which here is once for every row.
    gradients : bool
        Whether dK and dV are made too, read back and rewritten for every tile of queries.
    pinned : int
        With gradients: so many rows of dK and dV stay in fast memory. Without: so many rows of K and V do.
    keys : int, optional
        Number of keys; only needed with pinned rows.
    """
    pair = (
        compute("S"),
        compute("P", "S"),
        compute("dV") if gradients else None,
        compute("dP"),
        compute("dS", "dP"),
        delete("P"),
        compute("dK") if gradients else None,
        compute("dQ"),
        delete("dS"),
    )
    work = loop("i", 1, *pair, label="query")

    def columns(resident: bool, start: int, stop: int | None) -> Node:
        load_keys, drop_keys = load("K", "V"), delete("K", "V")
        before: Nodes = None
        after: Nodes = None
        if gradients and resident:
            after = when(last("i"), store("dK", "dV"), delete("dK", "dV"))
        elif gradients:
            before, after = when(not_first("i"), load("dK", "dV")), (store("dK", "dV"), delete("dK", "dV"))
        if resident and not gradients:
            return loop(
                "j",
                1,
                when(first("i"), load_keys),
                work,
                when(last("i"), drop_keys),
                start=start,
                stop=stop,
            )
        return loop("j", 1, load_keys, before, work, after, drop_keys, start=start, stop=stop)

    sums_here = (
        load("D")
        if sums == "stored"
        else loop("i", 1, loop("e", 1, load("O"), compute("D"), delete("O")), label="row")
    )
    parts = [columns(True, 0, pinned)] if pinned else []
    if not pinned or keys is None or pinned < keys:
        parts.append(columns(False, pinned, None))
    return loop(
        "i",
        rows,
        load("Q", "dO", "l"),
        sums_here,
        *parts,
        store("dQ"),
        delete("Q", "dO", "l", "D", "dQ"),
    )


def score_tiles(problem: Problem, result: str, rows: int, cols: int, *after: Nodes) -> Node:
    """S or dP tile by tile, the head dimension streamed; ``after`` stands where a tile is complete.

    Room: the tile, its shorter side, and two words.
    """
    left, right, depth = ("Q", "K", "k") if result == "S" else ("dO", "V", "e")
    if min(rows, problem.Nq) <= min(cols, problem.Nk):
        inner = loop("j", 1, load(right), compute(result), delete(right), label="key")
        step = (load(left), inner, delete(left))
    else:
        inner = loop("i", 1, load(left), compute(result), delete(left), label="query")
        step = (load(right), inner, delete(right))
    return loop("i", rows, loop("j", cols, loop(depth, 1, *step), *after))


def tiled_product(
    result: str,
    left: str,
    right: str,
    axes: tuple[str, str, str],
    tile: tuple[int, int],
    extents: tuple[int, int],
) -> Node:
    """A product on tiles of its result, the inner axis streamed one vector at a time.

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

    Notes
    -----
    Room: the tile, its shorter side, and two words.
    """
    a, b, c = axes
    if min(tile[0], extents[0]) <= min(tile[1], extents[1]):
        step = (
            load(left),
            loop(b, 1, load(right), compute(result), delete(right), label="one"),
            delete(left),
        )
    else:
        step = (
            load(right),
            loop(a, 1, load(left), compute(result), delete(left), label="one"),
            delete(right),
        )
    return loop(a, tile[0], loop(b, tile[1], loop(c, 1, *step), store(result), delete(result)))
