"""Points of statements: listed and counted."""

import itertools
import random

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.nests.points import count_points, points_of
from pebble.computations.nests.read_text import loop_nest


def test_points_are_those_that_meet_the_conditions() -> None:
    rng = random.Random(2)
    for _ in range(60):
        extents = {name: rng.randint(1, 5) for name in "ijk"}
        conditions = ", ".join(
            f"{rng.randint(-3, 3)}*{rng.choice('ijk')} + {rng.randint(-2, 2)}*{rng.choice('ijk')} <= "
            f"{rng.randint(-2, 2)}*{rng.choice('ijk')} + {rng.randint(-4, 6)}"
            for _ in range(rng.randint(1, 3))
        )
        (one,) = loop_nest(f"B[i,j] += A[i,j,k] for {conditions}", extents).statements
        expected = [
            list(values)
            for values in itertools.product(*(range(extents[name]) for name in one.indices))
            if all(
                condition.at(dict(zip(one.indices, values, strict=True))) >= 0 for condition in one.conditions
            )
        ]
        assert points_of(one, extents).tolist() == expected, conditions
        assert count_points(one, extents) == len(expected)


def test_a_statement_without_indices_has_one_point() -> None:
    (one, other) = loop_nest("a = b; c = d for 1 <= 0", {}).statements
    assert (points_of(one, {}).shape, count_points(one, {})) == ((1, 0), 1)
    assert (len(points_of(other, {})), count_points(other, {})) == (0, 0)


def test_many_points_are_counted_and_not_listed() -> None:
    (one,) = loop_nest("B[i] += A[i,j] for j < i", {"i": 10**6, "j": 10**6}).statements
    assert count_points(one, {"i": 10**6, "j": 10**6}) == 10**6 * (10**6 - 1) // 2
    with pytest.raises(InvalidInput, match="too many to list"):
        points_of(one, {"i": 10**6, "j": 10**6})
