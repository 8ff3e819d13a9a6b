"""Lines of a mask of whole blocks: numbers of partners tell what they do, and all is as if each had been executed."""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from pebble import Problem
from pebble.computations.masks import BlockMask
from pebble.program.machine import loop_tiles
from pebble.program.machine.interpolation import Interpolation
from pebble.program.machine.lines_of_blocks import runs_of_block_lines
from pebble.program.schedule import get
from tests.program.differences import PLAIN, SHORTCUTS, judge
from tests.program.generator import Case
from tests.program.names import (
    Node,
    Nodes,
    Program,
    compute,
    delete,
    family_of,
    first,
    last,
    load,
    loop,
    not_first,
    phase,
    run,
    store,
    when,
)
from tests.program.random_families import with_outputs
from tests.program.test_rounds_in_blocks import case_of

MANY = int(os.environ.get("PEBBLE_CASES", "6000")) // 30


def random_blocks(rnd: Random) -> BlockMask:
    """Small blocks of which all lines have some, mostly."""
    sides = rnd.choice([1, 1, 2, 3]), rnd.choice([1, 1, 2, 3])
    shape = tuple(rnd.randint(5, max(6, 40 // side)) for side in sides)
    share = rnd.choice([0.3, 0.5, 0.7])
    blocks = np.array([[rnd.random() < share for _ in range(shape[1])] for _ in range(shape[0])])
    if rnd.random() < 0.8:
        blocks[np.arange(shape[0]), [rnd.randrange(shape[1]) for _ in range(shape[0])]] = True
        blocks[[rnd.randrange(shape[0]) for _ in range(shape[1])], np.arange(shape[1])] = True
    blocks[0, 0] = True
    Nq, Nk = (
        number * side - rnd.choice([0, rnd.randrange(side)])
        for number, side in zip(shape, sides, strict=True)
    )
    mask = BlockMask("some", Nq, Nk, sides, blocks)
    mask.empty_rows = "zero"
    return mask


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often lines were told by numbers, and how often what they do followed from others."""
    found, effect = Counter[str](), Interpolation.effect

    def told(*asked: Any) -> Any:
        found["told"] += 1
        return runs_of_block_lines(*asked)

    def followed(self: Interpolation, *asked: Any) -> Any:
        one = effect(self, *asked)
        found["followed"] += one is not None
        return one

    monkeypatch.setattr(loop_tiles, "runs_of_block_lines", told)
    monkeypatch.setattr(Interpolation, "effect", followed)
    return found


def rows_of(rnd: Random) -> Node:
    """A loop over single queries, or keys, in it one or two over the single lines of the other axis."""
    axis, other = rnd.sample("ij", 2)
    own, partner = ("Q", "K") if axis == "i" else ("K", "Q")
    nodes: list[Nodes] = [load(own)]
    loops = rnd.randint(1, 2)
    sums = axis == "i" and loops == 1 and rnd.random() < 0.6
    for number in range(loops):
        label = f"{other}{number}"
        body: list[Nodes] = [load(partner), compute("S"), delete(partner)]
        if rnd.random() < 0.5:
            body.append(store("S"))
        if rnd.random() < 0.4:
            condition = rnd.choice([first, last, not_first])(rnd.choice([axis, label]))
            body.insert(
                rnd.choice([0, 1, 3]), when(condition, rnd.choice([store(own), load(own), load(partner)]))
            )
        if sums:
            body += [compute("P", "S"), compute("l"), delete("P")]
        else:
            body.append(delete("S"))
        nodes.append(loop(other, 1, *body, label=label))
        if rnd.random() < 0.3:
            nodes.append(rnd.choice([load(own), store(own), load(partner)]))
    nodes.append(delete(own))
    if sums:
        nodes += [store("l")] * (rnd.random() < 0.5) + [delete("l")]
    return loop(axis, 1, *nodes, label=axis)


def rows_case_of(seed: int) -> Case:
    rnd = Random(seed)
    mask = random_blocks(rnd)
    family = with_outputs(family_of(Problem(mask.Nq, mask.Nk, 1, 1, mask=mask)), ())
    return Case(
        Program(tuple(phase("", rows_of(rnd)) for _ in range(rnd.randint(1, 2)))), family, f"seed {seed}"
    )


def check(case: Case) -> None:
    """Compare verdicts, counts, peaks and final states with those of plain loops."""
    expected = judge(PLAIN, case.program, case.family, None)
    found = judge(SHORTCUTS["induction"], case.program, case.family, None)
    assert not expected.differs(found), "\n".join([str(case), *expected.differs(found)])


PAIR: list[Nodes] = [load("Q"), compute("S"), delete("S", "Q")]


@pytest.mark.parametrize(
    "node",
    [
        loop("i", 1, loop("j", 4, load("K"), delete("K")), loop("j", 1, load("K"), *PAIR, delete("K"))),
        loop("i", 1, load("K"), loop("j", 1, *PAIR), delete("K")),
        loop("j", 1, load("K"), load("Q"), compute("S"), delete("S", "Q", "K")),
    ],
    ids=["tiles of keys", "keys before queries without any", "all queries at once"],
)
@pytest.mark.parametrize("empty", [False, True], ids=["", "empty"])
def test_named_programs(node: Node, empty: bool, taken: Counter[str]) -> None:
    blocks = np.random.default_rng(1).random((12, 12)) < 0.5
    np.fill_diagonal(blocks, True)
    blocks[5] &= not empty
    mask = BlockMask("some", 24, 24, (2, 2), blocks)
    mask.empty_rows = "zero"
    family = with_outputs(family_of(Problem(24, 24, 1, 1, mask=mask)), ())
    check(Case(Program((phase("", node),)), family, ""))


def test_rows(taken: Counter[str]) -> None:
    for seed in range(15):
        check(rows_case_of(seed))
    assert taken["told"] > 4
    assert taken["followed"] > 3


def test_random_programs(taken: Counter[str]) -> None:
    for seed in range(8):
        check(case_of(seed, random_blocks, 0.5))
    assert taken["told"]


@pytest.mark.slow
def test_many_programs(taken: Counter[str]) -> None:
    for seed in range(1000, 1000 + MANY // 7):
        check(case_of(seed, random_blocks, 0.5))
        check(rows_case_of(seed))
    assert taken["followed"] > MANY // 40


def test_few_lines_are_executed() -> None:
    """Of 256 rows of blocks, three phases; as many words as pairs make."""
    problem, schedule = Problem.square(2**15, 2, mask="blocks:size=128,density=0.1"), get("naive")
    found = run(schedule.program(problem, {}), schedule.family(problem))
    assert found.steps < 1000
    assert found.computes["S"] == 2 * problem.pairs
    assert found.reads["K"] == 2 * problem.pairs
