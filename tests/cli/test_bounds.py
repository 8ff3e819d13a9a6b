"""The command ``pebble bounds`` under a mask."""

from __future__ import annotations

import json
import sys

import pytest

from pebble.cli import main


def _main() -> None:
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code


@pytest.mark.parametrize("command", ["bounds", "count"])
def test_commands_show_bounds_curves_and_dividing_points(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [command, "-N", "64", "-d", "4", "-M", "100", "--mask", "document:32,32"]
    arguments += ["--schedule", "flash-2"] * (command == "count")
    monkeypatch.setattr(sys, "argv", ["pebble", *arguments])
    _main()
    text = capsys.readouterr().out
    for shown in ("by parts", "Li et al., worst pattern", "block-sparse FlashAttention", "M·Z_QK/Z_in²"):
        assert shown in text
    monkeypatch.setattr(sys, "argv", ["pebble", *arguments, "--json"])
    _main()
    document = json.loads(capsys.readouterr().out)
    assert (document["dividing_point"], document["sparse_dividing_point"]) == (16, 32.0)
    assert document["regime"] == "large cache"
    statuses = {bound["name"]: bound["status"] for bound in document["bounds"]}
    assert statuses["by parts"] == "proved"
    assert statuses["Li et al., worst pattern"] == "asymptotic"
