"""Phases: what waits for the end of a loop comes in the next one."""

from __future__ import annotations

import numpy as np

from pebble.solvers.heuristic.lattice import lattice_coordinates, phases
from pebble.solvers.heuristic.needed_graph import NeededGraph
from tests.solvers.heuristic import known_kinds as kinds


def test_the_backward_pass_has_its_three_phases() -> None:
    places: kinds.Places = []
    dag = kinds.attention_backward(6, 3, places)
    computed = np.flatnonzero(dag.indegree)
    phase = np.array([places[v][-1] for v in computed])
    columns = lattice_coordinates(NeededGraph(dag))[computed].T
    assert any(np.array_equal(column, phase) for column in columns)


def test_one_loop_is_enough_where_nothing_leads_back() -> None:
    column, family = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    assert phases(column, family, np.array([0, 1]), np.array([2, 3])) is None


def test_families_that_wait_for_themselves_have_no_phases() -> None:
    column, family = np.array([0, 1, 0, 1]), np.array([0, 0, 0, 0])
    assert phases(column, family, np.array([1]), np.array([2])) is None
