"""Boxes of masks of blocks that stand for others: pair by pair, and what is around them."""

import random

import numpy as np
import pytest

from pebble.computations.masks import BlockToeplitzMask, fixed_mask, strided_mask
from pebble.computations.masks.band_mask import BandMask
from pebble.computations.masks.block_boxes import first_alike, within_pairs
from pebble.computations.masks.mask import OTHER_AXIS


def random_band(rnd: random.Random, size: int) -> BandMask:
    """Return a band in which some lines may have no pair."""
    ends = [sorted(rnd.randint(0, size) for _ in range(size)) for _ in range(2)]
    starts, stops = (np.array(one) for one in ends)
    return BandMask("random", size, np.minimum(starts, stops), stops)


def random_blocks(rnd: random.Random) -> BlockToeplitzMask:
    """Return a mask of blocks with random patterns, the last block cut or not."""
    period, depth = rnd.randint(1, 4), rnd.randint(1, 3)
    near = [random_band(rnd, period) for _ in range(depth)]
    N = rnd.randint(period, 9 * period)
    return BlockToeplitzMask("random", N, period, near, random_band(rnd, period))


def some(rnd: random.Random, mask: BlockToeplitzMask, axis: str) -> tuple[int, int]:
    """Return an interval of lines that is not empty."""
    start, stop = sorted(rnd.sample(range(mask.extents[axis] + 1), 2))
    return start, stop


def seen(
    mask: BlockToeplitzMask, axis: str, lines: tuple[int, int], partners: tuple[int, int]
) -> list[bytes]:
    """Return all that a program can ask about a box: its pairs, and of both axes which lines have pairs around."""
    pairs = mask.lines_matrix(axis, (0, mask.Nq), (0, mask.Nk))
    found = [pairs[slice(*lines), slice(*partners)].tobytes()]
    for matrix, own, other in ((pairs, lines, partners), (pairs.T, partners, lines)):
        for place in range(other[0], other[1] + 1):
            found.append(matrix[slice(*own), :place].any(axis=1).tobytes())
            found.append(matrix[slice(*own), place:].any(axis=1).tobytes())
        found.append(matrix[slice(*own)].any(axis=1).tobytes())
    return found


@pytest.mark.parametrize("seed", range(16))
def test_first_box_sees_what_a_box_sees(seed: int) -> None:
    """Pairs inside, and before and behind each place, are those of the first box; it lies on the same grid."""
    rnd = random.Random(seed)
    mask = random_blocks(rnd)
    for _ in range(60):
        axis = rnd.choice("ij")
        lines, partners = some(rnd, mask, axis), some(rnd, mask, OTHER_AXIS[axis])
        first = first_alike(mask, axis, lines, partners)
        for (start, stop), (start_first, stop_first) in zip((lines, partners), first, strict=True):
            assert stop - start == stop_first - start_first
            assert 0 <= start_first <= start
            assert (start - start_first) % mask.period == 0
        assert seen(mask, axis, *first) == seen(mask, axis, lines, partners)


@pytest.mark.parametrize("seed", range(8))
def test_tiles_left_out_have_no_pairs(seed: int) -> None:
    """Only tiles without pairs are left out, at one end."""
    rnd = random.Random(seed)
    mask = random_blocks(rnd)
    for _ in range(30):
        axis, tile = rnd.choice("ij"), rnd.randint(1, 5)
        lines, partners = some(rnd, mask, axis), some(rnd, mask, OTHER_AXIS[axis])
        start, stop = within_pairs(mask, axis, lines, tile, partners)
        assert lines[0] <= start <= stop <= lines[1]
        assert (start - lines[0]) % tile == 0 or start == lines[1]
        assert (stop - lines[0]) % tile == 0 or stop == lines[1]
        for empty in ((lines[0], start), (stop, lines[1])):
            assert not mask.has_pairs(axis, empty, partners)


@pytest.mark.parametrize("mask", [strided_mask(10**9, 1024), fixed_mask(10**9, 1024, 8)], ids=str)
def test_few_boxes_stand_for_all(mask: BlockToeplitzMask) -> None:
    """Rounds of far tiles are one box, and so are tiles near the diagonal, whichever the block."""
    blocks = [(1024 * at, 1024 * (at + 1)) for at in (40, 41, 500_000, 976_000)]
    for axis in "ij":
        for shift in (5, 900):
            far = {
                first_alike(mask, axis, one, (other + shift, other + shift + 7)) for one, other in FAR[axis]
            }
            assert len(far) == 1
            near = {first_alike(mask, axis, one, (one[0] + shift, one[0] + shift + 7)) for one in blocks}
            assert len(near) == 1


FAR = {
    "i": [((at, at + 1024), at - 1024 * away) for at in (102400, 204800) for away in (20, 50)],
    "j": [((at, at + 1024), at + 1024 * away) for at in (102400, 204800) for away in (20, 50)],
}
