"""Attention on several devices: layouts, exchanges of tiles, their referee, and the schedules that write them.

For example::

    from pebble.program.parallel import DistributedSchedule, Placement, SharedProblem, Shape
"""

from __future__ import annotations

from pebble.program.parallel.closed_form import ReceivedWords
from pebble.program.parallel.device_program import DeviceProgram, devices, discard, own_tile, receive, turns
from pebble.program.parallel.exchange import Discard, Exchange, Finish, Receive, Superstep, Work
from pebble.program.parallel.inner_work import InnerWork
from pebble.program.parallel.layout import LAYOUTS, TokenLayout
from pebble.program.parallel.memory_reading import MemoryRun, block_sizes, memory_reading, memory_run
from pebble.program.parallel.one_device import DeviceRun, run_one_device
from pebble.program.parallel.placement import Placement
from pebble.program.parallel.referee import play
from pebble.program.parallel.schedule import DistributedSchedule, Shape, shape_text
from pebble.program.parallel.schedule_registry import distributed_schedule, distributed_schedules
from pebble.program.parallel.shared_problem import Arrays, SharedProblem
from pebble.program.parallel.traffic import ExchangeTraffic
from pebble.program.parallel.written_out import written_out

__all__ = [
    "LAYOUTS",
    "Arrays",
    "DeviceProgram",
    "DeviceRun",
    "Discard",
    "DistributedSchedule",
    "Exchange",
    "ExchangeTraffic",
    "Finish",
    "InnerWork",
    "MemoryRun",
    "Placement",
    "Receive",
    "ReceivedWords",
    "Shape",
    "SharedProblem",
    "Superstep",
    "TokenLayout",
    "Work",
    "block_sizes",
    "devices",
    "discard",
    "distributed_schedule",
    "distributed_schedules",
    "memory_reading",
    "memory_run",
    "own_tile",
    "play",
    "receive",
    "run_one_device",
    "shape_text",
    "turns",
    "written_out",
]
