"""Tiles that lie alike in a butterfly: of each class one is executed, and all is as if every tile had been."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.masks.butterfly_tiles import TileClass
from pebble.program.machine import tiles_in_classes
from pebble.program.machine.tiles_in_classes import TilesInClasses
from pebble.program.schedule import get
from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.generator import Case
from tests.program.names import (
    Nodes,
    Problem,
    Program,
    compute,
    delete,
    family_of,
    first,
    load,
    loop,
    not_first,
    not_last,
    phase,
    run,
    store,
    when,
)
from tests.program.random_families import with_outputs
from tests.program.test_rounds_in_blocks import USUAL
from tests.program.test_rounds_in_blocks import case_of as case_under
from tests.support.block_masks import random_butterfly

MANY = int(os.environ.get("PEBBLE_CASES", "6000")) // 20


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Counter[bool]:
    """Take the shortcut wherever it can be; how often it was, and of a loop to which it does not apply."""
    found, execute = Counter[bool](), TilesInClasses.execute

    def counted(self: TilesInClasses, classes: Sequence[TileClass], iteration: Callable[[int], None]) -> bool:
        done = False
        try:
            done = execute(self, classes, iteration)
        finally:
            found[done] += 1
        return done

    monkeypatch.setattr(tiles_in_classes, "_FEWEST", 3)
    monkeypatch.setattr(TilesInClasses, "execute", counted)
    return found


def case_of(seed: int) -> Case:
    return case_under(seed, random_butterfly, 0.5)


def check(first: int, stop: int) -> None:
    """Compare verdicts, counts, peaks and final states with those of plain loops."""
    for seed in range(first, stop):
        case = case_of(seed)
        expected = judge(PLAIN, case.program, case.family, None)
        found = judge(SHORTCUTS["induction"], case.program, case.family, None)
        assert not expected.differs(found), "\n".join([str(case), *expected.differs(found)])


def test_random_programs(taken: Counter[bool]) -> None:
    check(0, 12)
    assert taken[True] > 4


WHOLE = loop("i", 2, load("Q"), load("K"), delete("K"), delete("Q"))
ONE_LEFT = loop("i", 2, loop("j", 1, load("K"), when(first("i"), store("K")), delete("K")))


@pytest.mark.parametrize("number", range(len(USUAL) + 2))
def test_usual_programs(number: int, taken: Counter[bool]) -> None:
    """Two phases each, so that the second one shows what the first has left."""
    mask = ButterflyMask("butterfly", 32, 32, (2, 2))
    family = with_outputs(family_of(Problem(32, 32, 1, 1, mask=mask)), ())
    program = Program((phase("", [*USUAL, WHOLE, ONE_LEFT][number]), phase("", USUAL[2])))
    expected, found = (judge(runner, program, family, None) for runner in (PLAIN, SHORTCUTS["induction"]))
    assert not expected.differs(found), expected.differs(found)


PAIR: list[Nodes] = [load("Q", "K"), compute("S"), compute("P"), compute("l"), delete("S", "P", "Q", "K")]
PRODUCT: list[Nodes] = [load("dO", "O"), loop("e", 1, compute("D")), delete("dO", "O")]
READ_ONCE = when(first("j"), load("Q"), delete("Q"))
NAMED: dict[str, tuple[str, Nodes]] = {
    "sums of each query go on with the next key, and stay in slow memory": (
        "forward",
        loop("j", 1, loop("i", 1, when(not_first("j"), load("l")), *PAIR, store("l"), delete("l"))),
    ),
    "sums of the queries behind a tile have not begun": (
        "forward",
        loop("i", 1, loop("j", 2, when(not_first("j"), load("l")), *PAIR, store("l"), delete("l"))),
    ),
    "the last partial sum of a query is not stored": (
        "forward",
        loop(
            "j",
            1,
            loop(
                "i", 1, when(not_first("j"), load("l")), *PAIR, when(not_last("j"), store("l")), delete("l")
            ),
        ),
    ),
    "stored for the queries seen, where nobody asks who has begun": (
        "backward",
        loop("j", 2, loop("i", 1, *PRODUCT, store("D"), delete("D"))),
    ),
    "stored for some of the queries that have begun": (
        "backward",
        loop("j", 2, loop("i", 2, *PRODUCT, when(first("i"), store("D")), delete("D"), READ_ONCE)),
    ),
    "stored for all queries by the first tile of keys": (
        "backward",
        loop(
            "j",
            2,
            when(first("j"), *PRODUCT, store("D"), delete("D")),
            when(not_first("j"), load("D"), delete("D")),
            loop("i", 2, READ_ONCE),
        ),
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_named_programs(name: str, taken: Counter[bool]) -> None:
    """Each is told otherwise if one condition of the shortcut is left out."""
    pass_name, node = NAMED[name]
    side = 1 if pass_name == "forward" else 2
    mask = ButterflyMask("butterfly", 16 * side, 16 * side, (side, side))
    family = with_outputs(family_of(Problem(mask.Nq, mask.Nk, 1, 1, pass_name=pass_name, mask=mask)), ())
    program = Program((phase("", node),))
    expected, found = (judge(runner, program, family, None) for runner in (PLAIN, SHORTCUTS["induction"]))
    assert not expected.rule
    assert not expected.differs(found), expected.differs(found)


@pytest.mark.slow
def test_many_random_programs(taken: Counter[bool]) -> None:
    check(1000, 1000 + MANY // 5)
    assert taken[True] > MANY // 12


@pytest.mark.parametrize(
    ("name", "tiles"),
    [
        ("flash-2", {"rows": 8}),
        ("small-cache", {"side": 4}),
        pytest.param("flash-1", {"cols": 4}, marks=pytest.mark.slow),
        pytest.param(
            "standard", {"rows": 4, "cols": 8, "out_rows": 2, "out_cols": 2}, marks=pytest.mark.slow
        ),
    ],
)
def test_schedules(name: str, tiles: dict[str, int], taken: Counter[bool]) -> None:
    problem, schedule = Problem.square(64, 1, mask="butterfly:4"), get(name)
    program, family = schedule.program(problem, tiles), schedule.family(problem)
    quick, plain = run(program, family), run(program, family, induction=False)
    assert (quick.reads, quick.writes, quick.computes) == (plain.reads, plain.writes, plain.computes)
    assert (quick.peak, quick.peak_words) == (plain.peak, plain.peak_words)
    assert taken[True]
    assert not taken[False]


def test_what_does_not_fit_is_refused_where_it_is(taken: Counter[bool]) -> None:
    problem, schedule = Problem.square(94, 2, mask="butterfly:4"), get("flash-2")
    program, family = schedule.program(problem, {"rows": 6}), schedule.family(problem)
    peak = run(program, family).peak
    assert judge(SHORTCUTS["induction"], program, family, peak).rule == ""
    verdicts = [judge(runner, program, family, peak - 1) for runner in (SHORTCUTS["induction"], PLAIN)]
    assert verdicts[0].rule == "memory-full"
    assert not verdicts[0].differs(verdicts[1])


@pytest.mark.parametrize(("name", "tiles"), [("naive", {}), ("flash-2", {"rows": 512})])
def test_the_cost_hardly_follows_the_tokens(name: str, tiles: dict[str, int]) -> None:
    found = []
    for N in (2**17, 2**24):
        problem, schedule = Problem.square(N, 128, mask="butterfly:512"), get(name)
        found.append(run(schedule.program(problem, tiles), schedule.family(problem), 10**6).steps)
    assert found[1] < 3 * found[0]
