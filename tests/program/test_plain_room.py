"""The room that a program needs, told from its text, is what the machine measures."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace

import pytest

from pebble import InvalidInput, Problem, run
from pebble.common.errors import NoClosedForm
from pebble.program.schedule import get, registered
from pebble.program.schedule.plain_room import PlainRooms, plain_room
from tests.program.names import delete, family_of, load, loop, program


def check(pass_name: str, programs: int) -> None:
    rnd = random.Random(programs)
    for schedule in registered(pass_name, "plain"):
        for _ in range(programs):
            sizes = rnd.randint(1, 70), rnd.randint(1, 70), rnd.randint(1, 9), rnd.randint(1, 9)
            problem = replace(Problem(*sizes), pass_name=pass_name)
            greatest, least = schedule.greatest(problem), schedule.smallest(problem)
            tiles = {name: rnd.randint(least[name], max(greatest[name], 1)) for name in least}
            with suppress(InvalidInput):  # A choice among schedules has no program of its own.
                text, family = schedule.program(problem, tiles), schedule.family(problem)
                assert plain_room(text, family) == run(text, family).peak, (schedule.name, sizes, tiles)


@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_room_is_what_the_machine_measures(pass_name: str) -> None:
    check(pass_name, 2)


@pytest.mark.slow
@pytest.mark.parametrize("pass_name", ["forward", "backward"])
def test_room_of_many_programs_is_what_the_machine_measures(pass_name: str) -> None:
    check(pass_name, 20)


def test_what_a_phase_needs_is_kept_for_the_next_program() -> None:
    """One after the other, with phases that others had, and with those of other sizes between."""
    rnd = random.Random(0)
    for name in ("standard", "p-first"):
        problem = Problem(13, 17, 3, 2, pass_name="backward")
        schedule = get(name, "backward")
        rooms, greatest = PlainRooms(schedule.family(problem)), schedule.greatest(problem)
        for _ in range(6):
            tiles = {size: rnd.choice([2, 3, 5, most]) for size, most in greatest.items()}
            text = schedule.program(problem, tiles)
            assert rooms.of(text) == run(text, schedule.family(problem)).peak


def test_what_iterations_leave_behind_is_added_up() -> None:
    problem = Problem.square(23, 2)
    text = program(loop("j", 3, load("K")), loop("j", 5, load("V"), delete("V")))
    assert plain_room(text, family_of(problem)) == 23 * 2 + 5 * 2
    # The last tile is shorter: the fullest is the one before.
    text = program(loop("j", 5, load("K"), load("V"), delete("V")))
    assert plain_room(text, family_of(Problem.square(21, 2))) == 20 * 2 + 5 * 2


def test_what_the_text_does_not_say_is_refused() -> None:
    family = family_of(Problem.square(9, 2, mask="causal"))
    with pytest.raises(NoClosedForm, match="does not say"):
        plain_room(program(load("Q")[0]), family)
    boxes = program(load("Q", i=(0, 1))[0])
    with pytest.raises(NoClosedForm, match="given boxes"):
        plain_room(boxes, family_of(Problem.square(9, 2)))
