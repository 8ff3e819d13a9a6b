"""Reading loop nests and right sides: what is read, what it says of numbers, what is refused at which character."""

from __future__ import annotations

import math
import random
import string

import numpy as np
import pytest

import pebble
from pebble.common.errors import InvalidInput
from pebble.computations.nests.affine import Affine
from pebble.computations.nests.expression import FUNCTIONS, Source, read_expression, right_side
from pebble.computations.nests.header import nest_from_parameters, nest_parameters
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import Access, Assignment

FOUR = dict.fromkeys("ijk", 4)


def test_conditions_are_comparisons_in_chains() -> None:
    (one,) = loop_nest(
        " B[i, j]=A[i,j]\n for 1 <= j < i, i + j < 6, j == i - 1 ; ", {"i": 4, "j": 4}
    ).statements
    assert list(map(str, one.conditions)) == ["j - 1", "i - j - 1", "-i - j + 5", "-i + j + 1"]
    assert str(one) == "B[i,j] = A[i,j] for 1 <= j, j < i, i + j <= 5, i <= j + 1"


def test_indices_are_the_targets_and_then_the_sums() -> None:
    (one,) = loop_nest("C[j,i] += b*A[k,i]*A[k,j]", FOUR).statements
    assert one.indices == ("j", "i", "k")
    assert one.sum_indices == ("k",)
    assert [str(access) for access in one.reads] == ["b", "A[k,i]", "A[k,j]"]


def test_the_same_element_is_read_once() -> None:
    (one,) = loop_nest("B[i] = A[i+0]*A[i] + A[2*i-i]", {"i": 4}).statements
    assert [str(access) for access in one.reads] == ["A[i]"]


def test_differences_are_sums() -> None:
    (one,) = loop_nest("r[i] -= A[i,k]*x[k]", {"i": 2, "k": 2}).statements
    assert (one.adds, one.expression) == (True, "-(A[i,k]*x[k])")


def test_a_header_holds_a_nest() -> None:
    text = "B[i,j] = alpha*A[i-1,j] - max(A[i,j], 2.5e-3) for j < i, 1 <= j; s -= B[i,j] for j < i, 1 <= j"
    nest = loop_nest(text, {"i": 5, "j": 5}, ["B"])
    parameters = nest_parameters(nest)
    assert all(" " not in value for value in parameters.values())
    read = nest_from_parameters(parameters)
    assert (read.extents, read.outputs) == (nest.extents, ("B",))
    assert nest_parameters(read) == parameters
    for one, other in zip(read.statements, nest.statements, strict=True):
        assert (one.target, one.reads, one.conditions) == (other.target, other.reads, other.conditions)


def test_random_texts_never_give_another_error() -> None:
    rng = random.Random(5)
    good = "C[i,j] += A[i,k]*exp(B[k-1,2*j])/alpha for k < i, 0 <= j < 3; D[i] = C[i,0]"
    pieces = [*"[]()=-*/<,;ijA1.", "+=", "**", "<=", " for "]
    refused = 0
    for _ in range(1500):
        text = list(good)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at : at + rng.randint(0, 3)] = rng.choice([*pieces, rng.choice(string.printable), ""])
        try:
            pebble.loop_nest("".join(text), FOUR)
        except InvalidInput:
            refused += 1
    assert 500 < refused < 1500


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a + b*c", 2 + 3 * 0.5),
        ("(a + b)*c", 2.5),
        ("a - b - c", -1.5),
        ("a/b/c", 2 / 3 / 0.5),
        ("-a**2", -4),
        ("a**-b", 0.125),
        ("+a - -b", 5),
        ("2.5e-1*a", 0.5),
        ("max(a, b, c) + min(a, b, 1)", 4),
        ("exp(c) + log(a) + sqrt(b) + abs(-a)", math.exp(0.5) + math.log(2) + math.sqrt(3) + 2),
        ("sin(a) + cos(a) + tanh(a)", math.sin(2) + math.cos(2) + math.tanh(2)),
    ],
)
def test_values(text: str, value: float) -> None:
    expression = read_expression(Source(text))
    numbers = {"a": 2.0, "b": 3.0, "c": 0.5}
    found = expression.value(*(numbers[access.array] for access in expression.reads))
    assert float(found) == pytest.approx(value)


def test_arrays_are_taken_element_by_element() -> None:
    values = np.array([[1.0, 2.0], [4.0, 9.0]])
    expression = read_expression(Source("max(sqrt(A[i,j]), 2)*x[j]"))
    assert expression.value(values, np.array([1.0, 10.0])).tolist() == [[2.0, 20.0], [2.0, 30.0]]


def test_every_function_is_on_the_page() -> None:
    from pathlib import Path

    page = (Path(__file__).resolve().parents[3] / "docs" / "loop-nests.md").read_text(encoding="utf-8")
    assert f"`{' '.join(FUNCTIONS)}`" in page


def test_without_a_text_it_is_the_product() -> None:
    i, k = Affine.index("i"), Affine.index("k")
    statement = Assignment(Access("C", (i,)), True, (Access("A", (i, k)), Access("x", (k - 1,))), ("i", "k"))
    assert right_side(statement).value(3.0, 4.0) == 12.0
