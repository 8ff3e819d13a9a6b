"""Masks made of masks: unions and intersections as texts, against numpy's | and & of the parts."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path
from random import Random

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import BandMask, Mask, UnionMask, make_mask
from tests.computations.small_masks import made, whole
from tests.support.mask_definitions import definitions
from tests.support.table_questions import TableQuestions

BANDED = ("causal", "window", "prefix", "document", "diagonal", "longformer", "sink", "streaming", "video")


def kind(spec: str) -> str:
    return spec.partition(":")[0]


KINDS = sorted({kind(spec) for spec in definitions(8, 8, 2, 1)})


def part(rnd: Random, name: str) -> tuple[str, int, int]:
    """A mask of a kind, with random sizes and numbers."""
    while True:
        Nq, a = rnd.randint(1, 40), rnd.randint(1, 12)
        Nk = rnd.choice([Nq, rnd.randint(1, 40)])
        if texts := [spec for spec in definitions(Nq, Nk, a, rnd.randint(1, a)) if kind(spec) == name]:
            return rnd.choice(texts), Nq, Nk


def other(rnd: Random, name: str, Nq: int, Nk: int) -> str | None:
    a = rnd.randint(1, 12)
    texts = [spec for spec in definitions(Nq, Nk, a, rnd.randint(1, a)) if kind(spec) == name]
    return rnd.choice(texts) if texts else None


def check(mask: Mask, allowed: np.ndarray) -> None:
    """A mask has the pairs of an array, and answers what one of booleans does."""
    np.testing.assert_array_equal(whole(mask), allowed, mask.spec)
    rng = np.random.default_rng(mask.pairs)
    table = TableQuestions(mask)
    for axis, partners in (("i", mask.Nk), ("j", mask.Nq)):
        x0, x1 = np.sort(rng.integers(0, mask.extents[axis] + 1, (2, 20)), axis=0)
        p, q = np.sort(rng.integers(0, partners + 1, (2, 20)), axis=0)
        for name, box in (
            ("pairs", (x0, x1, p, q)),
            ("has", (x0, x1, p, q)),
            ("lines_seen", (x0, x1, p, q)),
            ("present", (x0, x1)),
            ("begun", (x0, x1, p)),
            ("behind_latest", (x0, x1, p, q)),
        ):
            found, right = (getattr(asked, name)(axis, *box) for asked in (mask.questions, table))
            np.testing.assert_array_equal(found, right, f"{name} {axis} {mask}")


@pytest.mark.many(14)
@pytest.mark.parametrize(("one", "two"), list(combinations_with_replacement(KINDS, 2)))
def test_two_masks_of_any_kinds(one: str, two: str) -> None:
    rnd = Random(f"{one} {two}")
    for _ in range(4):
        first, Nq, Nk = part(rnd, one)
        second = other(rnd, two, Nq, Nk)
        if second is None:
            continue
        for operator, joined in (("+", np.logical_or), ("&", np.logical_and)):
            try:
                parts = [whole(made(spec, Nq, Nk)) for spec in (first, second)]
            except InvalidInput:
                continue
            allowed = joined(*parts)
            if not allowed.any():
                with pytest.raises(InvalidInput, match="no pair at all"):
                    made(f"{first}{operator}{second}", Nq, Nk)
                continue
            mask = made(f"{first}{operator}{second}", Nq, Nk)
            check(mask, allowed)
            if one in BANDED and two in BANDED:
                assert isinstance(mask, BandMask | UnionMask)
            assert made(mask.spec, Nq, Nk) == mask
            group = rnd.randint(2, 3)
            check(made(f"group:{group}:{mask.spec}", group * Nq, Nk), np.repeat(allowed, group, axis=0))


def test_an_intersection_binds_closer_than_a_union() -> None:
    Nq, Nk = 17, 23
    parts = [whole(made(spec, Nq, Nk)) for spec in ("sink:3", "causal", "window:5", "window:left=2,right=4")]
    a, b, c, d = parts
    check(made("sink:3&causal+window:5&window:left=2,right=4", Nq, Nk), a & b | c & d)
    check(made("window:5+sink:3&causal", Nq, Nk), c | a & b)


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("causal&window:4", "window:4"),
        ("window:4+causal", "causal"),
        ("causal+causal", "causal"),
        ("sink:2&prefix:3", "sink:2"),
        ("window:left=3,right=0+sink:01", "window:4+sink:1"),
        ("streaming:2,4+causal", "causal"),
        ("fixed:2&causal", "fixed:2"),
    ],
)
def test_a_part_that_is_all_of_it_gives_its_name(text: str, usual: str) -> None:
    assert made(text, 9, 9).spec == usual
    assert made(text, 9, 9) == made(usual, 9, 9)


def test_streaming_and_dilated_windows() -> None:
    """What they are made of; a cache of 2 + 3 keys, and three keys that are four apart."""
    streaming = made("streaming:2,3", 9, 12)
    np.testing.assert_array_equal(whole(streaming), whole(made("sink:2&causal+window:3", 9, 12)))
    assert whole(streaming)[-1].nonzero()[0].tolist() == [0, 1, 9, 10, 11]
    assert whole(made("dilated:3,4", 20, 20))[17].nonzero()[0].tolist() == [9, 13, 17]
    np.testing.assert_array_equal(
        whole(made("dilated:65,2", 150, 150)), whole(made("dilated:65,2", 150, 150))
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("causal+", r"missing before or after \+"),
        ("&causal", r"missing before or after &"),
        ("causal+&sink:1", r"missing before or after"),
        ("causal++sink:1", r"missing before or after \+"),
        ("causal + sink:1", "without white space"),
        ("causal+snik:1", "did you mean 'sink'"),
        ("none+sink:1", "none allows all keys to all queries"),
        ("sink:1&full", "full allows all keys to all queries"),
        ("causal+group:2:causal", "group:G: stands before the whole mask"),
        ("causal+sink:9", "9 cannot be sinks"),
        ("sink:1&window:left=0,right=0&strided:3+", "missing"),
        ("window:1&array:own", "exists only in Python"),
    ],
)
def test_what_is_no_mask_of_masks_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make_mask(text, 8, 8)


def test_what_is_no_band_is_written_out_up_to_a_limit() -> None:
    # The first two queries gain keys behind their own, those of the other blocks all three.
    more = 3 + 3 * (1024 - 64)
    assert made("fixed:64+sink:3", 1024, 1024).pairs == made("fixed:64", 1024, 1024).pairs + more


def test_paths_of_files_may_hold_the_signs(tmp_path: Path) -> None:
    np.save(tmp_path / "a+b&c.npy", np.tri(6, dtype=bool))
    path = f"file:{tmp_path}/a+b&c.npy"
    assert made(path, 6, 6).pairs == 21
    assert made(f"{path}&window:2", 6, 6).spec == "window:2"
    both = made(f"sink:3+{path}", 6, 6)
    assert (both.spec, both.pairs) == (f"sink:3+{path}", 24)
    blocks = f"blocks:size=6,file={tmp_path}/b+.npy"
    np.save(tmp_path / "b+.npy", np.ones((1, 1), dtype=bool))
    assert made(f"{blocks}&causal", 6, 6).spec == "causal"
