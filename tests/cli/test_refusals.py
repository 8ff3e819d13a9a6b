"""What commands refuse, in one line and before any work: a table."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.support.commands import Pebble

_TABLE = Path(__file__).with_name("refusals.txt").read_text(encoding="utf-8").splitlines()
_REFUSALS = [line for line in _TABLE if line and not line.startswith("#")]


@pytest.mark.parametrize("line", _REFUSALS)
def test_refusals(line: str, pebble: Pebble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked, _, words = line.partition(" => ")
    code, *command = shlex.split(asked)
    pebble(*command).refused(int(code), *words.split(" && "))
    assert list(tmp_path.iterdir()) == []
