"""Loop nests that the backward schedules share."""

from __future__ import annotations

from typing import Literal

from pebble import Problem
from pebble.program import (
    Loop,
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
    resume,
    store,
    when,
)
from schedules._resident_rows import resident_and_streamed

__all__ = [
    "GRADIENTS",
    "RowSums",
    "keys_outside",
    "pair_by_pair",
    "queries_outside",
    "row_sums",
    "row_sums_of_block",
    "row_sums_phase",
]

GRADIENTS = ("dV", "dK", "dQ")
"""What a backward pass computes."""

RowSums = Literal["again", "first", "kept", "stored"]
"""How a pass comes by D: computed from O every time; computed the first time, and stored if the pass needs it
again; the same but stored in any case, for a later pass; or only loaded."""


def row_sums(how: RowSums, outer: str) -> tuple[Nodes, ...]:
    """D of the current row, whose dO is in fast memory."""
    made = loop("e", 1, load("O"), compute("D"), delete("O"), label="entry")
    if how == "again":
        return (made,)
    if how == "stored":
        return (load("D"),)
    keep = store("D") if how == "kept" else when(not_last(outer), store("D"))
    return when(first(outer), made, keep), when(not_first(outer), load("D"))


def row_sums_of_block(label: str = "row") -> Node:
    """D of a block of rows, whose dO is in fast memory, a word of O at a time."""
    return loop("i", 1, loop("e", 1, load("O"), compute("D"), delete("O")), label=label)


def row_sums_phase() -> Node:
    """D row by row, a word of dO and of O at a time, written out."""
    return loop(
        "i", 1, loop("e", 1, load("dO", "O"), compute("D"), delete("dO", "O")), store("D"), delete("D")
    )


def pair_by_pair(
    axis: str, label: str, *, gradients: bool = True, dQ: Nodes = None, after: Nodes = None
) -> Node:
    """Work on a query and a key in fast memory, one pair after the other: one word each of S, P, dP and dS is held.

    Parameters
    ----------
    axis, label : str
        Axis and label of the loop over the pairs.
    gradients : bool
        Whether dK and dV are computed.
    dQ : nodes, optional
        How dQ is computed, if it is.
    after : nodes, optional
        What else is done with dS.
    """
    return loop(
        axis,
        1,
        compute("S"),
        compute("P", "S"),
        compute("dV") if gradients else None,
        compute("dP"),
        compute("dS", "dP"),
        delete("P"),
        compute("dK") if gradients else None,
        dQ,
        after,
        delete("dS"),
        label=label,
    )


def keys_outside(
    problem: Problem, cols: int, sums: RowSums, *, dQ: bool, store_dS: bool = False, pinned: int = 0
) -> Loop:
    """Keys outside: K, V, dK and dV of a tile stay; query rows pass by one at a time, their keys one by one.

    Parameters
    ----------
    problem : Problem
    cols : int
        Keys of a tile.
    sums : {"again", "first", "kept", "stored"}
    dQ : bool
        Whether dQ is computed too, read back and rewritten for every tile of keys.
    store_dS : bool
        Whether dS is written out.
    pinned : int
        With dQ: so many rows of dQ stay in fast memory. Without: so many rows of Q and dO do.
    """
    work = pair_by_pair("j", "key", dQ=compute("dQ") if dQ else None, after=store("dS") if store_dS else None)

    def queries(resident: bool, start: int, stop: int | None) -> Node:
        arrive: Nodes = load("Q", "dO", "l")
        leave: Nodes = delete("Q", "dO", "l", "D")
        before: Nodes = None
        after: Nodes = None
        if dQ and resident:
            after = when(last("j"), store("dQ"), delete("dQ"))
        elif dQ:
            before, after = when(not_first("j"), resume("dQ")), (store("dQ"), delete("dQ"))
        elif resident:
            arrive = when(first("j"), arrive)
            leave = when(last("j"), delete("Q", "dO", "l")), delete("D")
        return loop("i", 1, arrive, *row_sums(sums, "j"), before, work, after, leave, start=start, stop=stop)

    parts = resident_and_streamed(min(pinned, problem.Nq), problem.Nq, queries)
    return loop("j", cols, load("K", "V"), *parts, store("dK", "dV"), delete("K", "V", "dK", "dV"))


def queries_outside(
    problem: Problem,
    rows: int,
    sums: Literal["again", "stored"],
    *,
    gradients: bool,
    pinned: int = 0,
    part: tuple[int, int | None] = (0, None),
    begun: int = 0,
) -> Loop:
    """Queries outside: Q, dO and dQ of a tile stay; key rows pass by one at a time, their queries one by one.

    Parameters
    ----------
    problem : Problem
    rows : int
        Queries of a tile.
    sums : {"again", "stored"}
        ``"again"`` computes D once for every tile, which here is once for every row.
    gradients : bool
        Whether dK and dV are computed too, read back and rewritten for every tile of queries.
    pinned : int
        With gradients: so many rows of dK and dV stay in fast memory. Without: so many rows of K and V do.
    part : (int, int or None)
        The queries that the tiles divide; all of them by default.
    begun : int
        With gradients and nothing pinned: no later key has been seen by queries before the part.
    """
    work = pair_by_pair("i", "query", gradients=gradients, dQ=compute("dQ"))

    def keys(resident: bool, start: int, stop: int | None) -> Node:
        arrive: Nodes = load("K", "V")
        leave: Nodes = delete("K", "V")
        before: Nodes = None
        after: Nodes = None
        if gradients and resident:
            after = when(last("i"), store("dK", "dV"), delete("dK", "dV"))
        elif gradients:
            before, after = when(not_first("i"), resume("dK", "dV")), (store("dK", "dV"), delete("dK", "dV"))
        elif resident:
            arrive, leave = when(first("i"), arrive), when(last("i"), leave)
        return loop("j", 1, arrive, before, work, after, leave, start=start, stop=stop)

    def begun_or_not(begun: bool, start: int, stop: int | None) -> Node:
        read: Nodes = resume("dK", "dV") if begun else when(not_first("i"), resume("dK", "dV"))
        end = (store("dK", "dV"), delete("dK", "dV"), delete("K", "V"))
        return loop("j", 1, load("K", "V"), read, work, end, start=start, stop=stop)

    return loop(
        "i",
        rows,
        load("Q", "dO", "l"),
        load("D") if sums == "stored" else row_sums_of_block(),
        *resident_and_streamed(min(begun or pinned, problem.Nk), problem.Nk, begun_or_not if begun else keys),
        store("dQ"),
        delete("Q", "dO", "l", "D", "dQ"),
        start=part[0],
        stop=part[1],
    )
