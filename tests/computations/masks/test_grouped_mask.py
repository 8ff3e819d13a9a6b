"""Masks whose queries come in groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.computations.masks import BandMask, causal_mask, grouped_mask, make_mask
from pebble.computations.masks.grouped_mask import GroupedMask
from tests.computations.small_masks import made, whole
from tests.support.amounts import examples
from tests.support.bands import bands

LARGE = 10**9


def test_group_repeats_the_queries_of_one_head() -> None:
    for spec in ("causal", "strided:2", "window:2+sink:1", "nm:1:2"):
        one, four = made(spec, 5, 5), made(f"group:4:{spec}", 20, 5)
        assert whole(four).tolist() == [row for row in whole(one).tolist() for _ in range(4)]
        assert made(four.spec, 20, 5) == four


@examples(25, 100)
@given(bands(), st.integers(1, 4), st.sampled_from("ij"))
def test_steady_parts_of_groups_move_steadily(band: BandMask, group: int, axis: str) -> None:
    mask = grouped_mask(band, group)
    for part in mask.steady_parts(axis):
        lines = np.arange(part.start, part.stop - part.lines)
        for ends, moves in ((mask.first_of, part.moves[0]), (mask.last_of, part.moves[1])):
            here, there = ends(axis, lines), ends(axis, lines + part.lines)
            seen = mask.first_of(axis, lines) <= mask.last_of(axis, lines)
            seen &= mask.first_of(axis, lines + part.lines) <= mask.last_of(axis, lines + part.lines)
            assert ((there - here)[seen] == moves * part.partners).all()


def test_groups_of_groups_are_groups() -> None:
    band = causal_mask(3, 5)
    six = grouped_mask(grouped_mask(band, 2), 3)
    assert isinstance(six, GroupedMask)
    assert (six.inner, six.group, six.spec) == (band, 6, "group:3:group:2:causal")
    np.testing.assert_array_equal(whole(six), np.repeat(whole(band), 6, axis=0))


def test_groups_cost_nothing_more() -> None:
    mask = make_mask("group:8:streaming:4,1020", LARGE, LARGE // 8)
    assert mask is not None
    assert mask.pairs == 8 * (1024 * 1025 // 2 + (LARGE // 8 - 1024) * 1024)
    assert mask.count((LARGE - 13, LARGE - 2), (0, LARGE // 8)) == 11 * 1024


@pytest.mark.slow
def test_pairs_of_groups_are_limited_too() -> None:
    with pytest.raises(InvalidInput, match="--kv-heads equal to --heads"):
        make_mask("group:4:nm:1:2", 4 * 16_384, 16_384)
