"""What the bounds of loop nests state; docs/proofs/nests.md proves it."""

from __future__ import annotations

from pebble.lower_bounds.bound import ONCE_ONLY
from pebble.lower_bounds.references import CHRIST, HONG_KUNG, LOOMIS_WHITNEY, OLIVRY
from pebble.lower_bounds.statement import Statement

__all__ = [
    "NEST_COMPULSORY",
    "NEST_ONCE_ONLY",
    "NEST_PASSES",
    "NEST_PROJECTIONS",
    "NEST_STENCILS",
    "NEST_STENCILS_ONCE_ONLY",
    "NEST_SUM",
    "NEST_SUM_ONCE_ONLY",
    "NEST_TURNS",
]

_PAGE = "docs/proofs/nests.md"

NEST_COMPULSORY = Statement(
    "nest compulsory",
    "I/O ≥ number of inputs + number of outputs",
    "any loop nest",
    f"{_PAGE}, compulsory",
)
NEST_PROJECTIONS = Statement(
    "nest projections",
    "I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) − begun + other inputs + outputs for every integer X ≥ 1 with at least two "
    "segments, F(T) the most points of one statement that T words allow",
    "a loop nest with a sum, or with a statement that reads its own array a constant step before",
    f"{_PAGE}, projections",
    after=(HONG_KUNG, LOOMIS_WHITNEY, CHRIST),
)
NEST_ONCE_ONLY = Statement(
    "nest projections, once only",
    "as nest projections, where a value that is read counts as a move when it is computed",
    "a loop nest with a sum, or with a statement that reads its own array a constant step before",
    f"{_PAGE}, nothing computed twice",
    rules=ONCE_ONLY,
    after=(HONG_KUNG, LOOMIS_WHITNEY, CHRIST),
)
NEST_SUM = Statement(
    "nest sum",
    "the sum over statements that have no words in common of what nest projections says of each, other inputs and "
    "outputs taken once",
    "a loop nest with several such statements",
    f"{_PAGE}, several statements",
    after=(HONG_KUNG, LOOMIS_WHITNEY, CHRIST),
)
NEST_SUM_ONCE_ONLY = Statement(
    "nest sum, once only",
    "the sum over statements that have no words in common of what nest projections, once only, says of each, other "
    "inputs and outputs taken once",
    "a loop nest with several such statements",
    f"{_PAGE}, several statements",
    rules=ONCE_ONLY,
    after=(HONG_KUNG, LOOMIS_WHITNEY, CHRIST),
)
NEST_TURNS = Statement(
    "nest turns",
    "I/O ≥ Σ over lines of 2·(values held at the turn − M) + other inputs + outputs",
    "a loop nest with a recursion that reads the values of others in the opposite order",
    f"{_PAGE}, turns",
    rules=ONCE_ONLY,
    after=(OLIVRY,),
)
NEST_PASSES = Statement(
    "nest passes",
    "I/O ≥ 2·(inputs that are summed, and read once more after the sums) − M + other inputs + outputs",
    "a loop nest with sums over inputs, values computed each from one of these inputs and its sum, and a statement "
    "that reads such values of any two sums together, or one sum only",
    f"{_PAGE}, two passes",
)
NEST_STENCILS = Statement(
    "nest stencils",
    "I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) + other inputs + outputs for every integer X ≥ 1 with at least two segments, "
    "F(T) = (κT/d)^(d/(d − 1)) / V^(1/(d − 1)), V the volume that the d-dimensional steps to what is read spread to, "
    "κ = 1 if all of it is read directly",
    "a loop nest with an array whose elements are computed from others at constant distances, directly or through "
    "another array",
    f"{_PAGE}, stencils",
    after=(HONG_KUNG, OLIVRY),
)
NEST_STENCILS_ONCE_ONLY = Statement(
    "nest stencils, once only",
    "I/O ≥ M + 1 + 2·X·(⌈W / (F(M + X) + κ·(M + X))⌉ − 1) − border + other inputs + other outputs for every integer "
    "X ≥ 1 with at least two segments, F and κ as for nest stencils",
    "a loop nest with an array whose elements are computed from others at constant distances, directly or through "
    "another array",
    f"{_PAGE}, stencils",
    rules=ONCE_ONLY,
    after=(HONG_KUNG, OLIVRY),
)
