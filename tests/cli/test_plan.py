"""The command ``pebble plan``."""

from __future__ import annotations

import json
import sys

import pytest

from pebble import Problem
from pebble.cli import main
from pebble.lab.plan import plan


def _call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["pebble", "plan", *arguments])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "--multiple-of",
        "16",
        "--at-least",
        "rows=32,cols=16",
        "--at-most",
        "rows=256",
        "--double-buffer",
    ]
    shape = ["-N", "1024", "-d", "64", "--device", "h100", "--accumulate", "float32"]
    assert _call(monkeypatch, *shape, *asked, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    found = plan(
        Problem.square(1024, 64),
        device="h100",
        multiple_of=16,
        at_least={"rows": 32, "cols": 16},
        at_most={"rows": 256},
        double_buffer=True,
        accumulate="float32",
    )
    assert document == json.loads(json.dumps(found.to_dict()))
    assert document["schema_version"] == 1
    assert document["best"] == document["choices"][0]
    assert document["best"]["bytes"] == found.best.moved
    assert _call(monkeypatch, *shape, *asked) == 0
    out = capsys.readouterr().out
    assert out.rstrip("\n") == str(found)
    assert "NVIDIA H100" in out
    assert "costs bytes" in out
    assert "<table>" in found._repr_html_()
    assert repr(found).startswith("<Plan ")


def test_command_under_a_mask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shape = ["-N", "64", "-d", "8", "-M", "900", "--mask", "causal", "--schedule", "flash-1,flash-2"]
    assert _call(monkeypatch, *shape, "--multiple-of", "4", "--json") == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    problem = Problem.square(64, 8, mask="causal")
    found = plan(problem, 900, multiple_of=4, schedules=["flash-1", "flash-2"])
    assert document == json.loads(json.dumps(found.to_dict()))
    assert document["problem"]["mask"] == "causal"
    assert document["unverified"] == []
    assert err == ""
    monkeypatch.setattr("pebble.lab.plan.evaluations.MASKED_STEPS", 1)
    assert _call(monkeypatch, *shape) == 1
    out, err = capsys.readouterr()
    assert "own tiles, not verified" in out
    assert err.startswith("pebble: no choice is verified: ")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-M", "100", "--multiple-of", "16"], 1, "nothing fits"),
        (["-M", "100", "--device", "h100"], 2, "give one of them"),
        ([], 2, "Missing option '-M' (or '--device')"),
        (["-M", "9000", "--at-least", "16"], 2, "example: rows=16"),
        (["-M", "9000", "--at-least", "rows=16", "--at-least", "rows=32"], 2, "given twice"),
        (["-M", "9000", "--at-most", "depth=16"], 2, "unknown tile 'depth'"),
        (["-M", "18KiB"], 2, "dtype"),
    ],
)
def test_command_refuses(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    assert _call(monkeypatch, "-N", "256", "-d", "64", *arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert "Traceback" not in err
