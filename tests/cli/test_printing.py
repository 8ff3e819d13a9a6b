"""What commands print on a terminal and elsewhere: tables fit a narrow window, and only a window."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pebble.cli import printing
from tests.support.commands import SIZES, Pebble

NARROW = [
    ["count", "-N", "1Mi", "-d", "128", "-M", "1e5", "--schedule", "flash-2,best,naive"],
    ["count", "-N", "1Mi", "-d", "128", "-M", "1e5", "--pass", "both", "--schedule", "flash-2,best"],
    ["count", "-N", "1Mi", "-d", "128", "--device", "a100", "--dtype", "bf16", "--schedule", "flash-2,best"],
    ["count", "-N", "1Mi", "-d", "128", "--device", "h100", "--dtype", "bf16", "--levels", "regs,smem"],
    ["parallel", "ring", "-N", "1Mi", "-d", "128", "-P", "8", "--link", "50GB/s", "--device", "h100"],
    ["bounds", *SIZES, "-M", "100", "--mask", "causal"],
    ["regimes", "--device", "gtx1060", "-d", "16", "-N", "64", "--pass", "forward"],
    ["plan", *SIZES, "-M", "100", "--schedule", "flash-2,naive", "--multiple-of", "2"],
    ["show", "flash-2", *SIZES, "-M", "100"],
    ["schedules"],
    ["masks"],
    ["devices"],
    ["models"],
    ["dag", "info", "--list"],
    ["dag", "bounds", "fft:4", "-M", "4"],
]


class Window:
    """Standard output of a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_width_is_that_of_a_terminal_or_of_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert printing.output_width() == 120
    monkeypatch.setenv("COLUMNS", "57")
    assert printing.output_width() == 57
    monkeypatch.setattr(sys, "stdout", Window())
    assert printing.output_width() == 57


@pytest.mark.many(1)
@pytest.mark.parametrize("arguments", NARROW, ids=lambda arguments: " ".join(arguments[:2]))
def test_tables_fit_a_narrow_window(
    pebble: Pebble, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    whole = pebble(*arguments)
    monkeypatch.setattr(printing, "output_width", lambda: 72)
    done = pebble(*arguments)
    assert (whole.code, done.code, done.err) == (0, 0, "")
    lines = done.out.splitlines()
    rules = [number for number, line in enumerate(lines) if line and set(line) == {"─"}]
    assert rules
    for number in rules:
        assert max(map(len, lines[number - 1 : number + 2])) <= 72
    if arguments[0] in ("count", "plan", "parallel"):
        assert lines[rules[0] - 1].endswith(("÷ bound", "÷ bounds", "ratio"))
    monkeypatch.setattr(printing, "output_width", lambda: 1000)
    assert pebble(*arguments).out == whole.out
    if arguments[0] == "count":
        assert "reads, writes" in next(line for line in lines if line.startswith("not shown in 72 columns: "))


def test_the_bounds_of_a_dag_are_written(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "cert.v"
    done = pebble("dag", "bounds", "fma-matmul:20,20,2", "-M", "30", "--coq", str(path), "--json")
    best = json.loads(done.out)["bounds"][0]
    assert (best["name"], best["status"]) == ("matmul, short side", "machine-checked")
    assert f"Theorem short_side : matmul_costs 20 20 2 30 {best['value']}." in path.read_text(
        encoding="utf-8"
    )
    path.unlink()
    pebble("dag", "bounds", "pyramid:3", "-M", "30", "--coq", str(path)).refused(1, "can be written for Coq")
    assert not path.exists()


def test_the_bounds_of_several_devices_are_written(pebble: Pebble, tmp_path: Path) -> None:
    path = tmp_path / "cert.v"
    done = pebble("parallel", "grid", "-N", "64", "-d", "4", "-P", "4", "--coq", str(path), "--json")
    bounds = {bound["name"]: bound for bound in json.loads(done.out)["bounds"]}
    assert {name for name, bound in bounds.items() if bound["status"] == "machine-checked"} == {
        "D1-total",
        "D1-busiest",
    }
    text = path.read_text(encoding="utf-8")
    assert f"Theorem D1_total : devices_send 4096 64 64 4 4 4 4096 1 {bounds['D1-total']['value']}." in text
    path.unlink()
    for options in (("--pass", "backward"), ("--decode", "8"), ("--attention", "linear"), ("-P", "2,4")):
        assert pebble("parallel", "-N", "64", "-d", "4", "-P", "4", "--coq", str(path), *options).code
        assert not path.exists()
