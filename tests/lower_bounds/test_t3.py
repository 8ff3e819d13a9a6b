"""T3, and where it is the same T4: the values are the theorem's, and stay below every schedule."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

import pytest

from pebble.common.errors import BoundDoesNotApply, InvalidInput
from pebble.computations.problem import Problem
from pebble.game.rules import Rules
from pebble.lower_bounds import forward_bounds
from pebble.lower_bounds.certified.forward_rows import T3Row, t3

ROWS = T3Row.load()

# Leading constants and best known schedules for N = Nq = Nk, dv = d, by mu = M/d².
LEADING = {
    0.05: 17.38,
    0.1: 12.15,
    0.25: 7.473,
    0.35: 6.275,
    0.5: 5.184,
    0.69: 4.273,
    0.85: 3.674,
    1.0: 3.288,
    1.5: 2.440,
    2.0: 1.922,
    3.0: 1.321,
}


def best_known(mu: float) -> float:
    if mu <= 0.25:
        return 4 / sqrt(mu) + 1
    return (1 + 1 / sqrt(mu)) ** 2 if mu <= 1 else 4 / mu


@pytest.mark.parametrize(("mu", "constant"), LEADING.items())
def test_leading_constants(mu: float, constant: float) -> None:
    N, d = 10**10, 2000
    value = t3(Problem.square(N, d), round(mu * d * d)).value / N**2
    assert constant * 0.999 <= value <= best_known(mu)
    assert value <= constant * 1.02, "this much better would be news; check it"


def test_row_sums_as_outputs_add_one_store_a_row() -> None:
    plain, stats = Problem.square(5000, 64), Problem.square(5000, 64, stats=True)
    assert t3(stats, 4096).value == t3(plain, 4096).value + 5000


def test_more_memory_never_helps_the_bound_within_a_row() -> None:
    problem = Problem(Nq=30_000, Nk=20_000, d=64, dv=96)
    values = [t3(problem, M).value for M in range(100, 19_000, 37)]
    assert all(later <= earlier for earlier, later in pairwise(values))


def test_rules_do_not_matter() -> None:
    problem = Problem(Nq=30_000, Nk=20_000, d=64, dv=96)
    for rules in (Rules(), Rules(recomputation=False), Rules(sliding=True), Rules(False, True)):
        assert t3(problem, 4096).holds_under(rules)
        assert t3(problem, 4096) in forward_bounds(problem, 4096, rules)


def test_large_sizes_are_exact() -> None:
    problem = Problem.square(10**15, 128)
    bound = t3(problem, 16_000)
    assert bound.value > 3 * 10**30
    assert bound.status == "machine-checked"
    assert "mu = 1," in bound.note


def test_refusals() -> None:
    with pytest.raises(BoundDoesNotApply, match="use T1"):
        t3(Problem.square(10**6, 64), 5 * 64**2)
    with pytest.raises(BoundDoesNotApply, match="too small"):
        t3(Problem.square(4, 64), 4096)
    with pytest.raises(InvalidInput):
        t3(Problem.square(4096, 64), 0)
    with pytest.raises(BoundDoesNotApply, match="use T1"):
        t3(Problem.square(4096, 2), 20)
    edge = int(ROWS[-1].mu * 64**2)
    assert t3(Problem.square(10**6, 64), edge).value > 0
    with pytest.raises(BoundDoesNotApply):
        t3(Problem.square(10**6, 64), edge + 1)
