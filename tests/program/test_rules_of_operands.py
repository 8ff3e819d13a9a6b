"""Operands read at a step of their chain: what the machine asks for, what shortcuts must see, what numbers say."""

from __future__ import annotations

import numpy as np
import pytest

from pebble.common.errors import InvalidInput, Violation
from pebble.computations.family import Family
from pebble.computations.masks import make_mask
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program import (
    Nodes,
    Program,
    compute,
    delete,
    load,
    loop,
    phase,
    program,
    store,
)
from pebble.program.counting.run import run
from pebble.program.numbers import evaluate
from tests.program.differences import differences
from tests.program.generator import Case

SCORES = (load("Q", "K", "V"), compute("S"))
STEP = (compute("a"), compute("m"), compute("P", "S"), compute("l"), compute("U"), delete("P", "a"))


def text(*nodes: Nodes) -> Program:
    return program(phase("", *nodes))


def online(Nq: int, Nk: int, mask: str | None = None) -> Family:
    made = None if mask is None else make_mask(mask, Nq, Nk)
    return family_of(Problem(Nq, Nk, 1, 1, softmax="online", mask=made))


@pytest.mark.parametrize("mask", [None, "causal", "window:2"])
def test_a_chain_is_read_step_by_step(mask: str | None) -> None:
    legal = text(SCORES, loop("j", 1, STEP), compute("O", "U"), store("O"))
    assert not differences(Case(legal, online(6, 6, mask)))


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ((compute("a"),), "in a loop over j in tiles of 1, not at j=0:6"),
        (loop("j", 2, compute("a")), "at most one partial result of m is held"),
        (loop("j", 1, compute("m"), compute("a")), "got in fast memory to just before j=1; m@before is read"),
        (loop("j", 1, compute("a"), compute("P")), "got in fast memory to just after j=0; m@after is read"),
        ((compute("m"), loop("j", 1, compute("P"))), "just after j=0"),
    ],
)
def test_another_step_than_is_held_is_refused(mask: str | None, nodes: Nodes, words: str) -> None:
    for induction in (True, False):
        with pytest.raises(Violation, match=words) as refused:
            run(text(SCORES, nodes), online(6, 6, mask), induction=induction)
        assert refused.value.rule == "compute-needs-predecessors"


def test_numbers_take_a_tile_of_one_step() -> None:
    inputs = {name: np.ones((3, 1)) for name in "QKV"}
    with pytest.raises(InvalidInput, match="tiles of 1"):
        evaluate(text(SCORES, compute("a")), online(3, 3), inputs)
