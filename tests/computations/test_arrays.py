"""Masks from arrays, files and predicates."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pebble import Problem, count
from pebble.common.errors import InvalidInput
from pebble.computations.masks import (
    BandMask,
    BlockMask,
    DenseMask,
    block_mask,
    make_mask,
    mask_from_array,
    mask_from_predicate,
)
from tests.computations.small_masks import made, whole
from tests.support.amounts import examples


def test_file_of_booleans_or_of_zeros_and_ones(tmp_path: Path) -> None:
    allowed = np.tri(3, 4, dtype=bool)
    for n, array in enumerate((allowed, allowed.astype(np.uint8), np.asfortranarray(allowed))):
        path = tmp_path / f"m{n}.npy"
        np.save(path, array)
        mask = made(f"file:{path}", 3, 4)
        assert (mask.spec, whole(mask).tolist()) == (f"file:{path}", allowed.tolist())
        path.unlink()
        assert mask.pairs == 6, "the array is not read again"


def test_file_of_blocks(tmp_path: Path) -> None:
    blocks = np.array([[True, False], [True, True]])
    path = tmp_path / "b.npy"
    np.save(path, blocks)
    mask = made(f"blocks:size=3,file={path}", 5, 4)
    assert mask.spec == f"blocks:size=3,file={path}"
    expected = [[bool(blocks[i // 3, j // 3]) for j in range(4)] for i in range(5)]
    assert whole(mask).tolist() == expected == whole(block_mask(5, 4, 3, blocks)).tolist()
    with pytest.raises(InvalidInput, match=r"take an array of shape \(3, 2\), not \(2, 2\)"):
        made(f"blocks:size=3,file={path}", 7, 4)


@examples(200, 2000)
@given(st.randoms(use_true_random=False))
def test_an_array_of_a_band_or_of_blocks_is_kept_as_such(rnd: Random) -> None:
    """The pairs, and what is counted of them, stay those of the array."""
    Nq, Nk, kind = rnd.randint(1, 24), rnd.randint(1, 24), rnd.choice([BandMask, BlockMask, DenseMask])
    rng = np.random.default_rng(rnd.randrange(10**6))
    sides = (rnd.randint(2, 4), rnd.randint(2, 4)) if kind is BlockMask else (1, 1)
    allowed = rng.random((Nq, Nk)) < rnd.choice([0.1, 0.5])
    allowed = allowed.repeat(sides[0], axis=0).repeat(sides[1], axis=1)[:Nq, :Nk]
    if kind is BandMask:
        start, stop = np.sort(rng.integers(0, Nk + 1, (2, Nq)), axis=1)
        allowed = (np.arange(Nk) >= start[:, None]) & (np.arange(Nk) < np.maximum(start, stop)[:, None])
    assume(allowed.any())
    mask, dense = mask_from_array(allowed, empty_rows="zero"), DenseMask("array:array", allowed)
    assert isinstance(mask, kind if kind is BandMask else BandMask | BlockMask | DenseMask)
    assert whole(mask).tolist() == allowed.tolist()
    assert mask.pairs == dense.pairs
    for axis, lines in (("i", allowed), ("j", allowed.T)):
        present = [np.flatnonzero(line) for line in lines]
        assert dense.first(axis).tolist() == [min(at, default=lines.shape[1]) for at in present]
        assert dense.last(axis).tolist() == [max(at, default=-1) for at in present]
        assert mask.first(axis).tolist() == dense.first(axis).tolist()


def test_arrays_of_bands_and_of_blocks() -> None:
    rows = np.arange(3000)
    band = mask_from_array((rows[:, None] >= rows) & (rows[:, None] < rows + 100))
    assert isinstance(band, BandMask)
    blocks = mask_from_array(
        np.array([[0, 1, 1], [1, 0, 1]], dtype=bool).repeat(30, axis=0).repeat(20, axis=1)
    )
    assert isinstance(blocks, BlockMask)
    assert blocks.sides == {"i": 30, "j": 20}


def test_tiles_are_not_searched_under_large_arrays() -> None:
    mask = mask_from_array(np.random.default_rng(0).random((4096, 4096)) < 0.5)
    found = count(Problem.square(4096, 8, mask=mask), 4096, ["flash-2"])
    assert "the tile search is limited to 4,194,304 query-key pairs" in found["flash-2"].note
    given = count(Problem.square(4096, 8, mask=mask), 2**21, ["flash-2"], {"rows": 1024, "cols": 1024})
    assert given["flash-2"].io == 4 * 2 * 4096 * 8 + 4096 * 8 * 2


def _bad_files(folder: Path) -> list[tuple[str, str]]:
    arrays: dict[str, Any] = {
        "shape": (np.ones((3, 4), dtype=bool), r"shape is \(3, 4\); the problem's is \(4, 4\)"),
        "line": (np.ones(4, dtype=bool), "two dimensions"),
        "none": (np.ones((0, 4), dtype=bool), "two dimensions"),
        "float": (np.ones((4, 4)), "bool .* not float64"),
        "int": (np.ones((4, 4), dtype=np.int64), "not int64"),
        "two": (np.full((4, 4), 2, dtype=np.uint8), "0 or 1; there is a 2"),
        "zero": (np.zeros((4, 4), dtype=bool), "no pair at all"),
    }
    for name, (array, _) in arrays.items():
        np.save(folder / f"{name}.npy", array)
    np.save(folder / "object.npy", np.array([[{}]]), allow_pickle=True)
    (folder / "pickle.npy").write_bytes(pickle.dumps([True]))
    (folder / "text.npy").write_text("1 0\n1 1\n", encoding="utf-8")
    (folder / "empty.npy").write_bytes(b"")
    (folder / "cut.npy").write_bytes((folder / "shape.npy").read_bytes()[:-5])
    (folder / "head.npy").write_bytes((folder / "shape.npy").read_bytes()[:40])
    np.savez(folder / "several.npz", m=np.ones((4, 4), dtype=bool))
    saved = "not a boolean array saved with numpy.save"
    others = [(f"{name}.npy", saved) for name in ("object", "pickle", "text", "empty", "cut", "head")]
    others += [("several.npz", "several arrays"), ("missing.npy", "cannot read"), (".", "cannot read")]
    return [(f"{name}.npy", match) for name, (_, match) in arrays.items()] + others


def test_unusable_files_are_refused(tmp_path: Path) -> None:
    for name, match in _bad_files(tmp_path):
        with pytest.raises(InvalidInput, match=match):
            make_mask(f"file:{tmp_path / name}", 4, 4)


def test_predicates_get_index_arrays_and_may_broadcast() -> None:
    def causal(q_idx: Any, kv_idx: Any) -> Any:
        assert q_idx.dtype == kv_idx.dtype == np.int64
        return q_idx >= kv_idx

    assert whole(mask_from_predicate(causal, 4, 4)).tolist() == np.tri(4, dtype=bool).tolist()
    column = mask_from_predicate(lambda q_idx, kv_idx: kv_idx < 2, 3, 4, name="first")
    assert (column.spec, column.pairs) == ("array:first", 6)
    assert mask_from_predicate(lambda q_idx, kv_idx: True, 3, 4).pairs == 12
    large = mask_from_predicate(lambda q_idx, kv_idx: q_idx == kv_idx, 3000, 3000)
    assert large.pairs == 3000, "evaluated some rows at a time"


def test_predicate_of_a_module_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def even(q_idx, kv_idx):\n    return (q_idx - kv_idx) % 2 == 0\n\nN = 3\n"
    (tmp_path / "mask_module_of_a_test.py").write_text(text, encoding="utf-8")
    (tmp_path / "mask_module_that_stops.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    mask = made("predicate:mask_module_of_a_test:even", 4, 4)
    assert mask.pairs == 8
    function = sys.modules.pop("mask_module_of_a_test").even
    assert mask_from_predicate(function, 4, 4) == mask
    for name, match in {
        "mask_module_of_a_test:odd": "has no 'odd'",
        "mask_module_of_a_test:N": "is not a function",
        "mask_module_of_a_test": "write predicate:module:function",
        "mask_module_that_stops:f": "cannot import .* SystemExit",
        "no_such_module_at_all:f": "cannot import .* ModuleNotFoundError",
    }.items():
        with pytest.raises(InvalidInput, match=match):
            make_mask(f"predicate:{name}", 4, 4)
    sys.modules.pop("mask_module_of_a_test")
    assert sys.path == before


def test_equal_pairs_with_another_name_are_another_mask() -> None:
    one, two = DenseMask("array:a", np.eye(3, dtype=bool)), DenseMask("array:b", np.eye(3, dtype=bool))
    assert one != two
    assert one == DenseMask("array:a", np.eye(3, dtype=bool))
    assert one != DenseMask("array:a", np.ones((3, 3), dtype=bool))
    for name in ("", "a b"):
        with pytest.raises(InvalidInput, match="without white space"):
            mask_from_array(np.eye(3, dtype=bool), name=name)
