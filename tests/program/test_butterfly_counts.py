"""Sums over the tiles under a butterfly, by few that stand for all, and over all of them."""

from __future__ import annotations

from random import Random

import pytest

from pebble import Problem
from pebble.computations.masks import DenseMask
from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.program.closed_forms import butterfly_counts
from pebble.program.closed_forms.blocks import Blocks, End, Side
from pebble.program.closed_forms.quantities import Quantities
from pebble.program.schedule import get
from tests.program.test_block_counts import all_words
from tests.support.block_masks import blocks_table, random_butterfly


def aligned_blocks(rnd: Random, mask: ButterflyMask) -> Blocks:
    """Tiles of both axes, nested or none, most of them dividing blocks or made of whole ones; perhaps conditions."""
    sides = {}
    for axis, extent in mask.extents.items():
        side = mask.sides[axis]
        sizes = [1, 1, side, 2 * side, 4 * side, max(side // 2, 1), rnd.randint(1, 9)]
        tiles = sorted((rnd.choice(sizes) for _ in range(rnd.choice([0, 1, 1, 2]))), reverse=True)
        sides[axis] = Side(axis, extent, 0, extent, tuple(tiles))
    ends = []
    for _ in range(rnd.choice([0, 1, 1, 2])):
        axis, other = rnd.sample("ij", 2)
        if sides[axis].tiles:
            level, partner = rnd.randint(1, len(sides[axis].tiles)), rnd.randint(0, len(sides[other].tiles))
            ends.append(End(axis, level, rnd.choice(["first", "last"]), rnd.random() < 0.5, partner, ""))
    return Blocks(sides["i"], sides["j"], tuple(ends))


WHOLE_AXES = [36]
"""Seeds of tiles of one axis only, so that it is asked of the whole other one which of its lines have begun."""


@pytest.mark.parametrize(
    "batch", [0, *(pytest.param(batch, marks=pytest.mark.slow) for batch in range(1, 4))]
)
def test_sums_by_classes_and_pair_by_pair(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    by_classes = 0
    for seed in (*range(10 * batch, 10 * batch + 10), *(WHOLE_AXES if not batch else ())):
        rnd = Random(seed)
        monkeypatch.setattr(butterfly_counts, "_CHUNK", rnd.choice([2**12, 1]))
        mask = random_butterfly(rnd)
        family = get("flash-2").family(Problem(mask.Nq, mask.Nk, 1, 1))
        blocks = aligned_blocks(rnd, mask)
        counts = butterfly_counts.ButterflyCounts(mask)
        by_classes += any(counts._classes(blocks, axis) for axis in "ij")
        one, other = (
            Quantities(family.under(same)) for same in (mask, DenseMask("pairs", blocks_table(mask)))
        )
        for words in all_words(rnd, mask.Nq, mask.Nk):
            assert one.value(blocks, words) == other.value(blocks, words), (seed, words, blocks)
    assert by_classes > 3


def test_many_tokens() -> None:
    """As many tiles as blocks are allowed, of 78,125 rows of them."""
    mask = ButterflyMask("butterfly:128", 10**7, 10**7, (128, 128))
    blocks = Blocks(Side("i", 10**7, 0, 10**7, (128,)), Side("j", 10**7, 0, 10**7, (128,)))
    visits = list(butterfly_counts.ButterflyCounts(mask).candidates(blocks))
    assert sum(int(times.sum()) for _, times in visits) * 128**2 == 4 * mask.pairs
