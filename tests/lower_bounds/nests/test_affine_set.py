"""Sets of points: counts, images and differences against lists of points."""

import random
from itertools import product

from pebble.computations.nests.affine import Affine
from pebble.computations.nests.statement import Access
from pebble.lower_bounds.nests.affine_set import AffineSet, image, image_above, union_count

NAMES = ("i", "j", "k")


def random_set(draw: random.Random) -> AffineSet:
    box = [condition for n in NAMES for condition in (Affine.index(n), -Affine.index(n) + draw.randint(0, 5))]
    tied = [
        Affine.of({n: draw.choice([-2, -1, 0, 1, 1]) for n in NAMES}, draw.randint(-1, 4)) for _ in range(2)
    ]
    return AffineSet(NAMES, tuple(box)).where(*tied)


def points(one: AffineSet, size: int = 6) -> set[tuple[int, ...]]:
    found = product(range(-size, size), repeat=len(one.names))
    return {p for p in found if all(c.at(dict(zip(one.names, p, strict=True))) >= 0 for c in one.conditions)}


def test_counts_images_and_differences() -> None:
    draw = random.Random(0)
    for _ in range(10):
        one, other = random_set(draw), random_set(draw)
        assert one.count() == len(points(one, 6))
        assert not (one.is_empty() and points(one, 6))
        assert union_count([one, other]) == len(points(one, 6) | points(other, 6))
        assert union_count([one], [other]) == len(points(one, 6) - points(other, 6))
        access = Access("A", (Affine.of({"i": 1, "j": draw.randint(0, 2)}, 1), Affine.of({"k": 1})))
        reached = {
            tuple(p.at(dict(zip(NAMES, at, strict=True))) for p in access.places) for at in points(one, 6)
        }
        assert reached <= points(image_above(one, access), 18)
        exact = image(one, access)
        assert exact is None or points(exact, 18) == reached
