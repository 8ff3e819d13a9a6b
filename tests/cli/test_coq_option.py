"""``--coq FILE`` of ``pebble dag bounds``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import Pebble


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
