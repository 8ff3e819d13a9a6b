"""Masks: every kind against its definition, and what a mask knows of itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.masks import (
    BandMask,
    BlockToeplitzMask,
    DenseMask,
    Mask,
    UnionMask,
    causal_mask,
    check_rows,
    grouped_mask,
    make_mask,
    mask_kinds,
    random_blocks_mask,
)
from pebble.computations.problem import Problem
from tests.computations.small_masks import made, whole
from tests.support.mask_definitions import definitions

BANDS = {"causal", "window", "prefix", "document", "diagonal", "paged", "sink"}
REPEATING = {"longformer", "video", "streaming", "strided", "fixed"}


def is_band(allowed: NDArray[np.bool_]) -> bool:
    """Whether each query that has keys has an interval of them, and the ends never go back."""
    allowed = allowed[allowed.any(axis=1)]
    start, stop = allowed.argmax(axis=1), allowed.shape[1] - allowed[:, ::-1].argmax(axis=1)
    whole = (stop - start == allowed.sum(axis=1)).all()
    return bool(whole and (np.diff(start) >= 0).all() and (np.diff(stop) >= 0).all())


@st.composite
def masks(draw: st.DrawFn) -> Mask:
    """Any kind, at small sizes."""
    Nq = draw(st.integers(1, 12))
    Nk = draw(st.one_of(st.just(Nq), st.integers(1, 12)))
    a = draw(st.integers(1, 6))
    texts = definitions(Nq, Nk, a, draw(st.integers(1, a)))
    while True:
        text = draw(st.sampled_from(sorted(texts)))
        try:
            mask = made(text, Nq, Nk)
        except InvalidInput:
            text, mask = "prefix:1", made("prefix:1", Nq, Nk)
        if not draw(st.booleans()):
            return mask
        if draw(st.booleans()):
            return grouped_mask(mask, 2)
        return check_rows(DenseMask("array:own", whole(mask)), "zero")


@pytest.mark.many(12)
@pytest.mark.parametrize("Nq", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("more", [-2, 0, 1, 4])
def test_every_kind_is_its_definition(Nq: int, more: int) -> None:
    Nk = max(1, Nq + more)
    for a, b in ((1, 1), (2, 1), (3, 2), (4, 4), (20, 5)):
        for spec, pair in definitions(Nq, Nk, a, b).items():
            expected = np.array([[pair(i, j) for j in range(Nk)] for i in range(Nq)])
            if not expected.any():
                with pytest.raises(InvalidInput, match="no pair at all"):
                    made(spec, Nq, Nk)
                continue
            mask = made(spec, Nq, Nk)
            np.testing.assert_array_equal(whole(mask), expected, err_msg=f"{spec} {Nq} {Nk}")
            assert mask.spec == spec
            kind = spec.partition(":")[0]
            if kind == "dilated":
                continue
            band = kind in BANDS or (kind in REPEATING and is_band(expected))
            assert isinstance(mask, BandMask) == band
            assert isinstance(mask, UnionMask | BlockToeplitzMask) == (kind in REPEATING and not band)


def test_every_listed_kind_has_a_definition_here() -> None:
    tested = {spec.partition(":")[0] for spec in definitions(8, 8, 2, 1)}
    assert tested | {"file", "predicate", "group"} == {kind.name for kind in mask_kinds()}


@pytest.mark.parametrize("name", ["none", "full"])
def test_no_mask(name: str) -> None:
    assert make_mask(name, 3, 4) is None
    assert Problem(3, 4, 1, 1, mask=name) == Problem(3, 4, 1, 1)


def test_random_blocks_have_the_density_and_leave_no_row_empty() -> None:
    for seed in range(20):
        mask = random_blocks_mask(60, 40, 4, "0.1", seed)
        assert mask.pairs == 15 * 16
        assert mask.present("i") == 60
    assert random_blocks_mask(60, 40, 4, 0.1, 1) != random_blocks_mask(60, 40, 4, 0.1, 2)
    assert random_blocks_mask(8, 8, 1, 1).pairs == 64


def test_more_than_there_is_is_all_there_is() -> None:
    huge = 10**17
    for spec in (f"window:{huge}", f"strided:{huge}", f"fixed:{huge}"):
        assert whole(made(spec, 4, 4)).tolist() == whole(causal_mask(4, 4)).tolist()
    for spec in (f"nm:{huge}:{huge}", f"butterfly:{huge}", f"window:left={huge},right={huge}"):
        assert made(spec, 4, 4).pairs == 16
    assert made(f"nm:1:{huge}", 4, 4).pairs == 4
    with pytest.raises(InvalidInput, match="seed"):
        random_blocks_mask(4, 4, 1, 0.5, -1)


@given(masks())
def test_the_text_of_a_mask_names_it(mask: Mask) -> None:
    assert mask.spec.split() == [mask.spec]
    if not mask.spec.startswith(("array:", "group:2:array:")):
        again = made(mask.spec, mask.Nq, mask.Nk)
        assert again == mask
        assert hash(again) == hash(mask)
        assert again.spec == mask.spec


@pytest.mark.parametrize(
    ("given_text", "usual"),
    [
        ("window:left=3,right=0", "window:4"),
        ("window:right=2,left=1", "window:left=1,right=2"),
        ("blocks:density=0.50,size=02", "blocks:size=2,density=0.5,seed=0"),
        ("blocks:size=2,density=1.0,seed=3", "blocks:size=2,density=1,seed=3"),
        ("fixed:4,1", "fixed:4"),
        ("nm:1:2,seed=0", "nm:1:2"),
        ("selected:blocks=2,size=2,queries=1,seed=0", "selected:size=2,blocks=2"),
        ("selected:size=2,seed=1,blocks=2,queries=2", "selected:size=2,blocks=2,queries=2,seed=1"),
        ("paged:2,1x4", "paged:2,1,1,1,1"),
        ("paged:2,shared=3,2,1", "paged:2,2,1,shared=3"),
        ("document:3,causal,5", "document:causal,3,5"),
        ("longformer:global=1,window=2", "longformer:window=2,global=1"),
        ("unpadded:3,5", "document:3,5"),
    ],
)
def test_other_ways_to_write_it_have_one_usual_text(given_text: str, usual: str) -> None:
    assert made(given_text, 8, 8).spec == usual
    assert made(given_text, 8, 8) == made(usual, 8, 8)
