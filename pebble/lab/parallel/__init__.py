"""Which parallelism: schedules for several devices counted, timed and compared with what must be moved."""

from pebble.lab.parallel.comparing import MOST_DEVICES, parallel, with_inner
from pebble.lab.parallel.documents import DocumentReport, PlacedDocument, parallel_documents
from pebble.lab.parallel.links import Links
from pebble.lab.parallel.parallel_table import ParallelReport, ParallelRow, ParallelSweep
from pebble.lab.parallel.states import StateReport, parallel_states

__all__ = [
    "MOST_DEVICES",
    "DocumentReport",
    "Links",
    "ParallelReport",
    "ParallelRow",
    "ParallelSweep",
    "PlacedDocument",
    "StateReport",
    "parallel",
    "parallel_documents",
    "parallel_states",
    "with_inner",
]
