"""Kernels by name and in headers of pebbling files: DAGs, checked pebblings, programs on numbers."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest

import pebble
from pebble.computations.family import Family
from pebble.computations.nests.header import nest_from_parameters, nest_parameters, read_extents
from pebble.computations.nests.named_kernel import header_name
from pebble.computations.nests.nest_dag import NestDag, nest_dag
from pebble.computations.nests.nest_family import as_family
from pebble.computations.nests.read_text import loop_nest
from pebble.computations.registry import family_from_header
from pebble.program import compute, delete, load, phase, program, store
from pebble.program.numbers import evaluate
from tests.computations.nests.nest_numbers import vertex_values
from tests.computations.nests.plain_nests import random_text, used_extents

PRODUCT = "C[i,j] += A[i,k]*B[k,j]"


def test_a_kernel_is_a_dag_by_name() -> None:
    text = f"kernel:{PRODUCT}:i=2,j=3,k=4"
    assert pebble.load_dag(text) == pebble.matmul_family(2, 3, 4).dag()
    assert pebble.load_dag(header_name(text)) == pebble.load_dag("kernel:ik,kj->ij:i=2,j=3,k=4")
    assert len(pebble.load_dag("kernel:B[i] = A[i]; C[i] = B[i]:i=2:B").outputs) == 4


@pytest.mark.parametrize(
    ("text", "extents"),
    [
        (PRODUCT, {"i": 2, "j": 2, "k": 2}),
        ("y[i] += L[i,j]*x[j] for j <= i; z[i] = y[i]*a", {"i": 3, "j": 3}),
        ("u[t,i] = u[t-1,i-1] + u[t-1,i+1]", {"t": 2, "i": 3}),
        ("s += x[i]*y[i]", {"i": 3}),
    ],
)
def test_a_pebbling_of_a_nest_is_checked(text: str, extents: dict[str, int]) -> None:
    nest = loop_nest(text, extents)
    schedule = pebble.schedule_dag(nest_dag(nest).dag, 8)
    target = io.StringIO()
    schedule.write(target, "nest", nest_parameters(nest))
    found = pebble.check(io.BytesIO(target.getvalue().encode()))
    assert (found.complete, found.io) == (True, schedule.io)


@pytest.mark.parametrize("seed", range(3))
def test_programs_of_families_of_nests_compute_what_the_assignments_say(seed: int) -> None:
    rng, done = random.Random(seed), 0
    while done < 6:
        text, extents = random_text(rng, plain=True)
        nest = loop_nest(text, used_extents(text, extents))
        family = as_family(nest)
        if family is None or [one.name for one in family.arrays if not one.is_input] != list(nest.computed):
            continue
        done += 1
        _check_program(family, nest_dag(nest), np.random.default_rng(seed))


def _check_program(family: Family, found: NestDag, rng: np.random.Generator) -> None:
    phases = [
        phase(
            array.name,
            load(*(read.array for read in array.reads)),
            compute(array.name),
            store(array.name),
            delete(array.name, *(read.array for read in array.reads)),
        )
        for array in family.arrays
        if not array.is_input
    ]
    text = program(*phases)
    run = pebble.run(text, family, M=10**6)
    moves = list(pebble.lower(text, family))
    assert run.io == sum(int((op <= 1).sum()) for op, _ in moves)
    inputs = {one.name: rng.uniform(0.5, 1.5, family.shape(one.name)) for one in family.inputs}
    results = evaluate(text, family, inputs)
    flat = np.concatenate([values.ravel() for values in inputs.values()])
    values = vertex_values(found, flat)
    for array in family.outputs:
        chain, size = family.chain_length(array.name), family.size(array.name)
        expected = values[family.offset(array.name) + np.arange(chain - 1, size, chain)]
        assert np.allclose(results[array.name].ravel(), expected, rtol=1e-9)


def test_products_on_numbers_are_those_of_numpy() -> None:
    nest = pebble.einsum("ik,kj->ij; ij,jl->il", i=2, j=3, k=4, l=2)
    found = nest_dag(nest)
    rng = np.random.default_rng(0)
    A, B, D = (rng.normal(size=shape) for shape in ((2, 4), (4, 3), (3, 2)))
    values = vertex_values(found, np.concatenate([A.ravel(), B.ravel(), D.ravel()]))
    assert np.allclose(values[found.dag.outputs].reshape(2, 2), A @ B @ D)


def test_extents_are_numbers_as_people_write_them() -> None:
    assert read_extents("i=1Ki, j=10**3,k = 1e2") == {"i": 1024, "j": 1000, "k": 100}


def test_a_nest_without_indices_and_a_family() -> None:
    parameters = nest_parameters(loop_nest("a = b*c", {}))
    assert parameters["extents"] == "-"
    assert str(nest_from_parameters(parameters).statements[0]) == "a = b*c"
    family = family_from_header("nest", parameters)
    assert (family.n_vertices, family.parameters) == (3, parameters)
