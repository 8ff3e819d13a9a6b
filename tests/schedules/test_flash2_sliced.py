"""``flash-2-sliced``: as few slices as fit."""

from __future__ import annotations

import pebble


def io(M: int) -> int:
    problem = pebble.Problem(40, 40, 5, 3, softmax="online")
    row = pebble.count(problem, M, ["flash-2-sliced"])["flash-2-sliced"]
    assert row.io is not None
    return row.io


def test_one_slice_moves_every_word_once_where_it_fits() -> None:
    assert io(411) == 2 * 40 * (5 + 3)
    assert io(410) == 2 * 40 * (5 + 3) + 32 * 5  # K is swept twice, 8 of its rows stay
