"""``--levels`` on the command line: counts of every boundary, files, formulas, and what is refused."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import Pebble, document_of

SMALL = ["-N", "40", "-d", "3", "--levels", "43,140"]
ON_H100 = ["-N", "512", "-d", "64", "--device", "h100"]
LEVELS = [*ON_H100, "--dtype", "bf16", "--levels", "regs,smem"]
TILES = ["--tiles", "rows=12,cols=9,block=5"]


def test_bandwidths_of_several_levels_are_given(pebble: Pebble) -> None:
    for command in ("count", "plan"):
        document = document_of(pebble(command, *LEVELS, "--json"))
        assert [one["boundary"] for one in document["levels"]] == ["regs | smem", "smem | l2"]
        assert document["schedules"][0]["seconds"][1] is None
        document = document_of(pebble(command, *LEVELS, "--bandwidth", "smem=1TB/s,regs=4TB/s", "--json"))
        (row,) = document["schedules"]
        assert row["seconds"] == [
            2 * one["io"] / rate for one, rate in zip(row["boundaries"], (4e12, 1e12), strict=True)
        ]


def test_moves_and_check(pebble: Pebble, tmp_path: Path) -> None:
    path = str(tmp_path / "nested.pebbling")
    small = ["-N", "6", "-d", "2", "--levels", "20,60"]
    for exclusive in ([], ["--exclusive"]):
        assert pebble("moves", "nested-flash-2", *small, *exclusive, "-o", path).code == 0
        document = document_of(pebble("check", path, "--json"))
        assert document["complete"]
        assert document["hierarchy"] == ("exclusive" if exclusive else "inclusive")
        assert [level["capacity"] for level in document["levels"]] == [20, 60]
        counted = document_of(pebble("count", *small, *exclusive, "--json"))["schedules"][0]["boundaries"]
        assert [one["io"] for one in counted] == [one["io"] for one in document["levels"]]
