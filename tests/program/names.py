"""The names of the package that the generator and the judge use: the one place to change when they move."""

from __future__ import annotations

from pebble.common.errors import IllegalMove, InvalidInput, NoClosedForm, PebbleError, Violation
from pebble.computations.array import Array
from pebble.computations.family import Family
from pebble.computations.masks import BandMask, BlockToeplitzMask, DenseMask, Mask, UnionMask, make_mask
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.replay import replay
from pebble.program import (
    Condition,
    Loop,
    Node,
    Nodes,
    Operation,
    Phase,
    Program,
    When,
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
    validate,
    walk,
    when,
)
from pebble.program.closed_forms.count import closed_form, words_moved
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run
from pebble.program.lowering import lower
from pebble.program.schedule import Schedule, registered
from pebble.program.schedule.block_cuts import cuts_at

__all__ = [
    "Array",
    "BandMask",
    "BlockToeplitzMask",
    "Condition",
    "DenseMask",
    "Family",
    "IllegalMove",
    "InvalidInput",
    "Loop",
    "Mask",
    "NoClosedForm",
    "Node",
    "Nodes",
    "Operation",
    "PebbleError",
    "Phase",
    "Problem",
    "Program",
    "Run",
    "Schedule",
    "UnionMask",
    "Violation",
    "When",
    "closed_form",
    "compute",
    "cuts_at",
    "delete",
    "family_of",
    "first",
    "last",
    "load",
    "loop",
    "lower",
    "make_mask",
    "matmul_family",
    "not_first",
    "not_last",
    "phase",
    "program",
    "registered",
    "replay",
    "run",
    "store",
    "validate",
    "walk",
    "when",
    "words_moved",
]
