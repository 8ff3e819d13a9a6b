"""The parts of a mask: each has the pairs that the whole has there, and two are one kind only if they are equal."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from pebble import make_mask, mask_from_array
from pebble.computations.masks import BandMask, Mask, document_mask
from pebble.computations.masks.grouped_mask import GroupedMask
from pebble.computations.masks.mask_parts import mask_parts
from tests.program.random_parts import parted_mask


def check(mask: Mask) -> None:
    found = mask_parts(mask)
    assert sum(found.times) == len(found.kinds)
    pairs = 0
    for kind, at in found.intervals():
        part = found.masks[kind]
        assert np.array_equal(part.matrix((0, part.Nq), (0, part.Nk)), mask.matrix(at["i"], at["j"]))
        pairs += part.pairs
    assert pairs == mask.pairs


@pytest.mark.many(15)
@pytest.mark.parametrize("seed", range(60))
def test_parts_have_the_pairs_of_the_whole(seed: int) -> None:
    check(parted_mask(Random(seed)))


def test_causal_and_full_parts_of_one_length_differ() -> None:
    one, two = document_mask([4], causal=True), document_mask([4])
    both = np.kron(np.eye(2), np.ones((4, 4))).astype(bool)
    both[:4, :4] = one.matrix((0, 4), (0, 4))
    found = mask_parts(mask_from_array(both))
    assert found.kinds.tolist() == [0, 1]
    assert [part.pairs for part in found.masks] == [one.pairs, two.pairs]


@pytest.mark.many(8)
@pytest.mark.parametrize("seed", range(40))
def test_bands_of_parts_of_few_lengths(seed: int) -> None:
    """Parts of one length with other ends: rising, staying, or both, at other places."""
    rnd = Random(seed)
    start, stop, at = list[int](), list[int](), 0
    for _ in range(12):
        size = rnd.choice([2, 4, 4])
        firsts = sorted(rnd.choice([0, 0, 1]) for _ in range(size))
        lasts = sorted(rnd.choice([2, size - 1, size]) for _ in range(size - 1))
        start += [at + first for first in [0, *firsts[1:]]]
        stop += [at + last for last in [*lasts, size]]
        at += size
    check(BandMask("own", at, np.array(start), np.array(stop)))


@pytest.mark.parametrize("kind", ["", "causal,"])
def test_parts_of_grouped_bands_are_grouped(kind: str) -> None:
    mask = make_mask(f"group:3:document:{kind}4,2,4", 30, 10)
    assert mask is not None
    found = mask_parts(mask)
    assert [(part.Nq, part.Nk) for part in found.masks] == [(12, 4), (6, 2)]
    for which, at in found.intervals():
        part = found.masks[which]
        assert isinstance(part, GroupedMask)
        everything = part.matrix((0, part.Nq), (0, part.Nk))
        assert (everything == mask.matrix(at["i"], at["j"])).all()
