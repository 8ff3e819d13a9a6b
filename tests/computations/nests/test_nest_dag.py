"""The explicit DAG of a loop nest against its definition, point by point."""

from __future__ import annotations

import itertools
import random
import re

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.nests.nest_dag import NestDag, nest_dag
from pebble.computations.nests.nest_family import as_family
from pebble.computations.nests.points import count_points, points_of
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.nests.statement import LoopNest
from tests.computations.nests.nest_numbers import vertex_values
from tests.computations.nests.plain_nests import PlainNest, random_text, used_extents

CHOLESKY = (
    "W[i,j,k] = W[i,j,k-1] - L[i,k]*L[j,k] for k < j, j <= i; L[i,j] = W[i,j,j-1]/L[j,j] for j < i; "
    "L[i,i] = sqrt(W[i,i,i-1])"
)


def check_by_definition(nest: LoopNest) -> NestDag:
    plain, found = PlainNest(nest), nest_dag(nest)
    dag = found.dag
    number: dict[object, int] = {found.coordinates(v): v for v in range(found.first[0], dag.n_vertices)}
    assert set(number) == set(plain.reads)
    inputs = {dag.names[v]: v for v in dag.inputs.tolist()}
    vertex: dict[object, int] = {
        **number,
        **{element: inputs[_name(element)] for element in plain.is_read - set(plain.writers)},
    }
    edges = {(int(p), v) for v in range(dag.n_vertices) for p in dag.predecessors_of(v)}
    assert edges == {(vertex[p], vertex[v]) for p, v in plain.edges}
    assert set(dag.outputs.tolist()) == {vertex[point] for point in plain.outputs}
    assert [dag.names.index(name) for name in dag.names] == list(range(dag.n_vertices))  # type: ignore[attr-defined]
    assert len(set(dag.names)) == dag.n_vertices  # type: ignore[call-overload]
    given = np.random.default_rng(1).uniform(0.5, 1.5, len(inputs))
    for name, v in inputs.items():
        if re.search(r"\[(\d),\1,", name):  # a large diagonal, so that a Cholesky factor exists
            given[v] += 8
    values = vertex_values(found, given)
    value = plain.values(lambda element: float(values[inputs[_name(element)]]))
    for element, points in plain.writers.items():
        assert values[vertex[points[-1]]] == pytest.approx(value(element), rel=1e-9)
    return found


def _name(element: tuple[str, tuple[int, ...]]) -> str:
    return f"{element[0]}[{','.join(map(str, element[1]))}]"


@pytest.mark.parametrize("seed", range(4))
def test_random_nests_by_definition(seed: int) -> None:
    rng, built = random.Random(seed), 0
    while built < 12:
        text, extents = random_text(rng, plain=False)
        try:
            nest = loop_nest(text, used_extents(text, extents))
            found = nest_dag(nest)
        except InvalidInput:
            continue
        assert found.dag.n_vertices
        check_by_definition(nest)
        built += 1


def _in_order(nest: LoopNest) -> bool:
    """Whether no indices are summed together, or it is one statement in which they stand side by side in order."""
    if all(len(one.sum_indices) < 2 for one in nest.statements):
        return True
    (sums, accesses) = nest.statements[0].sum_indices, nest.statements[0].reads
    found = [[place.names[0] for place in access.places] for access in accesses]
    return len(nest.statements) == 1 and all(
        tuple(names[names.index(sums[0]) :][: len(sums)]) == sums for names in found if sums[0] in names
    )


@pytest.mark.parametrize("seed", range(4))
def test_families_are_the_explicit_dags_vertex_for_vertex(seed: int) -> None:
    rng, families = random.Random(seed), 0
    while families < 12:
        text, extents = random_text(rng, plain=True)
        nest = loop_nest(text, used_extents(text, extents))
        family = as_family(nest)
        if family is None:
            continue
        explicit, implicit = nest_dag(nest).dag, family.dag()
        if [array.name for array in family.arrays if not array.is_input] != list(nest.computed):
            continue
        families += 1
        assert (explicit.n_vertices, explicit.n_edges) == (implicit.n_vertices, implicit.n_edges), text
        if not _in_order(nest):
            continue
        assert np.array_equal(explicit.predecessor_start, implicit.predecessor_start), text
        for v in range(explicit.n_vertices):
            assert set(explicit.predecessors_of(v)) == set(implicit.predecessors_of(v)), text
        assert np.array_equal(explicit.outputs, implicit.outputs), text
        if not any(len(one.sum_indices) > 1 for one in nest.statements):
            assert list(explicit.names) == list(implicit.names)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("text", "extents"),
    [
        (CHOLESKY, {"i": 5, "j": 5, "k": 5}),
        ("C[i] = b*D[i]; C[i] += A[i,k]*x[k]; C[i] -= A[i,k]", {"i": 2, "k": 3}),
        ("C[i+j] += a[i]*b[j]", {"i": 3, "j": 4}),
        ("A[t,i] = A[t-1,i-1] + A[t-1,i] + A[t-1,i+1]", {"t": 3, "i": 4}),
        ("y[2*i] = x[i]; y[2*i+1] = x[i]*y[2*i]", {"i": 4}),
        ("y[3-i] = x[i]*y[4-i]", {"i": 4}),
        ("C[i,j] = A[i,j]*A[j,i]", {"i": 3, "j": 3}),
        ("s += x[i]*x[i]; z[i] = x[i]/sqrt(s)", {"i": 4}),
    ],
)
def test_nests_by_definition(text: str, extents: dict[str, int]) -> None:
    check_by_definition(loop_nest(text, extents))


def test_read_arrays_can_be_outputs() -> None:
    nest = loop_nest(CHOLESKY, {"i": 3, "j": 3, "k": 3}, ["L"])
    assert len(nest_dag(nest).dag.outputs) == 6
    check_by_definition(nest)


def test_points_are_those_that_meet_the_conditions() -> None:
    rng = random.Random(2)
    for _ in range(60):
        extents = {name: rng.randint(1, 5) for name in "ijk"}
        conditions = ", ".join(
            f"{rng.randint(-3, 3)}*{rng.choice('ijk')} + {rng.randint(-2, 2)}*{rng.choice('ijk')} <= "
            f"{rng.randint(-2, 2)}*{rng.choice('ijk')} + {rng.randint(-4, 6)}"
            for _ in range(rng.randint(1, 3))
        )
        (one,) = loop_nest(f"B[i,j] += A[i,j,k] for {conditions}", extents).statements
        expected = [
            list(values)
            for values in itertools.product(*(range(extents[name]) for name in one.indices))
            if all(
                condition.at(dict(zip(one.indices, values, strict=True))) >= 0 for condition in one.conditions
            )
        ]
        assert points_of(one, extents).tolist() == expected, conditions
        assert count_points(one, extents) == len(expected)
