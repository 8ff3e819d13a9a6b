"""Packed sequences of one length, kept as blocks that repeat, are those kept as a band."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import (
    BandMask,
    BlockToeplitzMask,
    builders,
    document_mask,
    equal_documents_mask,
    make_mask,
)
from tests.computations.small_masks import whole

SIZES = [(1, 5), (1, 1), (2, 1), (2, 4), (3, 3), (5, 6)]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("length", "times"), SIZES)
def test_equal_documents(length: int, times: int, causal: bool) -> None:
    blocks, band = (
        equal_documents_mask(length, times, causal=causal),
        document_mask([length] * times, causal=causal),
    )
    np.testing.assert_array_equal(whole(blocks), whole(band))
    assert blocks.pairs == band.pairs


@pytest.mark.parametrize("causal", ["", "causal,"])
def test_more_documents_than_are_kept_as_a_band(causal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    N = 10**9
    mask = make_mask(f"document:{causal}100x5000000,100x5000000", N, N)
    assert isinstance(mask, BlockToeplitzMask)
    assert mask.pairs == 10**7 * (100 * 101 // 2 if causal else 100**2)
    assert make_mask(mask.spec, N, N) == mask
    monkeypatch.setattr(builders, "_MOST_DOCUMENTS", 9)
    assert isinstance(make_mask(f"document:{causal}3x9", 27, 27), BandMask)
    assert isinstance(make_mask(f"document:{causal}3x10", 30, 30), BlockToeplitzMask)
    with pytest.raises(InvalidInput, match="10 sequences"):
        make_mask(f"document:{causal}3x9,2", 29, 29)
