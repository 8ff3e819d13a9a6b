"""``--coq FILE`` of ``pebble dag bounds`` and ``pebble parallel``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.commands import Pebble


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
