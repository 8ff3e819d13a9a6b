"""A terminal is shown what the work is at, once it has taken half a second; nothing else is."""

from __future__ import annotations

import sys
import time
from itertools import count
from pathlib import Path

import pytest

from pebble.common.clock import doing, heard_by, tell
from tests.support.commands import Pebble

PROBLEM = ["-N", "8", "-d", "2", "-M", "20", "--schedule", "flash-2"]


def test_what_is_told_inside_comes_after_what_it_is_for() -> None:
    heard: list[str] = []
    with heard_by(heard.append), doing("1 of 2"):
        tell("counting")
    assert heard == ["1 of 2", "1 of 2: counting"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["dag", "info", "{dag}"], "reading {dag}: 0 edges"),
        (["dag", "info", "{dag}"], "longest path"),
        (["dag", "bounds", "{dag}", "-M", "4"], "bounds: spectral"),
        (["dag", "bounds", "{dag}", "-M", "4", "--no-recomputation"], "cuts: 0 of "),
        (["bounds", "-N", "8", "-d", "2", "-M", "20"], "bounds: 0 found"),
        (["count", *PROBLEM], "counting flash-2 …"),
        (["plan", *PROBLEM, "--no-costs"], "searching tiles: flash-2, native tiles"),
        (
            ["plot", "io", *PROBLEM, "-M", "20,40", "--json"],
            "2 of 2: M = 40, attention forward, N = 8, d = 2",
        ),
        (["check", "{pebbling}"], "line 5"),
        (["check", "{certificate}"], "move 0 of "),
        (["certify", "fft:4", "-M", "4", "-o", "{certificate}"], "playing part 1 of the pebbling"),
    ],
)
def test_what_takes_long_is_shown_on_a_terminal(
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
