"""The shape of a problem: defaults, what is refused, how it is shown and written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem


def test_square_takes_as_many_keys_as_queries() -> None:
    assert Problem.square(10, 4) == Problem(Nq=10, Nk=10, d=4, dv=4)
    assert Problem.square(10, 4, 3, stats=True) == Problem(10, 10, 4, 3, stats=True)


@pytest.mark.parametrize("name", ["Nq", "Nk", "d", "dv", "heads", "batch"])
@pytest.mark.parametrize("value", [0, -1, 1.0, 1.5, float("nan"), "4", True, None])
def test_sizes_are_positive_whole_numbers(name: str, value: Any) -> None:
    sizes: dict[str, Any] = {"Nq": 4, "Nk": 4, "d": 2, "dv": 2, name: value}
    with pytest.raises(InvalidInput, match=f"^{name} must be a positive whole number, not "):
        Problem(**sizes)


@pytest.mark.parametrize(
    "problem",
    [
        Problem.square(4, 2),
        Problem(4, 5, 2, 3, stats=True),
        Problem(4, 5, 2, 3, heads=16, batch=64),
        Problem(1, 10**9, 128, 64, stats=True, heads=2),
    ],
    ids=str,
)
def test_repr_evaluates(problem: Problem) -> None:
    assert eval(repr(problem), {"Problem": Problem}) == problem


def test_equal_problems_are_one_key() -> None:
    assert len({Problem.square(4, 2), Problem(4, 4, 2, 2), Problem(4, 4, 2, 2, stats=True)}) == 2


def test_counts() -> None:
    problem = Problem(3, 5, 2, 2, heads=7, batch=11)
    assert (problem.pairs, problem.copies) == (15, 77)


def test_counts_without_a_mask_take_no_memory() -> None:
    problem = Problem(10**18, 10**17, 1, 1)
    assert (problem.pairs, problem.queries, problem.keys) == (10**35, 10**18, 10**17)


def test_to_dict_has_every_size_and_is_json() -> None:
    problem = Problem(3, 10**12, 2, 4, stats=True, heads=7, batch=11)
    document = problem.to_dict()
    assert document == {
        "pass": "forward",
        "Nq": 3,
        "Nk": 10**12,
        "d": 2,
        "dv": 4,
        "stats": True,
        "heads": 7,
        "batch": 11,
        "mask": None,
        "pairs": 3 * 10**12,
    }
    assert json.loads(json.dumps(document)) == document


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem.square(1024, 64), "attention forward, N = 1,024, d = 64"),
        (Problem(1, 2048, 64, 32), "attention forward, Nq = 1, Nk = 2,048, d = 64, dv = 32"),
        (
            Problem(2, 2, 4, 4, stats=True, heads=16, batch=64),
            "attention forward, N = 2, d = 4, 16 heads, 64 batch elements, row sums kept",
        ),
    ],
)
def test_describe(problem: Problem, text: str) -> None:
    assert problem.describe() == text
