"""Which parallelism: schedules for several devices counted, timed and compared with what must be moved."""

from pebble.lab.parallel.comparing import MOST_DEVICES, parallel
from pebble.lab.parallel.links import Links
from pebble.lab.parallel.parallel_table import ParallelReport, ParallelRow

__all__ = ["MOST_DEVICES", "Links", "ParallelReport", "ParallelRow", "parallel"]
