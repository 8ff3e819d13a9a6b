"""Shifting an iteration's moves gives the moves that executing the next iterations gives, or the same error."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.attention import attention_family
from pebble.computations.family import Family
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.program import Program, compute, delete, load, loop, phase, program, shifted_loops, store, when
from pebble.program.lowering import _columns, lower, lower_steps
from pebble.program.schedule import registered
from pebble.program.shifted_loops import ShiftedLoops
from tests.program.names import first, last, not_first
from tests.program.random_programs import gradient_family, legal_program, random_program
from tests.program.repairs import mutated
from tests.support.problems import problem_for


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let one iteration saved be enough; how many were saved each time."""
    monkeypatch.setattr(shifted_loops, "LEAST", 1)
    taken: list[int] = []
    plain = ShiftedLoops._repeated

    def noted(self: ShiftedLoops, kept: Any, strides: Any, times: int) -> Any:
        taken.append(times)
        return plain(self, kept, strides, times)

    monkeypatch.setattr(ShiftedLoops, "_repeated", noted)
    return taken


def agree(nodes: Program, family: Family) -> None:
    """The moves, and what is said where there is an error, are those of the plain loops."""
    found: list[tuple[list[int], list[int], str]] = []
    for chunks in (_columns(nodes, family, 20), (columns for _, columns in lower_steps(nodes, family))):
        op, vertex, said = list[int](), list[int](), ""
        try:
            for some, others in chunks:
                op += some.tolist()
                vertex += others.tolist()
        except InvalidInput as error:
            said = str(error)
        found.append((op, vertex, said))
    assert found[0] == found[1], f"{family!r}\n{nodes}"


def long_family(rnd: Random) -> Family:
    sizes = [rnd.choice([6, 7, 9, 11, 13]), rnd.choice([1, 2, 5, 7, 8]), rnd.choice([1, 2, 3, 6])]
    rnd.shuffle(sizes)
    match rnd.choice(["attention", "matmul", "gradient"]):
        case "attention":
            return attention_family(Problem(sizes[0], sizes[1], sizes[2], rnd.choice([1, 2, 6])))
        case "matmul":
            return matmul_family(*sizes)
    return gradient_family(*sizes)


def judged(seeds: range) -> None:
    for seed in seeds:
        rnd = Random(seed)
        family = long_family(rnd)
        nodes = random_program(rnd, family) if seed % 3 == 0 else legal_program(rnd, family)
        for _ in range(rnd.choice([0, 0, 1, 2])):
            nodes = mutated(rnd, nodes, family)
        agree(nodes, family)


def test_random_programs_make_the_same_moves(repeated: list[int]) -> None:
    judged(range(100))
    assert len(repeated) > 200


@pytest.mark.slow
def test_many_random_programs_make_the_same_moves(repeated: list[int]) -> None:
    judged(range(10**6, 10**6 + 2500))


@pytest.mark.slow
@pytest.mark.parametrize("largest", [1, 20, 1 << 19])
def test_schedules_make_the_same_moves(
    largest: int, repeated: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shifted_loops, "LARGEST", largest)
    seen = 0
    for schedule in registered():
        problem = problem_for(schedule, 9, 6)
        tiles = {name: 1 + number % 2 for number, name in enumerate(schedule.tile_names)}
        with suppress(InvalidInput):  # of several schedules, one is chosen by its tiles
            nodes = schedule.program(problem, tiles)
            agree(nodes, schedule.family(problem))
            seen += 1
    assert seen > 15
    assert bool(repeated) == (largest > 1)


PART = loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"), label="inner k")
AHEAD = (load("A", "B"), compute("C", k=(0, 7)), store("C"), delete("C"))


@pytest.mark.parametrize(
    "nodes",
    [
        loop("k", 3, loop("j", 2, when(not_first("k"), load("C")), PART, store("C"), delete("C"))),
        loop("k", 2, load("B"), loop("j", 1, load("A"), compute("C"), delete("A")), delete("B")),
        loop("k", 1, load("A", "B"), compute("C"), delete("A", "B"), when(last("k"), store("C"))),
        loop(
            "k", 1, when(first("k"), load("A", "B")), compute("C"), store("C"), when(last("k"), delete("A"))
        ),
        (loop("k", 1, load("A", "B"), compute("C")), loop("k", 1, store("C"), load("C"))),
        (load("A", "B"), loop("j", 1, compute("C")), loop("k", 2, store("C"), delete("C"), load("C"))),
        (loop("j", 1, load("B"), start=4), loop("j", 1, load("B"), delete("B"))),
        (load("B"), loop("j", 1, delete("B"), start=5, stop=7), loop("j", 1, store("B"))),
        (load("A", "B"), compute("C", j=(0, 4)), loop("j", 1, store("C"))),
        (load("A", "B"), loop("k", 1, compute("C", j=(0, 4)))),
        loop("i", 4, loop("i", 1, load("A"), delete("A"), label="row"), load("A"), delete("A")),
        (AHEAD, loop("k", 1, load("C"), compute("C"), store("C"), delete("C"))),
        (AHEAD, loop("k", 1, compute("C"), store("C"), delete("C"), load("C"))),
        (AHEAD, loop("j", 1, load("C"), compute("C"), store("C"), delete("C"))),
        loop("i", 1, when(last("i"), load("A"))),
        (load("A", "B"), compute("C"), store("C"), loop("k", 1, delete("C"), load("C"))),
        (load("A", "B"), loop("k", 1, store("C"), compute("C"))),
    ],
)
def test_telling_loops_make_the_same_moves(nodes: Any, repeated: list[int]) -> None:
    agree(program(phase("", nodes)), matmul_family(9, 11, 12))


def test_chunks_stay_small() -> None:
    """However long a loop is, only some of its moves are made at a time."""
    family = matmul_family(1, 40_000, 3)
    nodes = program(phase("", loop("j", 1, load("B"), delete("B"))))
    sizes = [len(op) for op, _ in lower(nodes, family)]
    assert sum(sizes) == 2 * 3 * 40_000
    assert max(sizes) < 1 << 18
    assert {vertex.dtype for _, vertex in lower(nodes, family)} == {np.dtype(np.int64)}
