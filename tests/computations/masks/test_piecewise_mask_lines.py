"""Ends of lines, kept in pieces of which some come again every period, against the same ends line by line."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.masks import BlockToeplitzMask
from pebble.computations.masks.piecewise_mask import LinePieces
from tests.computations.small_masks import whole
from tests.program.random_masks import CLASSES, masks_of


def check(pieces: LinePieces, first: list[int], rng: np.random.Generator) -> None:
    """Compare what pieces say with the first partners, of which lines without pairs have -1."""
    before, low, high = rng.integers(0, len(first) + 1, (3, 9))
    latest, begun, present = (
        pieces.latest(before, low, high),
        pieces.begun(before, high),
        pieces.before(before),
    )
    for number, (stop, least, most) in enumerate(zip(before, low, high, strict=True)):
        assert begun[number] == sum(0 <= partner < most for partner in first[:stop])
        assert present[number] == sum(partner >= 0 for partner in first[:stop])
        inside = (line for line, partner in enumerate(first[:stop]) if least <= partner < most)
        assert latest[number] == max(inside, default=-1)


@pytest.mark.slow
def test_what_is_asked_of_pieces() -> None:
    for mask, rng in masks_of(CLASSES["toeplitz"], 250, 80):
        assert isinstance(mask, BlockToeplitzMask)
        table = whole(mask)
        for axis, lines in (("i", table), ("j", table.T)):
            first = np.where(lines.any(axis=1), lines.argmax(axis=1), -1).tolist()
            for _ in range(4):
                check(mask.line_pieces[axis], first, rng)
