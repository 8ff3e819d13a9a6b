"""What `auto` compares: no worse than any single order, whatever the kind of graph and its size."""

from __future__ import annotations

import pytest

from pebble.solvers.heuristic import ORDERS, portfolio, schedule_dag
from tests.solvers.heuristic.known_kinds import sparse


@pytest.mark.slow
def test_auto_is_no_worse_than_any_order_of_a_larger_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer steps, for auto and alone."""
    dag, M = sparse(90, 12), 24
    assert dag.n_vertices + dag.n_edges > 4000
    for limit in ("_STEPS", "_MOST_STEPS"):
        monkeypatch.setattr(portfolio, limit, 20_000)
    found = schedule_dag(dag, M).io
    assert found <= min(schedule_dag(dag, M, order).io for order in ORDERS if order != "auto")
