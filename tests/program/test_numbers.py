"""Programs run on numbers give attention, and programs with something missing do not."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from pebble.computations.attention import attention_family
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.program import Operation, Program, compute, delete, load, phase, program, store
from pebble.program.numbers import evaluate
from pebble.program.schedule import available, get
from tests.program.random_programs import product_program, relabelled
from tests.program.repairs import addresses, edited
from tests.support.plain_attention import attention

PROBLEM = Problem(5, 7, 3, 2, stats=True)
NAMES = sorted(available())


def inputs(problem: Problem, seed: int = 0) -> dict[str, NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    shapes = {"Q": (problem.Nq, problem.d), "K": (problem.Nk, problem.d), "V": (problem.Nk, problem.dv)}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def is_attention(nodes: Program, problem: Problem) -> bool:
    given = inputs(problem)
    found = evaluate(nodes, attention_family(problem), given)
    output, sums = attention(given["Q"], given["K"], given["V"])
    expected = {"O": output, "l": sums} if problem.stats else {"O": output}
    assert set(found) == set(expected)
    return all(np.allclose(found[name], expected[name], rtol=1e-11, atol=1e-12) for name in expected)


@pytest.mark.many(6)
@pytest.mark.parametrize("name", NAMES)
def test_every_needed_operation_is_missed(name: str) -> None:
    """Without any one of its loads, stores and computes a schedule no longer gives attention."""
    schedule = get(name)
    tiles = dict.fromkeys(schedule.smallest(PROBLEM), 2)
    nodes = schedule.program(PROBLEM, schedule.check_tiles(tiles))
    assert is_attention(nodes, PROBLEM)
    dropped = 0
    for address, node in addresses(nodes):
        if isinstance(node, Operation) and node.action != "delete":
            dropped += 1
            assert not is_attention(edited(nodes, address, lambda _node, _inside: ()), PROBLEM), (
                address,
                str(node),
            )
    assert dropped >= 8


def test_what_was_not_computed_is_not_a_number() -> None:
    family = matmul_family(2, 3, 4)
    A, B = np.ones((2, 4)), np.ones((4, 3))
    part = program(phase("", load("A", "B"), compute("C"), store("C", i=(0, 1))))
    found = evaluate(part, family, {"A": A, "B": B})["C"]
    assert (found[0] == 4).all()
    assert np.isnan(found[1]).all()
    deleted = program(phase("", load("A", "B"), delete("A"), compute("C"), store("C")))
    assert np.isnan(evaluate(deleted, family, {"A": A, "B": B})["C"]).all()


def test_what_was_replaced_is_gone() -> None:
    family = relabelled(attention_family(PROBLEM), ("S", "P"))
    nodes = program(phase("", load("Q", "K"), compute("S"), compute("P", "S"), store("P", "S")))
    found = evaluate(nodes, family, inputs(PROBLEM))
    assert np.isnan(found["S"]).all()
    assert not np.isnan(found["P"]).any()


@pytest.mark.parametrize("seed", range(20))
def test_products_in_any_order_and_tiles(seed: int) -> None:
    rnd = Random(seed)
    sizes = rnd.randint(1, 7), rnd.randint(1, 7), rnd.randint(1, 7)
    family = matmul_family(*sizes)
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(sizes[0], sizes[2])), rng.normal(size=(sizes[2], sizes[1]))
    found = evaluate(product_program(rnd, family), family, {"A": A, "B": B})
    np.testing.assert_allclose(found["C"], A @ B, rtol=1e-12, atol=1e-12)
