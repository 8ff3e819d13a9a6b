"""Questions to masks of blocks and of arrays: against an array of all pairs, and runs of tiles tile by tile."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.masks import BlockToeplitzMask, DenseMask, Mask
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.block_mask import BlockMask
from pebble.computations.masks.butterfly_mask import ButterflyMask
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.toeplitz_questions import BlockPairs
from tests.program.random_masks import random_mask
from tests.support.table_questions import TableQuestions

Whole = NDArray[np.int64]
Table = NDArray[np.bool_]


def pattern(rnd: Random, period: int) -> BandMask:
    """Any band, now and then without a pair."""
    most = period if rnd.random() < 0.8 else 0
    ends = np.sort(np.array([[rnd.randint(0, most) for _ in range(period)] for _ in range(2)]), axis=1)
    return BandMask("pattern", period, ends.min(axis=0), ends.max(axis=0))


def toeplitz(rnd: Random) -> Mask:
    period = rnd.randint(1, 6)
    near = [pattern(rnd, period) for _ in range(rnd.randint(1, 3))]
    return BlockToeplitzMask("toeplitz", rnd.randint(1, 70), period, near, pattern(rnd, period))


def blocks(rnd: Random) -> Mask:
    sides, shape, share = (
        (rnd.randint(1, 9), rnd.randint(1, 9)),
        (rnd.randint(1, 9), rnd.randint(1, 9)),
        rnd.random(),
    )
    lines = [side * number - rnd.randrange(side) for side, number in zip(sides, shape, strict=True)]
    allowed = np.array([[rnd.random() < share for _ in range(shape[1])] for _ in range(shape[0])])
    return BlockMask("blocks", lines[0], lines[1], sides, allowed)


def butterfly(rnd: Random) -> Mask:
    sides, number = (rnd.randint(1, 9), rnd.randint(1, 9)), rnd.randint(1, 9)
    lines = [side * number - rnd.randrange(side) for side in sides]
    return ButterflyMask("butterfly", lines[0], lines[1], sides)


def dense(rnd: Random) -> Mask:
    mask = random_mask(rnd, rnd.randint(1, 40), rnd.randint(1, 40))
    return DenseMask("dense", np.array(mask.matrix((0, mask.Nq), (0, mask.Nk))))


MAKERS = [toeplitz, blocks, butterfly, dense]


def intervals(rng: np.random.Generator, number: int, extent: int) -> tuple[Whole, Whole]:
    """Intervals of an axis: any, short ones, empty ones, and the whole."""
    low, high = np.sort(rng.integers(0, extent + 1, (2, number)), axis=0)
    short = np.minimum(low + rng.integers(0, 4, number), extent)
    kind = rng.integers(0, 8, number)
    short = np.where(kind < 3, np.minimum(low + 1, extent), short)
    return np.where(kind == 0, 0, low), np.where(kind == 0, extent, np.where(kind < 6, short, high))


def cases(make: Callable[[Random], Mask], number: int) -> list[tuple[Mask, np.random.Generator]]:
    return [(make(Random(f"{seed}")), np.random.default_rng(seed)) for seed in range(number)]


@pytest.mark.parametrize("make", MAKERS)
def test_answers_are_those_of_all_pairs(make: Callable[[Random], Mask]) -> None:
    for mask, rng in cases(make, 150):
        asked, table = mask.questions, TableQuestions(mask)
        for axis, other in OTHER_AXIS.items():
            x0, x1 = intervals(rng, 40, mask.extents[axis])
            p, q = intervals(rng, 40, mask.extents[other])
            for found, right in (
                (asked.pairs(axis, x0, x1, p, q), table.pairs(axis, x0, x1, p, q)),
                (asked.has(axis, x0, x1, p, q), table.has(axis, x0, x1, p, q)),
                (asked.present(axis, x0, x1), table.present(axis, x0, x1)),
                (asked.lines_seen(axis, x0, x1, p, q), table.lines_seen(axis, x0, x1, p, q)),
                (asked.begun(axis, x0, x1, q), table.begun(axis, x0, x1, q)),
                (asked.behind_latest(axis, x0, x1, p, q), table.behind_latest(axis, x0, x1, p, q)),
            ):
                assert found.dtype == right.dtype
                np.testing.assert_array_equal(found, right)


def looks(table: Table, loop: tuple[int, ...], tile: int) -> object:
    """What a program can see of a tile of a loop: its pairs, and what lies around it."""
    w0, w1, size, p, q = loop
    x0 = w0 + tile * size
    x1 = min(x0 + size, w1)
    own = table[x0:x1]
    seen = own[:, p:q], own[:, :p].any(axis=1), own[:, q:].any(axis=1)
    around = table[w0:x0, p:q].any(axis=0), table[x1:w1, p:q].any(axis=0)
    return x1 - x0, *(part.tobytes() for part in (*seen, *around))


@pytest.mark.parametrize("make", MAKERS)
def test_the_tiles_of_runs_are_alike_and_all_that_have_pairs(make: Callable[[Random], Mask]) -> None:
    for mask, rng in cases(make, 150):
        for axis, other in OTHER_AXIS.items():
            table = mask.lines_matrix(axis, (0, mask.extents[axis]), (0, mask.extents[other]))
            w0, w1 = intervals(rng, 8, mask.extents[axis])
            p, q = intervals(rng, 8, mask.extents[other])
            size = rng.choice([1, 1, 2, 3, 5], 8)
            runs = np.stack(mask.questions.runs(axis, w0, w1, size, p, q))
            assert (np.diff(runs[0]) >= 0).all()
            for number, loop in enumerate(np.stack([w0, w1, size, p, q], axis=1).tolist()):
                tiles = -((loop[0] - loop[1]) // loop[2])
                seen: list[int] = []
                for first, length, times in runs[1:, runs[0] == number].T.tolist():
                    group = [looks(table, loop, first + tile) for tile in range(length)]
                    assert group * times == [
                        looks(table, loop, first + tile) for tile in range(length * times)
                    ]
                    assert length > 0 < times
                    assert first + length * times <= tiles
                    seen += range(first, first + length * times)
                assert all(before < after for before, after in pairwise(seen))
                starts = {tile: loop[0] + tile * loop[2] for tile in range(tiles)}
                with_pairs = {
                    tile
                    for tile, x0 in starts.items()
                    if table[x0 : min(x0 + loop[2], loop[1]), loop[3] : loop[4]].any()
                }
                assert with_pairs <= set(seen)


@pytest.mark.parametrize("make", [toeplitz, butterfly])
def test_sums_that_are_not_kept_are_the_same(
    make: Callable[[Random], Mask], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A function of the package has the name of the butterfly's module.
    monkeypatch.setattr(sys.modules[ButterflyMask.__module__], "_MOST_SUMMED", 0)
    monkeypatch.setattr(sys.modules[BlockPairs.__module__], "_MOST_KEPT", 0)
    test_answers_are_those_of_all_pairs(make)


@pytest.mark.parametrize("axis", ["i", "j"])
def test_far_from_the_diagonal_a_period_of_tiles_repeats(axis: str) -> None:
    near, far = (
        BandMask("near", 8, np.arange(8), np.full(8, 8)),
        BandMask("far", 8, np.arange(8), np.arange(1, 9)),
    )
    questions = BlockToeplitzMask("own", 8000, 8, [near], far).questions
    one = np.array([1])
    runs = questions.runs(axis, 0 * one, 8000 * one, 3 * one, 4000 * one, 4002 * one)
    assert (runs.length * runs.times).sum() > 4000 // 3 > 40 > runs.length.sum()
