"""What masks of every class answer, against an array of all pairs; the tiles of a run against each other."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.masks import (
    BandMask,
    BlockToeplitzMask,
    DenseMask,
    Mask,
    UnionMask,
    toeplitz_questions,
)
from pebble.computations.masks.mask import OTHER_AXIS
from pebble.computations.masks.questions import Questions, Runs
from pebble.computations.masks.staircase import Staircase
from tests.program.random_masks import CLASSES, masks_of
from tests.support.table_questions import TableQuestions

Whole = NDArray[np.int64]
Table = NDArray[np.bool_]
KINDS = list(CLASSES)
NUMBER = 25


def table_of(mask: Mask, axis: str) -> Table:
    return mask.lines_matrix(axis, (0, mask.extents[axis]), (0, mask.extents[OTHER_AXIS[axis]]))


def intervals(rng: np.random.Generator, number: int, extent: int) -> tuple[Whole, Whole]:
    """Intervals of an axis: any, short ones, empty ones, and the whole."""
    low, high = np.sort(rng.integers(0, extent + 1, (2, number)), axis=0)
    short = np.minimum(low + rng.integers(0, 4, number), extent)
    kind = rng.integers(0, 8, number)
    short = np.where(kind < 3, np.minimum(low + 1, extent), short)
    return np.where(kind == 0, 0, low), np.where(kind == 0, extent, np.where(kind < 6, short, high))


@pytest.mark.parametrize("kind", KINDS)
def test_answers_about_many_boxes(kind: str) -> None:
    for mask, rng in masks_of(CLASSES[kind], NUMBER):
        asked, table = mask.questions, TableQuestions(mask)
        assert asked.extents == table.extents
        for axis, other in OTHER_AXIS.items():
            lines, partners = (intervals(rng, 40, mask.extents[name]) for name in (axis, other))
            for name, boxes in (
                ("pairs", (*lines, *partners)),
                ("has", (*lines, *partners)),
                ("lines_seen", (*lines, *partners)),
                ("most_pairs", (*lines, *partners)),
                ("present", lines),
                ("begun", (*lines, partners[0])),
                ("behind_latest", (*lines, *partners)),
            ):
                found, right = (getattr(one, name)(axis, *boxes) for one in (asked, table))
                assert found.dtype == right.dtype
                np.testing.assert_array_equal(found, right, f"{name} {axis} {mask}")


@pytest.mark.many(2)
@pytest.mark.parametrize("kind", KINDS)
def test_answers_about_a_box_or_some_lines(kind: str) -> None:
    for mask, rng in masks_of(CLASSES[kind], NUMBER, 24):
        table = table_of(mask, "i")
        dense = DenseMask("some", table)
        assert mask.pairs == table.sum()
        for axis, other in OTHER_AXIS.items():
            lines, partners = (tuple(np.sort(rng.integers(0, mask.extents[one] + 1, 2)).tolist())
                               for one in (axis, other))  # fmt: skip
            box = (lines, partners) if axis == "i" else (partners, lines)
            chosen = rng.integers(0, mask.extents[axis], 5)
            asked = rng.random(mask.extents[other]) < 0.5
            for name, arguments in (
                ("count", box),
                ("matrix", box),
                ("lines_matrix", (axis, lines, partners)),
                ("present", (axis,)),
                ("present", (axis, *lines)),
                ("first", (axis,)),
                ("last", (axis,)),
                ("first", (axis, lines)),
                ("last", (axis, lines)),
                ("first_of", (axis, chosen)),
                ("last_of", (axis, chosen)),
                ("degrees", (axis, asked)),
            ):
                found, right = (getattr(one, name)(*arguments) for one in (mask, dense))
                np.testing.assert_array_equal(found, right, f"{name} {arguments} {mask}")
            np.testing.assert_array_equal(mask.parts[axis], dense.parts[axis])
            if kind == "blocks":
                assert mask.separations(axis) == dense.separations(axis)
        if mask.connected and mask.pairs:
            assert dense.parts["i"].max() == 0


def test_a_dense_mask_knows_its_array() -> None:
    """What all other masks are held to."""
    for mask, _ in masks_of(CLASSES["dense"], NUMBER):
        for axis in OTHER_AXIS:
            table = table_of(mask, axis)
            partners = [np.flatnonzero(line) for line in table]
            assert mask.first(axis).tolist() == [min(one, default=table.shape[1]) for one in partners]
            assert mask.last(axis).tolist() == [max(one, default=-1) for one in partners]
            assert mask.present(axis) == sum(len(one) > 0 for one in partners)


# Runs of tiles that are alike


def look(table: Table, loop: list[int], tile: int, number: int) -> Hashable:
    """What a program can see of a tile of a loop: its pairs, and what lies around it."""
    w0, w1, p, q = loop
    x0, x1 = w0 + number * tile, min(w0 + (number + 1) * tile, w1)
    flags = (
        table[x0:x1, :p].any(axis=1),
        table[x0:x1, q:].any(axis=1),
        table[w0:x0, p:q].any(axis=0),
        table[x1:w1, p:q].any(axis=0),
    )
    return x1 - x0, table[x0:x1, p:q].tobytes(), *(flag.tobytes() for flag in flags)


def check_steps(numbers: Whole, together: int) -> None:
    """Each number is as much more, or less, than the one so many lines before."""
    assert len(np.unique(np.diff(numbers.reshape(-1, together), axis=0), axis=0)) <= 1


def check_rise(table: Table, loop: list[int], lines: range, together: int) -> None:
    """Each line has as many pairs more, or fewer, than the one before; all have pairs elsewhere, or none."""
    _, _, p, q = loop
    seen = table[lines.start : lines.stop]
    check_steps(seen[:, p:q].sum(axis=1), together)
    for side in (seen[:, :p], seen[:, q:]):
        assert len(np.unique(side.any(axis=1))) == 1


def check_partners_rise(table: Table, loop: list[int], lines: range, together: int) -> None:
    """With each line as many partners more, or fewer, begin in the loop as with the one before; so they end."""
    w0, w1, p, q = loop
    seen = table[w0:w1, p:q]
    for end in seen.argmax(axis=0), len(seen) - 1 - seen[::-1].argmax(axis=0):
        numbers = np.bincount(end[seen.any(axis=0)], minlength=len(seen))
        check_steps(numbers[lines.start - w0 : lines.stop - w0], together)


def check_runs(
    table: Table, loops: list[list[int]], tiles: list[int], runs: Runs, asked: Questions, together: int
) -> None:
    """Compare the tiles of every run with the group's, and all tiles with those that have pairs."""
    assert (np.diff(runs.parent) >= 0).all()
    for number, (loop, tile) in enumerate(zip(loops, tiles, strict=True)):
        visited: list[int] = []
        for _, first, length, times in np.stack(runs)[:, runs.parent == number].T.tolist():
            assert length > 0 < times
            looks = [look(table, loop, tile, first + index) for index in range(length * times)]
            assert looks == looks[:length] * times
            lines = range(loop[0] + first, loop[0] + first + length)
            if asked.rises and length > 1:
                check_rise(table, loop, lines, together)
            if asked.partners_rise and length > 1:
                check_partners_rise(table, loop, lines, together)
            visited += range(first, first + length * times)
        assert visited == sorted(set(visited))
        w0, w1, p, q = loop
        busy = [n for n, x in enumerate(range(w0, w1, tile)) if table[x : min(x + tile, w1), p:q].any()]
        assert set(busy) <= set(visited) <= set(range(-((w0 - w1) // tile)))


@pytest.mark.many(3)
@pytest.mark.parametrize("kind", [*KINDS, "table"])
def test_the_tiles_of_runs_are_alike_and_all_that_have_pairs(kind: str) -> None:
    for mask, rng in masks_of(CLASSES["union" if kind == "table" else kind], NUMBER):
        asked: Questions = TableQuestions(mask) if kind == "table" else mask.questions
        for axis, other in OTHER_AXIS.items():
            loops = np.stack(
                [*intervals(rng, 12, mask.extents[axis]), *intervals(rng, 12, mask.extents[other])]
            )
            tiles = rng.integers(1, rng.choice([1, 1, 3, 40]) + 1, 12)
            runs = asked.runs(axis, loops[0], loops[1], tiles, loops[2], loops[3])
            check_runs(
                table_of(mask, axis), loops.T.tolist(), tiles.tolist(), runs, asked, asked.together[axis]
            )


@pytest.mark.slow
@pytest.mark.parametrize("names", [("_SHORT",), ("_SHORT", "_MOST_KEPT")])
def test_sums_that_are_not_kept_are_the_same(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in names:
        monkeypatch.setattr(toeplitz_questions, name, 0)
    test_answers_about_many_boxes("toeplitz")


def test_keys_that_two_bands_show() -> None:
    """From query 4 on each sees the key behind the next one, ceases to, and sees it again."""
    x, start = np.arange(10), np.zeros(10, dtype=int)
    mask = UnionMask("two", [BandMask("low", 12, start, x), BandMask("high", 12, x + 1, x + 1 + (x > 3))])
    loop = [0, 10, 3, 10]
    runs = mask.questions.runs("i", *np.array([0, 10, 1, 3, 10])[:, None])
    assert (runs.length > 1).any()
    check_runs(table_of(mask, "i"), [loop], [1], runs, mask.questions, 1)


# Steady parts


def test_lines_of_a_steady_part_have_the_same_partners() -> None:
    for mask, _ in masks_of(CLASSES["blocks"], NUMBER):
        for axis in OTHER_AXIS:
            table, parts = table_of(mask, axis), mask.steady_parts(axis)
            assert all((table[part.start : part.stop] == table[part.start]).all() for part in parts)
            assert sum(part.stop - part.start for part in parts) == mask.present(axis)


@pytest.mark.parametrize("kind", ["pieces", "union"])
def test_between_its_ends_a_line_follows_one_rule_and_steady_parts_move_steadily(kind: str) -> None:
    for mask, _ in masks_of(CLASSES[kind], NUMBER):
        assert hasattr(mask, "ends_of")
        for axis in OTHER_AXIS:
            table = table_of(mask, axis)
            ends = mask.ends_of(axis, np.arange(len(table)))
            assert ((ends >= 0) & (ends <= table.shape[1])).all()
            for row, cuts in zip(table, np.sort(ends, axis=0).T.tolist(), strict=True):
                assert all(len(set(row[a:b].tolist())) <= 1 for a, b in pairwise(cuts))
            for part in mask.steady_parts(axis):
                assert len(part.moves) == len(ends)
                for step, moves in zip(np.diff(ends[:, part.start : part.stop]), part.moves, strict=True):
                    assert (step == moves).all()


# Long masks


def test_few_runs_for_many_lines() -> None:
    n = 2**29
    causal = BandMask("causal", n, Staircase.clipped(n, 0, 0, 0), Staircase.clipped(n, 1, 0, n))
    window = BandMask("window", n, Staircase.clipped(n, -(2**20) + 1, 0, n), Staircase.clipped(n, 1, 0, n))
    documents = np.arange(2**10) * 2**19
    start, stop = (Staircase(n, documents, documents + more, np.zeros(2**10)) for more in (0, 2**19))

    def runs(mask: Mask, tile: int, partners: int) -> int:
        """How many runs a loop over all lines has, of either axis, for partners in the middle."""
        loop = [np.array([number]) for number in (0, n, tile, n // 2, n // 2 + partners)]
        return max(len(mask.questions.runs(axis, *loop).first) for axis in OTHER_AXIS)

    for tile, partners in ((128, 128), (128, 1), (1, 1)):
        assert runs(causal, tile, partners) == 3
        assert runs(window, tile, partners) <= 5
    # Documents have no line that sees what no neighbour does: three tiles of each, whatever the partners.
    assert runs(BandMask("documents", n, start, stop), 1, 10 * 2**19) == 30


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
