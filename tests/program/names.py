"""The names of the package that the generator and the judge use: the one place to change when they move."""

from __future__ import annotations

from pebble.closed_form import closed_form
from pebble.errors import IllegalMove, InvalidInput, NoClosedForm, PebbleError, Violation
from pebble.families import family_of
from pebble.family import Array, Family
from pebble.lowering import lower
from pebble.machine import Run, run
from pebble.masked.family import MaskedFamily
from pebble.masks import BandMask, DenseMask, Mask, make_mask
from pebble.matmul import matmul_family
from pebble.problem import Problem
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
from pebble.replay import replay
from pebble.schedule import Schedule, registered

__all__ = [
    "Array",
    "BandMask",
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
    "Violation",
    "When",
    "closed_form",
    "compute",
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
    "under_mask",
    "validate",
    "walk",
    "when",
]


def under_mask(family: Family, mask: Mask) -> Family:
    """The same family under a mask."""
    return MaskedFamily(family, mask)
