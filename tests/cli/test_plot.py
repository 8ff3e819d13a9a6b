"""The command ``pebble plot``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import pebble
from pebble.cli import group
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem

pytest.importorskip("matplotlib")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["plot", *arguments])


def test_a_missing_folder_is_refused_before_counting(tmp_path: Path) -> None:
    result = invoke("io", "-N", "10**9", "-d", "64", "-o", str(tmp_path / "nowhere" / "a.svg"))
    assert isinstance(result.exception, InvalidInput)
    assert "does not exist" in str(result.exception)


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for arguments in (
        ("io", "-N", "64", "-d", "8", "-M", "40:400:2"),
        ("occupancy", "best", "-N", "8", "-d", "2", "-M", "40"),
    ):
        result = invoke(*arguments, "-o", "a.svg")
        assert isinstance(result.exception, InvalidInput)
        assert "pip install 'pebble-io[plot]'" in str(result.exception)
    assert invoke("io", "-N", "64", "-d", "8", "-M", "40:400:2", "--json").exit_code == 0


# The command


def test_command_writes_files_and_numbers(tmp_path: Path) -> None:
    problem = ("-N", "64", "-d", "8")
    for number, arguments in enumerate(
        (
            ("io", *problem, "-M", "40:400:3", "--schedule", "flash-2"),
            ("io", "-N", "64,128", "-d", "8", "-M", "100", "--schedule", "best,naive"),
            ("gap", "-d", "8", "-N", "32:128:2", "-M", "40,400"),
            ("arrays", *problem, "-M", "100", "--schedule", "best"),
            ("roofline", *problem, "--device", "a100", "--schedule", "best"),
            ("occupancy", "flash-2", "-N", "8", "-d", "2", "-M", "20"),
        )
    ):
        path = tmp_path / f"{number}.{'pdf' if number % 2 else 'svg'}"
        output = ("-o", str(path)) if number in (0, 3, 6) else ()
        result = invoke(*arguments, "--json", *output)
        assert result.exception is None, arguments
        assert path.exists() == bool(output)
        document = json.loads(result.stdout)
        assert document["schema_version"] == 1
        assert document["plot"] == arguments[0]
    assert (tmp_path / "0.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "3.pdf").read_bytes().startswith(b"%PDF")


def test_command_says_what_it_wrote_and_how_long_it_took(tmp_path: Path) -> None:
    path = tmp_path / "io.svg"
    problem = ("-N", "64", "-d", "8", "-M", "40,400", "--schedule", "flash-2")
    result = invoke("io", *problem, "-o", str(path), "--json")
    said = re.fullmatch(r"(.+): ([\d,]+) bytes; counted in \d+\.\d s, drawn in \d+\.\d s\n", result.stderr)
    assert said is not None, result.stderr
    assert (said[1], int(said[2].replace(",", ""))) == (str(path), path.stat().st_size)
    assert json.loads(result.stdout)["plot"] == "io"


def test_command_numbers_equal_the_counts() -> None:
    document = json.loads(invoke("io", "-N", "64", "-d", "8", "-M", "40,400", "--json").stdout)
    assert [point["M"] for point in document["points"]] == [40, 400]
    for name, values in document["schedules"].items():
        assert values == [pebble.count(Problem.square(64, 8), M, [name])[name].io for M in (40, 400)]


def test_command_has_default_sizes() -> None:
    document = json.loads(invoke("io", "-N", "64", "-d", "8", "--schedule", "naive", "--json").stdout)
    sizes = [point["M"] for point in document["points"]]
    assert (sizes[0], sizes[-1]) == (16, 256 * 64)
    document = json.loads(
        invoke(
            "io", "-N", "1024", "-d", "8", "-M", "100", "--against", "N", "--schedule", "naive", "--json"
        ).stdout
    )
    assert [point["problem"]["Nk"] for point in document["points"]][-1] == 1024
    document = json.loads(invoke("gap", "-d", "2", "-M", "100", "--schedule", "naive", "--json").stdout)
    assert (document["problems"][0]["Nq"], document["problems"][-1]["Nq"]) == (8, 2048)


@pytest.mark.parametrize(
    "arguments",
    [
        ("io", "-N", "64", "-d", "8"),
        ("io", "-N", "64,128", "-d", "8", "--json"),
        ("io", "-N", "64,128", "-d", "8", "-M", "100,200", "--json"),
        ("io", "-N", "64,128", "--kv", "9", "-d", "8", "-M", "100", "--json"),
        ("roofline", "-N", "64", "-d", "8", "--json"),
        ("oi",),
    ],
)
def test_command_refuses_what_makes_no_sense(arguments: tuple[str, ...]) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
