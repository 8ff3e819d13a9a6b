"""The command ``pebble dag optimal``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pebble.cli.dag import optimal as command
from pebble.common.errors import InvalidInput
from pebble.lab.pebblings import check


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
