"""Changes of an order, counted where they are, against the whole order played anew."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.load import load_dag
from pebble.graph.dag import Dag
from pebble.solvers.heuristic import window_count
from pebble.solvers.heuristic.belady import belady_io
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.heuristic.window_count import WindowCount
from tests.support.amounts import examples
from tests.support.random_dags import dags

ANY = 1 << 30


def is_legal(graph: NeededGraph, order: list[int]) -> bool:
    place = {v: t for t, v in enumerate(order)}
    return sorted(order) == sorted(graph.todo.tolist()) and all(
        graph.is_input[p] or place[p] < place[v] for v in order for p in graph.predecessors[v]
    )


def shuffled(graph: NeededGraph, window: list[int], rng: random.Random) -> list[int]:
    """Another order of a window: always a random one of those that are ready."""
    left, found = list(window), list[int]()
    while left:
        ready = [v for v in left if not set(graph.predecessors[v]) & set(left)]
        found.append(rng.choice(ready))
        left.remove(found[-1])
    return found


@examples(20, 60)
@given(dag=dags(max_vertices=24), room=st.integers(0, 4))
def test_an_order_is_counted_as_by_belady(dag: Dag, room: int) -> None:
    graph, M = NeededGraph(dag), dag.least_M() + room
    assert WindowCount(graph, M, graph.todo).io == belady_io(graph, M, graph.todo)


@pytest.mark.parametrize("M", [4, 6, 10])
def test_changes_are_counted_where_they_are(M: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change at the beginning gives Belady's count, one elsewhere what playing on from the state before it gives."""
    monkeypatch.setattr(window_count, "_LEAST_APART", 4)
    graph, rng = NeededGraph(load_dag("layered:8,12,3,seed=1")), random.Random(0)
    count = WindowCount(graph, M, graph.todo)
    changed = 0
    for trial in range(100):
        low = 0 if trial % 3 == 0 else rng.randrange(len(count.order))
        if low == 0:
            count.recount()
        old = count.order[low : low + rng.randrange(2, 20)]
        before, io = list(count.order), count.io
        most = ANY if trial % 5 == 0 else 0
        done = count.change(low, shuffled(graph, old, rng), most)
        assert is_legal(graph, count.order)
        if not done:
            assert (count.order, count.io) == (before, io)
            continue
        changed += 1
        assert count.io <= io + most
        assert_states_are_right(count, low)
        if low == 0:
            assert count.io == belady_io(graph, M, np.array(count.order))
    assert changed > 20


def assert_states_are_right(count: WindowCount, low: int) -> None:
    """Every state names the next use of each value in it; from that before a window one comes to the next."""
    graph, n = count.graph, count.n
    for at, state in enumerate(count._states):
        for value, key in state.items():
            uses = [count.place[w] for w in graph.successors[value] if count.place[w] >= at * count._apart]
            assert (-key // (2 * n), -key % n) == (min(uses), value)
    at = low // count._apart
    red = dict(count._states[at])
    assert count._play(at * count._apart, red, sorted(red.values())) == count._costs[at]
    assert red == (count._states[at + 1] if at + 1 < len(count._states) else {})
    assert count.io == sum(count._costs)
