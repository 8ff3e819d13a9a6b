"""Shifting an iteration's moves gives the moves that executing the next iterations gives, or the same error."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pytest

from pebble.common.errors import InvalidInput
from pebble.computations.family import Family
from pebble.computations.matmul import matmul_family
from pebble.computations.problem import Problem
from pebble.computations.registry import family_of
from pebble.program import Program, delete, load, loop, phase, program, shifted_loops
from pebble.program.lowering import columns, lower, lower_steps
from pebble.program.schedule import get, registered
from pebble.program.shifted_loops import ShiftedLoops
from tests.program.generator import random_case
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
    for chunks in (columns(nodes, family, 20), (moves for _, moves in lower_steps(nodes, family))):
        op, vertex, said = list[int](), list[int](), ""
        try:
            for some, others in chunks:
                op += some.tolist()
                vertex += others.tolist()
        except InvalidInput as error:
            said = str(error)
        found.append((op, vertex, said))
    assert found[0] == found[1], f"{family!r}\n{nodes}"


def judged(seeds: range) -> None:
    for seed in seeds:
        case = random_case(Random(seed), masked=0)
        agree(case.program, case.family)


def test_random_programs_make_the_same_moves(repeated: list[int]) -> None:
    judged(range(50))
    assert len(repeated) > 80


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


def test_inputs_read_backward_are_shifted_back(repeated: list[int]) -> None:
    """Token after token, the vertices of these inputs come nearer to the first."""
    for chunk, name in ((None, "state-tiles"), (2, "chunked")):
        options: dict[str, Any] = {"attention": "linear", "mask": "causal", "pass_name": "backward"}
        problem = Problem.square(20, 3, 2, chunk=chunk, **options)
        nodes = get(name, "backward", problem.form).program(problem, {"state_rows": 2, "state_cols": 2})
        agree(nodes, family_of(problem))
    assert len(repeated) > 5


def test_chunks_stay_small() -> None:
    """However long a loop is, only some of its moves are made at a time."""
    family = matmul_family(1, 40_000, 3)
    nodes = program(phase("", loop("j", 1, load("B"), delete("B"))))
    sizes = [len(op) for op, _ in lower(nodes, family)]
    assert sum(sizes) == 2 * 3 * 40_000
    assert max(sizes) < 1 << 18
    assert {vertex.dtype for _, vertex in lower(nodes, family)} == {np.dtype(np.int64)}
