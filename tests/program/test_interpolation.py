"""What a line does, told from four others, is what it does."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from pebble import Problem
from pebble.program.machine import interpolation
from pebble.program.machine.bodies import Bodies
from pebble.program.machine.effects import Change, Effect
from pebble.program.machine.interpolation import Interpolation, depends_on_numbers
from pebble.program.schedule import registered
from tests.program.names import (
    Family,
    Program,
    compute,
    delete,
    family_of,
    first,
    load,
    loop,
    not_first,
    program,
    run,
    store,
    when,
)
from tests.program.random_families import with_outputs


@contextmanager
def all_lines_executed() -> Iterator[list[tuple[Effect, Effect]]]:
    """Take no line's effect from others: execute it as well, and note both."""
    found: list[tuple[Effect, Effect]] = []
    foretold: dict[tuple[int, Hashable, int | None], Effect] = {}
    effect, add = Interpolation.effect, Interpolation.add

    def told(self: Interpolation, signature: Hashable, sight: int | None) -> None:
        one = effect(self, signature, sight)
        if one is not None:
            foretold[id(self), signature, sight] = one

    def noted(self: Interpolation, signature: Hashable, sight: int | None, done: Effect) -> None:
        if (id(self), signature, sight) in foretold:
            found.append((foretold.pop((id(self), signature, sight)), done))
        add(self, signature, sight, done)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Interpolation, "effect", told)
        patch.setattr(Interpolation, "add", noted)
        yield found


def told(effect: Effect) -> object:
    """Return all that an effect says, whatever stands for nothing."""
    numbers = {(action, name): number for action, name, number in effect.counts if number}
    held = {name: words for name, words in effect.held if words}
    room = {name: words for name, words in effect.room_words.items() if words}
    flags = effect.reusable, effect.whole, effect.carries_only
    return numbers, held, effect.growth, effect.room, room, effect.changes, flags


def documents(rnd: random.Random, number: int, longest: int, causal: bool = False) -> Problem:
    lengths = [rnd.randint(longest // 3, longest) for _ in range(number)]
    mask = "document:" + "causal," * causal + ",".join(map(str, lengths))
    return Problem.square(sum(lengths), 1, mask=mask)


def check(text: Program, family: Family) -> int:
    """Compare all lines that were told from others with what they do, and the run with that of all."""
    with all_lines_executed() as found:
        run(text, family)
    for one, other in found:
        assert told(one) == told(other)
    short, plain = run(text, family), run(text, family, induction=False)
    assert (short.reads, short.writes, short.computes) == (plain.reads, plain.writes, plain.computes)
    assert (short.peak, short.peak_words) == (plain.peak, plain.peak_words)
    return len(found)


def test_lines_of_documents_are_told_from_others() -> None:
    problem = documents(random.Random(5), 30, 60)
    schedule = next(one for one in registered("forward", "plain") if one.name == "flash-1")
    tiles = {"cols": 31}
    assert check(schedule.program(problem, tiles), schedule.family(problem)) > 10


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
@pytest.mark.parametrize("name", ["flash-1", "standard", "square-tile"])
def test_lines_of_more_schedules_are_told_from_others(name: str, pass_name: str) -> None:
    problem = replace(documents(random.Random(7), 24, 50), pass_name=pass_name)
    schedule = next(one for one in registered(pass_name, "plain") if one.name == name)
    tiles = {**schedule.smallest(problem), **dict.fromkeys(set(schedule.tile_names) - {"rows"}, 23)}
    with all_lines_executed() as found:
        run(schedule.program(problem, tiles), schedule.family(problem))
    assert all(told(one) == told(other) for one, other in found)
    assert found or (name, pass_name) != ("flash-1", "forward")


def test_bodies_whose_lines_are_told_by_more_than_numbers() -> None:
    """Where an operand is read at a step, that is not proved; what a condition on a split tile asks is in the sight."""
    online = family_of(Problem.square(6, 1, mask="causal", softmax="online"))
    for body, told in (
        (compute("S"), True),
        (compute("P"), False),
        (when(first("part"), compute("S")), True),
        (when(first("i"), compute("S")), True),
    ):
        keys = loop("j", 1, body)
        text = program(loop("i", 2, loop("j", 4, keys, label="part")))
        assert depends_on_numbers(Bodies(text, online).of(keys)) is told


def keys_of_rows(*body: object) -> Program:
    """A body for every query in tiles of 29 keys."""
    return program(loop("j", 29, loop("i", 1, *body)))  # type: ignore[arg-type]


SCORES = (load("Q"), load("K"), compute("S"), delete("Q"), delete("K"))


@pytest.mark.parametrize(
    "body",
    [
        # The room needed is for the pairs where there are many, for the keys where there are few.
        (*SCORES, load("V"), delete("S"), delete("V")),
        (*SCORES, delete("S"), when(first("j"), load("V"), delete("V"))),
        (*SCORES, compute("P", replacing="S"), when(not_first("j"), load("l")), compute("l"), store("l"),
         delete("l"), delete("P")),
    ],
)  # fmt: skip
def test_lines_of_programs_are_told_from_others(body: tuple[object, ...]) -> None:
    rnd = random.Random(9)
    for causal in (False, True):
        problem = documents(rnd, 16, 50, causal)
        family = with_outputs(family_of(problem), ())
        found = check(keys_of_rows(*body), family)
        assert causal or found > 5


def sample(number: int, room: int) -> tuple[Hashable, Effect]:
    """A line with so many partners of 9, the others ahead."""
    return (9, 9, number, 0, 0, 0, 0, 0, 0, None), Effect([("load", "K", 3 * number)], [], 0, room, {})


def test_four_lines_must_agree() -> None:
    lines = Interpolation(True)
    for number, room in ((2, 4), (3, 6), (6, 12), (7, 14)):
        lines.add(*_with_sight(*sample(number, room)))
    found = lines.effect(sample(4, 0)[0], 0)
    assert found is not None
    assert (found.counts, found.room) == ([("load", "K", 12)], 8)
    assert lines.effect(sample(8, 0)[0], 0) is None
    assert lines.effect(sample(4, 0)[0], 1) is None


def test_room_that_bends_is_not_told() -> None:
    for rooms in ((9, 9, 12, 14), (4, 6, 12, 20), (9, 6, 12, 14)):
        lines = Interpolation(True)
        for number, room in zip((2, 3, 6, 7), rooms, strict=True):
            lines.add(*_with_sight(*sample(number, room)))
        assert lines.effect(sample(4, 0)[0], 0) is None


def test_one_partner_is_unlike_others() -> None:
    lines = Interpolation(True)
    for number in (1, 2, 4, 5):
        lines.add(*_with_sight(*sample(number, 2 * number)))
    assert lines.effect(sample(3, 0)[0], 0) is None


@pytest.mark.parametrize(
    "asked",
    [
        (9, 9, 4, 2, 0, 2, 0, 0, 0, b"order"),
        (9, 9, 4, 0, 2, 0, 2, 0, 0, b"order"),
        (9, 9, 4, 4, 0, 4, 0, 0, 0, None),
        (9, 9, 4, 0, 4, 0, 4, 0, 0, None),
        (9, 9, 4, 0, 0, 0, 0, 1, 0, None),
        (9, 9, 4, 0, 0, 0, 0, 0, 1, None),
        (9, 8, 4, 0, 0, 0, 0, 0, 0, None),
    ],
    ids=[
        "some begun",
        "some finished",
        "all begun",
        "all finished",
        "pairs before",
        "pairs behind",
        "fewer lines",
    ],
)
def test_lines_of_another_kind_tell_nothing(asked: Hashable) -> None:
    lines = Interpolation(True)
    for number in (2, 3, 6, 7):
        lines.add(*_with_sight(*sample(number, 2 * number)))
    assert lines.effect(sample(4, 0)[0], 0) is not None
    assert lines.effect(asked, 0) is None


def test_partners_of_which_some_have_begun_tell_nothing() -> None:
    lines = Interpolation(True)
    for number in (3, 4, 6, 7):
        _, effect = sample(number, 2 * number)
        lines.add((9, 9, number, 2, 0, 2, 0, 0, 0, b"order"), 0, effect)
    assert lines.effect((9, 9, 5, 2, 0, 2, 0, 0, 0, b"order"), 0) is None


def test_lines_must_have_as_many_others_behind_them() -> None:
    lines = Interpolation(True)
    for number, past in ((2, 1), (3, 2), (6, 1), (7, 2)):
        _, effect = sample(number, 2 * number)
        lines.add((30, 20 + past, number, past, past, 0, 0, 0, 0, None), 0, effect)
    for past in (1, 2, 3):
        assert lines.effect((30, 20 + past, 4, past, past, 0, 0, 0, 0, None), 0) is None


@pytest.mark.parametrize("sort", ["ahead", "past"])
def test_lines_with_none_behind_them_are_of_another_kind(sort: str) -> None:
    for present, told in ((9, True), (8, False)):
        lines = Interpolation(True)
        signatures = [
            (9, present, number, *((present - number,) * 2 if sort == "past" else (0, 0)), 0, 0, 0, 0, None)
            for number in (3, 4, 7, 8, 6)
        ]
        for signature in signatures[:-1]:
            lines.add(signature, 0, sample(signature[2], 2 * signature[2])[1])
        assert (lines.effect(signatures[-1], 0) is not None) is told


def test_lines_must_have_as_many_others_before_them() -> None:
    lines = Interpolation(True)
    for number, ahead in ((2, 1), (3, 2), (6, 1), (7, 2)):
        _, effect = sample(number, 2 * number)
        lines.add((30, 20 + ahead, number, 20 - number, 20 - number, 0, 0, 0, 0, None), 0, effect)
    for ahead in (1, 2, 3):
        assert lines.effect((30, 20 + ahead, 4, 16, 16, 0, 0, 0, 0, None), 0) is None


def test_changes_must_be_the_same() -> None:
    lines = Interpolation(True)
    for number in (2, 3, 6, 7):
        signature, effect = sample(number, 2 * number)
        changes = [Change("S", 0, None, False, int(number > 3))]
        lines.add(signature, 0, replace(effect, changes=changes))
    assert lines.effect(sample(4, 0)[0], 0) is None


PARTLY = [(number, number - 1, 1) for number in (4, 5, 7, 8)]
"""Partners of which all but one have begun and one ends: the others do one of the two."""


def lines_of_a_band(one_by_one: bool = False, band: bool = True, even: bool = True) -> Interpolation:
    lines = Interpolation(False, one_by_one, band)
    for number, started, finished in PARTLY:
        effect = replace(sample(number, 2 * number)[1], even=even)
        lines.add((9, 9, number, 1, 0, started, finished, 0, 0, None), 0, effect)
    return lines


def partly(number: int, started: int, finished: int) -> Hashable:
    return 9, 9, number, 1, 0, started, finished, 0, 0, None


def test_partners_that_have_begun_come_first_in_a_band() -> None:
    assert lines_of_a_band().effect(partly(6, 5, 1), 0) is not None
    assert lines_of_a_band().effect(partly(6, 4, 1), 0) is None
    assert lines_of_a_band().effect(partly(6, 5, 2), 0) is None
    assert lines_of_a_band().effect(partly(6, 6, 1), 0) is None
    assert lines_of_a_band(band=False).effect(partly(6, 5, 1), 0) is None


def test_lines_in_a_row_differ_in_one_sort_of_partners() -> None:
    lines = Interpolation(False, False, True)
    for number in (3, 4, 7, 8):
        effect = replace(sample(number, 2 * number)[1], lasting=True, whole=True)
        lines.add(partly(number, number - 1, 0), 0, effect)
    assert lines.ramp(partly(6, 5, 0), 0, partly(5, 4, 0)) is not None
    assert lines.ramp(partly(6, 5, 0), 0, partly(5, 1, 0)) is None
    assert lines.are_in_a_row(partly(7, 6, 0), partly(5, 4, 0))
    assert not lines.are_in_a_row(partly(7, 6, 0), partly(5, 1, 0))


@pytest.mark.parametrize("flag", ["lasting", "whole"])
def test_successive_lines_follow_only_where_the_next_sees_the_same(flag: str) -> None:
    for missing, followed in (((), True), ((3, 4, 7, 8), False)):
        lines = Interpolation(False, False, True)
        for number in (3, 4, 7, 8):
            effect = replace(sample(number, 2 * number)[1], lasting=True, whole=True)
            setattr(effect, flag, number not in missing)
            lines.add(partly(number, 0, 0), 0, effect)
        assert (lines.ramp(partly(6, 0, 0), 0, partly(5, 0, 0)) is not None) is followed


def test_partners_are_sorted_by_what_has_begun_and_what_ends() -> None:
    assert interpolation._classes(6, 5, 1) == (1, 4, 0, 1)
    assert interpolation._classes(6, 1, 5) == (1, 0, 4, 1)


@pytest.mark.parametrize(
    ("asked", "sight"),
    [
        ((9, 9, 6, 1, 0, 5, 1, 0, 0, None), 1),
        ((9, 9, 6, 1, 0, 5, 1, 1, 0, None), 0),
        ((9, 9, 6, 1, 0, 5, 1, 0, 1, None), 0),
        ((9, 9, 6, 0, 0, 5, 1, 0, 0, None), 0),
        ((9, 9, 6, 1, 1, 5, 1, 0, 0, None), 0),
        ((9, 8, 6, 1, 0, 5, 1, 0, 0, None), 0),
        ((9, 9, 6, 1, 0, 1, 5, 0, 0, None), 0),
    ],
    ids=["sight", "pairs before", "pairs behind", "any begun", "all finished", "fewer lines", "main sort"],
)
def test_lines_in_a_band_of_another_kind_tell_nothing(asked: Hashable, sight: int) -> None:
    assert lines_of_a_band().effect(partly(6, 5, 1), 0) is not None
    assert lines_of_a_band().effect(asked, sight) is None


def test_lines_that_all_are_partners_are_of_another_kind() -> None:
    for present, told in ((9, True), (8, False)):
        lines = Interpolation(False, False, True)
        for number in (3, 4, 7, 8):
            signature = (9, present, number, 0, 0, 0, 0, 0, 0, None)
            lines.add(signature, 0, sample(number, 2 * number)[1])
        assert (lines.effect((9, present, 5, 0, 0, 0, 0, 0, 0, None), 0) is not None) is told


def test_other_lines_around_tell_their_own() -> None:
    """Between two there may be another line than between two that were asked for before."""
    lines = Interpolation(True)
    for number, room in ((1, 2), (2, 4), (4, 8), (5, 10)):
        lines.add((30, 30, number + 1, 0, 0, 0, 0, 0, 0, None), 0, sample(number + 1, room)[1])
    assert lines.effect((30, 30, 4, 0, 0, 0, 0, 0, 0, None), 0) is not None
    for number in (15, 16):
        lines.add((30, 30, number, 0, 0, 0, 0, 0, 0, None), 0, sample(number, 5 * number)[1])
    assert lines.effect((30, 30, 9, 0, 0, 0, 0, 0, 0, None), 0) is None


def test_lines_of_no_whole_numbers_tell_nothing() -> None:
    lines = Interpolation(True)
    for number in (2, 4, 6, 8):
        lines.add(*_with_sight(sample(number, 0)[0], sample(1, number // 2)[1]))
    assert lines.effect(sample(5, 0)[0], 0) is None
    lines = Interpolation(True)
    for number in (2, 3, 6, 8):
        lines.add(*_with_sight(sample(number, 0)[0], sample(1, 2 * number)[1]))
    assert lines.effect(sample(5, 0)[0], 0) is not None


def test_loops_inside_must_be_even() -> None:
    assert lines_of_a_band(one_by_one=True).effect(partly(6, 5, 1), 0) is not None
    assert lines_of_a_band(one_by_one=True, even=False).effect(partly(6, 5, 1), 0) is None


def _with_sight(signature: Hashable, effect: Effect) -> tuple[Hashable, int, Effect]:
    return signature, 0, effect
