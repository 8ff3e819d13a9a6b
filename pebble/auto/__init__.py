"""Automatic schedules of any DAG: an order of computation and an eviction rule.

:func:`schedule_dag` is the door. Reading order: ``graph`` (what is to be computed), ``eviction`` (from an order
to moves), ``orders`` and ``greedy`` (simple orders), ``cones``, ``board``, ``inner``, ``growth`` and ``blocks``
(orders made of blocks), ``search`` (local search), ``portfolio`` (the methods by name and their choice),
``schedule`` (the result, confirmed by the replay).
"""

from pebble.auto.eviction import EVICTIONS
from pebble.auto.portfolio import ORDERS
from pebble.auto.schedule import DagSchedule, schedule_dag

__all__ = ["EVICTIONS", "ORDERS", "DagSchedule", "schedule_dag"]
