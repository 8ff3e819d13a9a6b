"""``pebble plot parallel``: the pictures and their numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pebble.cli import group
from pebble.lab.parallel import Links, parallel
from pebble.lab.plots import draw_parallel, draw_winners, parallel_curves, parallel_winners
from pebble.program.parallel import SharedProblem

pytest.importorskip("matplotlib")

SMALL = ["plot", "parallel", "ring", "grid", "-d", "4"]


def test_words_against_devices(tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    result = CliRunner().invoke(group, [*SMALL, "-N", "64", "-P", "2,4", "-o", str(file), "--json"])
    assert result.exit_code == 0, result.output
    assert file.read_text(encoding="utf-8").startswith("<?xml")
    data = json.loads(result.stdout)
    assert data["P"] == [2, 4]
    expected = [max(parallel(SharedProblem(64, 4, P), ["grid"])["grid"].received) for P in (2, 4)]
    assert data["received_max"]["grid"] == expected


def test_lines_and_the_bound_are_drawn() -> None:
    curves = parallel_curves([SharedProblem(256, 2, P) for P in (4, 16)], ["ring", "grid", "ulysses"])
    assert "ulysses" not in curves.schedules
    drawn = {line.get_label(): list(line.get_ydata()) for line in draw_parallel(curves).lines}  # type: ignore[arg-type]
    assert drawn["grid"] == list(curves.schedules["grid"])
    assert drawn["lower bound"] == list(curves.bound) == [2 * 256, 4 * 256 * 2 * 3 // 16]


def test_the_fastest_over_lengths_and_devices(tmp_path: Path) -> None:
    file = tmp_path / "b.png"
    times = ["--link", "1GB/s", "--flops", "1TFLOP/s"]
    result = CliRunner().invoke(
        group, [*SMALL, "-N", "64,128", "-P", "4,100", *times, "-o", str(file), "--json"]
    )
    assert result.exit_code == 0, result.output
    assert file.read_bytes().startswith(b"\x89PNG")
    data = json.loads(result.stdout)
    assert data["best"][0] == ["grid", None], "a hundred devices have no 64 tokens to share"
    assert data["exposed_over_work"][0][0] > 0
    found = parallel_winners(SharedProblem(64, 4, 4), [64], [4], Links(1e9, 1e12), ["ring", "grid"])
    assert [text.get_text() for text in draw_winners(found).texts] == [f"{found.ratios[0][0]:.2g}"]


def test_several_lengths_need_times() -> None:
    result = CliRunner().invoke(group, [*SMALL, "-N", "64,128", "--json"])
    assert result.exit_code == 2
    assert "need times" in result.output
