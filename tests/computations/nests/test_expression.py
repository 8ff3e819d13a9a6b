"""Right sides of statements on numbers."""

import math

import numpy as np
import pytest

from pebble.computations.nests.affine import Affine
from pebble.computations.nests.expression import FUNCTIONS, Source, read_expression, right_side
from pebble.computations.nests.statement import Access, Assignment


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
