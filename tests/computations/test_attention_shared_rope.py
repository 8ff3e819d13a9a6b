"""Heads whose keys share rotary words: on numbers, its family from headers, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.computations.problem import Problem
from pebble.computations.registry import family_of, random_inputs, reference_outputs
from pebble.graph.statistics import compulsory_io
from tests.support.plain_attention import attention


@pytest.mark.parametrize("mask", [None, "causal"])
def test_reference_outputs_are_those_of_each_head(mask: str | None) -> None:
    problem = Problem(5, 5, 4, 3, heads=3, shared_rope=2, mask=mask, stats=True)
    inputs = random_inputs(problem, np.random.default_rng(2))
    found = reference_outputs(problem, inputs)
    allowed = problem.allowed.matrix((0, 5), (0, 5))
    for head in range(3):
        Q = np.hstack([inputs["Qc"][head], inputs["Qr"][head]])
        K = np.hstack([inputs["Kc"][head], inputs["Kr"]])
        output, row_sums = attention(Q, K, inputs["V"][head], allowed)
        assert np.allclose(found["O"][head], output)
        assert np.allclose(found["l"][head], row_sums)


def test_every_word_is_needed() -> None:
    problem = Problem(2, 3, 4, 2, heads=3, shared_rope=1)
    words = 3 * 2 * (4 + 2) + 3 * 3 * (3 + 2) + 3 * 1
    assert sum(compulsory_io(family_of(problem).dag())) == words


def test_heads_are_one_computation() -> None:
    problem = Problem(2, 3, 4, 2, heads=3, shared_rope=1, batch=5)
    assert problem.copies == 5
    assert problem.single == Problem(2, 3, 4, 2, heads=3, shared_rope=1)
    assert Problem(2, 3, 4, 2, heads=3, batch=5).single == Problem(2, 3, 4, 2)
