"""What schedules and plug-ins are written with: the language of programs, the choice of tiles, the closed form.

For example::

    from pebble import Problem, Schedule
    from pebble.program import Program, Tiles, compute, delete, largest, load, loop, phase, program, store
"""

from __future__ import annotations

from pebble.common.errors import NoClosedForm, TooManyOperations
from pebble.computations.masks.mask_parts import mask_parts
from pebble.program.closed_forms.count import closed_form
from pebble.program.hierarchy import Hierarchy
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
    resume,
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
from pebble.program.projection import project
from pebble.program.schedule import (
    LevelSchedule,
    Tiles,
    each_sequence,
    fitting,
    fitting_each,
    fitting_tiles,
    largest,
    own_sizes,
)
from pebble.program.steps import Step, loop_range, tile_at, tile_count, walk
from pebble.program.validation import validate

__all__ = [
    "Condition",
    "Hierarchy",
    "LevelSchedule",
    "Line",
    "Loop",
    "NoClosedForm",
    "Node",
    "Nodes",
    "Operation",
    "Phase",
    "Program",
    "Step",
    "Tiles",
    "TooManyOperations",
    "When",
    "closed_form",
    "compute",
    "delete",
    "each_sequence",
    "first",
    "fitting",
    "fitting_each",
    "fitting_tiles",
    "largest",
    "last",
    "load",
    "loop",
    "loop_range",
    "mask_parts",
    "not_first",
    "not_last",
    "own_sizes",
    "phase",
    "program",
    "project",
    "pseudo_code",
    "resume",
    "store",
    "tile_at",
    "tile_count",
    "validate",
    "walk",
    "when",
]
