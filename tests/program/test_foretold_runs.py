"""What is told of the work under masks kept block by block, before a program is run."""

from __future__ import annotations

import importlib

import pytest

from pebble.common.errors import TooManyOperations
from pebble.computations.problem import Problem
from pebble.program.machine.foretold_runs import foretold_runs
from pebble.program.machine.run import run
from pebble.program.schedule import get

foretelling = importlib.import_module("pebble.program.machine.foretold_runs")
run_module = importlib.import_module("pebble.program.machine.run")


def told(name: str, N: int, mask: str, tiles: dict[str, int]) -> int:
    problem, schedule = Problem.square(N, 128, mask=mask), get(name)
    return foretold_runs(schedule.program(problem, tiles), schedule.family(problem))


def test_nothing_is_told_of_short_axes_and_other_masks() -> None:
    assert told("naive", 4096, "butterfly:32", {}) == 0
    assert told("naive", 10**6, "strided:512", {}) == 0


def test_runs_follow_the_blocks_and_the_tiles() -> None:
    texts = [(2**16, "blocks:size=128,density=0.1"), (2**17, "blocks:size=128,density=0.1")]
    few, many = (told("flash-2", N, text, {"rows": 384}) for N, text in texts)
    assert 3 * few < many < 5 * few


def test_runs_follow_the_classes_of_tiles() -> None:
    few, many = (told("flash-2", N, "butterfly:128", {"rows": 384}) for N in (2**17, 10**9))
    assert many < 50 * few
    assert told("flash-2", 10**9, "butterfly:128", {"rows": 383}) > 1000 * few
    assert told("naive", 2**17, "butterfly:128", {}) == told("naive", 2**18, "butterfly:256", {})


def test_what_is_too_much_is_refused_at_once() -> None:
    problem, schedule = Problem.square(2**17, 128, mask="blocks:size=128,density=0.1"), get("flash-2")
    with pytest.raises(
        TooManyOperations, match="runs of tiles would have to be executed, and at most 1,000,000 are"
    ):
        run(schedule.program(problem, {"rows": 8}), schedule.family(problem))


def test_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foretelling, "_SHORT", 0)
    problem, schedule = Problem.square(64, 1, mask="butterfly:16"), get("flash-2")
    program, family = schedule.program(problem, {"rows": 16}), schedule.family(problem)
    number = foretold_runs(program, family)
    assert number > 0
    monkeypatch.setattr(run_module, "MOST_RUNS", number)
    assert run_module.run(program, family).io
    monkeypatch.setattr(run_module, "MOST_RUNS", number - 1)
    with pytest.raises(TooManyOperations, match=f"about {number} runs"):
        run_module.run(program, family)
