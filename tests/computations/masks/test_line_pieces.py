"""Ends of lines, kept in pieces of which some come again every period, against the same ends line by line."""

from __future__ import annotations

import numpy as np

from pebble.computations.masks import BandMask, BlockToeplitzMask
from pebble.computations.masks.line_pieces import FIRST, LAST, LinePieces
from tests.support.repeating_masks import blocks_table, random_band


def long_blocks(rng: np.random.Generator) -> BlockToeplitzMask:
    """Many blocks, so that pieces come again often."""
    L = int(rng.integers(1, 9))
    patterns = [random_band(rng, L, L) for _ in range(rng.integers(2, 4))]
    if rng.random() < 0.3:  # a diagonal that comes again in every block
        patterns[-1] = BandMask("diagonal", L, np.arange(L), np.full(L, L))
    return BlockToeplitzMask("blocks", int(rng.integers(4, 12)) * L, L, patterns[:-1], patterns[-1])


def check(pieces: LinePieces, which: int, ends: list[int], rng: np.random.Generator) -> None:
    """Compare what pieces say with the ends, of which lines without pairs have -1."""
    start, stop = sorted(rng.integers(0, len(ends) + 1, 2).tolist())
    most = len(ends) if rng.random() < 0.5 else pieces.period
    low, high = sorted(rng.integers(0, most + 1, 2).tolist())
    inside = [(line, end) for line, end in enumerate(ends) if low <= end < high]
    assert set(pieces.values(which, (start, stop), (low, high)).tolist()) == {
        end for line, end in inside if start <= line < stop
    }
    assert pieces.latest(which, stop, (low, high)) == max(
        (line for line, _ in inside if line < stop), default=-1
    )
    below = sum(0 <= end < high for end in ends[:stop])
    assert pieces.below(which, stop, high) == below
    assert pieces.below_among(which, (start, stop), high) == sum(0 <= end < high for end in ends[start:stop])
    assert pieces.before(stop) == sum(end >= 0 for end in ends[:stop])
    lines = [
        line for a, b, times in pieces.lines_below(which, high) for line in range(a, b) for _ in range(times)
    ]
    assert len(lines) == sum(0 <= end < high for end in ends)


def test_what_is_asked_of_pieces() -> None:
    for seed in range(250):
        rng = np.random.default_rng(seed)
        mask = long_blocks(rng)
        table = blocks_table(mask)
        for axis, lines in (("i", table), ("j", table.T)):
            pieces = mask.line_pieces[axis]
            present = lines.any(axis=1)
            first = np.where(present, lines.argmax(axis=1), -1)
            last = np.where(present, lines.shape[1] - 1 - lines[:, ::-1].argmax(axis=1), -1)
            for _ in range(4):
                check(pieces, FIRST, first.tolist(), rng)
                check(pieces, LAST, last.tolist(), rng)
