"""Schedules: the base class, the choice of tiles, and the registry through which third parties add their own."""

from pebble.program.schedule.block_cuts import each_sequence, own_sizes
from pebble.program.schedule.level_schedule import LevelSchedule
from pebble.program.schedule.registry import available, get, offered, registered
from pebble.program.schedule.schedule import Schedule
from pebble.program.schedule.tile_choice import (
    fitting,
    fitting_each,
    fitting_tiles,
    largest,
    resolve_tiles,
)
from pebble.program.schedule.tiled_programs import Tiles

__all__ = [
    "LevelSchedule",
    "Schedule",
    "Tiles",
    "available",
    "each_sequence",
    "fitting",
    "fitting_each",
    "fitting_tiles",
    "get",
    "largest",
    "offered",
    "own_sizes",
    "registered",
    "resolve_tiles",
]
