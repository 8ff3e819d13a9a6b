"""Schedules for several devices with a schedule of one device inside, as the command shows them."""

from __future__ import annotations

import pytest

from pebble.common.errors import InvalidInput
from pebble.lab.parallel import parallel
from pebble.lab.parallel.inner_schedules import program_text, with_inner
from pebble.program.parallel import SharedProblem, memory_run
from schedules.distributed.device_programs import ring


def test_rows_have_the_words_within_a_device() -> None:
    problem = SharedProblem(48, 4, 4, heads=4, kv_heads=2)
    names = ["ring", "all-gather", "pass-q", "grid", "grid-ring"]
    report = with_inner(parallel(problem, names), "flash-2", 60)
    found = {row.name: row.inner for row in report.rows}
    assert all(one is not None and one.peak <= 60 for one in map(found.get, names[:4]))
    assert found["grid-ring"] is None
    assert "not written as a program" in report.not_applicable["inner I/O of grid-ring"]
    assert found["ring"] != memory_run(ring(4), problem)
    tight = with_inner(parallel(problem, ["ring"]), "flash-2", 5)
    assert "needs at least" in tight.not_applicable["inner I/O of ring"]


def test_programs_are_printed() -> None:
    assert "compute U" in program_text("ring", SharedProblem(48, 4, 4), inner="flash-1", M=60)
    assert program_text("grid", SharedProblem(48, 4, 4), (2, 2)).startswith("devices r = 0..1, c = 0..1")
    assert "dK" in program_text("ring", SharedProblem(48, 4, 4, pass_name="backward"))
    with pytest.raises(InvalidInput, match="give -M"):
        program_text("ring", SharedProblem(48, 4, 4), inner="flash-1")
    with pytest.raises(InvalidInput, match="not written"):
        program_text("lightseq", SharedProblem(48, 4, 4, causal=True))
