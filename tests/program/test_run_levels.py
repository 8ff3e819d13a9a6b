"""Several memory levels: the machine against the game vertex by vertex, shortcuts against plain loops, projections."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from pebble.common.errors import IllegalMove, InvalidInput, NoClosedForm, Violation
from pebble.computations.family import Family
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.game.level_game import LevelGame
from pebble.program import Nodes, Program, closed_form, compute, delete, load, loop, phase, program, store
from pebble.program.counting.counted import Run
from pebble.program.counting.run import run, run_levels
from pebble.program.lowering import lower_levels
from pebble.program.places import places
from pebble.program.projection import project
from tests.program.generator import long_case_of, random_case
from tests.program.level_programs import mutated, operations, parked, rewritten, through_levels
from tests.program.program_reference import refer
from tests.program.random_families import with_outputs
from tests.support import amounts

NARROWER = {"one-partial-result", "whole-box"}
"""Rules of boxes that the game does not know: a program may break them and still be legal vertex by vertex."""
Runs = tuple[Run, ...]


def played(text: Program, family: Family, sizes: tuple[int, ...], inclusive: bool) -> LevelGame | None:
    """The end of the game, or None if it is not legal or not complete."""
    game = LevelGame(family.dag(), sizes, inclusive)
    try:
        for move in lower_levels(text, family, len(sizes), inclusive=inclusive):
            game.play(move)
    except (IllegalMove, InvalidInput):
        return None
    return game if game.complete else None


def executed(
    text: Program, family: Family, sizes: tuple[int, ...], inclusive: bool, induction: bool = True
) -> Runs | str:
    """The runs, or the rule that was broken."""
    try:
        return run_levels(text, family, sizes, inclusive=inclusive, induction=induction)
    except Violation as violation:
        return violation.rule


def level_case(seed: int, *, masked: float = 0.7, long: bool = False) -> tuple[Program, Family, int, bool]:
    """A program, mostly legal or nearly so, its family, how many levels there are, whether they are inclusive."""
    rnd = Random(seed)
    while True:
        case = long_case_of(rnd.randrange(10**9)) if long else random_case(rnd, masked=masked)
        stored = {
            place.operation.array for place in places(case.program) if place.operation.action == "store"
        }
        stored -= {array.name for array in case.family.arrays if array.is_input}
        if stored:
            break
    levels, inclusive = rnd.choice([2, 2, 2, 3]), rnd.random() < 0.6
    text = through_levels(case.program, levels, inclusive)
    if rnd.random() < 0.4:
        text = parked(rnd, text, levels)
    for _ in range(rnd.choice([0, 0, 1, 1, 2])):
        if operations(text):
            text = mutated(rnd, text, levels)
    return text, with_outputs(case.family, (rnd.choice(sorted(stored)),)), levels, inclusive


def compare(text: Program, family: Family, levels: int, inclusive: bool) -> str:
    """Compare all readings of a program; return the rule that it breaks, or nothing."""
    ample = tuple(10**6 + level for level in range(levels))
    runs, plain = (executed(text, family, ample, inclusive, induction) for induction in (True, False))
    game = played(text, family, ample, inclusive)
    if isinstance(plain, str):
        assert runs == plain
        assert game is None or plain in NARROWER or is_begun_again(text, family, plain)
        return plain
    assert not isinstance(runs, str)
    assert game is not None
    for level, (one, other, tally) in enumerate(zip(runs, plain, game.tallies, strict=True), start=1):
        assert (one.reads, one.writes, one.computes, one.peak) == (
            other.reads,
            other.writes,
            other.computes,
            other.peak,
        )
        assert (one.total_reads, one.total_writes, one.peak) == (tally.reads, tally.writes, tally.peak)
        if is_told_by_its_text(project(text, level), family):
            with suppress(NoClosedForm):
                assert int(closed_form(project(text, level), family).io) == one.io
        if inclusive:
            seen = run(project(text, level), family)
            assert (one.reads, one.writes, one.peak) == (seen.reads, seen.writes, seen.peak)
        if one.peak > 1:
            check_limit(text, family, ample, inclusive, level, one.peak)
    return ""


def is_begun_again(text: Program, family: Family, rule: str) -> bool:
    """Whether the machine with one fast memory, too, refuses to compute the first step of a line's chain once more."""
    with pytest.raises(Violation) as refused:
        run(project(text, 1), family, induction=False)
    return bool(family.masked_axes) and rule == refused.value.rule == "compute-needs-predecessors"


def is_told_by_its_text(text: Program, family: Family) -> bool:
    """Whether the closed form counts the program: under a mask what moves nothing may be legal, and is not told."""
    if not family.masked_axes:
        return True
    expected = refer(text, family)
    return expected.legal and not expected.void


def check_limit(
    text: Program, family: Family, ample: tuple[int, ...], inclusive: bool, level: int, peak: int
) -> None:
    """At its peak a level suffices, with a word less it does not; for the machine and for the game."""
    for words, enough in ((peak, True), (peak - 1, False)):
        sizes = tuple(words if at == level else size for at, size in enumerate(ample, start=1))
        if inclusive and list(sizes) != sorted(sizes):
            continue
        found = executed(text, family, sizes, inclusive)
        assert (found != "memory-full") == enough
        assert (played(text, family, sizes, inclusive) is not None) == enough


@pytest.mark.slow
@pytest.mark.parametrize("block", amounts.first(1, range(10)))
def test_machine_and_game_agree_on_random_programs(block: int) -> None:
    found = [compare(*level_case(seed)) for seed in range(120 * block, 120 * (block + 1))]
    assert found.count("") >= 8
    assert len(set(found)) >= 6


@pytest.mark.parametrize("seeds", [range(12, 16), pytest.param(range(100, 160), marks=pytest.mark.slow)])
def test_long_programs_for_levels_are_folded_as_they_are_executed(seeds: range) -> None:
    for seed in seeds:
        compare(*level_case(seed, long=True))


# What is refused, and what it is called


def product(*inner: Nodes, after: Nodes = None) -> Program:
    """A row of a product through two levels: the inputs stay in level 2."""
    nest = loop("i", 1, loop("j", 1, loop("k", 1, load("A", "B"), compute("C"), delete("A", "B")), *inner))
    return program(phase("", load("A", "B", level=2), nest, after))


DONE = store("C"), delete("C")
FAMILY = matmul_family(3, 3, 2)


OUT = store("C", level=2)
WHOLE = product(*DONE, after=OUT)


def in_halves(*between: Nodes, after: Nodes = None) -> Program:
    """The first term of the sums in level 1, something between, and the second."""
    step = load("A", "B"), compute("C"), delete("A", "B")
    half, rest = loop("k", 1, step, stop=1), loop("k", 1, step, start=1, label="rest")
    return program(phase("", load("A", "B", level=2), half, between, rest, after))


BROKEN = {
    "legal": (WHOLE, ""),
    "not stored out": (product(*DONE), "output-missing"),
    "not stored to 2": (product(after=OUT), "store-needs-red"),
    "lost": (product(delete("C"), after=OUT), "store-needs-red"),
    "order of deletes": (product(store("C"), delete("C", level=2), after=OUT), "inclusive"),
    "only reserved": (product(delete("C"), load("C"), *DONE, after=OUT), "load-needs-blue"),
    "missing load2": (rewritten(WHOLE, lambda op: () if op.level == 2 else (op,)), "load-needs-blue"),
    "deleted": (program(phase("", load("A", level=2), delete("A", level=2), load("A"))), "load-needs-blue"),
    "stale copy": (in_halves(store("C"), after=(delete("C"), OUT)), "store-needs-red"),
    "fresh copy": (in_halves(store("C"), after=(*DONE, OUT)), ""),
}


@pytest.mark.parametrize("induction", [True, False])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_programs_are_refused(name: str, induction: bool) -> None:
    """A value that was computed in level 1 is only reserved in level 2, until it is stored there."""
    text, rule = BROKEN[name]
    found = executed(text, FAMILY, (100, 101), True, induction)
    assert (found == rule) if rule else not isinstance(found, str)
    assert (played(text, FAMILY, (100, 101), True) is None) == bool(rule)


def test_one_partial_result_at_all_inclusive_levels() -> None:
    """A chain cannot start anew in level 1 while level 2 holds a partial result; let go of there, it can."""
    begun = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"), stop=1, label="again")
    for gone, rule in (((), "one-partial-result"), (delete("C", level=2), "output-missing")):
        text = program(phase("", load("A", "B", level=2), begun, DONE, gone, begun))
        assert executed(text, FAMILY, (100, 101), True) == rule


def test_exclusive_levels_hold_what_they_were_given_only() -> None:
    text = WHOLE
    inclusive, exclusive = (run_levels(text, FAMILY, (None, None), inclusive=kind) for kind in (True, False))
    assert [one.io for one in inclusive] == [one.io for one in exclusive]
    assert [one.peak for one in inclusive] == [4, 22]
    assert [one.peak for one in exclusive] == [4, 21]


def test_an_overflow_says_at_which_level_and_where() -> None:
    text = WHOLE
    with pytest.raises(Violation, match=r"store2|level 2 holds 21 of 21 words, and this needs 1 more"):
        run_levels(text, FAMILY, (5, 21))
    leaking = program(phase("", load("A", "B", level=2), loop("i", 1, load("A"), label="row"), store("A")))
    with pytest.raises(Violation, match="level 1"):
        run_levels(leaking, matmul_family(9, 1, 1), (5, 60))


UNDER_A_MASK = with_outputs(family_of(Problem.square(4, 1, mask="causal")), ("U",))


def outputs_over_keys(label: str, start: int = 0, stop: int | None = None) -> Nodes:
    """Advance the outputs of all rows at once over some keys, which are in level 1."""
    sums = compute("S"), compute("P", "S"), compute("U"), delete("P"), delete("P", level=2)
    return loop("j", 1, sums, start=start, stop=stop, label=label)


FIRST_ROWS, LAST_ROWS = (0, 2), (2, 4)
PARKED = [
    *(load("Q", "K", "V", level=2), load("Q", "K", "V")),
    *(outputs_over_keys("half", stop=2), store("U"), outputs_over_keys("rest", start=2)),
]


@pytest.mark.many(4)
@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize(
    ("end", "rules"),
    [
        ((store("U"), store("U", level=2)), ("", "one-partial-result")),
        ((delete("U"), store("U", level=2)), ("store-needs-red", "output-missing")),
        ((delete("U"), store("U", level=2, i=LAST_ROWS)), ("store-needs-red", "output-missing")),
        (
            (store("U", level=2, i=FIRST_ROWS), store("U", i=LAST_ROWS), store("U", level=2, i=LAST_ROWS)),
            ("", "one-partial-result"),
        ),
        ((delete("U"), load("U")), ("load-needs-blue", "output-missing")),
        ((delete("U"), load("U", i=FIRST_ROWS), store("U", level=2, i=FIRST_ROWS)), ("output-missing",) * 2),
        ((delete("U", level=2), store("U")), ("inclusive", "output-missing")),
        ((delete("U"), outputs_over_keys("again", stop=2)), ("one-partial-result", "output-missing")),
    ],
    ids=["stored", "stale", "stale rows", "rows that kept it", "loaded", "loaded rows", "deletes", "anew"],
)
def test_a_value_is_stale_on_lines_that_had_a_pair_since(
    end: Nodes, rules: tuple[str, str], inclusive: bool
) -> None:
    """Rows 0 and 1 have no pair with keys 2 and 3: what level 2 was given of them is still their value."""
    text = program(phase("", PARKED, end))
    if not inclusive:
        text = rewritten(text, lambda op: () if op.level == 2 and op.array == "P" else (op,))
    found = compare(text, UNDER_A_MASK, 2, inclusive)
    assert found == rules[0 if inclusive else 1]


def test_sizes_do_not_matter_for_the_time_it_takes() -> None:
    rows = loop("i", 4, load("A", level=2), product_of_rows(), store("C", level=2), delete("C", "A", level=2))
    text = program(phase("", load("B", level=2), rows))
    n = 10**9
    inner, outer = run_levels(text, matmul_family(n, 3, 2), (4, 1000))
    assert (inner.io, outer.io) == (3 * n * (2 * 2 + 1), 6 + n * (2 + 3))
    assert inner.steps < 5000


def product_of_rows() -> Nodes:
    """Rows that are in level 2 one by one through level 1."""
    sums = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"))
    return loop("i", 1, loop("j", 1, sums, store("C"), delete("C")), label="row")
