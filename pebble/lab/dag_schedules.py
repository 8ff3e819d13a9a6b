"""Automatic schedules of a DAG given by name, no worse than the schedules that the product has for its family."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pebble.common.clock import TimeUp, check_time
from pebble.common.errors import PebbleError
from pebble.computations.load import load_dag, named_problem
from pebble.computations.problem import Problem
from pebble.game.moves import Moves, Op
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.lab.pebblings import Pebbling, moves
from pebble.program.schedule import registered
from pebble.solvers.heuristic import DagSchedule, schedule_dag

_MANY = 200_000
"""Vertices from which on a search takes so long that it is said before."""


@dataclass(frozen=True)
class _Own:
    """A registered schedule of the family."""

    name: str
    pebbling: Pebbling
    recomputation: bool

    def moves(self) -> Iterator[Moves]:
        for op, vertex in self.pebbling:
            yield Moves(op, vertex)

    def order(self) -> NDArray[np.int64]:
        computed = [chunk.vertex[chunk.op == Op.COMPUTE] for chunk in self.moves()]
        return np.concatenate(computed).astype(np.int64)


def schedule_named_dag(
    source: str,
    M: int,
    order: str = "auto",
    eviction: str = "belady",
    seed: int = 0,
    time_budget: float | None = None,
    progress: Callable[[str, float, int], object] | None = None,
    stoppable: bool = False,
    note: Callable[[str], object] = str,
) -> DagSchedule:
    """Schedule the DAG that a name or a file stands for; see :func:`~pebble.schedule_dag`.

    Where the name is that of a family that schedules are registered for, as ``attention:N=16,d=8``, ``auto`` is
    no worse than any of them: it also tries the order of the cheapest that computes nothing twice. If one costs
    less all the same, because it computes something twice or evicts better, it is the answer as it is, with the
    eviction ``own``. ``note`` is called with a sentence before a search that may take minutes.

    Examples
    --------
    >>> print(schedule_named_dag("fft:4", 4, "given"))
    14 I/O (8 reads, 6 writes), peak 4 of 4 words; order given, eviction belady
    """
    dag, own = load_dag(source), list[_Own]()
    if order == "auto" and dag.n_vertices > _MANY:
        note(
            f"{dag.n_vertices:,} vertices: quick orders come first, then a search of minutes; --time or Ctrl-C ends it "
            "with the best so far"
        )
    problem = named_problem(source) if order == "auto" else None
    if problem is not None:
        own = _own_schedules(problem, M, int(np.count_nonzero(dag.indegree)))
    once = next((one for one in own if not one.recomputation), None)
    candidates = [] if once is None else [(once.name, once.order())]
    found = schedule_dag(
        dag, M, order, eviction, seed, time_budget, progress, candidates=candidates, stoppable=stoppable
    )
    return _as_it_is(found, own[0]) if own and own[0].pebbling.io < found.io else found


def _own_schedules(problem: Problem, M: int, computed: int) -> list[_Own]:
    """Return the registered schedules that run with M words, the cheapest first."""
    found: list[_Own] = []
    for schedule in registered(problem.pass_name, problem.form):
        try:
            check_time()
            pebbling = moves(schedule, problem, M)
        except TimeUp:
            break
        except PebbleError:
            continue  # it needs more words, or cannot compute this
        found.append(_Own(schedule.name, pebbling, pebbling.computes > computed))
    return sorted(found, key=lambda own: (own.pebbling.io, own.recomputation))


def _as_it_is(found: DagSchedule, own: _Own) -> DagSchedule:
    """Return a schedule with its own moves, confirmed by the replay."""
    status = replay(found.dag, found.M, own.moves(), Rules(recomputation=own.recomputation))
    status.require_complete()
    return replace(
        found,
        reads=status.reads,
        writes=status.writes,
        peak=status.peak,
        order=own.name,
        eviction="own",
        compute_order=own.order(),
        pebbling=own.moves,
        recomputation=own.recomputation,
    )
