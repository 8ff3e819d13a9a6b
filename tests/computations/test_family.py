"""A family known in closed form equals the DAG that is built, and the DAG computes attention."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.attention import attention_family
from pebble.computations.family import Family
from pebble.computations.masks.band_mask import FullMask
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_from_header, family_of
from tests.program.random_families import maskable, recurrent_family, stepped_family, under
from tests.program.random_masks import random_mask
from tests.program.random_programs import gradient_family, relabelled
from tests.support.plain_attention import attention

ATTENTION = [
    Problem(2, 3, 2, 3),
    Problem(3, 2, 3, 1, stats=True),
    Problem(1, 4, 1, 2),
    Problem(4, 1, 2, 1, stats=True),
    Problem(1, 1, 1, 1),
    Problem.square(3, 2),
]
LINEAR = [
    Problem(3, 2, 2, 1, attention="linear"),
    Problem.square(3, 2, 1, attention="linear", mask="causal"),
    Problem.square(3, 1, 2, attention="linear", mask="causal", gate=True),
    Problem.square(1, 2, attention="linear", mask="causal", gate=True),
    Problem.square(7, 2, 1, attention="linear", mask="causal", chunk=3),
    Problem.square(2, 2, attention="linear", mask="causal", chunk=2),
]
FAMILIES = [
    *(attention_family(problem) for problem in ATTENTION),
    matmul_family(2, 3, 4),
    matmul_family(1, 1, 1),
    matmul_family(3, 1, 5),
    relabelled(gradient_family(3, 2, 2), ("n", "z")),
    family_of(Problem(3, 2, 2, 1, softmax="safe")),
    family_of(Problem(3, 4, 2, 1, softmax="online", stats=True)),
    family_of(Problem(3, 1, 1, 1, softmax="online")),
    *(family_of(problem) for problem in LINEAR),
    relabelled(stepped_family(3, 4, 2), ("n", "r")),
    relabelled(stepped_family(1, 2, 1), ("m",)),
    relabelled(recurrent_family(4, 2, 1), ("B", "O", "z")),
]


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_the_built_dag(family: Family) -> None:
    dag = family.dag()
    assert dag.n_vertices == family.n_vertices == sum(math.prod(family.shape(a.name)) for a in family.arrays)
    assert dag.n_edges == family.n_edges
    assert family.max_indegree == max(len(dag.predecessors_of(v)) for v in range(dag.n_vertices))
    number = 0
    for array in family.arrays:
        for index in np.ndindex(*family.shape(array.name)):
            name = f"{array.name}[{','.join(map(str, index))}]"
            assert family.names[number] == dag.name(number) == name
            assert family.names.index(name) == dag.vertex(name) == family.vertex(array.name, index) == number
            expected = {family.vertex(n, i) for n, i in family.predecessors(array.name, index)}
            assert set(dag.predecessors_of(number).tolist()) == expected
            assert len(dag.predecessors_of(number)) == len(expected)
            number += 1
    assert number == len(family.names) == len(list(family.names))
    inputs = {
        v
        for a in family.inputs
        for v in range(family.offset(a.name), family.offset(a.name) + family.size(a.name))
    }
    assert set(dag.inputs.tolist()) == inputs


@pytest.mark.parametrize("seed", range(6))
def test_operands_read_at_a_step_under_a_mask(seed: int) -> None:
    rnd = Random(seed)
    family = under(relabelled(maskable(stepped_family(5, 6, 1)), ("n", "r")), random_mask(rnd, 5, 6))
    dag = family.dag()
    assert (dag.n_vertices, dag.n_edges) == (family.n_vertices, family.n_edges)
    assert family.max_indegree == max(len(dag.predecessors_of(v)) for v in range(dag.n_vertices))
    for array in family.arrays:
        for index in np.argwhere(family.exists(array.name)):
            at = tuple(map(int, index))
            expected = sorted(family.vertex(*one) for one in family.predecessors(array.name, at))
            assert sorted(dag.predecessors_of(family.vertex(array.name, at)).tolist()) == expected


@pytest.mark.parametrize("problem", ATTENTION, ids=str)
def test_no_mask_is_the_mask_that_allows_everything(problem: Problem) -> None:
    plain = attention_family(problem)
    under = plain.under(FullMask(problem.Nq, problem.Nk))
    assert (plain.masked_axes, under.masked_axes) == ((), ("i", "j"))
    assert under.dag() == plain.dag()
    assert list(under.names) == list(plain.names)
    assert under.max_indegree == plain.max_indegree
    for array in plain.arrays:
        name, places = array.name, np.arange(plain.size(array.name))
        assert (under.words(name), under.size(name)) == (plain.words(name), plain.size(name))
        assert plain.exists(name).all()
        assert under.exists(name).all()
        np.testing.assert_array_equal(under.compact(name, places), plain.compact(name, places))
        for index in np.ndindex(*plain.shape(name)):
            assert under.predecessors(name, index) == plain.predecessors(name, index)


@pytest.mark.parametrize("problem", ATTENTION, ids=str)
def test_outputs_and_header(problem: Problem) -> None:
    family = attention_family(problem)
    names = {family.names[int(v)] for v in family.dag().outputs}
    expected = {f"O[{i},{e}]" for i in range(problem.Nq) for e in range(problem.dv)}
    if problem.stats:
        expected |= {f"l[{i},{problem.Nk - 1}]" for i in range(problem.Nq)}
    assert names == expected


OWN = "Q[i,k]\nK[j,k]\nV[j,e]\nB[i,j]\nS[i,j] += Q[i,k]*K[j,k]\nP[i,j] = exp(S[i,j] + B[i,j])\nO[i,e] += P[i,j]*V[j,e]"
FORMS: list[dict[str, Any]] = [
    *({"softmax": softmax, "stats": True} for softmax in ("plain", "safe", "online")),
    *({"pass_name": "backward"}, {"shared_values": True, "stats": True}, {"computation": OWN}),
    {"heads": 2, "shared_rope": 3, "stats": True},
    *({"attention": "linear", "chunk": chunk, "heads": 3, "kv_heads": 1} for chunk in (None, 2, 3, 9)),
    *({"attention": "linear", "gate": True, "heads": heads, "kv_heads": 1} for heads in (1, 2)),
]


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_header_names_the_computation(form: dict[str, Any], mask: str | None) -> None:
    if mask is None and ("gate" in form or form.get("chunk")):
        return
    family = family_of(Problem(5, 5, 4, 2, mask=mask, **form))
    again = family_from_header(family.name, dict(family.parameters))
    assert repr(again) == repr(family)
    assert again.arrays == family.arrays
    assert again.dag() == family.dag()


def vertex_values(problem: Problem, inputs: dict[str, NDArray[np.float64]]) -> dict[str, float]:
    """Evaluate the DAG vertex by vertex; what a vertex does follows from its name and its predecessors' names."""
    family = attention_family(problem)
    dag = family.dag()
    value: dict[str, float] = {}
    for v in dag.topological_order().tolist():
        name = dag.name(v)
        array, index = name.rstrip("]").split("[")
        before = {dag.name(p)[0]: value[dag.name(p)] for p in dag.predecessors_of(v).tolist()}
        so_far = before.get(array, 0.0)
        if array in inputs:
            value[name] = float(inputs[array][tuple(map(int, index.split(",")))])
        elif array == "S":
            value[name] = so_far + before["Q"] * before["K"]
        elif array == "P":
            value[name] = math.exp(before["S"] / math.sqrt(problem.d))
        elif array == "l":
            value[name] = so_far + before["P"]
        elif array == "U":
            value[name] = so_far + before["P"] * before["V"]
        else:
            value[name] = before["U"] / before["l"]
    return value


@pytest.mark.parametrize("problem", ATTENTION, ids=str)
def test_the_dag_computes_attention(problem: Problem) -> None:
    rng = np.random.default_rng(1)
    Q, K = rng.normal(size=(problem.Nq, problem.d)), rng.normal(size=(problem.Nk, problem.d))
    V = rng.normal(size=(problem.Nk, problem.dv))
    value = vertex_values(problem, {"Q": Q, "K": K, "V": V})
    output, sums = attention(Q, K, V)
    found = [[value[f"O[{i},{e}]"] for e in range(problem.dv)] for i in range(problem.Nq)]
    np.testing.assert_allclose(found, output, rtol=1e-12)
    np.testing.assert_allclose(
        [value[f"l[{i},{problem.Nk - 1}]"] for i in range(problem.Nq)], sums, rtol=1e-12
    )
    scores = Q @ K.T / math.sqrt(problem.d)
    softmax = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(output, softmax / softmax.sum(axis=1, keepdims=True) @ V, rtol=1e-12)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "S",
        "S[]",
        "S[0,0]",
        "S[0,0,9]",
        "S[0,0,0] ",
        "S[0, 0,0]",
        "S[-1,0,0]",
        "T[0]",
        "S[0,0,0",
        "s[0,0,0]",
    ],
)
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(KeyError):
        attention_family(ATTENTION[0]).names.index(name)


@pytest.mark.parametrize("number", [-1, 10**9])
def test_vertices_that_are_none(number: int) -> None:
    with pytest.raises(IndexError):
        attention_family(ATTENTION[0]).names[number]
