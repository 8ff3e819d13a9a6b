"""What masks answer about boxes, against an array of all pairs; the tiles of a run against each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.masks import BandMask, Mask, UnionMask
from pebble.computations.masks.band_questions import BandQuestions
from pebble.computations.masks.kinds import grouped_mask
from pebble.computations.masks.questions import Runs
from pebble.computations.masks.staircase import Staircase
from pebble.computations.masks.union_mask import UnionQuestions
from tests.program.random_masks import band, regular
from tests.support.table_questions import TableQuestions

Whole = NDArray[np.int64]
OTHER = {"i": "j", "j": "i"}


def diagonal(rnd: Random, rows: int, cols: int) -> BandMask:
    """A window with all of its ends moving by one, perhaps with queries without keys in the middle."""
    low, high = sorted(rnd.randint(-rows, cols) for _ in range(2))
    start, stop = (Staircase.clipped(rows, offset, 0, cols).values(0, rows) for offset in (low, high))
    if rnd.random() < 0.5:
        hole = slice(*sorted(rnd.randint(0, rows) for _ in range(2)))
        stop[hole] = start[hole]
    return BandMask("diagonal", cols, start, np.maximum.accumulate(stop).clip(start))


def few_ends(rnd: Random, rows: int, cols: int) -> BandMask:
    """A band whose ends have few values."""
    values = [rnd.randint(0, cols) for _ in range(4)]
    ends = np.array([sorted(rnd.choice(values) for _ in range(rows)) for _ in range(2)])
    return BandMask("few", cols, ends.min(axis=0), ends.max(axis=0))


def some_band(rnd: Random, rows: int, cols: int) -> BandMask:
    """A band of some kind, perhaps of queries in groups."""
    while True:
        try:
            if rnd.random() < 0.2:
                group = rnd.randint(2, 4)
                mask = grouped_mask(some_band(rnd, -(-rows // group), cols), group)
            else:
                mask = rnd.choice([band, diagonal, diagonal, few_ends, regular])(rnd, rows, cols)
        except InvalidInput:
            continue
        if isinstance(mask, BandMask):
            return mask


def some_union(rnd: Random, rows: int, cols: int) -> UnionMask:
    """A union of up to three bands."""
    bands = [some_band(rnd, rows, cols)]
    for _ in range(10):
        more = rnd.choice([some_band, diagonal, few_ends])(rnd, bands[0].Nq, bands[0].Nk)
        try:
            bands = list(UnionMask("union", [*bands, more]).bands)
        except ValueError:  # a pair in common, or another size
            continue
        if len(bands) == 3:
            break
    return UnionMask("union", bands)


def masks(seed: int, number: int) -> Iterator[tuple[Mask, np.random.Generator]]:
    """Bands and unions of at most 40 queries and keys."""
    rnd = Random(seed)
    for _ in range(number):
        rows, cols = (rnd.randint(1, rnd.choice([6, 16, 32])) for _ in range(2))
        maker = rnd.choice([some_band, some_union])
        yield maker(rnd, rows, rnd.choice([rows, cols])), np.random.default_rng(rnd.getrandbits(32))


def intervals(rng: np.random.Generator, extent: int, number: int) -> Whole:
    """Beginnings and ends of intervals: some of all, of one line, or empty."""
    found = np.sort(rng.integers(0, extent + 1, (2, number)), axis=0)
    found[:, rng.random(number) < 0.2] = [[0], [extent]]
    one = rng.random(number) < 0.2
    found[0, one] = np.minimum(found[0, one], extent - 1)
    found[1, one] = found[0, one] + 1
    return found


def test_all_questions() -> None:
    for mask, rng in masks(1, 60):
        asked, table = mask.questions, TableQuestions(mask)
        assert isinstance(asked, BandQuestions | UnionQuestions)
        for axis, other in OTHER.items():
            lines, partners = (intervals(rng, mask.extents[name], 50) for name in (axis, other))
            for one in (asked, table):
                assert one.extents == mask.extents
            for name, boxes in (
                ("pairs", (*lines, *partners)),
                ("has", (*lines, *partners)),
                ("lines_seen", (*lines, *partners)),
                ("present", (*lines,)),
                ("begun", (*lines, partners[0])),
                ("behind_latest", (*lines, *partners)),
            ):
                found = getattr(asked, name)(axis, *boxes)
                np.testing.assert_array_equal(
                    found, getattr(table, name)(axis, *boxes), f"{name} {axis} {mask}"
                )


def look(pairs: NDArray[np.bool_], loop: list[int], tile: int, number: int) -> Hashable:
    """Return all that may be seen of a tile: its pairs, line by line, and the flags of lines and partners."""
    w0, w1, p, q = loop
    x0, x1 = w0 + number * tile, min(w0 + (number + 1) * tile, w1)
    flags = (
        pairs[x0:x1, :p].any(1),
        pairs[x0:x1, q:].any(1),
        pairs[w0:x0, p:q].any(0),
        pairs[x1:w1, p:q].any(0),
    )
    return x1 - x0, pairs[x0:x1, p:q].tobytes(), *(flag.tobytes() for flag in flags)


def check_rise(pairs: NDArray[np.bool_], loop: list[int], lines: range) -> None:
    """Each line has as many pairs more, or fewer, than the one before; all have pairs elsewhere, or none."""
    _, _, p, q = loop
    seen = pairs[lines.start : lines.stop]
    assert len(np.unique(np.diff(seen[:, p:q].sum(axis=1)))) == 1
    for side in (seen[:, :p], seen[:, q:]):
        assert len(np.unique(side.any(axis=1))) == 1


def check_runs(pairs: NDArray[np.bool_], loops: Whole, tiles: Whole, runs: Runs, rises: bool = False) -> None:
    """Compare the tiles of every run with the group's, and all tiles with those that have pairs."""
    assert (np.diff(runs.parent) >= 0).all()
    for number, (loop, tile) in enumerate(zip(loops.T.tolist(), tiles.tolist(), strict=True)):
        visited: list[int] = []
        for _, first, length, times in zip(
            *(array[runs.parent == number].tolist() for array in runs), strict=True
        ):
            looks = [look(pairs, loop, tile, first + index) for index in range(length * times)]
            assert looks == looks[:length] * times
            if rises and length > 1:
                check_rise(pairs, loop, range(loop[0] + first, loop[0] + first + length))
            visited += range(first, first + length * times)
        assert visited == sorted(set(visited))
        w0, w1, p, q = loop
        busy = [n for n, x in enumerate(range(w0, w1, tile)) if pairs[x : min(x + tile, w1), p:q].any()]
        assert set(busy) <= set(visited) <= set(range(-((w0 - w1) // tile)))


@pytest.mark.parametrize("table", [False, True])
def test_runs(table: bool) -> None:
    for mask, rng in masks(2 + table, 20 if table else 80):
        asked = TableQuestions(mask) if table else mask.questions
        for axis, other in OTHER.items():
            loops = np.concatenate([intervals(rng, mask.extents[name], 20) for name in (axis, other)])
            tiles = rng.integers(1, rng.choice([1, 1, 3, 40]) + 1, 20)
            runs = asked.runs(axis, loops[0], loops[1], tiles, loops[2], loops[3])
            pairs = mask.lines_matrix(axis, (0, mask.extents[axis]), (0, mask.extents[other]))
            check_runs(pairs, loops, tiles, runs, asked.rises)


def numbers_of_runs(mask: Mask, tile: int, partners: int) -> int:
    """Return how many runs a loop over all lines has, of either axis, for partners in the middle."""
    n = mask.Nq
    loop = [np.array([number]) for number in (0, n, tile, n // 2, n // 2 + partners)]
    found = {len(mask.questions.runs(axis, *loop).first) for axis in OTHER}
    return max(found)


def test_few_runs_for_many_lines() -> None:
    n = 2**29
    causal = BandMask("causal", n, Staircase.clipped(n, 0, 0, 0), Staircase.clipped(n, 1, 0, n))
    window = BandMask("window", n, Staircase.clipped(n, -(2**20) + 1, 0, n), Staircase.clipped(n, 1, 0, n))
    documents = np.arange(2**10) * 2**19
    start, stop = (Staircase(n, documents, documents + more, np.zeros(2**10)) for more in (0, 2**19))
    for tile, partners in ((128, 128), (128, 1), (1, 1)):
        assert numbers_of_runs(causal, tile, partners) == 3
        assert numbers_of_runs(window, tile, partners) <= 5
    # Documents have no line that sees what no neighbour does: three tiles of each, whatever the partners.
    assert numbers_of_runs(BandMask("documents", n, start, stop), 1, 10 * 2**19) == 30
