"""Automatic schedules of any DAG: an order of computation and an eviction rule.

:func:`schedule_dag` is the door. Reading order: ``graph`` (what is to be computed), ``eviction`` (from an order
to moves), ``orders`` and ``greedy`` (simple orders), ``cones``, ``board``, ``inner``, ``growth`` and ``blocks``
(orders made of blocks), ``search`` (local search), ``portfolio`` (the methods by name and their choice),
``schedule`` (the result, confirmed by the replay).
"""

from pebble.solvers.heuristic.dag_schedule import DagSchedule, schedule_dag
from pebble.solvers.heuristic.eviction import EVICTIONS
from pebble.solvers.heuristic.portfolio import ORDERS

__all__ = ["EVICTIONS", "ORDERS", "DagSchedule", "schedule_dag"]
