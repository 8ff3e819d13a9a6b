"""Texts of a line for each array: what they mean, on numbers, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.family import Family
from pebble.computations.problem import Problem
from pebble.computations.registry import random_inputs, reference_outputs
from pebble.computations.text import family_of_text
from pebble.computations.values import outputs_of
from tests.support.plain_attention import attention


def family_of(text: str) -> Family:
    return family_of_text("text", text.replace("; ", "\n"), {"i": 3, "j": 4}, constants={"half": 0.5})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[i,j]; y[i] += half*x[i,j]", lambda x: x.sum(axis=1) / 2),
        ("x[i,j]; y[i] max= x[i,j]", lambda x: x.max(axis=1)),
        ("x[i,j]; y[i,j] = y[i,j-1]*half + x[i,j]", lambda x: x @ 0.5 ** np.arange(3, -1, -1)),
        ("x[i,j]; s[i] += x[i,j]; y[i,j] = s[i,j]", lambda x: x.cumsum(axis=1)),
        ("x[i,j]; s[i] += x[i,j]; y[i,j] = s[i,j-1] + x[i,j]", lambda x: x.cumsum(axis=1)),
        ("x[i,j]; s[i] += x[i,j]; y[i,j] = x[i,j]/s[i]", lambda x: x / x.sum(axis=1, keepdims=True)),
        ("x[i,j]; y[i] += x[i,j] if j <= i", lambda x: np.tril(x).sum(axis=1)),
        ("x[i,j]; b[i,j] = x[i,last-j]; y[i,j] = y[i,j-1]*half + b[i,j]", lambda x: x @ 0.5 ** np.arange(4)),
        ("x[i,j]; b[i,j] = x[last-i,j]; y[i] += b[i,j]*x[i,j]", lambda x: (x * x[::-1]).sum(axis=1)),
        ("x[i,j]; s[i] += x[i,j]; t += s[i]; y[i] = s[i]/t", lambda x: x.sum(axis=1) / x.sum()),
        (
            "x[i,j]; g[i,j] = x[i,j]; y[i,j] = later(g[i,j])*y[i,j-1] + x[i,j]",
            lambda x: x[:, 3] * (1 + x[:, 2] * (1 + x[:, 1] * (1 + x[:, 0]))),
        ),
    ],
)
def test_on_numbers(text: str, expected) -> None:  # type: ignore[no-untyped-def]
    x = np.random.default_rng(1).uniform(0.5, 1.5, size=(3, 4))
    with np.errstate(all="raise"):
        assert np.allclose(outputs_of(family_of(text), {"x": x})["y"], expected(x))


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("form", [{}, {"shared_values": True}])
def test_reference_outputs_are_attention(form: dict[str, bool], mask: str | None) -> None:
    problem = Problem(5, 5, 4, 3, mask=mask, stats=True, **form)  # type: ignore[arg-type]
    inputs = random_inputs(problem, np.random.default_rng(2))
    Q, K = (np.hstack([inputs[name] for name in inputs if name.startswith(letter)]) for letter in "QK")
    allowed = problem.allowed.matrix((0, 5), (0, 5))
    output, row_sums = attention(Q, K, inputs["Kc"] if form else inputs["V"], allowed)
    found = reference_outputs(problem, inputs)
    assert np.allclose(found["O"], output)
    assert np.allclose(found["l"], row_sums)
