"""Masks that are refused, and masks in a problem and in a header."""

from __future__ import annotations

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import (
    causal_mask,
    make_mask,
)
from pebble.computations.problem import Problem
from pebble.computations.registry import family_from_header
from tests.computations.small_masks import made


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


SIZES = {"Nq": "4", "Nk": "4", "d": "1", "dv": "1"}


@pytest.mark.parametrize("name", ["attention-forward", "attention-backward"])
def test_header_names_the_mask(name: str) -> None:
    family = family_from_header(name, {**SIZES, "mask": "causal"})
    assert family.parameters["Nq"] == "4"
    with pytest.raises(InvalidInput, match="did you mean 'causal'"):
        family_from_header(name, {**SIZES, "mask": "causl"})
    empty = family_from_header(name, {**SIZES, "Nq": "6", "mask": "causal"})
    assert empty.parameters["Nq"] == "6"
