"""Loops that follow on each other with one body: which are taken for a row, and which are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.named_cases import attention
from tests.program.names import Phase, Program, delete, load, loop, phase


@pytest.mark.parametrize(
    "parts",
    [
        [(start, start + 2, start % 3 == 0) for start in range(0, 24, 2)],
        [
            (0, 2, 0),
            (2, 4, 0),
            (4, 6, 0),
            (8, 10, 0),
            (10, 14, 0),
            *((at, at + 2, 0) for at in range(14, 24, 2)),
        ],
    ],
    ids=["other bodies", "gaps"],
)
def test_loops_that_are_no_row(parts: list[tuple[int, int, int]]) -> None:
    once = loop("i", 1, loop("j", 1, load("K"), delete("K")))
    twice = loop("i", 1, loop("j", 1, load("K"), delete("K"), load("K"), delete("K")))
    nodes = [replace((once, twice)[more], start=start, stop=stop) for start, stop, more in parts]
    program, family = Program((phase("", nodes),)), attention(24, 24, mask="document:2x12")
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)


@pytest.mark.parametrize("around", [1, 2])
def test_a_loop_that_stands_at_two_places_is_executed_twice(around: int) -> None:
    family = attention(16, 16, d=2, mask="document:2x8")
    whole = loop("i", 1, loop("j", 1, load("K"), delete("K")))
    row = tuple(replace(whole, start=2 * number, stop=2 * number + 2) for number in range(8))
    more = row if around == 1 else (loop("k", 1, row[0], row[3]),)
    program = Program((Phase("", row), Phase("", more)))
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)


def test_loops_with_other_tiles_are_of_another_kind() -> None:
    """Equal documents, of which every third has a loop of longer tiles: these load the keys half as often."""
    family = attention(36, 36, mask="document:4x9")
    once = loop("i", 1, loop("j", 1, load("K"), delete("K")))
    row = tuple(replace(once, start=4 * at, stop=4 * at + 4, tile=1 + (at % 3 == 1)) for at in range(9))
    program = Program((Phase("", row),))
    slow = judge(PLAIN, program, family, None)
    assert slow.found is not None
    assert not judge(SHORTCUTS["induction"], program, family, None).differs(slow)
