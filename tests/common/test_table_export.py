"""Tables in Markdown, in LaTeX and as data frames."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest

import pebble
from pebble.common.errors import PebbleError
from pebble.common.table_export import latex_tabular, markdown_table
from pebble.common.tables import Table, TableResult
from pebble.lab.training import count_training

CELLS = [["name", "I/O"], ["a|b_c & <d>", "1,000"], ["[x]", "50 %"]]


class Both(TableResult):
    """A text, a table and a note."""

    def content(self) -> dict[str, Any]:
        return {}

    def parts(self) -> list[str | Table | TableResult]:
        return ["N = 4 & more", Table(CELLS, notes=["", "a_note"])]


def test_markdown_escapes_its_signs() -> None:
    head, marks, first, second = markdown_table(CELLS, [1]).splitlines()
    assert (head, marks, second) == ("| name | I/O |", "|:--|--:|", "| \\[x\\] | 50 % |")
    assert first.startswith("| a\\|b\\_c & ")
    assert first.endswith(" | 1,000 |")


def test_latex_escapes_its_signs() -> None:
    text = latex_tabular(CELLS, [1])
    assert r"a\ensuremath{|}b\_c \& \ensuremath{<}d\ensuremath{>} & 1,000 \\" in text
    assert "{}[x] & 50 \\% \\\\" in text, "a bracket would be read as an argument of the line end before it"
    assert text.startswith("\\begin{tabular}{lr}\n")
    assert text.endswith("\\hline\n\\end{tabular}")


def _results() -> list[Any]:
    """What the Python interface returns as tables."""
    problem = pebble.Problem.square(64, 4)
    once = pebble.Rules(recomputation=False)
    return [
        pebble.count(problem, 100, ["flash-2", "naive"]),
        count_training(pebble.Problem.square(64, 4, pass_name="both"), 100, ["flash-2"]),
        pebble.bounds(problem, 100),
        pebble.dag_bounds(pebble.load_dag("diamond:3,3"), 3, once),
        pebble.regimes(["gtx1060"], 128, N=256, dtype="float32", passes="forward"),
        pebble.plan(problem, 100, dtype="float16", schedules=["flash-2"]),
        pebble.compare(problem, [100, 200], ["flash-2"]),
        pebble.sweep(64, 4, [100, 200], "flash-2"),
        pebble.cite(),
    ]


@pytest.mark.slow
def test_all_results_export(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = ModuleType("pandas")
    vars(fake)["DataFrame"] = list
    monkeypatch.setitem(sys.modules, "pandas", fake)
    for found in _results():
        rows = found.to_frame()
        assert rows
        assert all(isinstance(value, (str, int, float, type(None))) for row in rows for value in row.values())
        assert len({tuple(row) for row in rows}) == 1, "all rows have the same columns"
        json.dumps(rows)
        latex, markdown = found.to_latex(), found.to_markdown()
        assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}") >= 1
        for line in latex.splitlines():
            assert line.startswith(("%", "\\")) or line == "" or line.endswith(r" \\")
        for line in markdown.splitlines():
            assert not line.startswith("| ") or line.endswith(" |")


def test_data_frames_need_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(PebbleError, match="needs pandas, which is not installed: pip install pandas"):
        Both().to_frame()
    fake = ModuleType("pandas")
    vars(fake)["DataFrame"] = list
    monkeypatch.setitem(sys.modules, "pandas", fake)
    assert Both().to_frame() == Both().records()
    assert Both().parts()[1].to_frame() == Both().records()  # type: ignore[union-attr]
