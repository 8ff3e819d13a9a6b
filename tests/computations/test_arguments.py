"""Masks that are refused, and masks in a problem and in a header."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import (
    causal_mask,
    make_mask,
)
from pebble.computations.problem import Problem
from pebble.computations.registry import family_from_header
from tests.computations.small_masks import made


@pytest.mark.parametrize(
    ("spec", "match"),
    [
        ("causl", "did you mean 'causal'"),
        ("qqq", "unknown mask 'qqq'; known: none, full, causal, window"),
        ("", "without white space"),
        ("a b", "without white space"),
        ("causal:3", "'3' is not expected here; write causal"),
        ("none:3", "'3' is not expected here; write none"),
        ("window", "W is missing"),
        ("window:0", "at least 1"),
        ("window:-1", "must be at least 1, not '-1'"),
        ("window:1" + 30 * "0", "must be less than 1,000,000,000,000,000,000, not '1000"),
        ("document:8x" + 5000 * "0", "at least 1, not '000.*00[.][.][.]'"),
        ("file:", "the file name is missing"),
        ("blocks:size=2,file=", "the file name is missing"),
        ("window:²", "whole number"),
        ("window:4,left=2", "right= is missing"),
        ("window:4,left=2,right=1", "'4' is not expected here"),
        ("window:left=1,left=2", "left is given twice"),
        ("fixed:4,C=1", "'C=1' is not expected here"),
        ("longformer:2,1", "window= is missing"),
        ("prefix:9", "1 to Nk = 8"),
        ("document:3,4", "add up to 7, but there are 8"),
        ("document:causal", "a length is missing"),
        ("longformer:window=3,global=1", "even"),
        ("longformer:window=2,global=9", "9 tokens cannot"),
        ("longformer:window=2", "global= is missing"),
        ("strided:0", "at least 1"),
        ("fixed:3,4", "the last 4"),
        ("butterfly:0", "at least 1"),
        ("blocks:size=2", "density= is missing"),
        ("blocks:size=2,density=0", "above 0"),
        ("blocks:size=2,density=1.5", "above 0"),
        ("blocks:size=2,density=nan", "above 0"),
        ("blocks:size=2,density=", "above 0"),
        ("blocks:size=2,density=0.5,sed=1", "'sed=1' is not expected here"),
        ("nm:2", "M is missing"),
        ("nm:3:2", "3 of every 2"),
        ("nm:1:2:3", "whole number"),
        ("group:2", "mask of one query head is missing"),
        ("group:2:none", "none allows all keys to all queries, so leave the mask out"),
        ("group:3:causal", "not a multiple of 3"),
        ("array:mine", "exists only in Python"),
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


def test_too_many_pairs_are_refused_at_once() -> None:
    with pytest.raises(InvalidInput, match="limited to 268,435,456"):
        make_mask("nm:1:2", 10**9, 10**9)


@pytest.mark.parametrize("spec", ["causal", "strided:2", "fixed:2", "longformer:window=2,global=1"])
def test_too_many_lines_are_refused(spec: str) -> None:
    assert make_mask(spec, 10**9, 10**9) is not None
    with pytest.raises(InvalidInput, match="at most 1,000,000,000 queries"):
        make_mask(spec, 10**18, 10**18)


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
        ({"mask": np.ones((4, 4), dtype=bool)}, "use pebble.mask_from_array"),
        ({"mask": "causl"}, "did you mean"),
        ({"mask": "causal", "pass_name": "weights"}, "only without a mask"),
        ({"mask": causal_mask(4, 4), "pass_name": "weights"}, "only without a mask"),
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
        with pytest.raises(InvalidInput, match="does not run a function named in a file"):
            family_from_header("attention-forward", {**SIZES, "mask": spec})
    with pytest.raises(InvalidInput, match="unknown: mask"):
        family_from_header("matmul", {"m": "1", "n": "1", "k": "1", "mask": "causal"})
