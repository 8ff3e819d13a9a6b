"""Small programs that shortcuts, or readings of a program, once disagreed about; each with the rule that decides it."""

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
    not_last,
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


CAUSAL = attention(8, 8, mask="causal")
ALL = attention(6, 6)
SCORES = (load("Q", "K"), compute("S"), compute("P"))
OUTPUTS = (load("Q", "K", "V"), compute("S"), compute("P"), compute("l"), compute("U"), compute("O"))
SUMS = loop("j", 1, loop("i", 1, compute("l")))
NO_ROWS = loop("j", 1, loop("i", 1, delete("P"), start=6))
DELETE_Q = loop("i", 1, delete("Q"))
LATE = attention(4, 4, mask=["xxxx", ".xxx", "..xx", "...x"])
LOAD_SUMS = loop("j", 1, load("l"), start=1, stop=4)
HALF_SUMS = (SCORES, loop("j", 1, compute("l"), stop=3))

NAMED: list[Named] = [
    named(
        "one row is stored, all are computed again",
        attention(8, 8, mask="causal", outputs=True),
        (OUTPUTS, store("O", i=(0, 1)), delete("O")),
        loop("i", 1, compute("O")),
        rule="output-missing",
    ),
    named(
        "a loop used twice leaves slow memory alone", CAUSAL, SCORES, SUMS, (store("l"), delete("l")), SUMS
    ),
    named(
        "a chain parked early, and advanced since",
        attention(4, 4, 12),
        load("Q", "K"),
        loop("k", 3, loop("j", 1, loop("i", 1, compute("S"))), when(first("k"), store("S")), stop=9),
        (delete("S"), load("S"), compute("S", k=(6, 12))),
        rule="compute-needs-predecessors",
    ),
    named(
        "queries alone, inside a loop over keys",
        attention(7, 7, mask="causal"),
        loop("j", 1, loop("i", 1, load("Q"), delete("Q"))),
    ),
    named(
        "a tile of queries loads its keys, computes, deletes them",
        attention(24, 24, mask="window:3"),
        loop(
            "i",
            6,
            load("Q"),
            loop("j", 1, load("K", "V")),
            loop("j", 1, compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P")),
            (compute("O", "U"), store("O"), delete("O", "l", "Q")),
            loop("j", 1, delete("K", "V")),
        ),
    ),
    named(
        "deleted twice by the same loop, but for one row",
        CAUSAL,
        (load("Q"), DELETE_Q),
        (load("Q", i=(0, 1)), DELETE_Q),
        rule="delete-needs-red",
    ),
    named("an empty loop over an axis without a mask", ALL, loop("k", 1, load("V"), start=1, stop=1)),
    named("an empty loop at the end of an axis with a mask", ALL, NO_ROWS),
    named(
        "stored in an empty loop only",
        attention(6, 6, outputs=True),
        loop(
            "i", 1, OUTPUTS, loop("k", 1, store("O"), stop=0), delete("Q", "K", "V", "S", "P", "l", "U", "O")
        ),
        rule="output-missing",
    ),
    named(
        "a condition on a loop that another one over its axis splits",
        attention(7, 7),
        loop("i", 3, loop("i", 1, loop("j", 1, when(first("i"), load("V"), delete("V"))), label="row")),
    ),
    named(
        "stored under a condition on a loop that another one over its axis splits",
        attention(7, 7, outputs=True),
        (OUTPUTS, store("O", i=(6, 7))),
        loop("i", 3, loop("i", 1, loop("j", 1, when(first("i"), store("O"))), label="row")),
        rule="output-missing",
    ),
    named(
        "row sums that are complete at first, then not",
        attention(6, 3, mask=["x.."] * 3 + ["xxx"] * 3),
        (SCORES, load("V"), compute("U"), loop("j", 1, compute("l"), stop=2)),
        loop("i", 1, compute("O")),
        rule="compute-needs-predecessors",
    ),
    named(
        "a row that lags behind the others ahead of it",
        attention(8, 4, mask=["xxxx"] * 5 + ["x..x", "xxxx", "x..x"]),
        (
            load("Q"),
            loop(
                "j", 1, load("K"), loop("i", 1, compute("S"), compute("P"), when(not_last("i"), compute("l")))
            ),
        ),
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
    named(
        "a loop used twice loads sums, of which more have begun the second time",
        attention(3, 6, mask=["xx..xx", "xx.xxx", "...xxx"]),
        (load("Q", "K"), compute("S"), compute("P", "S"), delete("Q", "K")),
        (loop("j", 1, compute("l"), stop=2), loop("j", 1, store("l"), start=1, stop=2), LOAD_SUMS),
        (loop("j", 1, compute("l"), start=2, stop=4), loop("j", 1, store("l"), start=3, stop=4), LOAD_SUMS),
    ),
]
