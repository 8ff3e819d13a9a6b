"""Small programs about what a masked array has and has not; each with the rule that decides it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.program.generator import Case
from tests.program.names import (
    DenseMask,
    Family,
    Mask,
    Nodes,
    Problem,
    Program,
    compute,
    delete,
    family_of,
    first,
    load,
    loop,
    make_mask,
    phase,
    store,
    when,
)
from tests.program.random_families import crossed_family, under, with_outputs

__all__ = ["NAMED", "Named"]


@dataclass(frozen=True)
class Named:
    """A case, what makes it tell, and the rule that every reading must say is broken; empty if it is legal."""

    name: str
    case: Case
    rule: str = ""


def table(lines: list[str]) -> Mask:
    """A mask written as text, a line for each query."""
    mask = DenseMask("table", np.array([[mark == "x" for mark in line] for line in lines]))
    mask.empty_rows = "zero"
    return mask


def attention(
    rows: int, cols: int, d: int = 1, mask: str | list[str] = "full", *, outputs: bool = False
) -> Family:
    """Attention under a mask by name, or written as text, a line for each query; without outputs mostly."""
    if mask == "full":
        mask = ["x" * cols] * rows
    pattern = make_mask(mask, rows, cols) if isinstance(mask, str) else table(mask)
    family = family_of(Problem(rows, cols, d, d, mask=pattern))
    return family if outputs else with_outputs(family, ())


def named(name: str, family: Family, *phases: Nodes, rule: str = "") -> Named:
    text = Program(tuple(phase("", nodes) for nodes in phases))
    return Named(name, Case(text, family, name), rule)


ALL = attention(6, 6)
SCORES = (load("Q", "K"), compute("S"), compute("P"))
NO_ROWS = loop("j", 1, loop("i", 1, delete("P"), start=6))
LATE = attention(4, 4, mask=["xxxx", ".xxx", "..xx", "...x"])
HALF_SUMS = (SCORES, loop("j", 1, compute("l"), stop=3))

NAMED: list[Named] = [
    named("an empty loop at the end of an axis with a mask", ALL, NO_ROWS),
    named(
        "a condition on a loop that another one over its axis splits",
        attention(7, 7),
        loop("i", 3, loop("i", 1, loop("j", 1, when(first("i"), load("V"), delete("V"))), label="row")),
    ),
    named(
        "row sums that are complete at first, then not",
        attention(6, 3, mask=["x.."] * 3 + ["xxx"] * 3),
        (SCORES, load("V"), compute("U"), loop("j", 1, compute("l"), stop=2)),
        loop("i", 1, compute("O")),
        rule="compute-needs-predecessors",
    ),
    named(
        "what has not begun is not there, outside loops: deleted",
        LATE,
        HALF_SUMS,
        delete("l"),
        rule="delete-needs-red",
    ),
    named(
        "what has not begun is not there, outside loops: stored",
        LATE,
        HALF_SUMS,
        store("l"),
        rule="store-needs-red",
    ),
    named(
        "what has not begun is not there, outside loops: loaded",
        LATE,
        HALF_SUMS,
        (loop("j", 1, loop("i", 1, store("l"), delete("l")), start=2, stop=3), load("l")),
        rule="load-needs-blue",
    ),
    named(
        "replaced though it has not begun",
        under(crossed_family(4, 4, 1), table(["xxxx", ".xxx", "..xx", "...x"])),
        (load("X", "Y", "w"), compute("S"), compute("P")),
        loop("j", 1, compute("r"), compute("m", "r"), stop=1),
        rule="delete-needs-red",
    ),
    named(
        "complete sums stored in a loop over their chain's axis",
        attention(5, 8),
        (SCORES, compute("l")),
        loop("j", 1, store("l")),
    ),
    named(
        "sums stored in a loop over the tile that computes them",
        attention(5, 8),
        SCORES,
        loop("j", 2, compute("l"), loop("j", 1, store("l"), label="one")),
    ),
    named(
        "what has not begun in slow memory, and is held",
        ALL,
        (SCORES, compute("l")),
        loop("j", 1, load("l")),
        rule="one-partial-result",
    ),
]
