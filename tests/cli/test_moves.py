"""The command ``pebble moves``: what it writes, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import SIZES, Pebble


def test_moves_to_standard_output(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "small.pebbling"
    arguments = ["moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "-o"]
    assert pebble(*arguments, str(path)).code == 0
    done = pebble(*arguments, "-")
    assert done.out == path.read_text(encoding="utf-8")
    assert done.err == ""


def test_progress_only_on_a_terminal(pebble: Pebble, tmp_path: Path) -> None:
    done = pebble("moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "-o", str(tmp_path / "x"))
    assert len(done.err.splitlines()) == 1


def test_moves_of_several_heads(pebble: Pebble, tmp_path: Path) -> None:
    arguments = ["moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "--heads", "3"]
    done = pebble(*arguments, "-o", str(tmp_path / "x"))
    assert done.code == 2 or "one of 3" in done.err


@pytest.mark.parametrize("target", ["no/such/folder/x", "."])
def test_outputs_that_cannot_be_written(
    pebble: Pebble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = pebble("moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "-o", target)
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith(f"pebble: cannot write {target}: ")
    assert list(tmp_path.iterdir()) == []


def test_moves_that_do_not_fit_leave_the_file_alone(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "keep"
    path.write_text("precious", encoding="utf-8")
    pebble("moves", "flash-2", *SIZES, "-M", "11", "-o", str(path)).refused(1, "12")
    pebble("moves", "flash-2", *SIZES, "-M", "20", "--tiles", "rows=60", "-o", str(path)).refused(1, "20")
    assert path.read_text(encoding="utf-8") == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["keep"]


def test_too_many_moves_are_not_begun(pebble: Pebble, tmp_path: Path) -> None:
    done = pebble("moves", "flash-2", "-N", "10**9", "-d", "64", "-M", "10000", "-o", str(tmp_path / "x"))
    assert done.code == 2
    assert "moves" in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []
