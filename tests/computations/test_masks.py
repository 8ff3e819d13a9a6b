"""Masks: every kind against its definition, what a mask knows of itself, and what is refused."""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.masks import (
    BandMask,
    DenseMask,
    Mask,
    block_mask,
    causal_mask,
    grouped_mask,
    make_mask,
    mask_from_array,
    mask_from_predicate,
    mask_kinds,
    random_blocks_mask,
)
from pebble.computations.masks.full_mask import FullMask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_from_header
from tests.masks_reference import definitions

BANDS = {"causal", "window", "prefix", "document"}


def made(spec: str, Nq: int, Nk: int) -> Mask:
    mask = make_mask(spec, Nq, Nk, empty_rows="zero")
    assert mask is not None
    return mask


def whole(mask: Mask) -> NDArray[np.bool_]:
    return mask.matrix((0, mask.Nq), (0, mask.Nk))


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
        return mask_from_array(whole(mask), empty_rows="zero")


full_masks = st.builds(FullMask, st.integers(1, 12), st.integers(1, 12))


# -- definitions


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
            assert isinstance(mask, BandMask) == (spec.partition(":")[0] in BANDS)


def test_every_listed_kind_has_a_definition_here() -> None:
    tested = {spec.partition(":")[0] for spec in definitions(8, 8, 2, 1)}
    assert tested | {"file", "predicate", "group"} == {kind.name for kind in mask_kinds()}


@pytest.mark.parametrize("name", ["none", "full"])
def test_no_mask(name: str) -> None:
    assert make_mask(name, 3, 4) is None
    assert Problem(3, 4, 1, 1, mask=name) == Problem(3, 4, 1, 1)  # type: ignore[arg-type]


def test_random_blocks_have_the_density_and_leave_no_row_empty() -> None:
    for seed in range(20):
        mask = random_blocks_mask(60, 40, 4, "0.1", seed)
        assert mask.pairs == 15 * 16
        assert mask.present("i") == 60
    assert random_blocks_mask(60, 40, 4, 0.1, 1) != random_blocks_mask(60, 40, 4, 0.1, 2)
    assert random_blocks_mask(8, 8, 1, 1).pairs == 64


def test_group_repeats_the_queries_of_one_head() -> None:
    for spec in ("causal", "strided:2"):
        one, four = made(spec, 5, 5), made(f"group:4:{spec}", 20, 5)
        assert type(one) is type(four)
        assert whole(four).tolist() == [row for row in whole(one).tolist() for _ in range(4)]
        assert made(four.spec, 20, 5) == four


def test_more_than_there_is_is_all_there_is() -> None:
    huge = 10**17
    for spec in (f"window:{huge}", f"strided:{huge}", f"fixed:{huge}"):
        assert whole(made(spec, 4, 4)).tolist() == whole(causal_mask(4, 4)).tolist()
    for spec in (f"nm:{huge}:{huge}", f"butterfly:{huge}", f"window:left={huge},right={huge}"):
        assert made(spec, 4, 4).pairs == 16
    assert made(f"nm:1:{huge}", 4, 4).pairs == 4
    with pytest.raises(InvalidInput, match="seed"):
        random_blocks_mask(4, 4, 1, 0.5, -1)


# -- what a mask knows


@settings(max_examples=150)
@given(st.one_of(masks(), full_masks), st.data())
def test_counts_and_ends_are_those_of_the_matrix(mask: Mask, data: st.DataObject) -> None:
    matrix = whole(mask)
    assert mask.pairs == matrix.sum()
    boxes = []
    for extent in (mask.Nq, mask.Nk):
        one, two = sorted(data.draw(st.tuples(st.integers(0, extent), st.integers(0, extent))))
        boxes.append((one, two))
    queries, keys = boxes
    box = matrix[slice(*queries), slice(*keys)]
    assert mask.count(queries, keys) == box.sum()
    assert mask.has_pairs("i", queries, keys) == mask.has_pairs("j", keys, queries) == box.any()
    np.testing.assert_array_equal(mask.matrix(queries, keys), box)
    for axis, lines in (("i", matrix), ("j", matrix.T)):
        partners = [np.flatnonzero(line).tolist() for line in lines]
        assert mask.first(axis).tolist() == [line[0] if line else lines.shape[1] for line in partners]
        assert mask.last(axis).tolist() == [line[-1] if line else -1 for line in partners]
        assert mask.present(axis) == sum(map(bool, partners))


@settings(max_examples=150)
@given(st.one_of(masks(), full_masks), st.sampled_from("ij"), st.data())
def test_between_breaks_all_lines_look_alike(mask: Mask, axis: str, data: st.DataObject) -> None:
    matrix = whole(mask) if axis == "i" else whole(mask).T
    intervals = []
    for extent in matrix.shape:
        one = data.draw(st.integers(0, extent - 1))
        intervals.append((one, data.draw(st.integers(one + 1, extent))))
    lines, partners = intervals

    def seen(line: int) -> Any:
        row, columns = matrix[line], matrix[:, slice(*partners)]
        return (
            row[slice(*partners)].tolist(),
            row[: partners[0]].any(),
            row[partners[1] :].any(),
            columns[:line].any(axis=0).tolist(),
            columns[line + 1 :].any(axis=0).tolist(),
        )

    cuts = mask.breaks(axis, lines, partners).tolist()
    patterns = set(mask.pattern_changes(axis, lines, partners).tolist())
    for line in range(lines[0] + 1, lines[1]):
        if line not in cuts:
            assert seen(line) == seen(line - 1)
        if line not in patterns:
            assert seen(line)[0] == seen(line - 1)[0]


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
        ("document:3,causal,5", "document:causal,3,5"),
        ("longformer:global=1,window=2", "longformer:window=2,global=1"),
    ],
)
def test_other_ways_to_write_it_have_one_usual_text(given_text: str, usual: str) -> None:
    assert made(given_text, 8, 8).spec == usual
    assert made(given_text, 8, 8) == made(usual, 8, 8)


def test_bands_of_a_million_tokens_are_quick() -> None:
    N = 10**6
    start = time.perf_counter()
    assert made("causal", N, N).pairs == N * (N + 1) // 2
    assert made("window:4096", N, N).pairs == 4096 * N - 4096 * 4095 // 2
    assert made("prefix:1000", N, N).pairs == N * (N + 1) // 2 + 1000 * 999 // 2
    assert made("document:" + ",".join(["1000"] * 1000), N, N).pairs == 1000 * N
    assert time.perf_counter() - start < 10


# -- arrays, files, predicates


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
    saved = "no array of booleans saved with numpy.save"
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


@pytest.mark.parametrize(
    ("predicate", "match"),
    [
        (lambda q, k: 1 // 0, "raised ZeroDivisionError"),
        (lambda q, k: q >= 0 and k >= 0, "use & and |"),
        (lambda q: q >= 0, "raised TypeError"),
        (lambda q, k: q - k, "must return booleans, not int64"),
        (lambda q, k: None, "must return booleans, not object"),
        (lambda q, k: np.ones(7, dtype=bool), r"shape \(7,\)"),
        (lambda q, k: q < 0, "no pair at all"),
        (lambda q, k: q + k > 1, r"query 0 attends to no key.*--empty-rows zero"),
        ("causal", "a predicate is a function"),
    ],
)
def test_bad_predicates_are_refused(predicate: Any, match: str) -> None:
    with pytest.raises(InvalidInput, match=match):
        mask_from_predicate(predicate, 3, 2)


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
        "mask_module_of_a_test:N": "is no function",
        "mask_module_of_a_test": "it is written predicate:module:function",
        "mask_module_that_stops:f": "cannot import .* SystemExit",
        "no_such_module_at_all:f": "cannot import .* ModuleNotFoundError",
    }.items():
        with pytest.raises(InvalidInput, match=match):
            make_mask(f"predicate:{name}", 4, 4)
    sys.modules.pop("mask_module_of_a_test")
    assert sys.path == before


# -- refusals


@pytest.mark.parametrize(
    ("spec", "match"),
    [
        ("causl", "did you mean 'causal'"),
        ("qqq", "unknown mask 'qqq'; known: none, causal, window"),
        ("", "without white space"),
        ("a b", "without white space"),
        ("causal:3", "'3' is too much; it is written causal"),
        ("none:3", "unknown mask"),
        ("window", "W is missing"),
        ("window:0", "at least 1"),
        ("window:-1", "whole number"),
        ("window:²", "whole number"),
        ("window:4,left=2", "right= is missing"),
        ("window:4,left=2,right=1", "'4' is too much"),
        ("window:left=1,left=2", "left is given twice"),
        ("fixed:4,C=1", "'C=1' is too much"),
        ("longformer:2,1", "window= is missing"),
        ("prefix:9", "1 to Nk = 8"),
        ("document:3,4", "add up to 7, and there are 8"),
        ("document:causal", "a length is missing"),
        ("longformer:window=3,global=1", "even"),
        ("longformer:window=2,global=9", "8 tokens, 9 cannot"),
        ("longformer:window=2", "global= is missing"),
        ("strided:0", "at least 1"),
        ("fixed:3,4", "its last 4"),
        ("butterfly:0", "at least 1"),
        ("blocks:size=2", "density= is missing"),
        ("blocks:size=2,density=0", "above 0"),
        ("blocks:size=2,density=1.5", "above 0"),
        ("blocks:size=2,density=nan", "above 0"),
        ("blocks:size=2,density=", "above 0"),
        ("blocks:size=2,density=0.5,sed=1", "'sed=1' is too much"),
        ("nm:2", "M is missing"),
        ("nm:3:2", "3 of every 2"),
        ("nm:1:2:3", "whole number"),
        ("group:2", "mask of one query head is missing"),
        ("group:2:none", "mask of one query head is missing"),
        ("group:3:causal", "no multiple of 3"),
        ("array:mine", "known there only"),
    ],
)
def test_wrong_texts_are_refused(spec: str, match: str) -> None:
    with pytest.raises(InvalidInput, match=match):
        make_mask(spec, 8, 8)


@pytest.mark.parametrize(
    "spec", ["document:8", "longformer:window=2,global=1", "strided:2", "fixed:2", "butterfly:2"]
)
def test_some_kinds_need_as_many_keys_as_queries(spec: str) -> None:
    with pytest.raises(InvalidInput, match=r"as many keys as queries; there are 8 queries and 9 keys"):
        make_mask(spec, 8, 9)


@pytest.mark.parametrize("spec", ["strided:2", "nm:1:2", "blocks:size=1,density=0.5", "butterfly:1"])
def test_too_many_pairs_are_refused_at_once(spec: str) -> None:
    with pytest.raises(InvalidInput, match="at most 268,435,456"):
        make_mask(spec, 10**9, 10**9)
    with pytest.raises(InvalidInput, match="at most 16,777,216 queries"):
        make_mask("causal", 10**18, 10**18)


def test_rows_without_keys_need_a_choice() -> None:
    with pytest.raises(InvalidInput, match=r"7 queries \(0, 1, 2, 3, 4, …\) attend to no key"):
        make_mask("causal", 9, 2)
    with pytest.raises(InvalidInput, match="query 0 attends to no key"):
        Problem(3, 2, 1, 1, mask=causal_mask(3, 2))
    mask = made("causal", 3, 2)
    problem = Problem(3, 2, 1, 1, mask=mask)
    assert (mask.empty_rows, problem.pairs) == ("zero", 3)
    assert eval(repr(problem), {"Problem": Problem, "make_mask": make_mask}) == problem
    with pytest.raises(InvalidInput, match="'error' or 'zero'"):
        make_mask("causal", 3, 3, empty_rows="nan")


# -- in a problem, on the command line, in a header


def test_problem_with_a_mask() -> None:
    problem = Problem.square(8, 2, mask="causal")
    assert problem.mask == causal_mask(8, 8)
    assert problem == Problem(8, 8, 2, 2, mask=causal_mask(8, 8))
    assert hash(problem) == hash(Problem(8, 8, 2, 2, mask=causal_mask(8, 8)))
    assert problem != Problem.square(8, 2)
    assert problem.pairs == 36
    assert problem.describe() == "attention forward, N = 8, d = 2, causal mask, 36 of 64 pairs"
    assert (problem.to_dict()["mask"], problem.to_dict()["pairs"]) == ("causal", 36)
    assert eval(repr(problem), {"Problem": Problem}) == problem


@pytest.mark.parametrize(
    ("sizes", "match"),
    [
        ({"mask": causal_mask(3, 3)}, "is for 3 queries and 3 keys; the problem has 4 and 4"),
        ({"mask": np.ones((4, 4), dtype=bool)}, "mask_from_array makes one"),
        ({"mask": "causl"}, "did you mean"),
        ({"mask": "causal", "pass_name": "weights"}, "without a mask only"),
        ({"mask": causal_mask(4, 4), "pass_name": "weights"}, "without a mask only"),
    ],
)
def test_masks_that_do_not_fit_a_problem(sizes: Any, match: str) -> None:
    with pytest.raises(InvalidInput, match=match):
        Problem(4, 4, 1, 1, **sizes)


SIZES = {"Nq": "4", "Nk": "4", "d": "1", "dv": "1"}


@pytest.mark.parametrize("name", ["attention-forward", "attention-backward"])
def test_header_names_the_mask(name: str) -> None:
    family = family_from_header(name, {**SIZES, "mask": "causal"})
    assert family.parameters["Nq"] == "4"
    with pytest.raises(InvalidInput, match="did you mean 'causal'"):
        family_from_header(name, {**SIZES, "mask": "causl"})
    empty = family_from_header(name, {**SIZES, "Nq": "6", "mask": "causal"})
    assert empty.parameters["Nq"] == "6"


def test_header_runs_no_code() -> None:
    for spec in ("predicate:os.path:join", "group:2:predicate:os.path:join"):
        with pytest.raises(InvalidInput, match="a function named in a file is not run"):
            family_from_header("attention-forward", {**SIZES, "mask": spec})
    with pytest.raises(InvalidInput, match="unknown: mask"):
        family_from_header("matmul", {"m": "1", "n": "1", "k": "1", "mask": "causal"})


def test_equal_pairs_with_another_name_are_another_mask() -> None:
    one, two = DenseMask("array:a", np.eye(3, dtype=bool)), DenseMask("array:b", np.eye(3, dtype=bool))
    assert one != two
    assert one == DenseMask("array:a", np.eye(3, dtype=bool))
    assert one != DenseMask("array:a", np.ones((3, 3), dtype=bool))
    for name in ("", "a b"):
        with pytest.raises(InvalidInput, match="without white space"):
            mask_from_array(np.eye(3, dtype=bool), name=name)
