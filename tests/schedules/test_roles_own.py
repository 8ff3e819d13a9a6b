"""Attention that a text gives: what it computes, and schedules that keep their contract on it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.problem import Problem
from pebble.computations.registry import random_inputs, reference_outputs
from pebble.program.schedule import available
from pebble.testing import check_schedule
from tests.support.plain_attention import Matrix

SCORES = "Q[i,k]; K[j,k]; V[j,e]; S[i,j] += Q[i,k]*K[j,k]"
SUMS = "l[i] += P[i,j]; U[i,e] += P[i,j]*V[j,e]; O[i,e] = U[i,e]/l[i]"
PLAIN = f"{SCORES}; P[i,j] = exp(scale*S[i,j]); {SUMS}"
BIAS = f"B[i,j]; {SCORES}; P[i,j] = exp(scale*S[i,j] + B[i,j]); {SUMS}"
SLOPES = f"x[i]; y[j]; {SCORES}; P[i,j] = exp(scale*S[i,j] + x[i] + y[j]); {SUMS}"
SIGMOID = f"{SCORES}; P[i,j] = 1/(1 + exp(-scale*S[i,j])); O[i,e] += P[i,j]*V[j,e]"
ONLINE = (
    f"{SCORES}; m[i] max= S[i,j]; a[i,j] = exp(scale*min(m[i,j-1] - S[i,j], 0)); "
    "P[i,j] = exp(scale*(S[i,j] - m[i,j])); "
    "l[i,j] = l[i,j-1]*a[i,j] + P[i,j]; U[i,e,j] = U[i,e,j-1]*a[i,j] + P[i,j]*V[j,e]; O[i,e] = U[i,e]/l[i]"
)
TWO_QUERIES = f"G[i,k]; {SCORES}; T[i,j] += G[i,k]*K[j,k]; P[i,j] = exp(scale*S[i,j]) + T[i,j]**2; {SUMS}"
SQUARES = f"{SCORES}; P[i,j] = exp(scale*S[i,j]); z[i] += P[i,j]*P[i,j]; {SUMS}"
TEXTS = {"bias": BIAS, "slopes": SLOPES, "sigmoid": SIGMOID, "online": ONLINE}
SHAPES = {**TEXTS, "two queries": TWO_QUERIES, "squares": SQUARES}


def problem_of(
    text: str, mask: str | None = None, sizes: tuple[int, int, int, int] = (5, 5, 3, 2)
) -> Problem:
    Nq, Nk, d, dv = sizes
    return Problem(Nq, Nk, d, dv, mask=mask, computation=text.replace("; ", "\n"))


def expected(name: str, inputs: dict[str, Matrix], allowed: NDArray[np.bool_]) -> Matrix:
    scores = inputs["Q"] @ inputs["K"].T / np.sqrt(3)
    if name == "sigmoid":
        return np.asarray(np.where(allowed, 1 / (1 + np.exp(-scores)), 0) @ inputs["V"])
    if name == "bias":
        scores = scores + inputs["B"]
    if name == "slopes":
        scores = scores + inputs["x"][:, None] + inputs["y"]
    weights = np.where(allowed, np.exp(scores), 0)
    return np.asarray(weights @ inputs["V"] / weights.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("mask", [None, "causal", "window:2"])
@pytest.mark.parametrize("name", TEXTS)
def test_it_is_what_the_text_says(name: str, mask: str | None) -> None:
    problem = problem_of(TEXTS[name], mask)
    inputs = random_inputs(problem, np.random.default_rng(1))
    allowed = problem.allowed.matrix((0, 5), (0, 5))
    assert np.allclose(reference_outputs(problem, inputs)["O"], expected(name, inputs, allowed))


@pytest.mark.many(1)
@pytest.mark.parametrize("mask", [None, "causal", "document:2,3"])
@pytest.mark.parametrize("name", SHAPES)
def test_contract(name: str, mask: str | None) -> None:
    problem = problem_of(SHAPES[name], mask)
    for schedule in available("forward", "own").values():
        least = schedule.least_M(problem)
        for M in (least, least + 5, 100):
            contract = check_schedule(schedule, problem, M)
            assert contract.peak <= M
            assert contract.least_M == least
