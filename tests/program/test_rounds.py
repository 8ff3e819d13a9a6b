"""Rounds: whatever lies in the middle of a long loop is seen, and long loops are in fact cut short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from pebble.program.machine.loops import ShortcutFails
from pebble.program.machine.rounds import Rounds
from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.names import (
    Family,
    Nodes,
    Problem,
    Program,
    compute,
    delete,
    family_of,
    first,
    last,
    load,
    loop,
    make_mask,
    phase,
    registered,
    run,
    store,
    when,
)
from tests.program.random_families import with_outputs
from tests.program.shrinking import as_python


@dataclass(frozen=True)
class Long:
    """A program whose loop looks the same at its beginning and its end, but not in the middle."""

    name: str
    family: Family
    program: Program


def attention(mask: str, d: int = 1, N: int = 40, Nk: int = 0, pass_name: str = "forward") -> Family:
    pattern = make_mask(mask, N, Nk or N, empty_rows="zero")
    return with_outputs(family_of(Problem(N, Nk or N, d, d, mask=pattern, pass_name=pass_name)), ())


def long(name: str, family: Family, *phases: Nodes) -> Long:
    return Long(name, family, Program(tuple(phase("", nodes) for nodes in phases)))


CAUSAL, WINDOW, WIDE = attention("causal"), attention("window:3"), attention("causal", 14, 24)
SCORES = loop("j", 1, load("K"), compute("S"), delete("S", "K"))
ROWS = loop("i", 1, load("Q"), SCORES, delete("Q"))
COLUMNS = loop("j", 1, load("K"), loop("i", 1, load("Q"), compute("S"), delete("S", "Q")), delete("K"))
ALL_SCORES = loop("k", 1, load("Q", "K"), compute("S"), delete("Q", "K"))
TILES = loop(
    "i",
    2,
    load("Q"),
    loop("j", 3, load("K", "V"), compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P", "K", "V")),
    delete("Q"),
    store("l", "U"),
    delete("l", "U"),
)
PEAK = "words held go up, and down again"

LONG = [
    long("rows in the middle are in fast memory, causal", CAUSAL, load("Q", i=(19, 22)), ROWS),
    long("rows in the middle are in fast memory, window", WINDOW, load("Q", i=(19, 22)), ROWS),
    long("keys in the middle are in fast memory, window", WINDOW, load("K", j=(19, 22)), ROWS),
    long("keys in the middle are in fast memory, causal", CAUSAL, load("K", j=(19, 22)), COLUMNS),
    long("rows in the middle are in fast memory, by keys", WINDOW, load("Q", i=(19, 22)), COLUMNS),
    long(
        "keys in the middle, inside a tile of keys",
        WINDOW,
        load("K", j=(19, 20)),
        loop("i", 3, load("Q"), loop("j", 3, load("K"), compute("S"), delete("S", "K")), delete("Q")),
    ),
    long(
        "a loop over keys in the middle",
        WINDOW,
        loop("i", 1, load("Q"), loop("j", 1, load("K"), delete("K"), start=19, stop=22), SCORES, delete("Q")),
    ),
    long(
        "a loop over keys in the middle, in tiles that begin there",
        attention("window:9", 1, 48),
        loop("i", 2, load("Q"), loop("j", 4, load("K"), delete("K"), start=26, stop=33), SCORES, delete("Q")),
    ),
    long(
        "a tile of keys in the middle, by a condition",
        attention("window:5", 1, 48),
        loop("j", 20, loop("i", 1, load("Q"), delete("Q"), when(first("j"), load("Q"), delete("Q")))),
    ),
    long(
        "a tile of keys in the middle is the last of a row",
        attention("window:5", 1, 48),
        loop("j", 20, loop("i", 1, load("Q"), when(last("j"), load("Q")), delete("Q"))),
    ),
    long("sums stored in the middle", CAUSAL, TILES, loop("i", 1, load("l"), delete("l"))),
    long(
        "sums kept in the middle",
        WINDOW,
        TILES,
        load("l", i=(18, 23)),
        loop("i", 1, load("Q", "l"), SCORES, delete("Q", "l")),
    ),
    long(
        "partial sums stored tile by tile and looked at",
        CAUSAL,
        loop(
            "i",
            1,
            load("Q"),
            loop("j", 2, load("K"), compute("S"), compute("P", "S"), compute("l"), delete("P", "K"), store("l")),
            delete("Q", "l"),
        ),
        loop("i", 1, load("l"), delete("l")),
    ),
    long(
        "partial sums left behind and looked at",
        CAUSAL,
        loop("i", 1, load("Q"), loop("j", 2, load("K"), compute("S"), delete("K")), delete("Q")),
        loop("i", 1, compute("P"), loop("j", 4, compute("l"), store("l"), stop=20), delete("P", "S", "l")),
        loop("i", 1, load("l"), delete("l")),
    ),
    long(PEAK, WIDE, ALL_SCORES, loop("i", 1, load("Q"), delete("S"))),
    long(f"{PEAK}, besides others", WIDE, ALL_SCORES, loop("i", 1, load("Q"), compute("P"), delete("P", "S"))),
    long(
        f"{PEAK}, and other rounds are the fullest",
        WIDE,
        ALL_SCORES,
        loop("i", 1, compute("P"), delete("P", "S"), load("Q")),
    ),
    long(
        f"{PEAK}, and other moments are",
        WIDE,
        ALL_SCORES,
        loop("i", 1, compute("P"), delete("P"), load("Q"), delete("S")),
    ),
    long("words held only go up", CAUSAL, loop("i", 1, load("Q", "K"), compute("S"), delete("K"))),
    long("fewer rows than keys", attention("causal", 1, 24, 40), TILES),
    long("more rows than keys", attention("causal", 1, 40, 24), TILES),
    long("lines without pairs in the middle", attention("window:left=2,right=0", 1, 40, 24), TILES),
    long("documents of many lengths", attention("document:13,1,17,2,20", 1, 53), TILES, ROWS, COLUMNS),
]


@pytest.mark.parametrize("case", LONG, ids=lambda case: case.name)
def test_rounds_see_what_lies_in_the_middle(case: Long) -> None:
    plain = judge(PLAIN, case.program, case.family, None)
    assert plain.found is not None, plain.place
    peak = plain.found.peak
    for M in (None, peak, peak - 1):
        slow = plain if M is None else judge(PLAIN, case.program, case.family, M)
        found = judge(SHORTCUTS["induction"], case.program, case.family, M).differs(slow)
        assert not found, "\n".join([as_python(case.program), f"M={M}", *found])
