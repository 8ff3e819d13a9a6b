"""The plain machine: parts of a mask, and what it refuses; the random tests of ``run`` hold it to the referees."""

from __future__ import annotations

import pytest

from pebble.common.errors import TooManyOperations, Violation
from pebble.computations.matmul import matmul_family
from pebble.program.counting import storage
from pebble.program.counting.plain import execute
from pebble.program.parts_in_turn import for_each_part
from tests.program.names import (
    Problem,
    compute,
    delete,
    family_of,
    load,
    loop,
    phase,
    program,
    store,
)

PRODUCT = program(
    phase(
        "",
        loop(
            "i",
            2,
            load("A"),
            loop("j", 2, load("B"), compute("C"), delete("B"), store("C"), delete("C")),
            delete("A"),
        ),
    )
)


def test_parts_of_a_mask_are_executed_in_turn() -> None:
    problem = Problem.square(7, 1, mask="document:4,3")
    text = for_each_part(
        problem.allowed, lambda part: program(phase("", loop("i", 2, load("Q"), delete("Q"))))
    )
    family = family_of(problem)
    with pytest.raises(Violation, match="not all of O is in slow memory"):
        execute(text, family)
    seen: list[int] = []
    with pytest.raises(Violation):
        execute(text, family, observe=lambda machine: seen.append(machine.occupied))
    assert seen == [2, 0, 2, 0, 2, 0, 1, 0]


def test_what_is_too_large_is_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    family = matmul_family(4, 4, 3)
    assert execute(PRODUCT, family, (17,))[0].io == 12 + 24 + 16
    with pytest.raises(TooManyOperations, match="more than 5 operations, executed one by one"):
        execute(PRODUCT, family, step_limit=5)
    monkeypatch.setattr(storage, "MOST_ELEMENTS", 39)
    with pytest.raises(TooManyOperations, match=r"not verified at this size: .* 40 elements"):
        execute(PRODUCT, family)
