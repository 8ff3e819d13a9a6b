"""``pebble plot levels``: the picture and its numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pebble.cli import group
from pebble.computations.problem import Problem
from pebble.lab.plots import draw_levels, level_points, levels
from pebble.program import Hierarchy

pytest.importorskip("matplotlib")

ARGUMENTS = ["plot", "levels", "-N", "40", "-d", "3", "--mask", "causal"]


def test_the_picture_and_its_numbers(tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    result = CliRunner().invoke(group, [*ARGUMENTS, "--levels", "43,140", "-o", str(file), "--json"])
    assert result.exit_code == 0
    assert file.read_text(encoding="utf-8").startswith("<?xml")
    found = json.loads(result.stdout)["schedules"]["nested-flash-2"]["boundaries"]
    assert [(one["level"], one["io"], one["peak"]) for one in found] == [(1, 1980, 43), (2, 840, 132)]
    assert "--levels" in CliRunner().invoke(group, [*ARGUMENTS, "-M", "43", "--json"]).output
    tiny = CliRunner().invoke(group, [*ARGUMENTS, "--levels", "5,9", "--json"])
    assert "nothing to draw" in str(tiny.exception) + tiny.output


def test_what_is_drawn() -> None:
    points = level_points(Problem.square(40, 3), Hierarchy((43, 140)))
    ax = draw_levels(points)
    drawn = {line.get_label(): np.asarray(line.get_xdata()).tolist() for line in ax.lines}
    inner = points.rows[0].boundaries[0]
    assert (drawn["reads"], drawn["writes"], drawn["I/O"]) == ([inner.reads], [inner.writes], [inner.io])
    assert len(levels(Problem.square(40, 3), Hierarchy((43, 140))).lines) == 6
