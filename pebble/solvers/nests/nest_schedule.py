"""A schedule of any loop nest: programs where it is a family or several, an order of the vertices where it is small."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf

from pebble.common.errors import CacheTooSmall
from pebble.common.units import fast_memory_words
from pebble.computations.nests.nest_dag import count_edges, nest_dag
from pebble.computations.nests.nest_family import NotAFamily, as_family
from pebble.computations.nests.points import TooManyPoints
from pebble.computations.nests.statement import LoopNest
from pebble.game.moves import Moves
from pebble.graph.dag import Dag
from pebble.program.lowering import lower
from pebble.solvers.heuristic.dag_schedule import DagSchedule, schedule_dag
from pebble.solvers.nests.family_schedule import schedule_family
from pebble.solvers.nests.staged_schedule import NestSchedule, schedule_stages

MOST_ORDERED = 200_000
"""Vertices and edges up to which the vertices of a nest are ordered one by one, in a minute or less."""
_METHODS = {"greedy": 8_000, "lattice": 2_500}
"""How vertices are ordered, and the size up to which that is tried beside a family's program: it takes some seconds."""
_NEAR = 2
"""They are not tried if the program moves at most this many times the inputs and outputs."""
_WORTH = 0.9
"""So much less than a program an order has to move to be shown in its place."""


def schedule_nest(
    nest: LoopNest,
    M: int,
    progress: Callable[[str], None] | None = None,
) -> NestSchedule:
    """Find a schedule of a loop nest that moves few words.

    Parameters
    ----------
    nest : LoopNest
    M : int
        Words of fast memory.
    progress : callable, optional
        Called with a line of text now and then.

    Returns
    -------
    NestSchedule

    Raises
    ------
    CacheTooSmall
        If M words hold no vertex with its operands; ``least_M`` says how many do.
    TooManyPoints
        If the nest is no family of arrays, nor families one after the other, and has more than :data:`MOST_ORDERED`
        vertices and edges.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> nest = loop_nest("C[i,j] += A[i,k]*B[k,j]", {"i": 1024, "j": 1024, "k": 1024})
    >>> found = schedule_nest(nest, 1000)
    >>> found.io, found.peak
    (70631424, 994)
    """
    M = fast_memory_words(M)
    family = as_family(nest)
    if family is None:
        return _no_family(nest, M, progress)
    found = schedule_family(family, M, progress=progress)
    run, text = found.run, found.program
    by_program = NestSchedule(
        nest,
        M,
        run.total_reads,
        run.total_writes,
        run.peak,
        str(text),
        lambda: (Moves(op, vertex) for op, vertex in lower(text, family)),
    )
    size = family.n_vertices + family.n_edges
    methods = [method for method, most in _METHODS.items() if size <= most]
    if not methods:
        return by_program
    dag = family.dag()
    if by_program.io <= _NEAR * (len(dag.inputs) + len(dag.outputs)):
        return by_program
    ordered = _ordered(nest, dag, M, methods, progress)
    return ordered if ordered.io <= _WORTH * by_program.io else by_program


def _no_family(nest: LoopNest, M: int, progress: Callable[[str], None] | None) -> NestSchedule:
    """Schedule a nest by programs for its stages, or vertex by vertex if it is small; the better of both."""
    size = _size(nest)
    found: list[NestSchedule] = []
    try:
        found.append(schedule_stages(nest, M, progress))
    except NotAFamily as error:
        if size > MOST_ORDERED:
            raise TooManyPoints(_why_not(size, error)) from None
    except CacheTooSmall:
        if size > MOST_ORDERED:
            raise
    if size <= MOST_ORDERED:
        found.append(_ordered(nest, nest_dag(nest).dag, M, _METHODS, progress))
    return min(found, key=lambda one: one.io)


def _ordered(
    nest: LoopNest, dag: Dag, M: int, methods: Iterable[str], progress: Callable[[str], None] | None
) -> NestSchedule:
    """Return the best order of the vertices, as those of any DAG, that some methods find."""
    orders: list[DagSchedule] = []
    for method in methods:
        if progress is not None:
            progress(f"ordering {dag.n_vertices:,} vertices by the method {method}")
        orders.append(schedule_dag(dag, min(M, dag.n_vertices + 1), order=method))
    best = min(orders, key=lambda one: one.io)
    text = f"the vertices of the DAG in an order found by {best.order}; evict what is used last (Belady)"
    return NestSchedule(nest, M, best.reads, best.writes, best.peak, text, best.moves)


def _size(nest: LoopNest) -> float:
    """Return how many vertices and edges a nest has, infinity if they cannot be counted; nothing is built."""
    try:
        return sum(count_edges(nest))
    except TooManyPoints:
        return inf


def _why_not(size: float, why: NotAFamily) -> str:
    many = "its" if size == inf else f"its {size:,}"
    return (
        f"the nest has no program ({why}), and {many} vertices and edges are too many to order one by one (at most "
        f"{MOST_ORDERED:,}). Choose smaller extents, or run pebble dag schedule kernel:TEXT:EXTENTS, which takes "
        "larger graphs and more time"
    )
