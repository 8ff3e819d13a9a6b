"""Schedules for several devices with a schedule of one device inside, as the command shows them."""

from __future__ import annotations

from pebble.lab.parallel import parallel
from pebble.lab.parallel.inner_schedules import with_inner
from pebble.program.parallel import SharedProblem


def test_rows_have_the_words_within_a_device() -> None:
    problem = SharedProblem(48, 4, 4, heads=4, kv_heads=2)
    report = with_inner(parallel(problem), "flash-2", 60)
    assert all(row.inner is not None and row.inner.peak <= 60 for row in report.rows)
    tight = with_inner(parallel(problem, ["ring"]), "flash-2", 5)
    assert "needs at least" in tight.not_applicable["inner I/O of ring"]
    masked = with_inner(parallel(SharedProblem(48, 4, 4, causal=True), ["ring"]), "flash-2", 60)
    assert "without a mask" in masked.not_applicable["inner I/O of ring"]
