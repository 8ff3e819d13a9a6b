"""A terminal is shown how far the work is; nothing else is."""

from __future__ import annotations

import sys
import time
from itertools import count
from pathlib import Path

import pytest

from tests.support.commands import Pebble

PROBLEM = ["-N", "8", "-d", "2", "-M", "20", "--schedule", "flash-2"]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["io", *PROBLEM, "-M", "20,40"], ["1 of 2: M = 20", "2 of 2: M = 40"]),
        (["gap", *PROBLEM, "-N", "8,16", "-M", "20,40"], ["4 of 4: attention forward, N = 16"]),
        (["arrays", *PROBLEM], ["counting flash-2 …"]),
        (["occupancy", "flash-2", *PROBLEM[:6]], ["following flash-2 …"]),
    ],
)
def test_pictures(
    pebble: Pebble, monkeypatch: pytest.MonkeyPatch, arguments: list[str], lines: list[str]
) -> None:
    assert pebble("plot", *arguments, "--json").err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    seen = pebble("plot", *arguments, "--json").err
    for line in lines:
        assert f"\r\x1b[K{line}" in seen
    assert seen.endswith("\r\x1b[K")


def test_drawing_is_shown_too(pebble: Pebble, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    path = str(tmp_path / "x.png")
    assert f"drawing {path} …" in pebble("plot", "arrays", *PROBLEM, "-o", path).err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["dag", "info", "{dag}"], "reading {dag}: 0 edges"),
        (["dag", "info", "{dag}"], "longest path"),
        (["dag", "bounds", "{dag}", "-M", "4"], "bounds: spectral"),
        (["dag", "bounds", "{dag}", "-M", "4", "--no-recomputation"], "cuts: 0 of "),
        (["bounds", "-N", "8", "-d", "2", "-M", "20"], "bounds: 0 found"),
        (["check", "{pebbling}"], "line 5"),
        (["check", "{certificate}"], "move 0 of "),
        (["certify", "fft:4", "-M", "4", "-o", "{certificate}"], "playing part 1 of the pebbling"),
    ],
)
def test_what_takes_long_is_shown_after_two_seconds(
    pebble: Pebble, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], line: str
) -> None:
    files = {name: str(tmp_path / name) for name in ("dag", "pebbling", "certificate")}
    files["dag"] += ".txt"
    Path(files["dag"]).write_text("3 2\n0 2\n1 2\n", encoding="utf-8")
    pebble("dag", "schedule", "fft:4", "-M", "4", "--order", "given", "-o", files["pebbling"])
    pebble("certify", "fft:4", "-M", "4", "-o", files["certificate"])
    command = [part.format(**files) for part in arguments]
    still, fast = 0.0, count(step=3)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(time, "monotonic", lambda: still)
    assert "\x1b" not in pebble(*command).err
    monkeypatch.setattr(time, "monotonic", lambda: float(next(fast)))
    seen = pebble(*command).err
    assert f"\r\x1b[K{line.format(**files)}" in seen
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    assert seen.rpartition("\r\x1b[K")[2] == pebble(*command).err
