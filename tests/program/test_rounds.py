"""Rounds: whatever lies in the middle of a long loop is seen, and long loops are in fact cut short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from pebble.program.counting.counted import Run
from pebble.program.machine.rounds import Rounds
from pebble.program.schedule import get
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
    not_first,
    not_last,
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
    """A program with a long loop, and whether a shortcut is taken back."""

    name: str
    family: Family
    program: Program
    unrolled: bool = False


def attention(mask: str, d: int = 1, N: int = 40, Nk: int = 0, pass_name: str = "forward") -> Family:
    pattern = make_mask(mask, N, Nk or N, empty_rows="zero")
    return with_outputs(family_of(Problem(N, Nk or N, d, d, mask=pattern, pass_name=pass_name)), ())


def long(name: str, family: Family, *phases: Nodes, unrolled: bool = False) -> Long:
    return Long(name, family, Program(tuple(phase("", nodes) for nodes in phases)), unrolled)


CAUSAL, WINDOW, WIDE = attention("causal", 1, 32), attention("window:3"), attention("causal", 14, 24)
SCORES = loop("j", 1, load("K"), compute("S"), delete("S", "K"))
ROWS = loop("i", 1, load("Q"), SCORES, delete("Q"))
COLUMNS = loop("j", 1, load("K"), loop("i", 1, load("Q"), compute("S"), delete("S", "Q")), delete("K"))
ALL_SCORES = loop("k", 1, load("Q", "K"), compute("S"), delete("Q", "K"))
TILES = loop(
    "i",
    2,
    load("Q"),
    loop(
        "j",
        3,
        load("K", "V"),
        compute("S"),
        compute("P", "S"),
        compute("l"),
        compute("U"),
        delete("P", "K", "V"),
    ),
    delete("Q"),
    store("l", "U"),
    delete("l", "U"),
)
PARTIAL = loop(
    "i",
    1,
    load("Q"),
    loop(
        "j",
        2,
        (load("K"), compute("S"), compute("P", "S"), compute("l"), delete("P", "K")),
        when(not_last("j"), store("l")),
    ),
    delete("Q", "l"),
)
"""Of every row with more than one tile it leaves a partial sum behind."""
WHOLE = (load("Q", "K"), compute("S"), compute("P", "S"))
HALF = loop("j", 2, compute("l"), stop=20, label="half")
AGAIN = (*WHOLE, HALF, loop("i", 1, store("l"), delete("l")))
FEW = (*WHOLE, HALF, store("l", i=(17, 19)), delete("l"), load("l", i=(17, 19)))
HALVES = loop(
    "j",
    2,
    load("K"),
    loop(
        "i",
        1,
        (load("Q"), compute("S"), compute("P", "S"), when(not_first("j"), load("l")), compute("l")),
        (delete("P", "Q"), when(not_last("j"), store("l")), delete("l")),
    ),
    delete("K"),
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
            loop(
                "j", 2, load("K"), compute("S"), compute("P", "S"), compute("l"), delete("P", "K"), store("l")
            ),
            delete("Q", "l"),
        ),
        loop("i", 1, load("l"), delete("l")),
    ),
    long("partial sums left behind", CAUSAL, PARTIAL),
    long(
        "partial sums left behind and loaded",
        CAUSAL,
        PARTIAL,
        loop("i", 1, load("l"), delete("l"), start=2),
        unrolled=True,
    ),
    long("partial sums left behind and loaded at once", CAUSAL, PARTIAL, load("l", i=(2, 32)), unrolled=True),
    long("partial sums left behind and loaded, some", CAUSAL, PARTIAL, load("l", i=(11, 14)), unrolled=True),
    long("partial sums left behind and stored anew", CAUSAL, PARTIAL, AGAIN, unrolled=True),
    long("partial sums left behind and stored anew, some", CAUSAL, PARTIAL, FEW, unrolled=True),
    long("partial sums left behind and stored to the end", CAUSAL, PARTIAL, TILES, load("l"), unrolled=True),
    long("partial sums left behind, and nothing done to them", CAUSAL, PARTIAL, ROWS),
    long(
        "partial sums left behind and gone on with",
        CAUSAL,
        PARTIAL,
        loop("j", 8, loop("i", 1, when(first("j"), load("l"), delete("l")))),
        unrolled=True,
    ),
    long(
        "sums half stored in a loop over keys",
        CAUSAL,
        HALVES,
        loop("i", 2, load("l"), delete("l"), start=2),
        unrolled=True,
    ),
    long(PEAK, WIDE, ALL_SCORES, loop("i", 1, load("Q"), delete("S"))),
    long(
        f"{PEAK}, besides others", WIDE, ALL_SCORES, loop("i", 1, load("Q"), compute("P"), delete("P", "S"))
    ),
    long(
        f"{PEAK}, and other rounds are the fullest",
        WIDE,
        ALL_SCORES,
        loop("i", 1, compute("P"), delete("P", "S"), load("Q")),
        unrolled=True,
    ),
    long(
        f"{PEAK}, and other moments are",
        WIDE,
        ALL_SCORES,
        loop("i", 1, compute("P"), delete("P"), load("Q"), delete("S")),
        unrolled=True,
    ),
    long("words held only go up", CAUSAL, loop("i", 1, load("Q", "K"), compute("S"), delete("K"))),
    long("fewer rows than keys", attention("causal", 1, 24, 40), TILES),
    long("more rows than keys", attention("causal", 1, 40, 24), TILES),
    long("lines without pairs in the middle", attention("window:left=2,right=0", 1, 40, 24), TILES),
    long(
        "a first row that is not the first of its loop",
        attention("causal", 1, 40, 20),
        loop("i", 1, loop("k", 1, when(first("i"), load("Q"), delete("Q")))),
    ),
    long("documents of many lengths", attention("document:13,1,17,2,20", 1, 53), TILES, ROWS, COLUMNS),
]


def test_rounds_see_that_a_row_in_the_middle_is_missing() -> None:
    """The loop only reads it."""
    parts = load("Q", i=(0, 19)), load("Q", i=(20, 32))
    text = Program(tuple(phase("", part) for part in (parts, loop("i", 1, SCORES))))
    plain, quick = (judge(runner, text, CAUSAL, None) for runner in (PLAIN, SHORTCUTS["induction"]))
    assert plain.rule == "compute-needs-predecessors"
    assert not quick.differs(plain)


def test_a_last_round_that_is_not_as_foretold_is_tried_again_farther_from_the_end() -> None:
    """Behind the last tile of rows there are no keys for the window to end before."""
    problem = Problem.square(83, 1, mask="window:5")
    schedule = get("flash-2")
    found = run(schedule.program(problem, {"rows": 5}), schedule.family(problem))
    assert not found.unrolled
    assert found.steps < 200


@pytest.mark.parametrize("case", LONG, ids=lambda case: case.name)
def test_rounds_see_what_lies_in_the_middle(case: Long) -> None:
    plain = judge(PLAIN, case.program, case.family, None)
    assert plain.found is not None, plain.place
    quick = run(case.program, case.family)
    assert bool(quick.unrolled) == case.unrolled
    assert quick.steps < max(20, 0.6 * plain.found.steps) or case.unrolled
    peak = plain.found.peak
    for M in (None, peak, peak - 1):
        slow = plain if M is None else judge(PLAIN, case.program, case.family, M)
        found = judge(SHORTCUTS["induction"], case.program, case.family, M).differs(slow)
        assert not found, "\n".join([as_python(case.program), f"M={M}", *found])


N = 10**6
MASKS = ["causal", f"window:{N // 250}", f"prefix:{N // 500}", f"document:{N // 2},{N // 5},{3 * N // 10}"]
STEPS = 2000
PRODUCTS = ("out_cols", "dv_cols", "dk_cols", "dq_cols")
ONE_BY_ONE = {("backward", "queries-sliced", mask) for mask in MASKS} | {("forward", "hybrid", MASKS[1])}
"""Not cut short as yet."""


def long_runs() -> list[Any]:
    """Passes, schedules and masks; most masks of a schedule are slow."""
    names = [
        (pass_name, schedule.name)
        for pass_name in ("forward", "backward")
        for schedule in registered(pass_name, "plain")
        if schedule.name != "best"
    ]
    return [
        pytest.param(*name, mask, marks=[] if number % len(MASKS) == at else [pytest.mark.slow])
        for number, name in enumerate(names)
        for at, mask in enumerate(MASKS)
        if (*name, mask) not in ONE_BY_ONE
    ]


@pytest.mark.parametrize(("pass_name", "name", "mask"), long_runs())
def test_long_loops_of_schedules_are_cut_short(pass_name: str, name: str, mask: str) -> None:
    problem = Problem(N, N, 2, 2, pass_name=pass_name, mask=make_mask(mask, N, N))
    schedule = get(name, pass_name)
    tiles = {tile: 2 if tile in PRODUCTS else 1000 for tile in schedule.tile_names}
    tiles |= {tile: 0 for tile in tiles if tile.startswith("pinned") or tile in ("first", "sums_first")}
    found = run(schedule.program(problem, tiles), family_of(problem), step_limit=STEPS)
    assert not found.unrolled


PATTERNS = ["longformer:window=400,global=16", "strided:400", "fixed:400,8"]
QUICK = [(mask, name) for mask in PATTERNS for name in ("flash-2", "flash-1", "small-cache")]
QUICK += [
    (PATTERNS[0], name) for name in ("naive", "standard", "square-tile", "key-window", "flash-2-pinned")
]


@pytest.mark.parametrize(
    ("mask", "name"),
    [pytest.param(*case, marks=[] if case[1] == "flash-2" else [pytest.mark.slow]) for case in QUICK],
)
def test_long_loops_under_patterns_are_cut_short(mask: str, name: str) -> None:
    """At ten times the length as many operations are executed."""
    steps = []
    for length in (N // 10, N):
        problem = Problem(length, length, 2, 2, mask=make_mask(mask, length, length))
        schedule = get(name, "forward")
        tiles = {tile: 0 if tile.startswith("pinned") else 200 for tile in schedule.tile_names}
        found = run(schedule.program(problem, tiles), family_of(problem), step_limit=20 * STEPS)
        assert not found.unrolled
        steps.append(found.steps)
    assert steps[1] < 1.5 * steps[0] + 100


def strided(L: int, length: int, name: str, tile: int) -> Run:
    """Return the run of a schedule whose one tile size has a common factor with the stride."""
    problem = Problem(length, length, 2, 2, mask=make_mask(f"strided:{L}", length, length))
    schedule = get(name, "forward")
    return run(schedule.program(problem, {schedule.tile_names[0]: tile}), family_of(problem))


def test_lines_that_begin_one_by_one_are_joined() -> None:
    """Behind the current tile lies a cell that has another rank, and reaches into the tile."""
    assert strided(32, 400, "flash-2", 12).steps < 1000


@pytest.mark.slow
def test_cells_without_pairs_in_the_tile_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the last tiles of rows the cells of P reach down to rows that have other pairs: rounds still repeat."""
    rounds, executed = [0], Rounds._round

    def counted(*given: Any) -> Any:
        rounds[-1] += 1
        return executed(*given)

    monkeypatch.setattr(Rounds, "_round", counted)
    for length in (408, 808):
        strided(16, length, "square-tile", 4)
        rounds.append(0)
    assert rounds[0] == rounds[1]
