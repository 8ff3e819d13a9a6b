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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no assignment"),
        (" ; ", "no assignment"),
        ("C[i]", r"character 1: 'C\[i\]' assigns nothing"),
        ("C[i,j] + A[i]", "character 1: .* assigns nothing"),
        ("C[i] *= A[i]", "character 6: '\\*=': assignments"),
        ("C[i] == A[i]", "character 6: '==': assignments"),
        ("C[i] = A[i] = B[i]", "character 13: .*cannot be read"),
        ("C[i] = ", "character 7: an expression is missing"),
        (" = A[i]", "character 2: what is computed is missing"),
        ("C[i] = A[i", "character 9: .*cannot be read"),
        ("C[i] = A[i] B[i]", "cannot be read"),
        ("C[i,j] += A[i*j]", "character 13: 'i\\*j': a subscript must be"),
        ("C[i] = A[i/2]", "character 10: 'i/2': a subscript must be"),
        ("C[i] = A[0:i]", "':' is not allowed"),
        ("C[i] = A[1.5]", "character 10: '1.5': a subscript must be"),
        ("C[i] = A[B[i]]", "character 10: 'B\\[i\\]': a subscript must be"),
        ("C[i] = A[2000000*i]", "factors up to"),
        ("C[i] = A[i + 9999999999]", "constants"),
        ("C[i] = A[i]; D[i] = C[i] + E[i*i]", "character 30: 'i\\*i'"),
        ("C[i] = A[i];\nD[i] =\n  C[i] + E[i*i]", "line 3, character 12: 'i\\*i'"),
        ("C[i] max= A[i]", "character 6: 'max=': assignments are written with =, \\+=, -="),
        ("C[i] = later(A[i])", "later\\(…\\) is not allowed in a loop nest"),
        ("C[i] = f(A[i])", "character 8: 'f': unknown function; known: abs, cos, exp"),
        ("C[i] = exp(A[i], A[i])", "exp takes one value"),
        ("C[i] = max()", "max takes at least one value"),
        ("C[i] = max(A[i], key=1)", "takes only values"),
        ("C[i] = A[i] if i < 3", "cannot be read"),
        ("C[i] = A[i] < 3", "an expression may have"),
        ("C[i] = 1j*A[i]", "an expression may have"),
        ("C[i] = (A[i], A[i])", "an expression may have"),
        ("C[i] = A[i].real", "an expression may have"),
        ("C[i] = 3", "'3' reads no element"),
        ("C[i] = A[i] # why", "'#' is not allowed"),
        ("C[i] = A[i]·B[i]", "'·' is not allowed"),
        ("C[i] = open('x')", "is not allowed"),
        ("C[i] = A[i,k]", "computed once for every k; write \\+="),
        ("C[i] += C[i]*A[i]", "computed from itself"),
        ("C[i] = A[i] for", "a condition after 'for' is missing"),
        ("C[i] = A[i] for i", "character 17: 'i': a condition compares"),
        ("C[i] = A[i] for i in (1, 2)", "a subscript must be"),
        ("C[i] = A[i] for i != 2", "comparisons are"),
        ("C[i] = A[i] for n < 2", "n is not an index of this assignment; its indices are i"),
        ("C[i] = A[i] for i*i < 2", "a subscript must be"),
        ("C[i] = A[i]; D[i] = C[i,i]", "C\\[i\\] and C\\[i,i\\]: an array has the same number"),
        ("C[i] = i*A[i]", "i is an index and an array"),
        ("C[i] = exp + A[i]", "'exp' cannot be the name"),
        ("C[i] = A[True]", "'True'"),
        ("C[i][i] = A[i]", "expected an element of an array"),
        ("C[i] + 1 = A[i]", "expected an element of an array"),
        ("C[()] = A[i]", "write only its name"),
        ("C[i] = " + "(" * 500 + "A[i]" + ")" * 500, "too many nested"),
        ("C[i] = " + "-" * 19000 + "A[i]", "nested too deeply"),
        ("C[i] = A[i]" + " " * 20000, "the limit is 20,000"),
    ],
)
def test_what_cannot_be_read_is_said_at_its_place(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        loop_nest(text, {name: 4 for name in "ijk" if name in text})


@pytest.mark.parametrize(
    ("extents", "message"),
    [
        ({"i": 4}, "the extent of k is missing; give for example k=64"),
        ({"i": 4, "k": 4, "n": 3}, "no index is called 'n'; the indices are i, k"),
        ({"i": 0, "k": 4}, "i=0 must be a whole number of at least 1"),
        ({"i": 10**70, "k": 4}, "at most"),
        ({"i": 1.5, "k": 4}, "i=1.5 is not a whole number"),
        ({"i": True, "k": 4}, "at least 1"),
    ],
)
def test_extents_are_checked(extents: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        loop_nest("C[i] += A[i,k]", extents)


def test_outputs_are_computed() -> None:
    with pytest.raises(InvalidInput, match="'A' cannot be an output: the computed arrays are C"):
        loop_nest("C[i] += A[i,k]", {"i": 2, "k": 2}, ["A"])
    with pytest.raises(InvalidInput, match="not from int"):
        loop_nest(3, {})  # type: ignore[arg-type]


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
    pieces = [
        "[",
        "]",
        "(",
        ")",
        "+=",
        "=",
        "-",
        "*",
        "**",
        "/",
        "<",
        "<=",
        ",",
        ";",
        " for ",
        "i",
        "j",
        "A",
        "1",
        ".",
    ]
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
