"""A shortcut never decides: whatever shortens a loop says what running every iteration says."""

from __future__ import annotations

import os

import pytest

from tests.program.differences import PLAIN, SHORTCUTS, differences, judge
from tests.program.generator import case_of
from tests.program.named_cases import NAMED, Named
from tests.program.named_cases_of_signatures import SIGNATURES
from tests.program.program_reference import refer
from tests.program.shrinking import as_python

BLOCK = 50
MANY = int(os.environ.get("PEBBLE_CASES", "20000"))


def check(first: int, stop: int) -> None:
    """Judge the cases with these numbers."""
    for seed in range(first, stop):
        case = case_of(seed)
        found = differences(case)
        assert not found, "\n".join([str(case), as_python(case.program), *found])


@pytest.mark.parametrize("block", range(6))
def test_all_readings_of_random_programs_agree(block: int) -> None:
    check(BLOCK * block, BLOCK * (block + 1))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(100))
def test_all_readings_of_many_random_programs_agree(block: int) -> None:
    size = -(-MANY // 100)
    check(10**6 + size * block, 10**6 + size * (block + 1))


@pytest.mark.parametrize("named", [*NAMED, *SIGNATURES], ids=lambda named: named.name)
def test_all_readings_of_telling_programs_agree(named: Named) -> None:
    assert not differences(named.case), as_python(named.case.program)


@pytest.mark.parametrize("named", [*NAMED, *SIGNATURES], ids=lambda named: named.name)
@pytest.mark.parametrize("name", ["plain", *SHORTCUTS])
def test_telling_programs_are_judged_right(named: Named, name: str) -> None:
    runner = PLAIN if name == "plain" else SHORTCUTS[name]
    assert judge(runner, named.case.program, named.case.family, None).rule == named.rule


def test_cases_are_the_same_every_time() -> None:
    assert [str(case_of(seed)) for seed in range(20)] == [str(case_of(seed)) for seed in range(20)]


def test_cases_are_of_all_sorts() -> None:
    cases = [case_of(seed) for seed in range(120)]
    legal = sum(refer(case.program, case.family).legal for case in cases)
    assert 30 <= legal <= 90
    assert sum(case.family.mask is not None for case in cases) > 50
    assert len({case.family.name for case in cases}) >= 5
