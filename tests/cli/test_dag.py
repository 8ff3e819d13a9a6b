from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pebble.computations.load import load_dag
from pebble.graph.fingerprint import dag_hash
from pebble.graph.formats import FORMATS, text_of
from pebble.lab.pebblings import check
from tests.support.commands import Pebble


@pytest.fixture
def dag(pebble: Pebble) -> Any:
    return lambda *arguments, **more: pebble("dag", *arguments, **more)


def test_list(dag: Any) -> None:
    _, out, _ = dag("info", "--list")
    assert "scalar-attention:N=8,d=4" in out
    _, out, _ = dag("info", "--list", "--json")
    found = json.loads(out)["dags"]
    assert {"name", "usage", "example", "summary", "literature"} == set(found[0])
    for entry in found:
        assert load_dag(entry["example"]).n_vertices > 1


@pytest.mark.parametrize("format", FORMATS)
def test_convert_there_and_back(dag: Any, tmp_path: Path, format: str) -> None:
    path, back = tmp_path / f"a{FORMATS[format][0]}", tmp_path / "b.txt"
    code, out, err = dag("convert", "attention:N=2,d=1,stats=1", str(path))
    assert (code, out) == (0, "")
    assert err == f"{path}: 24 vertices, 32 edges\n"
    assert dag("convert", str(path), str(back))[0] == 0
    assert load_dag(back) == load_dag("attention:N=2,d=1,stats=1")


def test_convert_through_the_standard_streams(dag: Any) -> None:
    text = text_of(load_dag("tree:2"), "dot")
    code, out, _ = dag("convert", "-", "-", "--format", "dot", "--to", "json", stdin=text.encode())
    assert code == 0
    assert out == text_of(load_dag("tree:2"), "json")
    code, out, _ = dag("info", "-", "--format", "json", "--json", stdin=out.encode())
    assert json.loads(out)["hash"] == dag_hash(load_dag("tree:2"))


def test_an_optimal_pebbling_is_printed_and_written(dag: Any, tmp_path: Path) -> None:
    path = tmp_path / "best.pebbling"
    result = dag("optimal", "pyramid:3", "-M", "4", "--sliding", "-o", str(path))
    assert "proved optimal" in result.out
    checked = check(str(path))
    assert checked.complete
    assert f"{checked.io} I/O" in result.out
    assert "# rules sliding=yes" in path.read_text(encoding="utf-8")
