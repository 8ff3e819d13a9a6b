"""Safe and online softmax: softmax on numbers, which overflows nowhere; without the maxima, plain softmax."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pebble.computations.family import Family
from pebble.computations.masks import make_mask, mask_from_array
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of, random_inputs, reference_outputs
from pebble.program.numbers import evaluate
from pebble.program.schedule import available
from tests.support.plain_attention import attention

FORMS = ["safe", "online"]


def problem_of(softmax: str, mask: str | None = None, *, stats: bool = False) -> Problem:
    made = None if mask is None else make_mask(mask, 6, 6, empty_rows="zero")
    return Problem(6, 6, 2, 3, softmax=softmax, mask=made, stats=stats)


@pytest.mark.many(3)
@pytest.mark.parametrize("mask", [None, "causal", "window:2"])
@pytest.mark.parametrize("softmax", FORMS)
def test_scores_of_ten_thousands(softmax: str, mask: str | None) -> None:
    """Where plain softmax is infinity divided by infinity, every schedule gives what softmax is."""
    problem = problem_of(softmax, mask, stats=True)
    inputs = random_inputs(problem, np.random.default_rng(0))
    inputs["Q"] *= 1e4
    expected = reference_outputs(problem, inputs)
    scores = np.abs(inputs["Q"] @ inputs["K"].T)
    assert scores.max() > 1e4
    with np.errstate(over="ignore", invalid="ignore"):
        assert not np.isfinite(attention(inputs["Q"], inputs["K"], inputs["V"])[0]).all()
    for schedule in available("forward", softmax).values():
        if schedule.masks_only and mask is None:
            continue
        program = schedule.program(problem, schedule.smallest(problem))
        found = evaluate(program, schedule.family(problem), inputs)
        assert set(found) == {"O", "l", "m"}
        for name, values in expected.items():
            assert np.allclose(found[name], values, rtol=1e-11, atol=1e-11), (schedule.name, name)


@pytest.mark.parametrize("softmax", FORMS)
def test_the_reference_is_attention(softmax: str) -> None:
    """The row sums are those of plain softmax once the maxima are put back; online they are the same."""
    mask = mask_from_array(np.tri(6, k=-1, dtype=bool), empty_rows="zero")
    problem = replace(problem_of(softmax, stats=True), mask=mask)
    inputs = random_inputs(problem, np.random.default_rng(1))
    allowed = problem.allowed.matrix((0, 6), (0, 6))
    found = reference_outputs(problem, inputs)
    plain, sums = attention(inputs["Q"], inputs["K"], inputs["V"], allowed)
    assert np.allclose(found["O"], plain)
    assert np.allclose(found["l"] * np.exp(found["m"] / np.sqrt(2)), sums)
    assert not found["O"][0].any()


def without(family: Family, names: set[str]) -> set[tuple[str, str]]:
    """The edges of a DAG's names, without the vertices of some arrays."""
    dag = family.dag()
    return {
        (dag.name(int(one)), dag.name(vertex))
        for vertex in range(dag.n_vertices)
        for one in dag.predecessors_of(vertex)
        if not {dag.name(int(one))[0], dag.name(vertex)[0]} & names
    }


@pytest.mark.parametrize("mask", [None, "causal", "window:left=1,right=2"])
@pytest.mark.parametrize("softmax", FORMS)
def test_what_deletion_leaves_is_plain_softmax(softmax: str, mask: str | None) -> None:
    plain = without(family_of(problem_of("plain", mask)), set())
    assert without(family_of(problem_of(softmax, mask)), {"m", "a"}) == plain
