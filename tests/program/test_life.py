"""What is proved of a text is so: texts made for one rule each, registered schedules, random programs."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pebble.computations.array import Array
from pebble.program import first, last, not_last
from pebble.program.counting.life import Here, Unproved, prove
from pebble.program.counting.run import run_levels
from tests.program import level_programs
from tests.program.generator import random_case
from tests.program.life_cases import is_legal, others, proved, wrong_heres
from tests.program.names import (
    DenseMask,
    Family,
    InvalidInput,
    Nodes,
    Operation,
    Phase,
    Problem,
    Program,
    Violation,
    compute,
    delete,
    family_of,
    load,
    loop,
    make_mask,
    matmul_family,
    not_first,
    phase,
    program,
    registered,
    store,
    validate,
    when,
)
from tests.program.random_families import under, with_outputs
from tests.program.random_masks import random_mask


def square(mask: str | None = None, N: int = 6) -> Family:
    return family_of(Problem.square(N, 2, mask=mask))


# Texts for one rule each: illegal, and proved if the rule is weakened


def replaced_in_part() -> Program:
    """The second P replaces S on all of the box, of which fast memory holds a part."""
    before = (load("Q", "K"), compute("S"), delete("Q", "K"))
    after = (
        load("V"),
        compute("l"),
        compute("U"),
        delete("P", "V"),
        compute("O", "U"),
        store("O"),
        delete("O", "l"),
    )
    part = Operation("compute", "P", at=(("i", 0, 2),))
    return program(phase("", before, part, compute("P", "S"), after))


def stored_once() -> Program:
    """What is stored after the first tile is loaded in the third, when it is no longer the start of the tile."""
    begun = when(first("j"), compute("U"), store("U"), when(not_last("j"), delete("U")))
    going_on = when(not_first("j"), load("U"), compute("U"), when(not_last("j"), delete("U")))
    tile = (
        load("K", "V"),
        compute("S"),
        compute("P", "S"),
        compute("l"),
        begun,
        going_on,
        delete("P", "K", "V"),
    )
    return program(
        phase(
            "",
            loop("i", 2, load("Q"), loop("j", 1, tile), compute("O", "U"), store("O"), delete("O", "l", "Q")),
        )
    )


def tiles_of_lines() -> Program:
    """Inside the loop over rows *first j* asks about a row, outside about a tile of rows."""
    rows = loop("i", 1, when(not_first("j"), load("U", "l")), label="row")
    tile = (load("Q"), rows, compute("S"), compute("P", "S"), compute("l"), compute("U"), delete("P", "Q"))
    parked = when(not_last("j"), store("U", "l"), delete("U", "l"))
    done = when(last("j"), compute("O", "U"), store("O"), delete("O", "l"))
    return program(
        phase("", loop("j", 2, load("K", "V"), loop("i", 2, tile, parked, done), delete("K", "V")))
    )


def one_label_twice() -> Program:
    """Loops of one label are one: in the second phase it begins with each tile of 3, in the first with the axis."""
    one = loop(
        "i", 3, loop("i", 3, loop("i", 1, when(first("a"), load("Q")), label="a"), label="b"), label="a"
    )
    two = loop(
        "i", 3, loop("i", 3, loop("i", 1, when(first("a"), delete("Q")), label="a"), label="a"), label="b"
    )
    return program(phase("", one), phase("", two))


def twice_in_the_sum() -> Program:
    return program(load("A", "B"), compute("C"), compute("C", k=(0, 2)), store("C"), delete("A", "B", "C"))


def other_in_slow_memory() -> Program:
    """Slow memory has the terms 0 and 1, fast memory 2 and 3 when C is stored."""
    parts = (compute("C", k=(0, 2)), store("C"), delete("C"), compute("C", k=(2, 4)), store("C"))
    return program(load("A", "B"), parts)


def gate_of_the_second_token() -> Program:
    """The first token's gate is not read, but the first tile has two tokens."""
    tile = (load("K", "V"), when(not_first("n"), load("G")), compute("H"), delete("K", "V"))
    return program(loop("n", 2, tile))


def queries_of_a_part() -> Program:
    """Some keys of the part may have no query, of others the queries that do are not all loaded."""
    tile = (load("Q"), loop("j", 2, load("K", "V"), compute("S"), delete("K", "V", "S")), delete("Q"))
    return program(loop("i", 2, tile, stop=4), loop("i", 2, loop("j", 1, delete("Q"), stop=3)))


def begun_twice() -> Program:
    """The second loop begins what the first has left at the end of its first tile, which is not the last."""
    begun = loop("j", 2, when(first("j"), when(not_last("j"), compute("U"))))
    return program(load("Q", "K", "V"), compute("S"), compute("P"), begun, begun)


def one_tile_of_many() -> Program:
    """The inner loop has one tile, but the outer one has its label, and several."""
    inner = loop("i", 3, when(first("a"), load("Q")), label="a")
    return program(loop("i", 3, inner, delete("Q"), label="a"))


def pairs_of_other_tiles() -> Program:
    """Of a pair, whether its keys are the first depends on the tile of queries it is asked with."""
    made = (load("Q", "K"), compute("S"), store("S"), delete("S"))
    asked = loop("i", 2, when(first("j"), delete("S")))
    return program(made, loop("j", 2, when(first("j"), load("S")), asked))


def loaded_over_another() -> Program:
    before = (load("Q", "K", "V"), compute("S"), compute("P"))
    return program(before, compute("U", j=(0, 2)), store("U"), compute("U", j=(2, 6)), load("U"))


def stored_over_more() -> Program:
    """Slow memory keeps what is further: the sum that is loaded has gone on to key 4."""
    far, near = ((compute("U", j=(0, end)), store("U"), delete("U")) for end in (4, 2))
    ready = (load("Q", "K", "V"), compute("S"), compute("P"))
    return program(ready, far, near, load("U"), compute("U", j=(2, 6)))


def first_of_other_tiles() -> Program:
    """Whether a tile of queries is the first depends on the keys: it may be so at the last ones alone."""
    loaded = when(first("j"), when(first("i"), load("Q")))
    return program(loop("i", 2, loop("j", 2, loaded, when(last("j"), when(first("i"), delete("Q"))))))


def of_the_whole_loop() -> Program:
    """Loops over keys of one label are one: the inner ones have their first tile in the first outer one alone."""
    inner = loop("j", 2, when(first("a"), load("Q")), label="a")
    return program(loop("j", 4, inner, delete("Q"), label="a"))


def read_before_its_step() -> Program:
    return program(load("Q", "K", "V", "G"), loop("n", 1, compute("O"), compute("H")))


def bare(text: Program, mask: str | None = None, N: int = 6) -> tuple[Program, Family]:
    return text, with_outputs(square(mask, N), ())


def gated() -> Family:
    return family_of(Problem.square(6, 2, attention="linear", mask="causal", gate=True))


def sums() -> Family:
    return matmul_family(2, 2, 4).with_free_sums(["k"])


BROKEN = {
    "whole box": (replaced_in_part(), square()),
    "stale": (stored_once(), square()),
    "label": bare(one_label_twice(), "window:6"),
    "sum": (twice_in_the_sum(), sums()),
    "sum in slow memory": (other_in_slow_memory(), with_outputs(sums(), ())),
    "later": (gate_of_the_second_token(), with_outputs(gated(), ())),
    "begun twice": bare(begun_twice()),
    "one tile": bare(one_tile_of_many(), "window:6"),
    "pairs": bare(pairs_of_other_tiles(), "window:2"),
    "loaded over": bare(loaded_over_another()),
    "stored over": bare(stored_over_more()),
    "first": bare(first_of_other_tiles(), "causal"),
    "loop in parts": bare(of_the_whole_loop(), "window:6", 8),
    "step": (read_before_its_step(), with_outputs(gated(), ())),
    "part": bare(queries_of_a_part(), "window:6"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_rule_is_kept(name: str) -> None:
    text, family = BROKEN[name]
    assert not is_legal(text, family)
    assert proved(text, family) is None
    assert proved(text, family, own_mask=True) is None


def stored_before_it_is_loaded() -> Program:
    """A query is loaded at its own first keys, and stored at all but the first of its tile."""
    rows = loop("i", 1, when(first("j"), load("Q")), label="row")
    return program(loop("j", 2, loop("i", 2, rows, when(not_first("j"), store("Q")))))


@pytest.mark.parametrize("text", [tiles_of_lines(), stored_before_it_is_loaded()])
def test_a_line_may_begin_later_than_its_tile(text: Program) -> None:
    family = with_outputs(square("causal"), ())
    rnd = Random(1)
    masked = (under(family, random_mask(rnd, 6, 6)) for _ in range(300))
    assert not all(is_legal(text, one) for one in masked)
    assert proved(text, family) is None


def test_lines_without_gaps() -> None:
    """Sums that are not yet complete are deleted at the row's tile and stored at others, in which it has no pair."""
    sums = loop("i", 1, when(not_first("j"), load("U")), compute("U"), label="row")
    gone = loop("i", 1, when(not_last("j"), delete("U")), label="row")
    text = program(
        load("Q", "K", "V"), compute("S"), compute("P"), loop("j", 1, loop("i", 2, sums, store("U"), gone))
    )
    table = np.ones((6, 6), dtype=bool)
    table[0, 2:5] = False
    for mask, legal in ((None, True), (DenseMask("gap", table), False)):
        family = under(with_outputs(square(), ()), mask or make_mask("causal", 6, 6))
        assert is_legal(text, family) == legal
        assert (proved(text, family, own_mask=True) is not None) == legal
        assert proved(text, family) is None


def test_a_word_that_may_be_there_or_not() -> None:
    """Legal under every mask, but how many words the last load begins depends on the mask."""
    text, family = bare(
        program(loop("i", 2, loop("j", 2, load("Q"), stop=2), load("Q"), delete("Q"))), "causal"
    )
    assert is_legal(text, family)
    with pytest.raises(Unproved, match="load Q: Q may be in fast memory, or not"):
        prove(text, family)


def test_what_is_known_of_an_operation() -> None:
    mine = (
        when(not_first("j"), load("U")),
        load("K", "V", "Q"),
        compute("S"),
        compute("P", "S"),
        compute("U"),
    )
    tile = (mine, store("U"), delete("U", "K", "V", "Q", "P"))
    text, family = bare(
        program(loop("j", 2, loop("i", 2, tile)), load("U"), load("U"), delete("U")), "causal"
    )
    assert is_legal(text, family)
    heres = prove(text, family)[0]
    place = (0, 0, 0)
    assert heres[*place, 0, 0] == Here("start", held=False)
    assert heres[*place, 7] == Here("end", held=False)
    assert [heres[at, 0] for at in (1, 2, 3)] == [Here("all", False), Here("all", True), Here("all", False)]
    assert not wrong_heres(text, family, heres)


def test_an_operation_at_several_places() -> None:
    """Legal: what is stored is as far as the tile in the first round, and complete in the second."""
    kept = loop("k", 1, loop("j", 2, when(first("k"), compute("U")), store("U")))
    text, family = bare(program(load("Q", "K", "V"), compute("S"), compute("P"), kept), "causal")
    assert is_legal(text, family)
    with pytest.raises(Unproved, match="several places"):
        prove(text, family)


def test_one_operation_at_two_places() -> None:
    """Operations are known by their place, and one object may stand at several."""
    text, family = bare(program(load("Q"), load("Q"), delete("Q")))
    assert [here.held for here in prove(text, family)[0].values()] == [False, True, False]


def test_the_first_gate_is_not_read() -> None:
    tile = (load("K", "V"), when(not_first("n"), load("G")), compute("H"), delete("K", "V"))
    text, family = program(loop("n", 1, tile)), with_outputs(gated(), ())
    assert is_legal(text, family)
    assert proved(text, family) is not None


def test_what_is_not_judged() -> None:
    family = square()
    with pytest.raises(Unproved, match="one by one"):
        prove(Program((Phase("", generate=lambda: iter(load("Q"))),)), family)
    with pytest.raises(Unproved, match="another memory level"):
        prove(program(load("Q", level=2)), family)
    arrays = (Array("x", ("i",)), Array("w", ("k",)), Array("y", ("i", "k"), operands=("x", "w")))
    lost = Family("lost", arrays, {"i": 2, "j": 2, "k": 2}, {}, {}, random_mask(Random(0), 2, 2))
    with pytest.raises(Unproved, match="neither queries nor keys"):
        prove(program(load("w")), lost)


def test_states_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pebble.program.counting.life.MOST_STATES", 2)
    text, family = bare(program(loop("i", 2, load("Q"), delete("Q"))), "causal")
    with pytest.raises(Unproved, match="more than 2 states"):
        prove(text, family)


# Registered schedules


@pytest.mark.many(1)
@pytest.mark.parametrize("mask", [None, "causal", "longformer:window=4,global=2"])
@pytest.mark.parametrize("form", ["forward plain", "forward safe", "forward online", "backward plain"])
def test_registered_schedules_are_proved(form: str, mask: str | None) -> None:
    pass_name, softmax = form.split()
    problem = Problem.square(20, 3, mask=mask, pass_name=pass_name, softmax=softmax)
    for schedule in registered(pass_name, softmax):
        if schedule.name == "best":
            continue
        whole = problem.without_mask()
        tiles = schedule.tiles(whole, max(60, schedule.least_M(whole)))
        text, family = schedule.program(problem, tiles), schedule.family(problem)
        if not text.parts and proved(text, family) is None:
            assert schedule.name in ("queries-causal", "keys-mixed")
            assert proved(text, family, own_mask=True) is not None


# Random programs


@pytest.mark.slow
def test_what_is_proved_is_legal() -> None:
    """Under the mask and others; and as many words move as is known of each operation."""
    found = 0
    for seed in range(90):
        rnd = Random(seed)
        case = random_case(rnd)
        text, family = case.program, case.family
        if family.mask is None and rnd.random() < 0.3:
            family = family.with_free_sums(family.extents) if can_be_free(family) else family
        heres, alone = proved(text, family), proved(text, family, own_mask=True)
        if alone is not None:
            assert is_legal(text, family), case
            assert not wrong_heres(text, family, alone), case
        if heres is not None:
            found += 1
            assert alone is not None, case
            for other in others(rnd, family, 2):
                assert is_legal(text, other), (case, other)
                assert not wrong_heres(text, other, heres), (case, other)
    assert found > 20


def can_be_free(family: Family) -> bool:
    try:
        family.with_free_sums(family.extents)
    except InvalidInput:
        return False
    return True


# Several memory levels


def are_levels_legal(text: Program, family: Family, levels: int, inclusive: bool) -> bool:
    try:
        run_levels(text, family, (None,) * levels, inclusive=inclusive, induction=False)
    except Violation:
        return False
    return True


def are_levels_proved(text: Program, family: Family, levels: int, inclusive: bool) -> bool:
    try:
        prove(text, family, levels, inclusive)
    except Unproved:
        return False
    return True


TWO = (Array("A", ("i",)), Array("X", ("i",), operands=("A",), output=True))
COPIED = Family("two", TWO, {"i": 3}, {"i": "n"}, {})
SUMS = with_outputs(matmul_family(2, 2, 4), ())
BEGUN = compute("C", k=(0, 2))
WITHIN = load("A", "B", level=2), load("A", "B")
MADE = load("A", level=2), load("A"), compute("X")


def reserved(mask: str, moved: Nodes) -> tuple[Program, Family]:
    """A level that only reserves a sum has no value to move, not even in the first tile of its chain."""
    pairs = load("Q", "K", level=2), load("Q", "K"), compute("S"), compute("P"), compute("l")
    text = program(phase("", pairs, loop("j", 4, load("V", level=2), load("V"), compute("U"), moved)))
    return text, with_outputs(family_of(Problem.square(4, 1, mask=mask)), ())


LEVELS: dict[str, tuple[tuple[Program, Family], bool, bool]] = {
    "a value goes out": ((program(MADE, store("X"), store("X", level=2)), COPIED), True, True),
    "projections alone do not prove": (
        (program(MADE, store("X", level=2), store("X")), COPIED),
        False,
        False,
    ),
    "a level holds what is within": (
        bare(program(load("Q", level=2), load("Q"), delete("Q", level=2), delete("Q"))),
        False,
        True,
    ),
    "a sum begins anew where no level has it": (
        (program(WITHIN, BEGUN, delete("C"), BEGUN), SUMS),
        False,
        True,
    ),
    "a value is lost where the sum goes on": (
        (program(WITHIN, BEGUN, store("C"), compute("C", k=(2, 4)), store("C", level=2)), SUMS),
        False,
        True,
    ),
    "reserved, stored": (reserved("causal", store("U", level=2)), False, True),
    "reserved, loaded": (reserved("window:2", (delete("U"), load("U"))), False, True),
}
"""Programs for two levels, and whether they are legal in an inclusive and in an exclusive hierarchy."""


@pytest.mark.parametrize("name", LEVELS)
def test_what_is_legal_of_levels_and_nothing_else_is_proved(name: str) -> None:
    (text, family), *expected = LEVELS[name]
    for inclusive, legal in zip((True, False), expected, strict=True):
        assert are_levels_legal(text, family, 2, inclusive) == legal
        assert are_levels_proved(text, family, 2, inclusive) == legal


@pytest.mark.slow
def test_what_is_proved_of_levels_is_legal() -> None:
    found = 0
    for seed in range(1000, 1130):
        rnd = Random(seed)
        case = random_case(rnd)
        levels, inclusive = rnd.choice([1, 2, 2, 3]), rnd.random() < 0.6
        if any(part.generate for part in case.program.phases) or proved(case.program, case.family) is None:
            continue
        text = level_programs.through_levels(case.program, levels, inclusive)
        for _ in range(rnd.choice([0, 1, 1, 2])):
            change = level_programs.mutated if rnd.random() < 0.7 else level_programs.parked
            text = change(rnd, text, levels) if level_programs.operations(text) else text
        try:
            validate(text, case.family, levels)
        except InvalidInput:
            continue
        if are_levels_proved(text, case.family, levels, inclusive):
            found += 1
            assert are_levels_legal(text, case.family, levels, inclusive), (case, text)
            for other in others(rnd, case.family, 2):
                assert are_levels_legal(text, other, levels, inclusive), (case, other)
    assert found > 10
