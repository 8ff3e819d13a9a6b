"""The errors of tests/bench/planted_bugs.txt can be planted: what is replaced stands there once; all are programs."""

from __future__ import annotations

from tests.bench.plant_bugs import ROOT, TABLE, bugs_of


def test_every_error_can_be_planted() -> None:
    bugs = list(bugs_of(TABLE.read_text(encoding="utf-8")))
    assert len(bugs) > 500
    sources = {bug.path: (ROOT / bug.path).read_text(encoding="utf-8") for bug in bugs}
    assert [str(bug) for bug in bugs if sources[bug.path].count(bug.old) != 1] == []
    for bug in bugs:
        compile(sources[bug.path].replace(bug.old, bug.new), bug.path, "exec")
