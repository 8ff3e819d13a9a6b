"""Automatic schedules of a family's DAG: no worse than the schedules registered for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pebble.cli.dag import schedule as command
from pebble.common.errors import PebbleError
from pebble.computations.load import load_dag, named_problem
from pebble.lab import dag_schedules
from pebble.lab.dag_schedules import schedule_named_dag
from pebble.lab.pebblings import check, moves
from pebble.program.schedule import registered
from pebble.solvers.heuristic import portfolio, schedule_dag
from pebble.solvers.heuristic.search import BestOrder, FoundOrder, Task

NAMED = [
    ("attention:N=8,d=4", 24),
    ("attention:N=8,d=4", 64),
    ("attention-online:N=6,d=3", 20),
    ("backward:N=6,d=2", 24),
    ("weights:N=4,d=2", 16),
    ("linear-attention:N=6,d=3,causal=1,chunk=3", 30),
]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only simple orders and those from elsewhere, so that the registered schedules decide."""

    def simple(task: Task, best: BestOrder) -> Iterator[FoundOrder]:
        yield from portfolio._simple(task)
        yield from task.candidates

    monkeypatch.setattr(portfolio, "_everything", simple)


@pytest.mark.many(2)
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("name", "M"), NAMED)
def test_no_worse_than_any_registered_schedule(name: str, M: int, tmp_path: Path) -> None:
    problem = named_problem(name)
    assert problem is not None
    found = schedule_named_dag(name, M)
    tried = 0
    for schedule in registered(problem.pass_name, problem.form):
        try:
            assert found.io <= moves(schedule, problem, M).io, schedule.name
            tried += 1
        except PebbleError:
            pass
    assert tried
    found.write(tmp_path / "found", name)
    checked = check(tmp_path / "found")
    assert (checked.legal, checked.complete, checked.io) == (True, True, found.io)
    assert found.to_dict().get("recomputation", False) == found.recomputation


@pytest.mark.usefixtures("quick")
def test_a_schedule_that_computes_twice_says_so() -> None:
    found = schedule_named_dag("attention:N=16,d=8", 128)
    assert found.recomputation
    assert (found.io, found.eviction) == (896, "own")
    assert str(found).endswith("with recomputation")


def test_other_orders_and_files_have_no_registered_schedules(tmp_path: Path) -> None:
    assert schedule_named_dag("attention:N=4,d=2", 12, "given").order == "given"
    (tmp_path / "small.txt").write_text("a x\nb x\n", encoding="utf-8")
    assert schedule_named_dag(str(tmp_path / "small.txt"), 3).io == 3


def test_an_interrupted_command_writes_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(portfolio, "greedy", interrupt)
    target = tmp_path / "best.pebbling"
    result = CliRunner().invoke(command, ["fft:16", "-M", "6", "-o", str(target)], catch_exceptions=False)
    assert result.exit_code == 130
    assert "interrupted; this is the best found so far" in result.stderr
    assert str(target) in result.stderr
    checked = check(target)
    assert checked.complete
    assert f"{checked.io} I/O" in result.stdout
    monkeypatch.undo()
    dag = load_dag("fft:16")
    assert checked.io == min(schedule_dag(dag, 6, o).io for o in ("given", "depth-first", "breadth-first"))


def test_a_long_search_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dag_schedules, "_MANY", 10)
    result = CliRunner().invoke(command, ["fft:4", "-M", "6", "--time", "0"], catch_exceptions=False)
    assert result.stderr.startswith("pebble: 12 vertices: quick orders come first")
    result = CliRunner().invoke(command, ["fft:4", "-M", "6", "--order", "given"], catch_exceptions=False)
    assert result.stderr == ""
