"""The command ``pebble plot``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pebble.cli import group
from pebble.common.errors import InvalidInput
from pebble.lab.parallel import Links, parallel
from pebble.lab.plots.parallel_curves import draw_parallel, draw_winners, parallel_curves, parallel_winners
from pebble.program.parallel import SharedProblem

pytest.importorskip("matplotlib")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["plot", *arguments])


def test_a_missing_folder_is_refused_before_counting(tmp_path: Path) -> None:
    result = invoke("io", "-N", "10**9", "-d", "64", "-o", str(tmp_path / "nowhere" / "a.svg"))
    assert isinstance(result.exception, InvalidInput)
    assert "does not exist" in str(result.exception)


# The command


def test_command_says_what_it_wrote_and_how_long_it_took(tmp_path: Path) -> None:
    path = tmp_path / "io.svg"
    problem = ("-N", "64", "-d", "8", "-M", "40", "--schedule", "flash-2")
    result = invoke("io", *problem, "-o", str(path), "--json")
    said = re.fullmatch(r"(.+): ([\d,]+) bytes; counted in \d+\.\d s, drawn in \d+\.\d s\n", result.stderr)
    assert said is not None, result.stderr
    assert (said[1], int(said[2].replace(",", ""))) == (str(path), path.stat().st_size)
    assert json.loads(result.stdout)["plot"] == "io"


LEVELS = ["levels", "-N", "40", "-d", "3", "--mask", "causal"]


@pytest.mark.slow
def test_levels_and_their_numbers(tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    result = invoke(*LEVELS, "--levels", "43,140", "-o", str(file), "--json")
    assert result.exit_code == 0
    assert file.read_text(encoding="utf-8").startswith("<?xml")
    found = json.loads(result.stdout)["schedules"]["nested-flash-2"]["boundaries"]
    assert [(one["level"], one["io"], one["peak"]) for one in found] == [(1, 1980, 43), (2, 840, 132)]
    assert "--levels" in invoke(*LEVELS, "-M", "43", "--json").output
    tiny = invoke(*LEVELS, "--levels", "5,9", "--json")
    assert "nothing to draw" in str(tiny.exception) + tiny.output


DEVICES = ["parallel", "ring", "grid", "-d", "4"]


def test_words_against_devices(tmp_path: Path) -> None:
    file = tmp_path / "a.svg"
    result = invoke(*DEVICES, "-N", "64", "-P", "2,4", "-o", str(file), "--json")
    assert result.exit_code == 0, result.output
    assert file.read_text(encoding="utf-8").startswith("<?xml")
    data = json.loads(result.stdout)
    assert data["P"] == [2, 4]
    expected = [max(parallel(SharedProblem(64, 4, P), ["grid"])["grid"].received) for P in (2, 4)]
    assert data["received_max"]["grid"] == expected


def test_schedules_that_receive_the_same_are_one_line() -> None:
    curves = parallel_curves([SharedProblem(256, 2, P) for P in (4, 16)], ["ring", "grid", "all-gather"])
    names = [str(line.get_label()) for line in draw_parallel(curves).lines]
    assert sorted(names) == ["grid", "lower bound", "ring, all-gather"]


def test_lines_and_the_bound_are_drawn() -> None:
    curves = parallel_curves([SharedProblem(256, 2, P) for P in (4, 16)], ["ring", "grid", "ulysses"])
    assert "ulysses" not in curves.schedules
    drawn = {line.get_label(): list(line.get_ydata()) for line in draw_parallel(curves).lines}  # type: ignore[arg-type]
    assert drawn["grid"] == list(curves.schedules["grid"])
    assert drawn["lower bound"] == list(curves.bound) == [2 * 256, 4 * 256 * 2 * 3 // 16]


def test_the_fastest_over_lengths_and_devices(tmp_path: Path) -> None:
    file = tmp_path / "b.png"
    times = ["--link", "1GB/s", "--flops", "1TFLOP/s"]
    result = invoke(*DEVICES, "-N", "64,128", "-P", "4,100", *times, "-o", str(file), "--json")
    assert result.exit_code == 0, result.output
    assert file.read_bytes().startswith(b"\x89PNG")
    data = json.loads(result.stdout)
    assert data["best"][0] == ["grid", None], "a hundred devices have no 64 tokens to share"
    assert data["exposed_over_work"][0][0] > 0
    found = parallel_winners(SharedProblem(64, 4, 4), [64], [4], Links(1e9, 1e12), ["ring", "grid"])
    assert [text.get_text() for text in draw_winners(found).texts] == [
        f"{found.best[0][0]}\n{found.ratios[0][0]:.2g}"
    ]
