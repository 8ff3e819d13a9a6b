"""The language of programs: load, store, compute, delete, loops and conditions; the machine and the other readings.

Schedules and plug-ins import the language from here::

    from pebble.program import compute, delete, load, loop, phase, program, store
"""

from __future__ import annotations

from pebble.program.language import (
    compute,
    delete,
    first,
    last,
    load,
    loop,
    not_first,
    not_last,
    phase,
    program,
    store,
    when,
)
from pebble.program.nodes import (
    Condition,
    Line,
    Loop,
    Node,
    Nodes,
    Operation,
    Phase,
    Program,
    When,
    pseudo_code,
)
from pebble.program.steps import (
    Step,
    loop_range,
    tile_at,
    tile_count,
    walk,
)
from pebble.program.validation import (
    validate,
)

__all__ = [
    "Condition",
    "Line",
    "Loop",
    "Node",
    "Nodes",
    "Operation",
    "Phase",
    "Program",
    "Step",
    "When",
    "compute",
    "delete",
    "first",
    "last",
    "load",
    "loop",
    "loop_range",
    "not_first",
    "not_last",
    "phase",
    "program",
    "pseudo_code",
    "store",
    "tile_at",
    "tile_count",
    "validate",
    "walk",
    "when",
]
