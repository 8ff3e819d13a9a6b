"""Plain and latent attention, evaluated from their texts, are attention."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.problem import Problem
from pebble.computations.registry import random_inputs, reference_outputs
from tests.support.plain_attention import attention


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
