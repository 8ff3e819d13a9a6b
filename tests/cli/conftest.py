"""The command line, called within the process."""

from __future__ import annotations

import sys

import pytest

from pebble.cli import main
from tests.cli.commands import Done, Pebble


@pytest.fixture
def pebble(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pebble:
    def call(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["pebble", *arguments])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return call
