"""Programs for each part of a mask: what they are in loops over the whole axes, in moves, as text; what is refused."""

from __future__ import annotations

import pytest

from pebble import Problem
from pebble.computations.registry import family_of
from pebble.program.counting.run import run_levels
from pebble.program.parts_in_turn import for_each_part
from pebble.program.projection import project
from pebble.program.schedule.registry import get
from tests.program.names import InvalidInput, Violation, load, loop, lower, program, replay, run
from tests.program.random_parts import parted_case


@pytest.mark.many(2)
@pytest.mark.parametrize("seed", range(4))
def test_moves_make_what_the_machine_counts(seed: int) -> None:
    """The moves of legal programs are legal, and as many as equal parts at once count."""
    legal = 0
    for number in range(12 * seed, 12 * seed + 12):
        case = parted_case(number)
        if not case.family.outputs:
            continue
        try:
            found = run(case.program, case.family)
        except Violation:
            continue
        status = replay(case.family.dag(), found.peak, lower(case.program, case.family))
        assert (status.reads, status.writes) == (found.total_reads, found.total_writes)
        assert status.peak == found.peak
        legal += 1
    assert legal


def test_a_part_is_a_problem_of_its_own() -> None:
    """Each sequence has a short first block of its own, and the words are the sum over sequences."""
    problem = Problem.square(24, 2, mask="document:causal,7,10,7")
    schedule, tiles = get("flash-2-packed"), {"packed_rows": 4}
    found = run(schedule.program(problem, tiles), schedule.family(problem))
    alone = [
        run(schedule.program(one, tiles), schedule.family(one)).io
        for one in (Problem.square(size, 2, mask="causal") for size in (7, 10, 7))
    ]
    assert found.io == sum(alone)


def test_it_prints_equal_programs_once() -> None:
    problem = Problem.square(9, 1, mask="document:3,4,2")
    text = for_each_part(
        problem.allowed, lambda part: program(loop("i", 2 if part.Nq < 4 else 3, load("Q"), load("K")))
    )
    assert str(text).splitlines() == [
        "for each part of the mask of 3 × 3, 2 × 2 queries and keys:",
        "    for i in tiles of 2: load Q; load K",
        "for each part of the mask of 4 × 4 queries and keys:",
        "    for i in tiles of 3: load Q; load K",
    ]
    assert "2 phases, 2 loops, 4 loads" in text._repr_html_()
    assert text._repr_html_().count("<b>load Q</b>") == 2


def test_levels_read_it_written_out() -> None:
    problem = Problem.square(9, 2, mask="document:causal,4,5")
    schedule, family = get("flash-2"), family_of(problem)
    text = schedule.program(problem, {"rows": 2, "sequences": 1})
    counted = run(text, family)
    assert run_levels(text, family, (10_000,))[0].io == counted.io
    assert project(text, 1) == text


def test_what_parts_have_in_common_is_refused() -> None:
    problem = Problem.square(9, 2, mask="document:4,5")
    family = family_of(problem)
    arrays = tuple(array for array in family.arrays if array.name in ("Q", "K"))
    shared = type(family)(
        "shared", (*arrays, type(arrays[0])("w", ("k",))), family.extents, family.symbols, {}, family.mask
    )
    text = for_each_part(problem.allowed, lambda part: program(loop("i", 1, load("Q"))))
    with pytest.raises(InvalidInput, match="share w"):
        run(text, shared)
    nested = for_each_part(problem.allowed, lambda part: text)
    with pytest.raises(InvalidInput, match="has parts itself"):
        run(nested, family)
