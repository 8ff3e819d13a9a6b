"""Automatic schedules of any DAG: a compute order and an eviction rule, judged by the replay."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import limited_to
from pebble.common.errors import CacheTooSmall, InvalidInput
from pebble.common.plain import plain
from pebble.common.tables import SCHEMA_VERSION
from pebble.common.units import fast_memory_words
from pebble.common.whole_numbers import singular
from pebble.game.files.header import Header
from pebble.game.files.writer import write_pebbling
from pebble.game.moves import Moves
from pebble.game.pictures import pebbling_svg
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag, Vertex
from pebble.solvers.heuristic.eviction import EVICTIONS
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.portfolio import ORDERS
from pebble.solvers.heuristic.search import Task


@dataclass(frozen=True, eq=False)
class DagSchedule:
    """A schedule of a DAG, with the counts that the replay has confirmed.

    Attributes
    ----------
    dag : Dag
    M : int
        Words of fast memory.
    reads, writes : int
        Loads and stores, words.
    peak : int
        The largest number of red pebbles at any time.
    order : str
        The method that found the order of computation; for ``auto`` the one that was best.
    eviction : str
        The eviction rule.
    compute_order : array of int64, shape (n,)
        The computed vertices; those that no output depends on are left out.
    pebbling : callable, optional
        Returns the moves, where they are not those of the order and the eviction rule.
    interrupted : bool
        Whether the search was interrupted before its end.
    recomputation : bool
        Whether some vertex is computed twice; never in what :func:`schedule_dag` finds.
    """

    dag: Dag
    M: int
    reads: int
    writes: int
    peak: int
    order: str
    eviction: str
    compute_order: NDArray[np.int64]
    pebbling: Callable[[], Iterator[Moves]] | None = field(default=None, repr=False)
    interrupted: bool = False
    recomputation: bool = False

    @property
    def io(self) -> int:
        """Loads plus stores."""
        return self.reads + self.writes

    def moves(self) -> Iterator[Moves]:
        """Yield the pebbling in columns, made anew each time and never all held at once."""
        if self.pebbling is not None:
            return self.pebbling()
        return _moves(NeededGraph(self.dag), self.M, self.compute_order, self.eviction)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON.

        Examples
        --------
        >>> schedule_dag(Dag.from_edges([("a", "sum"), ("b", "sum")]), 3, order="given").to_dict()
        {'schema_version': 1, 'vertices': 3, 'edges': 2, 'M': 3, 'reads': 2, 'writes': 1, 'io': 3, 'peak': 3,
         'order': 'given', 'eviction': 'belady'}
        """
        keys = "vertices=dag.n_vertices edges=dag.n_edges M reads writes io peak order eviction"
        said = {name: True for name in ("interrupted", "recomputation") if getattr(self, name)}
        return {"schema_version": SCHEMA_VERSION, **plain(self, keys), **said}

    def write(
        self,
        target: str | os.PathLike[str] | IO[str],
        name: str = "dag",
        parameters: dict[str, str] | None = None,
    ) -> int:
        """Write a pebbling file and return the number of moves; a path is written whole or not at all.

        Parameters
        ----------
        target : path or text stream
        name, parameters : str, dict of str to str
            What the header calls the DAG; no white space.
        """
        header = Header(name, parameters or {}, self.M, Rules(recomputation=self.recomputation))
        return write_pebbling(target, header, self.dag, self.moves())

    def __str__(self) -> str:
        return singular(
            f"{self.io:,} I/O ({self.reads:,} reads, {self.writes:,} writes), peak {self.peak:,} of {self.M:,} "
            f"words; order {self.order}, eviction {self.eviction}{', with recomputation' * self.recomputation}"
        )

    def _repr_svg_(self) -> str:
        return pebbling_svg(self.dag, str(self), str(self).split("; "), self.moves())


def schedule_dag(
    dag: Dag,
    M: int,
    order: str | Sequence[Vertex] | NDArray[np.int64] = "auto",
    eviction: str = "belady",
    seed: int | np.random.Generator = 0,
    time_budget: float | None = None,
    progress: Callable[[str, float, int], object] | None = None,
    *,
    candidates: Iterable[tuple[str, Sequence[Vertex] | NDArray[np.int64]]] = (),
    stoppable: bool = False,
) -> DagSchedule:
    """Schedule any DAG for M words of fast memory: every vertex computed once, I/O counted by the replay.

    Nothing is promised about the distance to the optimum.

    Parameters
    ----------
    dag : Dag
        The computation. Vertices that no output depends on are not computed.
    M : int
        Words of fast memory.
    order : str or sequence of vertices
        How the order of computation is found, one of :data:`pebble.solvers.heuristic.ORDERS`; or the order itself.
    eviction : {"belady", "lru", "fifo"}
        Which value leaves fast memory: the one with the farthest next use, the least recently used, or the oldest.
        All delete a value after its last use, store a value at most once, and never store an input.
    seed : int or numpy Generator
        Of the searches that draw at random (``greedy`` and ``auto``); the others ignore it.
    time_budget : float, optional
        Seconds that a search may take. Without it a search does a fixed amount of work, so that the result
        depends on the seed alone; with it also on the speed of the machine.
    progress : callable, optional
        Called now and then by a search with what is being done, how much of it (0 to 1), and the least I/O so
        far (0 if there is none).
    candidates : iterable of (str, order)
        Orders that ``auto`` tries as well, with names for them.
    stoppable : bool
        Whether ``KeyboardInterrupt`` ends the search with the best so far, marked as ``interrupted``, if there is
        any; by default it is raised.

    Raises
    ------
    CacheTooSmall
        If no pebbling exists with M words; the error knows the least M.
    InvalidInput
        If M is not a positive whole number, a name is unknown, or a given order lacks a vertex, has one
        twice, or has one before a predecessor.

    Notes
    -----
    Without recomputation and for one order, Belady's eviction has the fewest reads of all evictions; its reads
    and writes together need not be the fewest. The simple orders cost O(E log E), some seconds for half a
    million vertices. ``auto`` leaves out what would take too many steps, unless it has a time budget; with a larger
    one it does the same and more.

    Examples
    --------
    >>> dag = Dag.from_edges([("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"), ("x", "z"), ("y", "z")])
    >>> print(schedule_dag(dag, 3))
    6 I/O (4 reads, 2 writes), peak 3 of 3 words; order given, eviction belady
    """
    M = fast_memory_words(M)
    rule = _known(eviction, EVICTIONS, "eviction")
    _require_room(dag, M)
    graph = NeededGraph(dag)
    if isinstance(order, str):
        method = ORDERS[_known(order, ORDERS, "order")]
        rng = np.random.default_rng(seed)
        known = [(name, _checked_order(graph, given)) for name, given in candidates]
        task = Task(graph, M, rule, rng, time_budget is not None, progress, known, stoppable)
        with limited_to(time_budget):
            name, vertices = method(task)
        return replace(_confirmed(graph, M, vertices, name, rule), interrupted=task.interrupted)
    return _confirmed(graph, M, _checked_order(graph, order), "custom", rule)


def _confirmed(graph: NeededGraph, M: int, order: NDArray[np.int64], name: str, eviction: str) -> DagSchedule:
    status = replay(graph.dag, M, _moves(graph, M, order, eviction), Rules(recomputation=False))
    status.require_complete()
    return DagSchedule(graph.dag, M, status.reads, status.writes, status.peak, name, eviction, order)


def _moves(graph: NeededGraph, M: int, order: NDArray[np.int64], eviction: str) -> Iterator[Moves]:
    for log in EVICTIONS[eviction](graph, M, order):
        packed = np.array(log, dtype=np.int64)
        yield Moves((packed & 3).astype(np.int8), packed >> 2)


def _require_room(dag: Dag, M: int) -> None:
    least = dag.least_M()
    if least > M:
        raise CacheTooSmall(
            f"M = {M} is too small: some vertex needs room for itself and its {least - 1} predecessors "
            f"at once, so the least M is {least}",
            least,
        )


def _known(name: str, names: Collection[str], what: str) -> str:
    if name in names:
        return name
    close = get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    raise InvalidInput(f"unknown {what} {name!r}{hint} Known: {', '.join(names)}")


def _checked_order(graph: NeededGraph, order: Sequence[Vertex] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a given order as numbers: all that is needed, once, and after its predecessors; else InvalidInput."""
    dag = graph.dag
    numbers = np.array([dag.vertex(v) for v in order], dtype=np.int64)
    done = np.array(graph.is_input, dtype=np.bool_)
    for at, v in enumerate(numbers.tolist()):
        if done[v]:
            what = "is an input" if graph.is_input[v] else "comes a second time"
            raise InvalidInput(
                f"order, place {at}: {dag.name(v)} {what}; an order has every computed vertex once"
            )
        for p in graph.predecessors[v]:
            if not done[p]:
                raise InvalidInput(
                    f"order, place {at}: {dag.name(v)} comes before its predecessor {dag.name(p)}"
                )
        done[v] = True
    missing = graph.todo[~done[graph.todo]]
    if missing.size:
        raise InvalidInput(
            f"the order lacks {missing.size} vertices that outputs depend on, the first is {dag.name(missing[0])}"
        )
    return numbers
