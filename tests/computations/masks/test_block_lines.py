"""What the lines of one block see of a mask of blocks, compared with the pairs one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pebble.computations.masks import BlockToeplitzMask, fixed_mask, strided_mask
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.block_lines import BlockLines, parts_of_blocks
from pebble.computations.masks.mask import OTHER_AXIS

Line = tuple[int, int] | None


def pattern(rnd: random.Random, period: int) -> BandMask:
    starts = sorted(rnd.randint(0, period - 1) for _ in range(period))
    stops = sorted(min(start + rnd.randint(0, 4), period) for start in starts)
    return BandMask("pattern", period, np.array(starts), np.maximum(starts, stops))


def masks() -> list[BlockToeplitzMask]:
    rnd = random.Random(3)
    named = [fixed_mask(96, 12, 4), strided_mask(96, 12), fixed_mask(100, 9, 2), strided_mask(100, 9)]
    found = [mask for mask in named if isinstance(mask, BlockToeplitzMask)]
    # Starts that rise line by line and then jump: what turns at the last line before the jump turns nowhere else.
    ramp = BandMask("ramp", 8, np.array([0, 1, 2, 7, 7, 7, 7, 7]), np.full(8, 8))
    found.append(BlockToeplitzMask("ramp and jump", 72, 8, [ramp], ramp))
    for number in range(6):
        period, depth = rnd.randint(5, 11), rnd.randint(1, 2)
        near = [pattern(rnd, period) for _ in range(depth)]
        found.append(BlockToeplitzMask(f"{number}", 9 * period, period, near, pattern(rnd, period)))
    return found


def interval(mask: BlockToeplitzMask, axis: str, line: int, partners: tuple[int, int]) -> Line:
    """First and last partner of a line among some, pair by pair."""
    found = np.flatnonzero(mask.lines_matrix(axis, (line, line + 1), partners)[0])
    return (partners[0] + int(found[0]), partners[0] + int(found[-1])) if len(found) else None


def steps(one: Line, other: Line) -> object:
    return None if one is None or other is None else (other[0] - one[0], other[1] - one[1])


@pytest.mark.parametrize("axis", ["i", "j"])
@pytest.mark.parametrize("mask", masks(), ids=lambda mask: mask.spec)
def test_partners_go_on_in_one_way_between_fixed_places(mask: BlockToeplitzMask, axis: str) -> None:
    other, L = OTHER_AXIS[axis], mask.period
    block = 7 if axis == "i" else 1
    seen = BlockLines(mask, axis, block, [0, mask.extents[axis]], [0, mask.extents[other]])
    fixed, own = seen.fixed_places(other), (block * L, block * L + L)
    assert seen.fixed_places(axis) == []
    far = [told for told in seen.blocks.tolist() if abs(told - block) > mask.depth + 1]
    for told in far:
        lines = [
            interval(mask, other, line, own)
            for line in range(told * L, min(told * L + L, mask.extents[other]))
        ]
        for place in range(1, len(lines) - 1):
            before, after = steps(*lines[place - 1 : place + 1]), steps(*lines[place : place + 2])
            if before != after:
                # A place is where one line ends and the next one begins.
                near = {told * L + place + shift for shift in (-1, 0, 1, 2)}
                assert near & set(fixed), (told, place, lines, fixed)
    assert far


@pytest.mark.parametrize("axis", ["i", "j"])
@pytest.mark.parametrize("mask", masks(), ids=lambda mask: mask.spec)
def test_ends_stay_or_move_by_one_inside_a_part(mask: BlockToeplitzMask, axis: str) -> None:
    L, block = mask.period, 5
    seen = BlockLines(mask, axis, block, [0, mask.extents[axis]], [0, mask.extents[OTHER_AXIS[axis]]])
    covered = 0
    for part in parts_of_blocks(mask, axis):
        covered += part.stop - part.start
        ends = seen.ends_of(axis, np.arange(part.start, part.stop) + block * L)
        moves = np.array(seen.moves(part), dtype=int)
        assert len(moves) == len(ends)
        assert (np.diff(ends, axis=1) == moves[:, None]).all() or _clipped(ends, mask, axis)
    assert covered == L or (mask.spec.isdigit() and covered < L)


def _clipped(ends: np.ndarray, mask: BlockToeplitzMask, axis: str) -> bool:
    """Whether ends that do not move lie where the other axis begins or stops."""
    limits = 0, mask.extents[OTHER_AXIS[axis]]
    steady = (np.diff(ends, n=2, axis=1) == 0).all(axis=1)
    return bool((steady | np.isin(ends, limits).any(axis=1)).all())


def test_blocks_of_places_are_told() -> None:
    mask = fixed_mask(120, 12, 4)
    assert isinstance(mask, BlockToeplitzMask)
    seen = BlockLines(mask, "i", 6, [0, 120], [0, 120])
    assert seen.tells(np.array([0, 5, 119]))
    assert not seen.tells(np.array([40]))
    # A place at a block's beginning is the end of the block before.
    assert BlockLines(mask, "i", 6, [], [36]).blocks.tolist() == [2, 3, 5, 6, 7]
    # So is the block before a line's own, where a place that matters is its first one.
    assert BlockLines(mask, "i", 6, [12], []).blocks.tolist() == [0, 1, 2, 5, 6, 7]
    assert BlockLines(mask, "j", 6, [60], []).blocks.tolist() == [3, 4, 5, 6, 7]


def test_blocks_near_lines_that_stay_are_told_or_not() -> None:
    none = np.zeros(12, dtype=np.int64)
    near = [BandMask("near", 12, none, none + 12), BandMask("none", 12, none, none)]
    seen = {}
    for axis in ("i", "j"):
        mask = BlockToeplitzMask("deep", 120, 12, near, near[0])
        seen[axis] = BlockLines(mask, axis, 7, [0, 120], [])
    assert seen["i"].blocks.tolist() == [0, 1, 5, 6, 7, 8, 9]
    assert seen["j"].blocks.tolist() == [0, 1, 2, 6, 7, 8, 9]
    # Line 84 is in block 7, and the line before it in block 6: one of the blocks near for them is not told.
    for lines in seen.values():
        told = [line for line in range(0, 121, 6) if lines.tells_near([line])]
        assert told == [0, 6, 90, 96, 102, 108, 114, 120]
    assert not seen["i"].tells_near([90, 36])
    assert seen["i"].tells_near([])
