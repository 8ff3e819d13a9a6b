"""A terminal is shown how far the work is; nothing else is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.commands import Pebble

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
