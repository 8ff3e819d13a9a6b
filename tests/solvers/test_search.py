"""The search for an order: never worse than its parts, better with time, and the best so far if interrupted."""

from __future__ import annotations

import time
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.clock import limited_to
from pebble.computations.load import load_dag
from pebble.game.replay import replay
from pebble.game.rules import Rules
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import ORDERS, schedule_dag
from pebble.solvers.heuristic.belady import belady_io
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.portfolio import local_search
from tests.support.amounts import examples
from tests.support.random_dags import dags


@examples(6, 30)
@given(dag=dags(max_vertices=22), room=st.integers(0, 3), seed=st.integers(0, 2))
def test_auto_is_no_worse_than_any_order_alone(dag: Dag, room: int, seed: int) -> None:
    M = dag.least_M() + room
    least = min(schedule_dag(dag, M, order, seed=seed).io for order in ORDERS if order != "auto")
    assert schedule_dag(dag, M, seed=seed).io <= least


@pytest.mark.slow
def test_what_auto_finds_depends_on_the_seed_alone() -> None:
    dag = load_dag("layered:5,8,2,seed=3")
    first, second = (schedule_dag(dag, 5, seed=4) for _ in range(2))
    assert first.compute_order.tolist() == second.compute_order.tolist()
    assert first.to_dict() == second.to_dict()


def test_more_time_is_never_worse(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that goes on by one second a look, so that the same work takes the same time."""
    dag, M = load_dag("fft:32"), 8
    found = []
    for seconds in (0, 3, 12, 40):
        clock = count()
        monkeypatch.setattr(time, "monotonic", lambda clock=clock: float(next(clock)))
        found.append(schedule_dag(dag, M, time_budget=seconds).io)
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0]


def test_an_interruption_gives_the_best_so_far() -> None:
    dag, M = load_dag("layered:5,8,2,seed=3"), 5
    seen: list[int] = []

    def interrupt(name: str, part: float, io: int) -> None:
        seen.append(io)
        if len(seen) == 40:
            raise KeyboardInterrupt

    found = schedule_dag(dag, M, progress=interrupt, stoppable=True)
    assert found.interrupted
    assert found.to_dict()["interrupted"] is True
    assert found.io == seen[-1] == min(io for io in seen if io)
    assert replay(dag, M, found.moves(), Rules(recomputation=False)).complete
    seen.clear()
    with pytest.raises(KeyboardInterrupt):
        schedule_dag(dag, M, progress=interrupt)


def test_a_limit_around_the_search_ends_it() -> None:
    dag = load_dag("fft:16")
    with limited_to(0.0):
        assert schedule_dag(dag, 6).io == schedule_dag(dag, 6, "given").io


@examples(15, 60)
@given(dag=dags(max_vertices=24), room=st.integers(0, 3), seed=st.integers(0, 3))
def test_orders_are_legal_and_better_and_better(dag: Dag, room: int, seed: int) -> None:
    graph, M = NeededGraph(dag), dag.least_M() + room
    ios = [belady_io(graph, M, graph.todo)]
    for order in local_search(graph, M, graph.todo, np.random.default_rng(seed), 60):
        ios.append(schedule_dag(dag, M, order).io)
    assert ios == sorted(set(ios), reverse=True)
