"""How much sets of points grow when steps are added: never less than is said, and hardly more for cones."""

import random
from fractions import Fraction
from itertools import product

import pytest

from pebble.lower_bounds.nests.stencils import Steps, spread

CROSS = frozenset({(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)})
CROSS_3D = frozenset({(0, 0, 0), *(tuple(s * (i == j) for j in range(3)) for i in range(3) for s in (1, -1))})


def cone(steps: Steps) -> Steps:
    """Return the point where these steps lead to, and what it is computed from."""
    ((*zeros,),) = {(0,) * len(next(iter(steps)))}
    return frozenset({(0, *zeros)} | {(1, *step) for step in steps})


IN_PLACE = frozenset(
    {
        *((0, 0, 0), (0, 1, 1), (0, 1, 0), (0, 1, -1), (0, 0, 1)),
        *((1, 0, 0), (1, 0, -1), (1, -1, 1), (1, -1, 0), (1, -1, -1)),
    }
)
VOLUMES = {
    "three neighbours": (cone(frozenset({(-1,), (0,), (1,)})), Fraction(1)),
    "five neighbours": (cone(CROSS), Fraction(2, 3)),
    "seven neighbours": (cone(CROSS_3D), Fraction(1, 3)),
    "nine neighbours in place": (IN_PLACE, Fraction(5, 3)),
    "box": (frozenset(product(range(4), range(3), range(2))), Fraction(6)),
    "simplex": (frozenset({(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}), Fraction(1, 6)),
    "a line in the plane": (frozenset({(0, 0), (1, 1), (2, 2)}), Fraction(0)),
}


@pytest.mark.parametrize("name", VOLUMES)
def test_volumes(name: str) -> None:
    steps, volume = VOLUMES[name]
    assert spread(steps) == volume


def added(some: set[tuple[int, ...]], steps: Steps) -> set[tuple[int, ...]]:
    return {tuple(x + y for x, y in zip(one, step, strict=True)) for one in some for step in steps}


def is_said(some: set[tuple[int, ...]], steps: Steps, factor: Fraction = Fraction(1)) -> bool:
    """Whether |A + steps| − |A| ≥ d·V^(1/d)·|A|^(1 − 1/d), in whole numbers."""
    d, grown = len(next(iter(steps))), len(added(some, steps)) - len(some)
    return grown >= 0 and grown**d >= d**d * factor * spread(steps) * len(some) ** (d - 1)


def random_points(draw: random.Random, d: int, steps: Steps) -> set[tuple[int, ...]]:
    kind, most = draw.random(), draw.choice([1, 2, 3, 5])
    if kind < 0.3:
        return {tuple(draw.randint(0, most) for _ in range(d)) for _ in range(draw.randint(1, 30))}
    if kind < 0.6:
        return set(product(*(range(draw.randint(1, most)) for _ in range(d))))
    some = {(0,) * d}
    for _ in range(draw.randint(0, 4)):
        some = added(some, steps) if len(some) < 200 else some
    return set(draw.sample(sorted(some), draw.randint(len(some) * 2 // 3 or 1, len(some))))


def check(draw: random.Random) -> None:
    d, farthest = draw.choice([1, 2, 2, 3, 3, 4]), draw.choice([1, 1, 2])
    number = draw.randint(2, 9)
    steps = frozenset(tuple(draw.randint(-farthest, farthest) for _ in range(d)) for _ in range(number))
    assert is_said(random_points(draw, d, steps), steps), steps


def test_random_sets_grow_so_much() -> None:
    draw = random.Random(0)
    for _ in range(150):
        check(draw)


@pytest.mark.slow
def test_many_random_sets_grow_so_much() -> None:
    draw = random.Random(1)
    for _ in range(1500):
        check(draw)


def test_cones_hardly_grow_more() -> None:
    for steps in (cone(CROSS), cone(frozenset({(-1,), (0,), (1,)}))):
        some = {(0,) * len(next(iter(steps)))}
        for _ in range(14):
            some = added(some, steps)
        assert is_said(some, steps)
        assert not is_said(some, steps, Fraction(13, 10))
