"""Query heads that share keys and values: the problem is that of the heads with their keys and values made one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pebble
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of, random_inputs, reference_outputs
from pebble.graph.dag import Dag

SHAPE: dict[str, Any] = {"Nq": 3, "Nk": 4, "d": 2, "dv": 1}


def edges(dag: Dag) -> set[tuple[str, str]]:
    return {
        (dag.names[int(tail)], dag.names[head])
        for head in range(dag.n_vertices)
        for tail in dag.predecessors_of(head)
    }


def of_head(name: str, head: int, group: int) -> str:
    """Return a vertex of one query head as the group's problem names it; keys and values are everybody's."""
    if name.startswith(("K", "V")):
        return name
    return re.sub(r"\[(\d+)", lambda match: f"[{int(match[1]) * group + head}", name, count=1)


@pytest.mark.parametrize("mask", [None, "causal", "nm:1:2,seed=3"])
@pytest.mark.parametrize("group", [1, 2, 3])
def test_a_group_is_its_heads_with_their_keys_and_values_made_one(group: int, mask: str | None) -> None:
    shape = SHAPE | {"Nq": 4}
    alone = edges(family_of(Problem(**shape, mask=mask)).dag())
    glued = {tuple(of_head(name, head, group) for name in edge) for edge in alone for head in range(group)}
    shared = Problem(**shape, mask=mask, heads=5 * group, kv_heads=5)
    assert edges(family_of(shared).dag()) == glued
    assert (shared.copies, shared.query_heads, shared.kv_heads) == (5, 5 * group, 5)


@pytest.mark.parametrize("mask", [None, "causal"])
def test_the_gradients_of_shared_keys_and_values_are_the_sums_over_the_heads(mask: str | None) -> None:
    group, alone = 3, Problem(4, 4, 2, 2, mask=mask, pass_name="backward")
    shared = Problem(4, 4, 2, 2, mask=mask, pass_name="backward", heads=group, kv_heads=1)
    inputs = random_inputs(shared, np.random.default_rng(1))
    found = reference_outputs(shared, inputs)
    heads = []
    for head in range(group):
        own = {name: array if name in "KV" else array[head::group] for name, array in inputs.items()}
        heads.append(reference_outputs(alone, own))
        np.testing.assert_allclose(found["dQ"][head::group], heads[-1]["dQ"])
    for name in ("dK", "dV"):
        np.testing.assert_allclose(found[name], sum(one[name] for one in heads))


def test_bounds_hold_for_the_shared_words_and_those_of_separate_heads_do_not() -> None:
    shared, apart = Problem(1, 2, 1, 1, heads=2, kv_heads=1), Problem(1, 2, 1, 1, heads=2)
    M = 10
    optimum = pebble.optimal(family_of(shared).dag(), M).io
    assert pebble.bounds(shared, M).best.value == optimum == 2 * 2 + 2 * 2
    assert pebble.bounds(apart, M).best.value == 2 * (2 + 2 * 2) > optimum


@pytest.mark.parametrize("pass_name", ["forward", "backward", "both"])
def test_counts_are_those_of_a_model_with_these_numbers(pass_name: str) -> None:
    model = pebble.model("llama3-8b")
    problem = Problem.square(8, 128, heads=32, kv_heads=8, batch=2, pass_name=pass_name, mask="causal")
    assert problem == model.problem(8, batch=2, pass_name=pass_name, mask="causal")
    assert repr(problem) == repr(model.problem(8, batch=2, pass_name=pass_name, mask="causal"))


def test_what_is_made_of_a_problem_keeps_the_heads() -> None:
    problem = Problem(**SHAPE, heads=6, kv_heads=2, mask=make_mask("window:2", 3, 4))
    assert problem.describe().startswith(
        "attention forward, Nq = 9, Nk = 4, d = 2, dv = 1, 2 heads of keys and values "
    )
    assert "for 6 of queries" in problem.describe()
    assert problem.to_dict()["mask"] == "group:3:window:2"
    assert eval(repr(problem), {"Problem": Problem}) == problem
    assert eval(repr(problem), {"Problem": Problem}).query_heads == 6
    one = replace(problem, heads=1, pass_name="backward")
    assert (one.Nq, one.group, one.mask, one.query_heads) == (9, 3, problem.mask, 3)
    assert problem.without_mask() == Problem(9, 4, 2, 1, heads=2)
    assert problem.without_mask().under(make_mask("window:2", 3, 4)) == problem


def test_queries_without_keys_stay_allowed() -> None:
    mask = make_mask("causal", 4, 2, empty_rows="zero")
    problem = Problem(4, 2, 1, 1, heads=4, kv_heads=2, mask=mask)
    assert (problem.queries, problem.Nq) == (4, 8)
    dense = make_mask("nm:1:1", 4, 2, empty_rows="zero")
    assert dense is not None
    assert Problem(4, 2, 1, 1, heads=4, kv_heads=2, mask=dense).allowed.empty_rows == "zero"
