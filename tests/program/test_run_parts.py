"""Parts of a mask in turn: what is executed once for equal parts is what part after part does in plain loops."""

from __future__ import annotations

import pytest

from pebble.program.parts_in_turn import for_each_part
from tests.program.differences import PLAIN, SHORTCUTS, Verdict, judge
from tests.program.generator import Case
from tests.program.named_cases import attention
from tests.program.names import Violation, load, loop, program, run, store
from tests.program.random_parts import parted_case
from tests.support import amounts


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


def check(first: int, stop: int) -> int:
    """Judge the cases with these numbers; return how many were legal."""
    legal = 0
    for seed in range(first, stop):
        case = parted_case(seed)
        found = disagreements(case)
        assert not found, "\n".join([str(case), *found])
        legal += not judge(SHORTCUTS["induction"], case.program, case.family, None).rule
    return legal


@pytest.mark.slow
@pytest.mark.parametrize("block", amounts.first(1, range(3)))
def test_equal_parts_at_once_say_what_plain_loops_say(block: int) -> None:
    assert check(75 * block, 75 * (block + 1)) > 10


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
