"""``-P`` of ``pebble moves`` and ``pebble play``: schedules for several devices, and what does not go with it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.commands import Pebble

SIZES = ["-N", "8", "-d", "2", "-P", "4"]


def test_moves_of_several_devices_are_checked(pebble: Pebble, tmp_path: Path) -> None:
    file = str(tmp_path / "grid.pebbling")
    written = pebble("moves", "grid", *SIZES, "--shape", "2x2", "-o", file)
    assert written.code == 0
    assert "930 moves of 4 devices" in written.err
    checked = pebble("check", file, "--json")
    counts = json.loads(checked.out)["communication"]
    assert (checked.code, counts["received_max"], counts["rounds"]) == (0, 18, 2)
    assert pebble("moves", "ring", *SIZES, "-o", "-").out.startswith("# pebbling 1\n# dag attention-forward")


def test_an_illegal_file_has_the_line_and_the_rule(pebble: Pebble, tmp_path: Path) -> None:
    file = tmp_path / "wrong.pebbling"
    file.write_text(
        "# pebbling 1\n# dag matmul m=2 n=1 k=1\n# devices 2\nsend A[0,0] 1 0\n", encoding="utf-8"
    )
    checked = pebble("check", str(file), "--json")
    fault = json.loads(checked.out)["fault"]
    assert (checked.code, fault["line"], fault["rule"]) == (1, 4, "send-needs-held")


def test_a_page_of_several_devices(pebble: Pebble, tmp_path: Path) -> None:
    file = tmp_path / "ring.html"
    made = pebble("play", "ring", *SIZES, "--layout", "zigzag", "--mask", "causal", "-o", str(file))
    assert made.code == 0
    assert "ring on 4 devices" in made.err
    assert "<svg id=" in file.read_text(encoding="utf-8")
