"""Bounds for stencils over time under any names and numbers, from how many places of a row any others read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from pebble.common.errors import BoundDoesNotApply
from pebble.common.units import fast_memory_words
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.lower_bounds.bound import ONCE_ONLY
from pebble.lower_bounds.graph.graph_bound import PAGE, GraphBound
from pebble.lower_bounds.graph.lattice_growth import StencilBox, dominated, least_reads, triangle
from pebble.lower_bounds.graph.needed_part import Needed, needed_part, with_trees_as_one
from pebble.lower_bounds.graph.stencil_rows import StencilRows, stencil_rows
from pebble.lower_bounds.references import HONG_KUNG
from pebble.lower_bounds.rounding import ceil_div
from pebble.lower_bounds.statement import Statement

__all__ = ["STENCIL", "STENCIL_ONCE", "stencil", "stencil_counts"]

_HYPOTHESES = (
    "a DAG in which some rows of vertices, the first one of inputs, are those of a stencil over time"
)
STENCIL = Statement(
    "stencil",
    "I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) + outputs, F(T) the most vertices of the rows that T words dominate, "
    "W these vertices, for every whole X ≥ 1 with at least two segments",
    _HYPOTHESES,
    f"{PAGE}, stencils",
    after=(HONG_KUNG,),
)
STENCIL_ONCE = Statement(
    "stencil, once only",
    "I/O ≥ M + 1 + 2X·(⌈W / (F(M + X) + M + X)⌉ − 1) − those neither outputs nor read as the stencil says, "
    "F(T) the most vertices of the rows that T words dominate, W these vertices, for every whole X ≥ 1",
    _HYPOTHESES,
    f"{PAGE}, stencils",
    rules=ONCE_ONLY,
    after=(HONG_KUNG,),
)

_MOST_WORDS = 600
"""Of a segment, where the places that few words dominate are counted one by one."""
_MOST_SIZES = 150
"""Lengths of a segment that are tried."""

Events = tuple[int, int]
"""How many vertices of some rows there are, and how many of them so many words dominate at most."""


def stencil(dag: Dag, M: int, rules: Rules) -> list[GraphBound]:
    """Return what the rows of a stencil cost, of whatever numbering.

    Parameters
    ----------
    dag : Dag
        Every edge that the bound uses is looked at; other edges and vertices do no harm.
    M : int
        Words of fast memory.
    rules : Rules
        With recomputation allowed the second bound is left out.

    Raises
    ------
    InvalidInput
        If M is not a positive whole number.
    BoundDoesNotApply
        If there is no such stencil, or it says nothing.

    Examples
    --------
    >>> edges = [(100 * t + j, 100 * t + 100 + i) for t in range(32) for i in range(64) for j in (i - 1, i, i + 1)]
    >>> dag = Dag.from_edges([(p * 7 % 3300, v * 7 % 3300) for p, v in edges if p % 100 < 64], 3300)
    >>> [(bound.name, bound.value) for bound in stencil(dag, 8, Rules(recomputation=False))]
    [('stencil', 319), ('stencil, once only', 377)]
    """
    M = fast_memory_words(M)
    part = needed_part(dag)
    found = dict[str, GraphBound]()
    for drawn, sums in ((part, False), (with_trees_as_one(part), True)):
        for rows in stencil_rows(drawn) if not sums or drawn.n < part.n else ():
            for bound in _of_rows(drawn, rows, M, rules, sums):
                if bound.name not in found or bound.value > found[bound.name].value:
                    found[bound.name] = bound
    if not found:
        raise BoundDoesNotApply(
            "no rows of a stencil are found in it that are more than a single segment computes"
        )
    return list(found.values())


def _of_rows(part: Needed, rows: StencilRows, M: int, rules: Rules, sums: bool) -> Iterator[GraphBound]:
    """Yield what the rows cost; with ``sums`` their vertices are sums of several vertices of the DAG."""
    note = f"{_note(rows)}{', sums as one' if sums else ''}"
    counts = stencil_counts(rows, M)
    more = int(sums)  # a word within a sum may be all that the sum needs, and serve as its value besides
    value, X = _best(M, counts, lambda X, events: X * (ceil_div(events[0], events[1] + more * (M + X)) - 1))
    if value:
        yield GraphBound.of(STENCIL, M + 1 + value + part.stores, f"{note}, X = {X:,}", {})
    if not rules.recomputation:
        value, X = _best(M, counts, lambda X, events: 2 * X * (ceil_div(events[0], events[1] + M + X) - 1))
        if value:
            charge = rows.not_read_on(part)
            yield GraphBound.of(STENCIL_ONCE, M + 1 + value - charge, f"{note}, X = {X:,}", {})


def _note(rows: StencilRows) -> str:
    lattice = rows.lattice
    sides = " × ".join(map(str, lattice.sides)) + " places" if lattice.has_sides else "no ends"
    ring = ", a ring" if any(lattice.rings) else ""
    return f"{rows.computed:,} vertices in {len(rows.rows) - 1:,} rows, {len(lattice.offsets)} reads, {sides}{ring}"


def _best(
    M: int, counts: Iterable[tuple[int, Events]], moves: Callable[[int, Events], int]
) -> tuple[int, int]:
    """Return the most moves beyond the first M + 1, and for which X; 0 without any."""
    return max(((moves(T - M, events), T - M) for T, events in counts), default=(0, 0))


def stencil_counts(rows: StencilRows, M: int) -> list[tuple[int, Events]]:
    """Return for words T > M of a segment the vertices of the rows, and how many of them T words dominate at most."""
    lattice = rows.lattice
    ends = _interval(lattice)
    if ends is not None:
        return list(_on_a_line(rows, M, *ends))
    most = min((lattice.axes + 1) * M + 2 * lattice.axes + 8, _MOST_WORDS)
    found = dominated(least_reads(lattice, most))
    return [(T, (rows.computed, max(1, found[T]))) for T in range(M + 1, len(found))]


def _interval(lattice: StencilBox) -> tuple[int, int] | None:
    """Return how far back and ahead the places of a line with two ends read; None if it is something else."""
    if lattice.axes > 1 or not lattice.has_sides or lattice.rings[0]:
        return None
    offsets = [by for (by,) in lattice.offsets]
    back, ahead = -min(offsets), max(offsets)
    return (back, ahead) if min(back, ahead) >= 0 and len(offsets) == back + ahead + 1 > 1 else None


def _on_a_line(rows: StencilRows, M: int, back: int, ahead: int) -> Iterator[tuple[int, Events]]:
    """Yield the same for a line with two ends, where the places near the ends are left out as far as that is best."""
    side = rows.lattice.sides[0]
    columns = [0] * side
    for row in rows.rows:
        for (x,), v in row.items():
            columns[x] += not rows.is_input[v]
    below = [0, *accumulate(columns)]
    step = max(1, min(3 * M, side - M) // _MOST_SIZES)
    for T in range(M + 1, min(4 * M + 2, side), step):
        inside, losses = triangle(T, back + ahead), (back, ahead)
        corners = [_corner(T - left_out, losses) for left_out in range(T + 1)]
        best = (0, 1)
        for left, corner in enumerate(corners):
            if corner is None:
                continue
            most = max(1, inside, corner)
            right = next(at for at, other in enumerate(corners) if other is not None and other <= most)
            W = max(0, below[max(side - right, 0)] - below[min(left, side)])
            if W * best[1] > best[0] * most:
                best = (W, most)
        if best[0]:
            yield T, best


def _corner(words: int, losses: tuple[int, int]) -> int | None:
    """Return how many places words in a row at an end dominate; None if it is no end, as nothing is lost there."""
    if words <= 0:
        return 0
    return None if 0 in losses else triangle(words, min(losses))
