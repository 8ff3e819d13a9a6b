"""Sets of points: counts, images and differences against lists of points; inputs and outputs of nests likewise."""

import random
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import Access, LoopNest
from pebble.lab.kernel import kernel
from pebble.lower_bounds.nests import elements as counting
from pebble.lower_bounds.nests.affine_set import AffineSet, image, image_above, union_count
from tests.computations.nests.plain_nests import PlainNest
from tests.lower_bounds.nests.small_nests import strided_text
from tests.support.amounts import examples

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
    for _ in range(5):
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


@examples(20, 4000)
@given(st.randoms(use_true_random=False))
def test_inputs_and_outputs_are_counted_exactly_or_from_below(draw: random.Random) -> None:
    """By residues of places; by values of short indices, and one by one, where that is not enough; or too few."""
    text, extents = strided_text(draw)
    try:
        nest = loop_nest(text, extents)
    except InvalidInput:
        assume(False)
        raise
    plain = PlainNest(nest)
    inputs, outputs = len(plain.is_read - set(plain.writers)), len(plain.outputs)
    for most_listed, most_parts in ((1 << 18, 32), (1 << 18, 0), (0, 32), (0, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counting, "_MOST_LISTED", most_listed)
            patch.setattr(counting, "_MOST_PARTS", most_parts)
            found = counting.Elements(nest)
            counted = found.all_inputs, found.outputs
        assert counted == (inputs, outputs) or not most_listed, (text, extents)
        assert counted[0] <= inputs, (text, extents)
        assert counted[1] <= outputs, (text, extents)


@pytest.mark.parametrize(
    "text",
    [
        "O[i] = A[2*i] + A[2*i+1]",
        "O[i] = A[2*i] + A[i]",
        "O[i] = A[i] + A[i+7]",
        "O[i] = A[3*i] + A[5*i+1]",
        "O[i] += A[3*i+r]*F[r] for r < 2",
        "O[i] += A[2*i+r]*F[r]",
        "B[2*i] = A[3*i+1]; O[i] = B[i] + B[i+1]",
    ],
)
def test_strided_places_are_counted_exactly_at_any_length(text: str) -> None:
    """From one multiple of 30 to the next, always so many more."""

    def nest_of(times: int) -> LoopNest:
        return loop_nest(text, {"i": 30 * times, **({"r": 3} if "[r]" in text else {})})

    def counted(times: int) -> int:
        found = counting.Elements(nest_of(times))
        return found.all_inputs + found.outputs

    plain = [PlainNest(nest_of(times)) for times in (1, 2)]
    one, two = (len(found.is_read - set(found.writers)) + len(found.outputs) for found in plain)
    assert [counted(times) for times in (1, 2, 10**8)] == [one, two, one + (10**8 - 1) * (two - one)]


def test_every_word_of_a_pair_is_loaded() -> None:
    report = kernel("O[i] = A[2*i] + A[2*i+1]", {"i": 16}, M=20)
    assert (report.best.value, report.ratio) == (48, 1)
