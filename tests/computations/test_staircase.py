"""Staircases against plain arrays of all their values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.computations.masks.staircase import Staircase, common_pieces
from tests.support.amounts import examples

values_of_staircases = st.lists(st.sampled_from([0, 0, 0, 1, 1, 1, 2, 5]), min_size=1, max_size=20).flatmap(
    lambda steps: st.integers(0, 9).map(lambda first: (np.cumsum(steps) + first).tolist())
)


def plain_pieces(values: list[int]) -> list[tuple[int, int, int]]:
    """Beginning, height and slope of pieces that are as long as they can be, from the left."""
    found, start = [], 0
    while start < len(values):
        stop, slope = start + 1, 0
        if stop < len(values) and values[stop] - values[start] <= 1:
            slope = values[stop] - values[start]
            while stop < len(values) and values[stop] - values[stop - 1] == slope:
                stop += 1
        found.append((start, values[start], slope))
        start = stop
    return found


def pieces(stairs: Staircase) -> list[tuple[int, int, int]]:
    return list(zip(stairs.starts.tolist(), stairs.heights.tolist(), stairs.slopes.tolist(), strict=True))


@examples(75, 300)
@given(values_of_staircases, st.data())
def test_a_staircase_is_its_values(values: list[int], data: st.DataObject) -> None:
    stairs, length = Staircase.from_values(values), len(values)
    assert pieces(stairs) == plain_pieces(values)
    assert stairs.at(np.arange(length)).tolist() == values
    start, stop = sorted(data.draw(st.tuples(st.integers(0, length), st.integers(0, length))))
    assert stairs.values(start, stop).tolist() == values[start:stop]
    asked = np.arange(-2, values[-1] + 3)
    assert stairs.below(asked).tolist() == np.searchsorted(values, asked).tolist()
    assert stairs.upto(asked).tolist() == np.searchsorted(values, asked, side="right").tolist()
    assert stairs.sum_before(np.arange(length + 1)).tolist() == [sum(values[:n]) for n in range(length + 1)]
    where, differences = stairs.differences()
    repeats = np.diff(where, append=length - 1)
    assert np.repeat(differences, repeats).tolist() == np.diff(values).tolist()


@examples(75, 300)
@given(values_of_staircases, st.data())
def test_the_pieces_do_not_depend_on_the_pieces_given(values: list[int], data: st.DataObject) -> None:
    """Nor do pieces of no length matter."""
    longest = pieces(Staircase.from_values(values))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values) - 1))))
    given_pieces = []
    for start, height, slope in longest:
        given_pieces.append((start, height, slope))
    for cut in cuts:
        start, _, slope = max(piece for piece in longest if piece[0] <= cut)
        given_pieces.append((cut, values[cut], slope))
    given_pieces.sort(key=lambda piece: piece[0])
    again = Staircase(len(values), *zip(*given_pieces, strict=True))
    assert pieces(again) == longest
    assert again == Staircase.from_values(values)
    assert hash(again) == hash(Staircase.from_values(values))
    assert again != Staircase.from_values([*values[:-1], values[-1] + 1])


@given(values_of_staircases, st.integers(1, 30))
def test_the_inverse_counts_the_places(values: list[int], length: int) -> None:
    inverse = Staircase.from_values(values).places_upto(length)
    expected = np.searchsorted(values, np.arange(length), side="right").tolist()
    assert inverse.values(0, length).tolist() == expected
    assert inverse == Staircase.from_values(expected)


@given(st.integers(1, 12), st.integers(-15, 15), st.integers(0, 6), st.integers(0, 6))
def test_a_clipped_line(length: int, offset: int, low: int, more: int) -> None:
    expected = np.clip(np.arange(length) + offset, low, low + more)
    assert Staircase.clipped(length, offset, low, low + more) == Staircase.from_values(expected)


@given(st.integers(1, 20), st.data())
def test_on_common_pieces_both_keep_their_slope(length: int, data: st.DataObject) -> None:
    steps = st.lists(st.integers(0, 3), min_size=length, max_size=length)
    both = [np.cumsum(data.draw(steps)) for _ in range(2)]
    found = common_pieces(*map(Staircase.from_values, both))
    for values, heights, slopes in zip(both, found.heights, found.slopes, strict=True):
        again = [
            height + slope * x
            for height, slope, n in zip(heights, slopes, found.lengths, strict=True)
            for x in range(n)
        ]
        assert again == values.tolist()


@pytest.mark.parametrize(
    ("length", "starts", "heights", "slopes"),
    [
        (0, [0], [0], [0]),
        (3, [], [], []),
        (3, [1], [0], [0]),
        (3, [0, 2, 1], [0, 0, 0], [0, 0, 0]),
        (3, [0, 1], [1, 0], [0, 0]),
        (3, [0, 2], [0, 0], [1, 0]),
        (3, [0], [0], [2]),
        (3, [0, 1], [0], [0]),
    ],
)
def test_what_is_no_staircase_is_refused(
    length: int, starts: list[int], heights: list[int], slopes: list[int]
) -> None:
    with pytest.raises(ValueError, match="a staircase"):
        Staircase(length, starts, heights, slopes)


def test_sums_that_might_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="64 bits"):
        Staircase(10**10, [0], [0], [1])


def test_a_thousand_million_places() -> None:
    length = 10**9
    line = Staircase.clipped(length, 1, 0, length)
    assert len(line.starts) == 1
    places = np.array([length, length // 2])
    assert line.sum_before(places)[0] == length * (length + 1) // 2
    assert line.below(places)[1] == length // 2 - 1
    assert line.places_upto(length) == Staircase.clipped(length, 0, 0, length)
    assert repr(Staircase.from_values([0, 2, 4, 6, 8])).endswith("6 at 3, …>")
