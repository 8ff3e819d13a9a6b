"""Programs for each part of a mask: what they are in plain loops over the whole axes, in moves, as text."""

from __future__ import annotations

import pytest

from pebble import Problem
from pebble.computations.registry import family_of
from pebble.program.counting.run import run_levels
from pebble.program.parts_in_turn import for_each_part
from pebble.program.projection import project
from pebble.program.schedule.registry import get
from tests.program.differences import PLAIN, SHORTCUTS, Verdict, judge
from tests.program.generator import Case
from tests.program.named_cases import attention
from tests.program.names import InvalidInput, Violation, load, loop, lower, program, replay, run, store
from tests.program.random_parts import parted_case


def disagreements(case: Case) -> list[str]:
    """What equal parts at once say otherwise than plain loops, with enough words, just enough, and too few."""
    plain, found = judge(PLAIN, case.program, case.family, None), list[str]()
    peak = plain.found.peak if plain.found else 4
    for M in [None, *(M for M in (peak, peak - 1, peak // 2) if M > 0)]:
        slow = plain if M is None else judge(PLAIN, case.program, case.family, M)
        quick = judge(SHORTCUTS["induction"], case.program, case.family, M)
        found += [f"M={M}: {what}" for what in differing(quick, slow)]
    return found


def differing(quick: Verdict, slow: Verdict) -> list[str]:
    """What differs but for the place, which is told from the part's beginning.

    A part that lacks an output is refused at its own end, where one behind it may break another rule first. A chain
    that does not go on is said to start anew at the first line of the part, or of the whole axis.
    """
    if quick.rule == "output-missing" and slow.rule:
        return []
    if (quick.rule, slow.rule) == ("one-partial-result", "compute-needs-predecessors"):
        return []
    quick.place = slow.place = ""
    return quick.differs(slow)


@pytest.mark.many(1)
@pytest.mark.parametrize("seed", range(18))
def test_equal_parts_at_once_are_what_plain_loops_and_the_game_say(seed: int) -> None:
    """The moves of legal programs are legal, and as many as equal parts at once count."""
    legal = 0
    for number in range(6 * seed, 6 * seed + 6):
        case = parted_case(number)
        found = disagreements(case)
        assert not found, "\n".join([str(case), *found])
        counted = judge(SHORTCUTS["induction"], case.program, case.family, None).found
        if counted is None or not case.family.outputs:
            continue
        status = replay(case.family.dag(), counted.peak, lower(case.program, case.family))
        assert (status.reads, status.writes) == (counted.total_reads, counted.total_writes)
        assert status.peak == counted.peak
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


def test_a_part_that_allows_every_pair_is_judged_under_its_mask() -> None:
    """A sum that has not begun has nothing to be stored; without a mask nobody may store it."""
    family = attention(8, 8, mask="document:4,4")
    assert family.mask is not None
    text = for_each_part(family.mask, lambda part: program(loop("j", 4, store("l"))))
    assert not disagreements(Case(text, family))
    assert run(text, family).io == 0


def test_words_that_parts_leave_are_room_that_others_lack() -> None:
    family = attention(12, 12, mask="document:4,2,4,2")
    assert family.mask is not None
    text = for_each_part(family.mask, lambda part: program(loop("i", 1, load("Q"))))
    assert run(text, family, 12).peak == 12
    with pytest.raises(Violation, match=r"load Q on Q\[11, 0\].*11 of 11 words"):
        run(text, family, 11)
    assert not disagreements(Case(text, family))
