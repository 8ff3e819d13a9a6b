"""The shape of a problem: its defaults, and how it is shown and written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.masks import causal_mask, make_mask
from pebble.computations.problem import Problem

SHOWN = [
    (Problem.square(1024, 64), "attention forward, N = 1,024, d = 64"),
    (Problem(1, 10**9, 64, 32), "attention forward, Nq = 1, Nk = 1,000,000,000, d = 64, dv = 32"),
    (
        Problem(2, 2, 4, 4, stats=True, heads=16, batch=64),
        "attention forward, N = 2, d = 4, 16 heads, 64 batch elements, row sums kept",
    ),
    (Problem.square(8, 2, mask="causal"), "attention forward, N = 8, d = 2, causal mask, 36 of 64 pairs"),
    (
        Problem(3, 2, 1, 1, mask=make_mask("causal", 3, 2, empty_rows="zero")),
        "attention forward, Nq = 3, Nk = 2, d = 1, causal mask, 3 of 6 pairs",
    ),
]


@pytest.mark.parametrize(("problem", "text"), SHOWN, ids=str)
def test_it_says_what_it_is(problem: Problem, text: str) -> None:
    assert problem.describe() == text
    again = eval(repr(problem), {"Problem": Problem, "make_mask": make_mask})
    assert (again, hash(again)) == (problem, hash(problem))


def test_other_ways_to_say_it() -> None:
    assert Problem.square(10, 4) == Problem(Nq=10, Nk=10, d=4, dv=4)
    assert Problem.square(10, 4, 3, stats=True) == Problem(10, 10, 4, 3, stats=True)
    assert Problem.square(8, 2, mask="causal") == Problem(8, 8, 2, 2, mask=causal_mask(8, 8))
    assert (
        len({Problem.square(4, 2), Problem(4, 4, 2, 2, stats=True), Problem.square(4, 2, mask="causal")}) == 3
    )


@pytest.mark.parametrize("name", ["Nq", "Nk", "d", "dv", "heads", "batch"])
@pytest.mark.parametrize("value", [0, -1, 1.0, 1.5, float("nan"), "4", True, None])
def test_sizes_are_positive_whole_numbers(name: str, value: Any) -> None:
    sizes: dict[str, Any] = {"Nq": 4, "Nk": 4, "d": 2, "dv": 2, name: value}
    with pytest.raises(InvalidInput, match=f"^{name} must be a positive whole number, not "):
        Problem(**sizes)


def test_counts_without_a_mask_take_no_memory() -> None:
    problem = Problem(10**18, 10**17, 1, 1, heads=7, batch=11)
    assert (problem.pairs, problem.queries, problem.keys) == (10**35, 10**18, 10**17)
    assert problem.copies == 77


def test_to_dict_has_every_size_and_is_json() -> None:
    document = Problem(3, 10**12, 2, 4, stats=True, heads=7, batch=11).to_dict()
    sizes = {"Nq": 3, "Nk": 10**12, "d": 2, "dv": 4, "heads": 7, "batch": 11}
    assert document == {"pass": "forward", **sizes, "stats": True, "mask": None, "pairs": 3 * 10**12}
    assert json.loads(json.dumps(document)) == document
