"""Schedules: the base class, the choice of tiles, and the registry through which third parties add their own."""

from pebble.program.schedule.aligned_sizes import repeating_size
from pebble.program.schedule.block_cuts import own_sizes
from pebble.program.schedule.level_schedule import LevelSchedule
from pebble.program.schedule.light_tiles import is_light, light_choice
from pebble.program.schedule.masked_tiles import Choice, MaskedSearch, masked_tiles, tiles_without_mask
from pebble.program.schedule.registry import available, get, offered, registered
from pebble.program.schedule.schedule import Schedule, Tiles
from pebble.program.schedule.sequence_cuts import each_sequence
from pebble.program.schedule.sequence_tiles import sequence_tiles
from pebble.program.schedule.tile_choice import fitting_tiles, largest, resolve_tiles

__all__ = [
    "Choice",
    "LevelSchedule",
    "MaskedSearch",
    "Schedule",
    "Tiles",
    "available",
    "each_sequence",
    "fitting_tiles",
    "get",
    "is_light",
    "largest",
    "light_choice",
    "masked_tiles",
    "offered",
    "own_sizes",
    "registered",
    "repeating_size",
    "resolve_tiles",
    "sequence_tiles",
    "tiles_without_mask",
]
