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

GRADIENTS = ("dV", "dK", "dQ")
"""What a backward pass computes."""

_KEYS, _QUERIES = (("K", "V"), ("dK", "dV")), (("Q", "dO", "l"), ("dQ",))
"""What is read of a line, and its gradients."""

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


def tiles_outside(
    problem: Problem,
    axis: Literal["i", "j"],
    tile: int,
    sums: RowSums,
    *,
    both: bool,
    store_dS: bool = False,
    pinned: int = 0,
    part: tuple[int, int | None] = (0, None),
    begun: int = 0,
) -> Loop:
    """Tiles of one side stay, with their gradients; lines of the other pass by one at a time, pair by pair.

    Parameters
    ----------
    problem : Problem
    axis : {"j", "i"}
        The side that stays: keys with dK and dV, or queries with dQ.
    tile : int
        Lines of a tile.
    sums : {"again", "first", "kept", "stored"}
        For queries that stay, ``"again"`` computes D once for every tile, which here is once for every row.
    both : bool
        Whether the gradients of the lines that pass are computed too, read back and rewritten for every tile.
    store_dS : bool
        Whether dS is written out.
    pinned : int
        How many lines that pass stay in fast memory: their gradients with ``both``, else their inputs.
    part : (int, int or None)
        The lines that the tiles divide; all of them by default.
    begun : int
        With ``both`` and nothing pinned: no later line that passes has been seen before the part.
    """
    keys = axis == "j"
    (stay, own), (others, theirs) = (_KEYS, _QUERIES) if keys else (_QUERIES, _KEYS)
    work = pair_by_pair(
        axis,
        "key" if keys else "query",
        gradients=keys or both,
        dQ=compute("dQ") if both or not keys else None,
        after=store("dS") if store_dS else None,
    )
    D = ("D",) if keys else ()

    def passing(first_part: bool, start: int, stop: int | None) -> Node:
        arrive: Nodes = load(*others)
        leave: Nodes = delete(*others, *D)
        before: Nodes = None
        after: Nodes = None
        if both and first_part and not begun:
            after = when(last(axis), store(*theirs), delete(*theirs))
        elif both:
            before = resume(*theirs) if first_part else when(not_first(axis), resume(*theirs))
            after = store(*theirs), delete(*theirs)
        elif first_part:
            arrive, leave = when(first(axis), arrive), (when(last(axis), delete(*others)), delete(*D))
        rows = row_sums(sums, axis) if keys else ()
        body = arrive, *rows, before, work, after, leave
        return loop("i" if keys else "j", 1, *body, start=start, stop=stop)

    length = problem.Nq if keys else problem.Nk
    made: Nodes = None
    if not keys:
        made = load("D") if sums == "stored" else row_sums_of_block()
    sweep = resident_and_streamed(min(begun or pinned, length), length, passing)
    end = store(*own), delete(*stay, *(() if keys else ("D",)), *own)
    return loop(axis, tile, load(*stay), made, *sweep, *end, start=part[0], stop=part[1])
