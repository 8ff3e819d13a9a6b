"""Attention on several devices: layouts, exchanges of tiles, their referee, and the schedules that write them.

For example::

    from pebble.program.parallel import DistributedSchedule, Placement, SharedProblem, Shape
"""

from __future__ import annotations

from pebble.common.layouts import LAYOUTS
from pebble.computations.shared_problem import Arrays, SharedProblem
from pebble.computations.token_layout import TokenLayout
from pebble.program.parallel.closed_form import ReceivedWords
from pebble.program.parallel.exchange import Discard, Exchange, Finish, Receive, Superstep, Work
from pebble.program.parallel.inner_work import DeviceShare, MemoryRun
from pebble.program.parallel.placement import Placement
from pebble.program.parallel.referee import play
from pebble.program.parallel.schedule import (
    DistributedSchedule,
    Shape,
    distributed_schedule,
    distributed_schedules,
    shape_of,
    shape_text,
)
from pebble.program.parallel.traffic import ExchangeTraffic

__all__ = [
    "LAYOUTS",
    "Arrays",
    "DeviceShare",
    "Discard",
    "DistributedSchedule",
    "Exchange",
    "ExchangeTraffic",
    "Finish",
    "MemoryRun",
    "Placement",
    "Receive",
    "ReceivedWords",
    "Shape",
    "SharedProblem",
    "Superstep",
    "TokenLayout",
    "Work",
    "distributed_schedule",
    "distributed_schedules",
    "play",
    "shape_of",
    "shape_text",
]
