"""Lines of ever more partners, accounted for at once, do what they do one by one."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from pebble import Problem
from pebble.program.machine import memo, ramps
from pebble.program.machine.effects import Effect, account
from pebble.program.machine.interpolation import Interpolation
from pebble.program.machine.loops import ShortcutOverflow
from pebble.program.machine.ramps import Ramp, account_ramp, follows, ramp_of
from pebble.program.machine.tile_runs import TileRun
from pebble.program.schedule import registered
from tests.program.names import compute, delete, family_of, load, loop, program, run, store
from tests.program.random_families import with_outputs

SCORES = (load("Q"), load("K"), compute("S"), delete("Q"), delete("K"))
BODIES = [
    # Words that stay grow from line to line; the fullest may be any.
    (*SCORES,),
    (*SCORES, load("V"), delete("V")),
    (*SCORES, load("V"), delete("S"), delete("V")),
    (*SCORES, store("S"), delete("S")),
]


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of lines that were accounted for at once."""
    found: list[int] = []
    account = ramps.account_ramp

    def noted(machine: Any, ramp: Any, *rest: Any) -> None:
        found.append(ramp.times)
        account(machine, ramp, *rest)

    monkeypatch.setattr(memo, "account_ramp", noted)
    return found


@pytest.mark.parametrize("body", range(len(BODIES)))
def test_ramps_say_what_all_lines_say(body: int, taken: list[int]) -> None:
    rnd = random.Random(body)
    for axis, other in (("i", "j"), ("j", "i")):
        lengths = [rnd.randint(14, 40) for _ in range(9)]
        mask = "document:causal," + ",".join(map(str, lengths))
        family = with_outputs(family_of(Problem.square(sum(lengths), 1, mask=mask)), ())
        after = delete("S") if body < 2 else None
        text = program(loop(other, 23, loop(axis, 1, *BODIES[body]), after))
        short, plain = run(text, family), run(text, family, induction=False)
        assert (short.reads, short.writes, short.computes) == (plain.reads, plain.writes, plain.computes)
        assert (short.peak, short.peak_words) == (plain.peak, plain.peak_words)
    assert len(taken) > 4
    assert max(taken) > 8


def test_a_schedule_of_causal_documents(taken: list[int]) -> None:
    lengths = [random.Random(3).randint(20, 60) for _ in range(8)]
    problem = Problem.square(sum(lengths), 2, mask="document:causal," + ",".join(map(str, lengths)))
    schedule = next(one for one in registered("forward", "plain") if one.name == "flash-1")
    text, family = schedule.program(problem, {"cols": 31}), schedule.family(problem)
    short, plain = run(text, family), run(text, family, induction=False)
    assert (short.reads, short.writes, short.peak) == (plain.reads, plain.writes, plain.peak)
    for name in ("O", "l", "S"):
        for one, two in zip(short.final_state(name), plain.final_state(name), strict=True):
            assert (one == two).all()
    assert sum(taken) > 30


def linear(rnd: random.Random, least: int = -30) -> tuple[int, int]:
    return rnd.randint(least, 30), rnd.randint(-3, 3)


def effect_of(at: int, counts: Any, held: Any, room: Any) -> Effect:
    """An effect that is linear in the number of the line, in which nothing stands for no words."""
    told = [[(name, one + at * step) for name, (one, step) in of.items()] for of in (counts, held, room)]
    number, words, rooms = ([(name, value) for name, value in of if value] for of in told)
    counted = [("load", name, value) for name, value in number]
    growth, needed = sum(value for _, value in words), sum(value for _, value in rooms)
    return Effect(counted, words, growth, needed, dict(rooms))


def test_a_ramp_counts_what_its_lines_count_one_by_one() -> None:
    rnd = random.Random(4)
    overflows = 0
    for _ in range(400):
        # Some are nothing at the first line, or at the last.
        counts = {name: linear(rnd, 0) if rnd.random() < 0.6 else (0, rnd.randint(0, 3)) for name in "XY"}
        held = {name: linear(rnd) if rnd.random() < 0.6 else (0, rnd.randint(-3, 3)) for name in "XY"}
        room = {name: linear(rnd, 0) if rnd.random() < 0.6 else (0, rnd.randint(0, 3)) for name in "XYZ"}
        times, M = rnd.randint(2, 20), rnd.choice([None, 1000 + rnd.randint(0, 300)])

        def effect(at: int, counts: Any = counts, held: Any = held, room: Any = room) -> Effect:
            return effect_of(at, counts, held, room)

        one, two = (
            SimpleNamespace(
                counts={"load": {"X": 5, "Y": 0}},
                held={"X": 1000, "Y": 0},
                occupied=1000,
                peak=900,
                peak_words={},
                M=M,
            )
            for _ in range(2)
        )
        node: Any = loop("i", 1, load("Q"))
        ramp = Ramp(effect(0), effect(times - 1), times, times)
        try:
            for at in range(times):
                account(two, effect(at), node, at, 1)  # type: ignore[arg-type]
        except ShortcutOverflow:
            overflows += 1
            with pytest.raises(ShortcutOverflow):
                account_ramp(one, ramp, node, 0)  # type: ignore[arg-type]
            continue
        account_ramp(one, ramp, node, 0)  # type: ignore[arg-type]
        for machine in (one, two):
            machine.peak_words = {name: words for name, words in machine.peak_words.items() if words}
        assert one == two
    assert overflows > 20


def test_a_ramp_ends_where_lines_cease_to_look_alike() -> None:
    lines = Interpolation(False)
    for number in (2, 3, 18, 19):
        effect = Effect([("load", "X", number)], [], 0, number, {}, lasting=True, whole=True)
        lines.add((20, 20, number, 0, 0, 0, 0, 0, 0, None), 0, effect)
    run = TileRun(0, 20, (20, 20, 1, 0, 0, 0, 0, 0, 0, None), 1)
    for level_to, times in ((8, 4), (30, 14), (5, None)):
        found = ramp_of(run, 4, lines, 0, level_to)
        assert (found.times if found else None) == times
    assert [follows(run, index, lines, 0) for index in (1, 2, 17, 18)] == [False, True, True, False]


def test_a_ramp_needs_four_lines_that_agree() -> None:
    lines = Interpolation(False)
    for number, room in ((2, 4), (3, 6), (6, 12), (7, 15)):
        effect = Effect([], [], 0, room, {}, lasting=True, whole=True)
        lines.add((9, 9, number, 0, 0, 0, 0, 0, 0, None), 0, effect)
    assert lines.ends((9, 9, 4, 0, 0, 0, 0, 0, 0, None), 0) == (3, 6)
    six = (9, 9, 6, 0, 0, 0, 0, 0, 0, None)
    assert lines.ramp((9, 9, 4, 0, 0, 0, 0, 0, 0, None), 0, six) is None
