"""The command ``pebble check``: legal or not, complete or not, and files that are no pebblings."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import Pebble, document_of


def test_check_agrees_with_count(pebble: Pebble, tmp_path: Path) -> None:
    path = str(tmp_path / "small.pebbling")
    sizes = ["-N", "5", "--kv", "4", "-d", "3", "--dv", "2", "--stats", "-M", "40"]
    done = pebble("moves", "flash-2", *sizes, "-o", path)
    assert (done.code, done.out) == (0, "")
    checked = document_of(pebble("check", path, "--json"))
    (row,) = document_of(pebble("count", *sizes, "--schedule", "flash-2", "--json"))["schedules"]
    assert (checked["legal"], checked["complete"], checked["missing"]) == (True, True, [])
    assert [checked[name] for name in ("reads", "writes", "io", "peak")] == [
        row[name] for name in ("reads", "writes", "io", "peak")
    ]
    assert checked["dag"] == {
        "name": "attention-forward",
        "Nq": "5",
        "Nk": "4",
        "d": "3",
        "dv": "2",
        "stats": "1",
    }
    assert pebble("check", path).out.startswith("legal, complete; ")
