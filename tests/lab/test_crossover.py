"""From which length on linear attention moves fewer words than softmax."""

from __future__ import annotations

import pytest

from pebble.computations.problem import Problem
from pebble.lab.count import count
from pebble.lab.crossover import crossover
from pebble.lower_bounds import best_bound


def words(attention: str, N: int, d: int, M: int, mask: str | None) -> int:
    io = count(Problem.square(N, d, attention=attention, mask=mask), M, ["best"])["best"].io
    assert io is not None
    return io


@pytest.mark.slow
@pytest.mark.parametrize(
    ("d", "M", "mask"), [(8, 40, None), pytest.param(4, 60, "causal", marks=pytest.mark.slow)]
)
def test_both_lengths_are_where_the_answer_changes(d: int, M: int, mask: str | None) -> None:
    found = crossover(d, M, mask, N=64)
    one = found.cheaper_from
    assert words("linear", one, d, M, mask) < words("softmax", one, d, M, mask)
    assert words("linear", one - 1, d, M, mask) >= words("softmax", one - 1, d, M, mask)
    two = found.provably_from
    assert two >= one
    assert words("linear", two, d, M, mask) < best_bound(Problem.square(two, d, mask=mask), M).value
    before = best_bound(Problem.square(two - 1, d, mask=mask), M).value
    assert words("linear", two - 1, d, M, mask) >= before
    assert found.ratio == words("softmax", 64, d, M, mask) / words("linear", 64, d, M, mask)


def test_against_a_schedule_of_its_own() -> None:
    found = crossover(4, 60, N=8, against="flash-2")
    one = found.cheaper_from
    flash = [count(Problem.square(N, 4), 60, ["flash-2"])["flash-2"].io for N in (one - 1, one)]
    assert words("linear", one - 1, 4, 60, None) >= (flash[0] or 0)
    assert words("linear", one, 4, 60, None) < (flash[1] or 0)
    assert found.softmax.name == "flash-2"
