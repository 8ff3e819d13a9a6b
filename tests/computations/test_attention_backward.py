"""The backward pass and the gradient of the weights: numbers, constants, envelopes, training steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.computations.registry import random_inputs, reference_outputs
from pebble.lab.count import count
from pebble.lab.training import count_training
from tests.support.plain_attention import attention, weights_loss

Matrix = NDArray[np.float64]


def finite_differences(f: Callable[[Matrix], float], at: Matrix, step: float = 1e-6) -> Matrix:
    gradient = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        shift = np.zeros_like(at)
        shift[index] = step
        gradient[index] = (f(at + shift) - f(at - shift)) / (2 * step)
    return gradient


@pytest.mark.parametrize("mask", [None, "causal"])
def test_gradients_are_the_derivatives_of_attention(mask: str | None) -> None:
    problem = Problem(5, 5, 3, 2, pass_name="backward", mask=mask)
    inputs = random_inputs(problem, np.random.default_rng(1))
    allowed = problem.allowed.matrix((0, 5), (0, 5))
    found = reference_outputs(problem, inputs)
    for name in "QKV":

        def loss(x: Matrix, name: str = name) -> float:
            Q, K, V = (x if one == name else inputs[one] for one in "QKV")
            return float((attention(Q, K, V, allowed)[0] * inputs["dO"]).sum())

        assert np.allclose(found[f"d{name}"], finite_differences(loss, inputs[name]), atol=1e-7)


def test_the_gradient_of_the_weights_is_the_derivative() -> None:
    problem = Problem.square(5, 3, pass_name="weights")
    inputs = random_inputs(problem, np.random.default_rng(2))
    expected = finite_differences(lambda x: weights_loss({**inputs, "X": x}), inputs["X"])
    assert np.allclose(reference_outputs(problem, inputs)["g"], expected, atol=1e-6)


def io(name: str, N: int, d: int, M: int) -> int:
    row = count(Problem.square(N, d, pass_name="backward"), M, [name])[name]
    assert row.io is not None
    return row.io


@pytest.mark.parametrize(("name", "constant"), [("flash-2", 16), ("flash-1", 20), ("split", 14)])
def test_leading_constants_for_large_caches(name: str, constant: int) -> None:
    N, d, M = 10**8, 128, 10**6
    assert io(name, N, d, M) / (N**2 * d**2 / M) == pytest.approx(constant, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "expected"), [(1.55, 14), (2.2, 12.7), (2.75, 9.9), (3.1, 8.1), (4.1, 8.1)]
)
def test_best_for_caches_of_order_nd(share: float, expected: float) -> None:
    """In units of Nd: 14 at M = 3/2·Nd, falling with slope 2, or 12.5 − M/Nd from 5/2 on, to 8 from 3 on."""
    N, d = 4096, 64
    assert io("best", N, d, int(share * N * d)) / (N * d) <= expected + 0.1


@pytest.mark.slow
def test_training_step_is_the_sum_of_its_parts() -> None:
    problem = Problem.square(512, 32, pass_name="both")
    report = count_training(problem, 5000)
    for row, forward, backward in zip(report.rows, report.forward.rows, report.backward.rows, strict=True):
        assert row.io == forward.io + backward.io  # type: ignore[operator]
    assert report.forward.problem.stats
    document = report.to_dict()
    assert document["schedules"][0]["parts"]["forward"]["name"] == "naive"
    with pytest.raises(InvalidInput):
        count_training(problem, 5000, ["flash-2"], {"rows": 3})
