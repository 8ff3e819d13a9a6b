"""A schedule of any loop nest: programs where it is a family or several, else columns or an order of the vertices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pebble.common.clock import TimeUp
from pebble.common.errors import CacheTooSmall, InvalidInput
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
from pebble.solvers.nests.staged_schedule import schedule_stages
from pebble.solvers.nests.stream_schedule import has_columns, schedule_columns
from pebble.solvers.nests.vertex_order import tiled_loops

__all__ = ["MOST_ORDERED", "NestSchedule", "is_too_large", "schedule_nest"]

MOST_ORDERED = 8_500_000
"""Vertices and edges up to which the vertices are ordered one by one: about a million vertices."""
_MOST_IN_BLOCKS, _MOST_ON_A_LATTICE = 8_000, 2_500
"""Vertices and edges up to which orders found without the loops are tried too: those that then take some seconds."""
_NEAR = 2
"""They are not tried if no more than so many times the inputs and outputs are moved."""
_WORTH = 0.9
"""So much less than a program an order without loops has to move to be shown in its place."""


@dataclass(frozen=True)
class NestSchedule:
    """A schedule of a loop nest, its words counted by the machine or by the replay.

    Attributes
    ----------
    nest : LoopNest
    M : int
        Words of fast memory.
    reads, writes : int
        Words loaded and stored.
    peak : int
        Most words in fast memory at any time, at most M.
    program : str
        The schedule as text: a program, or how the vertices are ordered.
    """

    nest: LoopNest
    M: int
    reads: int
    writes: int
    peak: int
    program: str
    _moves: Callable[[], Iterator[Moves]] = field(repr=False, compare=False)

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.reads + self.writes

    def moves(self) -> Iterator[Moves]:
        """Yield the moves of the elementary game on the nest's DAG, made anew each time."""
        return self._moves()


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
    TimeUp
        If a time limit around the search passes before there is a schedule.
    InvalidInput
        If the nest is no family of arrays, nor families one after the other, and too large to be scheduled vertex by
        vertex, and no columns of it are known that fit.

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
    if family.n_vertices + family.n_edges > _MOST_IN_BLOCKS:
        return by_program
    ordered = _general_order(family.dag(), M, by_program.io)
    return (
        by_program if ordered is None or ordered.io > _WORTH * by_program.io else _of_order(nest, M, ordered)
    )


def _no_family(nest: LoopNest, M: int, progress: Callable[[str], None] | None) -> NestSchedule:
    """Schedule a nest by programs for its stages, or vertex by vertex if it is small; the better of both."""
    try:
        by_stages = _by_stages(nest, M, progress)
    except (NotAFamily, CacheTooSmall):
        if is_too_large(nest) and has_columns(nest):
            return _by_columns(nest, M, progress)
        return _by_vertices(nest, M, progress)
    if is_too_large(nest):
        return by_stages
    try:
        by_vertices = _by_vertices(nest, M, progress)
    except TimeUp:
        return by_stages
    return min(by_stages, by_vertices, key=lambda one: one.io)


def is_too_large(nest: LoopNest) -> bool:
    """Whether the vertices of a nest are too many to be ordered one by one; nothing is built."""
    try:
        return sum(count_edges(nest)) > MOST_ORDERED
    except TooManyPoints:
        return True


def _by_stages(nest: LoopNest, M: int, progress: Callable[[str], None] | None) -> NestSchedule:
    found = schedule_stages(nest, M, progress=progress)
    return NestSchedule(nest, M, found.reads, found.writes, found.peak, str(found), found.moves)


def _by_columns(nest: LoopNest, M: int, progress: Callable[[str], None] | None) -> NestSchedule:
    found = schedule_columns(nest, M, progress=progress)
    return NestSchedule(nest, M, found.reads, found.writes, found.peak, str(found), found.moves)


def _by_vertices(nest: LoopNest, M: int, progress: Callable[[str], None] | None) -> NestSchedule:
    """Order the vertices one by one, by tiled loops."""
    vertices, edges = count_edges(nest)
    if vertices + edges > MOST_ORDERED:
        raise InvalidInput(
            f"{vertices:,} vertices and up to {edges:,} edges are too many to be ordered one by one (limit "
            f"{MOST_ORDERED:,} together): choose smaller extents, or write the nest with rectangular ranges and plain "
            "indices, which are scheduled at any size"
        )
    built = nest_dag(nest)
    dag = built.dag
    if dag.least_M() > M:
        raise CacheTooSmall(
            f"the nest needs at least {dag.least_M()} words: a vertex, and what it reads; M is {M}",
            dag.least_M(),
        )
    room = min(M, dag.n_vertices + 1)
    try:
        loops = tiled_loops(built, room, progress=progress)
    except TimeUp:
        if vertices + edges > _MOST_IN_BLOCKS:
            raise  # even to replay them as they come takes long
        return _of_order(nest, M, schedule_dag(dag, room, order="given"))
    general = _general_order(dag, room, loops.io)
    if general is not None:
        return _of_order(nest, M, general)
    ordered = schedule_dag(dag, room, order=loops.order)
    return NestSchedule(nest, M, ordered.reads, ordered.writes, ordered.peak, loops.text, ordered.moves)


def _general_order(dag: Dag, M: int, io: int) -> DagSchedule | None:
    """Return the best order that is found without the loops, if it moves fewer words; small graphs only."""
    size = dag.n_vertices + dag.n_edges
    if size > _MOST_IN_BLOCKS or io <= _NEAR * (len(dag.inputs) + len(dag.outputs)):
        return None
    methods = ["greedy", "lattice"] if size <= _MOST_ON_A_LATTICE else ["greedy"]
    best = min((schedule_dag(dag, M, order=method) for method in methods), key=lambda one: one.io)
    return best if best.io < io else None


def _of_order(nest: LoopNest, M: int, found: DagSchedule) -> NestSchedule:
    text = f"the vertices of the DAG in an order found by {found.order}; evict what is used last (Belady)"
    return NestSchedule(nest, M, found.reads, found.writes, found.peak, text, found.moves)
