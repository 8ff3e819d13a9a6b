"""What the bounds of loop nests state, and all of them for one nest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from pebble.common.clock import TimeUp, check_time
from pebble.common.units import fast_memory_words
from pebble.computations.nests.statement import LoopNest
from pebble.lower_bounds.bound import CHRIST, HONG_KUNG, LOOMIS_WHITNEY, OLIVRY, ONCE_ONLY, Bound, Statement
from pebble.lower_bounds.nests.elements import Elements
from pebble.lower_bounds.nests.projections import Share, shares
from pebble.lower_bounds.nests.roles import Atom
from pebble.lower_bounds.nests.stencils import stencil_shares
from pebble.lower_bounds.nests.turns import turn_shares

_PAGE = "docs/proofs/nests.md"

NEST_COMPULSORY = Statement(
    "nest compulsory",
    "I/O ≥ number of inputs + number of outputs",
    "any loop nest",
    f"{_PAGE}, compulsory",
)
NEST_PROJECTIONS = Statement(
    "nest projections",
    "I/O ≥ M + 1 + X·(⌈W / F(M + X)⌉ − 1) − begun + other inputs + outputs for every whole X ≥ 1 with at least two "
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


def nest_bounds(nest: LoopNest, M: int) -> list[Bound]:
    """Return lower bounds on the I/O of a loop nest with M words, the greatest first.

    Returns
    -------
    list of Bound
        The compulsory one, and the best of each other kind that says anything. Each says under which rules it holds. If
        a time limit around the search passes, the best of what has been found until then.

    Notes
    -----
    Docs/proofs/nests.md states and proves them.

    Examples
    --------
    >>> from pebble.computations.nests.read_text import loop_nest
    >>> product = loop_nest("C[i,j] += A[i,k]*B[k,j]", {"i": 1000, "j": 1000, "k": 1000})
    >>> [(bound.name, bound.value) for bound in nest_bounds(product, 1024)]
    [('nest projections', 62501015), ('nest compulsory', 3000000)]
    """
    M = fast_memory_words(M)
    elements = Elements(nest)
    found = [_compulsory(elements)]
    every = _in_time(share for one in nest.statements for share in shares(elements, one, M))
    spread = _in_time(share for one in nest.statements for share in stencil_shares(elements, one, M))
    turns = _in_time(turn_shares(elements, M))
    alive = [*every, *turns, *spread]
    for says, some in (
        (NEST_PROJECTIONS, [[share] for share in every if not share.once_only]),
        (NEST_ONCE_ONLY, [[share] for share in every if share.once_only]),
        (NEST_SUM, [_apart([share for share in alive if not share.once_only])]),
        (NEST_SUM_ONCE_ONLY, [_apart(alive)]),
        (NEST_STENCILS, [[share] for share in spread if not share.once_only]),
        (NEST_STENCILS_ONCE_ONLY, [[share] for share in spread if share.once_only]),
        (NEST_TURNS, [[share] for share in turns]),
    ):
        totals = [(_total(elements, together), together) for together in some if together]
        if totals:
            value, together = max(totals, key=lambda one: one[0])
            if value > 0:
                bound = says.bound(value, "; ".join(share.note for share in together))
                facts = {**bound.facts, "shares": [share.claim for share in together]}
                found.append(replace(bound, facts=facts))
    best: list[Bound] = []
    for bound in found:
        if not any(other.value >= bound.value and other.rules == bound.rules for other in best):
            best.append(bound)
    return sorted(best, key=lambda bound: -bound.value)


def _in_time(found: Iterable[Share]) -> list[Share]:
    """Return the shares that are found before the time is up."""
    kept: list[Share] = []
    with suppress(TimeUp):
        for share in found:
            kept.append(share)
            check_time()
    return kept


def _compulsory(elements: Elements) -> Bound:
    loads, stores = elements.all_inputs, elements.outputs
    return NEST_COMPULSORY.bound(loads + stores, f"{loads:,} inputs and {stores:,} outputs")


def _apart(every: Sequence[Share]) -> list[Share]:
    """Return shares without a common word, as great together as is found; empty if that is one only."""
    useful = sorted((share for share in every if share.gain > 0), key=lambda one: -one.gain)
    best: list[Share] = []
    for first in useful:
        chosen = [first]
        for share in useful:
            if not any(share.atoms & other.atoms for other in chosen):
                chosen.append(share)
        best = max(best, chosen, key=lambda some: sum(share.gain for share in some))
    return best if len(best) > 1 else []


def _total(elements: Elements, together: Sequence[Share]) -> int:
    """Return what the shares, the inputs that none of them counts, and the outputs come to."""
    counted: set[Atom] = set().union(*(share.atoms for share in together))
    others = sum(elements.inputs(array) for array in elements.arrays if ("value", array) not in counted)
    return sum(share.gain for share in together) + others + elements.outputs
