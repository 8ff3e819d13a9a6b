"""``pebble play``: what it takes, what it writes, and how it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import pebble
from pebble.cli import group
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


@pytest.mark.slow
def test_without_arguments_the_first_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = command("--no-classics")
    made = first_page(classics=False).html
    assert (code, Path("play.html").read_text(encoding="utf-8")) == (0, made)
    assert "play.html: The red-blue pebble game" in said
    assert command("--no-classics", "-o", "-") == (0, made)
