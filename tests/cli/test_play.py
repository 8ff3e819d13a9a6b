"""``pebble play``: what it takes, what it writes, and how it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import pebble
from pebble.cli import group
from pebble.common.errors import InvalidInput
from pebble.computations.problem import Problem
from pebble.lab.player import first_page, play

_SMALL = Problem.square(3, 2)


def command(*arguments: str, input: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["play", *arguments], input=input)
    error = result.exception
    return result.exit_code, result.output + (str(error) if isinstance(error, pebble.PebbleError) else "")


@pytest.mark.slow
def test_the_command_writes_a_schedule_and_a_dag(tmp_path: Path) -> None:
    path = tmp_path / "game.html"
    code, said = command("flash-2", "-N", "3", "-d", "2", "-M", "14", "--no-classics", "-o", str(path))
    assert (code, path.read_text(encoding="utf-8")) == (0, play("flash-2", _SMALL, 14, classics=False).html)
    assert "flash-2 on attention forward, N = 3, d = 2, M = 14" in said
    code, said = command("--dag", "pyramid:3", "-M", "4", "--no-classics", "-o", str(path))
    assert (code, "7 I/O; 1 DAG to play on" in said) == (0, True)
    code, said = command("--dag", "pyramid:2", "-M", "4", "--no-classics", "-o", "-")
    assert (code, said.startswith("<!doctype html>")) == (0, True)


def test_several_schedules_race(tmp_path: Path) -> None:
    path = tmp_path / "race.html"
    size = ("-N", "2", "-d", "1", "-M", "8")
    code, said = command("naive", "standard", "flash-2", *size, "--time-limit", "0.01", "-o", str(path))
    assert code == 0
    assert "M = 8; I/O naive 32, standard 28, flash-2 12" in said
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("name", ["piramid:3", "pyramid", "nothing.dot", "fft:5", "game.unknown", "fft:x"])
def test_faults_of_a_dag_are_those_of_certify(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.unknown").write_text("0 1\n", encoding="utf-8")
    code, said = command(name, "-M", "4", "-o", "x.html")
    result = CliRunner().invoke(group, ["certify", name, "-M", "4", "-o", "x.html"])
    assert isinstance(result.exception, InvalidInput)
    assert (code, said) == (result.exit_code, str(result.exception))
    assert code != 0


def test_standard_input_needs_a_format() -> None:
    code, said = command("-", "-M", "4", "-o", "x.html", input="0 1\n")
    assert code != 0
    assert "give its format with --format" in said


@pytest.mark.slow
def test_without_arguments_the_first_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = command("--no-classics")
    made = first_page(classics=False).html
    assert (code, Path("play.html").read_text(encoding="utf-8")) == (0, made)
    assert "play.html: The red-blue pebble game" in said
    assert command("--no-classics", "-o", "-") == (0, made)


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "game.html"
    path.write_text("precious", encoding="utf-8")
    code, said = command("flash-2", "-N", "99", "-d", "9", "-M", "100", "-o", str(path))
    assert code != 0
    assert "choose smaller sizes" in said
    assert path.read_text(encoding="utf-8") == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.html"]
