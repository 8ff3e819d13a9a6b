"""Automatic schedules of any DAG: an order of computation and an eviction rule.

:func:`schedule_dag` is the door. Reading order: ``needed_graph`` (what is to be computed, in simple orders),
``belady`` and ``eviction`` (from an order to moves), ``greedy``, ``lattice`` and ``tiling_search`` (tiled orders over
axes that are recognised), ``portfolio`` (the methods by name and the choice among them), ``dag_schedule`` (the result,
confirmed by the replay).
"""

from pebble.solvers.heuristic.dag_schedule import DagSchedule, schedule_dag
from pebble.solvers.heuristic.eviction import EVICTIONS
from pebble.solvers.heuristic.portfolio import ORDERS

__all__ = ["EVICTIONS", "ORDERS", "DagSchedule", "schedule_dag"]
