"""The estimate of an order's I/O, against the definition of the working set."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.load import load_dag
from pebble.solvers.heuristic.needed_graph import NeededGraph
from pebble.solvers.nests.working_set import estimated_io


def by_definition(graph: NeededGraph, M: int) -> int:
    """Return the estimate, the longest time that a value may wait found by trying all of them."""
    order = graph.todo.tolist()
    events: dict[int, list[int]] = {}
    for time, vertex in enumerate(order):
        for used in (vertex, *graph.dag.predecessors_of(vertex).tolist()):
            events.setdefault(used, []).append(time)
    gaps = {used: np.diff(times) for used, times in events.items()}
    every = np.concatenate(list(gaps.values()))
    longest = max(
        (wait for wait in range(len(order)) if np.minimum(every, wait).sum() <= M * len(order)), default=0
    )
    outputs = set(graph.dag.outputs.tolist())
    total = 0
    for used, waits in gaps.items():
        missed = int((waits > longest).sum())
        total += missed + (1 if graph.is_input[used] else int(missed > 0 or used in outputs))
    return total


@pytest.mark.parametrize("name", ["matmul:5,4,3", "fft:16", "pyramid:6"])
def test_it_is_what_the_definition_says(name: str) -> None:
    graph = NeededGraph(load_dag(name))
    for M in (4, 7, 12, 30):
        assert estimated_io(graph, M, graph.todo) == by_definition(graph, M)
