"""One run over time is what the machine counts, move by move or operation by operation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pebble
from pebble.common.errors import CacheTooSmall, PebbleError
from pebble.computations.problem import Problem
from pebble.lab import plots
from pebble.lab.plots.over_time import Timeline, timeline
from pebble.program.schedule import available
from tests.lab.pictures import lines_of

pytest.importorskip("matplotlib")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pass_name", "mask"), [("forward", None), ("backward", None), ("forward", "causal")]
)
def test_every_schedule_over_time_is_what_the_machine_counts(pass_name: str, mask: str | None) -> None:
    problem = Problem.square(6, 2, pass_name=pass_name, mask=mask)
    for name in available(pass_name):
        M = pebble.schedules(pass_name)[name].least_M(problem) + 7
        try:
            by_moves, by_steps = (timeline(name, problem, M, resolution=r) for r in ("moves", "steps"))
        except CacheTooSmall:
            continue
        row = pebble.count(problem, M, [name])[name]
        for run in (by_moves, by_steps):
            assert (run.peak, run.io, int(run.reads[-1])) == (row.peak, row.io, row.reads)
            assert int(run.highest.max()) <= M
            assert run.occupied[0] == run.occupied[-1] == 0
            assert (np.diff(run.time) >= 0).all()
        agree(by_moves, by_steps)


def agree(by_moves: Timeline, by_steps: Timeline) -> None:
    """At the end of each step both know the same counts, and no move in between goes above the step's highest."""
    last = np.searchsorted(by_moves.time, by_steps.time, side="right") - 1
    for name in ("reads", "writes"):
        assert (getattr(by_moves, name)[last] == getattr(by_steps, name)).all()
    for step in range(1, len(last)):
        between = by_moves.highest[last[step - 1] + 1 : last[step] + 1]
        if len(between) and by_steps.time[step] < by_steps.time[-1]:
            assert between.max() == by_steps.highest[step]


def test_a_short_run_is_drawn_move_by_move() -> None:
    found = plots.occupancy_of("flash-2", Problem.square(4, 2), 16)
    assert found.whole
    assert found.run.resolution == "moves"
    assert found.column("time")[:-1] == list(range(found.run.io + sum_of_computes("flash-2") + 1))
    memory, traffic = plots.draw_occupancy(found)
    assert list(lines_of(memory)["in use"].get_ydata()) == found.run.occupied.tolist()
    assert list(lines_of(traffic)[f"I/O: {found.run.io:,}"].get_ydata())[-1] == found.run.io


def sum_of_computes(name: str) -> int:
    return pebble.moves(name, Problem.square(4, 2), 16).computes


def test_a_long_run_is_drawn_by_stretches_that_lose_no_peak() -> None:
    found = plots.occupancy_of("small-cache", Problem.square(40, 8), 120)
    run = found.run
    assert not found.whole
    assert max(found.column("highest")) == run.peak
    assert found.column("reads")[-1] + found.column("writes")[-1] == run.io
    assert found.column("time")[-1] == run.time[-1]
    assert all(low <= high for low, high in zip(found.lowest, found.column("highest"), strict=True))
    assert min(found.lowest) == 0
    for number, place in enumerate(found.drawn):
        assert sum(values[number] for values in found.held.values()) == run.occupied[place]


def test_a_run_of_many_moves_is_followed_operation_by_operation() -> None:
    run = timeline("flash-1", Problem.square(256, 32), 8192, {"rows": 32, "cols": 60})
    assert run.resolution == "steps"
    assert len(run.time) < 1000
    assert run.time[-1] > 200_000


def test_a_run_that_differs_from_the_machine_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import pebble.lab.plots.over_time as module

    def wrong(pebbling: Any) -> Any:
        time, held, highest, reads, writes = correct(pebbling)
        return time, held, highest, reads + 1, writes

    correct = module._by_moves
    monkeypatch.setattr(module, "_by_moves", wrong)
    with pytest.raises(PebbleError, match="please report this"):
        timeline("flash-2", Problem.square(4, 2), 16)
