"""The bound for sums in any order: what it says, what else is refused, and no run below it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pebble.common.errors import BoundDoesNotApply, CacheTooSmall
from pebble.computations.problem import Problem
from pebble.lower_bounds.attention.any_order import any_order
from pebble.lower_bounds.attention.b1 import b1
from pebble.lower_bounds.attention.t1 import t1
from pebble.lower_bounds.attention.t2 import t2
from pebble.lower_bounds.certified.t3 import t3
from pebble.lower_bounds.table import bounds
from pebble.program.schedule import registered


def test_only_what_holds_in_any_order_is_listed() -> None:
    free = Problem.square(4096, 64, sums="free")
    assert [one.name for one in bounds(free, 1000).proved] == ["any order", "compulsory"]
    assert bounds(free, 1000).curves == ()
    backward = replace(free, pass_name="backward")
    assert [one.name for one in bounds(backward, 1000).proved] == ["compulsory"]
    for bound, problem in ((t1, free), (t2, free), (t3, free), (b1, backward)):
        with pytest.raises(BoundDoesNotApply, match="any order"):
            bound(problem, 10**5)
    for problem in (replace(free, sums="chain"), backward):
        with pytest.raises(BoundDoesNotApply):
            any_order(problem, 1000)
    with pytest.raises(BoundDoesNotApply, match="gives nothing"):
        any_order(free, 10**7)


def test_it_is_below_the_bound_for_chains_and_near_its_leading_term() -> None:
    problem = Problem.square(2**20, 64, sums="free")
    for M in (10, 1000, 10**5, 10**7):
        assert any_order(problem, M).value <= t1(replace(problem, sums="chain"), M).value
    leading = 8 * (2**0.5 - 1) * problem.pairs * 64 * 64 / 10**6
    assert 0.99 * leading < any_order(problem, 10**6).value <= leading


@pytest.mark.parametrize("shape", [(16, 16, 2, 2), (16, 10, 3, 5)])
def test_no_schedule_is_below_it(shape: tuple[int, int, int, int]) -> None:
    problem = Problem(*shape)
    for M in (12, 30, 100):
        least = max(one.value for one in bounds(replace(problem, sums="free"), M).proved)
        for schedule in registered("forward", "plain"):
            if schedule.name == "best":
                continue
            try:
                tiles = schedule.tiles(problem, M)
            except CacheTooSmall:
                continue
            assert schedule.measure(problem, tiles).io >= least
