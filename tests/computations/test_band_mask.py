"""Bands: their steady parts, what is no band, and bands of a thousand million tokens."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pebble.common.errors import InvalidInput
from pebble.computations.masks import (
    BandMask,
    causal_mask,
    check_rows,
    document_mask,
    window_mask,
)
from pebble.computations.masks.mask import RegularPart
from pebble.computations.masks.staircase import Staircase
from tests.computations.small_masks import made, whole
from tests.support.amounts import examples
from tests.support.bands import bands

LARGE = 10**9


def plain_steady_parts(band: BandMask, axis: str) -> list[tuple[int, int, tuple[bool, bool]]]:
    """Longest runs of lines between which the two differences of the ends stay the same, each 0 or 1."""
    moves = list(
        zip(*(np.diff(ends.values(0, ends.length)).tolist() for ends in band.ends(axis)), strict=True)
    )
    found, start = [], 0
    while start < len(moves):
        stop = start
        while stop < len(moves) and moves[stop] == moves[start]:
            stop += 1
        if max(moves[start]) <= 1:
            found.append((start, stop + 1, (moves[start][0] == 1, moves[start][1] == 1)))
        start = stop
    return found


@examples(75, 300)
@given(bands(), st.sampled_from("ij"))
def test_steady_parts_are_the_longest_runs(band: BandMask, axis: str) -> None:
    parts = plain_steady_parts(band, axis)
    assert [part[:3] for part in band.steady_parts(axis)] == parts


@given(bands())
def test_bands_are_equal_if_their_ends_are(band: BandMask) -> None:
    start, stop = (ends.values(0, band.Nq) for ends in band.ends("i"))
    again = BandMask("some", band.Nk, start, stop)
    assert again == band
    assert hash(again) == hash(band)
    assert BandMask("some", band.Nk + 1, start, stop) != band
    if start[0] < stop[0]:
        assert BandMask("some", band.Nk, start, np.maximum(start, stop - (stop == stop[0]))) != band


@given(bands())
def test_queries_without_keys_are_named(band: BandMask) -> None:
    empty = np.flatnonzero(~whole(band).any(axis=1)).tolist()
    if not empty or len(empty) == band.Nq:
        return
    shown = ", ".join(map(str, empty[:5])) + ", …" * (len(empty) > 5)
    with pytest.raises(InvalidInput) as error:
        check_rows(band)
    assert f"query {shown} attends" in str(error.value) or f"queries ({shown}) attend" in str(error.value)


@pytest.mark.parametrize(
    ("start", "stop"), [([1, 0], [2, 2]), ([0, 1], [0, 0]), ([0, 0], [1, 4]), ([0], [1, 2])]
)
def test_what_is_no_band_is_refused(start: list[int], stop: list[int]) -> None:
    with pytest.raises(ValueError, match=r"never go|never goes"):
        BandMask("none", 3, np.array(start), np.array(stop))


def test_bands_of_a_thousand_million_tokens_take_no_room() -> None:
    N, W = LARGE, 4096
    tracemalloc.start()
    causal = causal_mask(N, N)
    assert causal.pairs == N * (N + 1) // 2
    assert window_mask(N, N, W - 1).pairs == W * N - W * (W - 1) // 2
    assert made("prefix:1000", N, N).pairs == N * (N + 1) // 2 + 1000 * 999 // 2
    assert document_mask([N // 1000] * 1000).pairs == N * (N // 1000)
    documents = document_mask([N // 1000] * 1000, causal=True)
    assert documents.pairs == 1000 * (N // 1000) * (N // 1000 + 1) // 2
    for mask in (causal, documents):
        assert mask.present("j") == N
        assert mask.count((N // 2, N // 2 + 2), (0, N)) == 2 * mask.count((N // 2, N // 2 + 1), (0, N)) + 1
        assert mask.last("j", (N - 2, N)).tolist() == [N - 1, N - 1]
    assert causal.steady_parts("i") == [RegularPart(0, N, (False, True))]
    assert len(documents.steady_parts("i")) == 1000
    wide = window_mask(N, N // 2, 9)
    assert (wide.present("i"), wide.present("j")) == (N // 2, N // 2)
    with pytest.raises(InvalidInput, match=r"500,000,000 queries \(0, 1, 2, 3, 4, …\)"):
        check_rows(wide)
    assert tracemalloc.get_traced_memory()[1] < 2**21
    tracemalloc.stop()


def test_ends_as_staircases_or_as_arrays() -> None:
    ends = [Staircase.clipped(5, -1, 0, 9), Staircase.clipped(5, 1, 0, 5)]
    assert BandMask("w", 5, *ends) == BandMask("w", 5, *(stairs.values(0, 5) for stairs in ends))
