"""Sums over tiles that are kept belong to one mask, and to one only."""

from __future__ import annotations

import gc
import itertools
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from pebble.computations.masks import Mask, document_mask, mask_from_array
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.program.closed_forms.blocks import Blocks, End, Side
from pebble.program.closed_forms.count import closed_form
from pebble.program.closed_forms.known_sums import known_sums
from pebble.program.closed_forms.quantities import Quantities, Words
from pebble.program.nodes import Interval
from tests.program.names import Problem, delete, family_of, load, loop, program
from tests.program.test_closed_forms_bands import all_words, plain_sum, random_blocks


def random_mask(seed: int) -> Mask:
    allowed = np.random.default_rng(seed).random((20, 20)) < 0.2
    np.fill_diagonal(allowed, True)
    return mask_from_array(allowed, name="random")


def test_masks_of_one_name_have_sums_of_their_own() -> None:
    text = program(loop("i", 3, load("Q"), loop("j", 2, load("K"), delete("K")), delete("Q")))
    masks = [random_mask(seed) for seed in range(20)]
    families = [family_of(Problem(20, 20, 2, 2, mask=mask)) for mask in masks]
    found = [int(closed_form(text, family).io) for family in families]
    again = [int(closed_form(text, family).io) for family in reversed(families)]
    assert found == again[::-1]
    visited = [
        sum(
            bool(mask.matrix((i, min(i + 3, 20)), (j, j + 2)).any())
            for i in range(0, 20, 3)
            for j in range(0, 20, 2)
        )
        for mask in masks
    ]
    assert found == [20 * 2 + 2 * 2 * tiles for tiles in visited]
    assert len(set(found)) > 1


def test_sums_go_with_their_mask() -> None:
    mask = random_mask(0)
    known_sums(mask)["one"] = 1
    assert known_sums(mask) == {"one": 1}
    known_sums(mask).update(dict.fromkeys(map(str, range(5000)), 0))
    assert known_sums(mask) == {}
    known_sums(mask)["one"] = 1
    del mask
    gc.collect()
    assert known_sums(random_mask(0)) == {}


def check_parts(seed: int) -> int:
    """Sums over loops in each of several documents, and across some, are the plain sums; return how many were known."""
    rnd = Random(seed)
    lengths = [rnd.choice([2, 3, 5]) for _ in range(6)]
    mask = document_mask(lengths, causal=rnd.random() < 0.5)
    family = family_of(Problem(mask.Nq, mask.Nk, 1, 1)).under(mask)
    sums, asked = Quantities(family), 0
    several = [random_blocks(rnd, mask) for _ in range(2)]
    places = [0, *mask.separations("i"), mask.Nq]
    for axis, (first, behind) in itertools.product("ij", itertools.product(places[:-1], places[1:])):
        start, stop = first + rnd.randint(0, 2), behind + rnd.choice([0, 0, 1])
        if start >= min(stop, mask.Nq) or rnd.random() < 0.7:
            continue
        blocks = rnd.choice(several)
        own = replace(blocks[axis], start=start, stop=min(stop, mask.Nq))
        sides = {axis: own, OTHER_AXIS[axis]: replace(blocks[OTHER_AXIS[axis]], start=0, stop=mask.Nq)}
        part = Blocks(sides["i"], sides["j"], blocks.ends)
        for words in all_words(rnd, part):
            assert sums.value(part, words) == plain_sum(family, part, words), (seed, part, words)
            asked += 1
    return asked - len(known_sums(mask))


def blocks_of(axis: str, extent: int, lines: Interval, own: int, other: int, *ends: End) -> Blocks:
    sides = {
        axis: Side(axis, extent, *lines, (own,)),
        OTHER_AXIS[axis]: Side(OTHER_AXIS[axis], extent, 0, extent, (other,)),
    }
    return Blocks(sides["i"], sides["j"], ends)


LAST = End("i", 1, "last", False, 1, "last")


@pytest.mark.parametrize(
    ("mask", "one", "other", "words"),
    [
        ([4, 4, 4, 4], ("i", (4, 6), 2, 1), ("i", (10, 12), 2, 1), Words("pairs")),
        ([4, 4, 4, 4], ("i", (4, 8), 2, 1, LAST), ("i", (8, 12), 2, 1), Words("tiles")),
        ([4, 4, 4, 4], ("i", (4, 8), 2, 1), ("i", (8, 12), 2, 2), Words("tiles")),
        ([4, 4, 4, 4], ("i", (4, 8), 2, 1), ("i", (8, 12), 4, 1), Words("tiles")),
        ([4, 4, 4, 4], ("i", (4, 8), 4, 2), ("j", (8, 12), 4, 2), Words("lines", "i")),
        ([4, 2, 4], ("i", (0, 4), 2, 3), ("i", (6, 10), 2, 3), Words("lines", "j")),
        ([4, 3, 4, 4], ("i", (0, 4), 2, 2), ("i", (7, 11), 2, 2), Words("tiles")),
        ([3, 5, 5, 5], ("i", (3, 8), 5, 4), ("i", (13, 18), 5, 4), Words("lines", "j")),
    ],
)
def test_parts_that_are_not_alike(
    mask: list[int], one: tuple[Any, ...], other: tuple[Any, ...], words: Words
) -> None:
    """Lines at another place, conditions, tiles, axes, the end of the axis and the grid of tiles matter."""
    for causal in (False, True):
        packed = document_mask(mask, causal=causal)
        family = family_of(Problem(packed.Nq, packed.Nk, 1, 1)).under(packed)
        sums = Quantities(family)
        for axis, *rest in (one, other):
            blocks = blocks_of(axis, packed.Nq, *rest)
            assert sums.value(blocks, words) == plain_sum(family, blocks, words)


def test_explicit_intervals_have_sums_of_their_own() -> None:
    packed = document_mask([6, 6], causal=True)
    family = family_of(Problem(12, 12, 1, 1)).under(packed)
    blocks = Blocks(Side("i", 12, 0, 12, (3,)), Side("j", 12, 0, 12, ()), ())
    for interval in ((0, 2), (4, 9)):
        words = Words("lines", "j", at={"j": interval})
        assert Quantities(family).value(blocks, words) == plain_sum(family, blocks, words)


def test_parts_that_are_alike_have_the_same_sums() -> None:
    assert sum(map(check_parts, range(12))) > 100


@pytest.mark.slow
def test_many_parts_that_are_alike_have_the_same_sums() -> None:
    assert sum(map(check_parts, range(100, 130))) > 300
