"""The command ``pebble moves``: what it writes, and what it leaves alone."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from pebble.lab.level_pebblings import LevelPebbling
from pebble.lab.pebblings import Pebbling
from tests.support.commands import Pebble


def test_moves_to_standard_output(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "small.pebbling"
    arguments = ["moves", "flash-2", "-N", "4", "-d", "2", "-M", "16", "-o"]
    assert pebble(*arguments, str(path)).code == 0
    done = pebble(*arguments, "-")
    assert done.out == path.read_text(encoding="utf-8")
    assert done.err == ""


def test_the_size_is_said_first(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "x"
    for arguments in (["flash-2", "-M", "16"], ["nested-flash-2", "--levels", "20,60"]):
        done = pebble("moves", *arguments, "-N", "12", "-d", "2", "-o", str(path))
        first, last = done.err.splitlines()
        moves = sum(not line.startswith("#") for line in path.read_text().splitlines())
        assert first.startswith(f"{path}: about {moves:,} moves, ")
        assert last.startswith(f"{path}: {moves:,} moves")
        said = float(first.split()[-2]) * {"KiB": 1 << 10, "B": 1}[first.split()[-1]]
        assert said == pytest.approx(path.stat().st_size, rel=0.02)


LARGE = ["flash-2", "-N", "4096", "-d", "64", "-M", "25000"]
LARGE_LEVELS = ["nested-flash-2", "-N", "640", "-d", "16", "--levels", "80,400"]


def writes_begun(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Let nothing be written; return what would have been, as it grows."""
    begun: list[object] = []

    def begin(pebbling: object, target: object) -> int:
        begun.append(target)
        return 0

    for kind in (Pebbling, LevelPebbling):
        monkeypatch.setattr(kind, "write", begin)
    return begun


@pytest.mark.parametrize("arguments", [LARGE, LARGE_LEVELS])
def test_a_large_file_needs_force(
    pebble: Pebble, tmp_path: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = writes_begun(monkeypatch)
    path = str(tmp_path / "x")
    done = pebble("moves", *arguments, "-o", path)
    done.refused(2, f"{path}: about ", " GiB; ", "--force", "smaller N")
    assert begun == []
    assert pebble("moves", *arguments, "-o", path, "--force").code == 0
    assert begun == [path]
    assert pebble("moves", *arguments, "-o", "-").err == ""
    assert len(begun) == 2


@pytest.mark.parametrize(("answer", "code"), [("n\n", 1), ("\n", 1), ("y\n", 0)])
def test_on_a_terminal_a_large_file_is_asked_about(
    pebble: Pebble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    begun = writes_begun(monkeypatch)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    done = pebble("moves", *LARGE, "-o", str(tmp_path / "x"))
    assert (done.code, len(begun)) == (code, 1 - code)
    assert "GiB. Write it? [y/N]: " in done.err
