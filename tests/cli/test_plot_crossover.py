"""``pebble plot crossover``: the picture and its numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pebble.cli import group
from pebble.lab.crossover import crossover
from pebble.lab.plots import crossover_curves, draw_crossover

pytest.importorskip("matplotlib")


def test_the_picture_and_its_numbers(tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    result = CliRunner().invoke(
        group, ["plot", "crossover", "-d", "8", "-M", "200,300", "-o", str(file), "--json"]
    )
    assert result.exit_code == 0
    assert file.read_text(encoding="utf-8").startswith("<?xml")
    points = json.loads(result.stdout)["points"]
    found = crossover(8, 300)
    assert points[1] == {
        "M": 300,
        "cheaper_from": found.cheaper_from,
        "provably_from": found.provably_from,
    }


def test_what_is_drawn() -> None:
    curves = crossover_curves(8, [200, 300])
    ax = draw_crossover(curves)
    lines = {line.get_label(): np.asarray(line.get_ydata()).tolist() for line in ax.lines}
    assert lines["linear cheaper"] == [row.cheaper_from for row in curves.rows]
    assert lines["linear provably cheaper"] == [row.provably_from for row in curves.rows]
