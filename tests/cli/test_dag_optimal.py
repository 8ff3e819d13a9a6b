"""The command ``pebble dag optimal``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pebble.cli.dag import optimal as command
from pebble.common.errors import InvalidInput
from pebble.lab.pebblings import check
from pebble.solvers.optimum import optimum


def run(*arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def test_command_text_and_file(tmp_path: Path) -> None:
    path = tmp_path / "best.pebbling"
    result = run("pyramid:3", "-M", "4", "--sliding", "-o", str(path))
    assert "proved optimal" in result.stdout
    checked = check(str(path))
    assert checked.complete
    assert f"{checked.io} I/O" in result.stdout
    assert "# rules sliding=yes" in path.read_text(encoding="utf-8")


def test_command_refuses_two_documents_on_standard_output() -> None:
    with pytest.raises(InvalidInput, match="cannot be combined"):
        run("fft:4", "-M", "3", "--json", "-o", "-")


@pytest.mark.slow
def test_an_interrupted_command_writes_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(optimum, "prove", interrupt)
    path = tmp_path / "best.pebbling"
    result = run("fft:8", "-M", "4", "-o", str(path))
    assert result.exit_code == 130
    assert "not proved: the optimum is at least 16" in result.stdout
    assert result.stderr == f"pebble: interrupted; this is the best found so far; it is in {path}\n"
    checked = check(str(path))
    assert checked.complete
    assert f"{checked.io} I/O" in result.stdout
    document = json.loads(run("fft:8", "-M", "4", "--json").stdout)
    assert document["interrupted"] is True
