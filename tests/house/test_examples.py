"""Every script in examples/ runs to its end; its own assertions hold, and it prints something."""

from __future__ import annotations

import importlib
import subprocess
import sys
from math import ceil
from pathlib import Path
from typing import Any

import pytest

import pebble

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


QUICK = ["count_attention"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else [pytest.mark.slow])
        for path in EXAMPLES
        if path.stem != "beside_other_tools"  # it takes minutes; its rows are tested one by one
    ],
)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "utf8", str(path)],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.strip()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def other_tools(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return importlib.import_module("beside_other_tools")


def table_of_other_tools() -> dict[str, str]:
    """The lines of the page's table by graph."""
    page = (ROOT / "docs" / "proofs" / "how-good.md").read_text(encoding="utf-8")
    lines = page.partition("## Beside other tools")[2].splitlines()
    return {line.split("`")[1]: line for line in lines if line.startswith("| `")}


def test_what_other_tools_say_is_on_the_page(other_tools: Any) -> None:
    shown = table_of_other_tools()
    assert list(shown) == [row.graph for row in other_tools.ROWS]
    assert len(shown) == 20
    for row in other_tools.ROWS:
        cells = [cell.strip(" *†").replace(",", "") for cell in shown[row.graph].strip("|").split("|")]
        published = ["–" if value is None else str(ceil(value)) for value in (row.iolb, row.soap)]
        assert [cells[1], *cells[4:6], cells[7]] == [str(row.M), *published, str(row.scheduler)]


@pytest.mark.parametrize(
    ("graph", "M", "bound"), [("fft:128", 4, 6.376856849), ("hypercube:9", 16, 36.42663095)]
)
def test_spectral_bounds_are_those_that_graphio_published(
    other_tools: Any, graph: str, M: int, bound: float
) -> None:
    """``plotting/spaa_data`` in graphIO's repository has these."""
    assert other_tools.graphio(pebble.load_dag(graph), M) == pytest.approx(bound, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_the_table_of_other_tools(other_tools: Any, number: int) -> None:
    """Rows of OneStopParallel's benchmark need its files."""
    row = other_tools.ROWS[number]
    if not row.graph.endswith(".hdag"):
        assert other_tools.line(row, Path()) == table_of_other_tools()[row.graph]


def test_own_schedule_is_the_one_of_the_page() -> None:
    """The page says that it shows the lesson's; at least the parts that matter must be the same."""
    page = (ROOT / "docs" / "add-a-schedule.md").read_text(encoding="utf-8")
    lesson = (ROOT / "docs" / "tutorials" / "lesson_08_own_schedule.md").read_text(encoding="utf-8")
    choice = 'return largest(self, problem, M, "rows", high=problem.Nq, guess=M // (problem.d + problem.dv))'
    for line in ('tile_names = ("rows",)', choice, 'rows = self.check_tiles(tiles)["rows"]'):
        assert line in page
        assert line in lesson


def test_what_nsight_compute_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters by name, whatever else is printed."""
    monkeypatch.syspath_prepend(str(EXAMPLES[0].parent))
    example = importlib.import_module("gpu_traffic")
    head = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
    rows = [
        '"0","flash_fwd","dram__bytes.sum","byte","1,342,177,280"',
        '"0","flash_fwd","lts__t_bytes.sum","byte","7"',
    ]
    text = "\n".join(["==PROF== Connected", head, *rows])
    assert example.read_counters(text) == {"dram__bytes.sum": 1342177280.0, "lts__t_bytes.sum": 7.0}
    assert example.read_counters("==ERROR== ERR_NVGPUCTRPERM") == {}


def test_traffic_is_not_measured_without_torch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES[0].parent))
    monkeypatch.setitem(sys.modules, "torch", None)
    importlib.import_module("gpu_traffic").main()
    needs = "torch is not installed: nothing is measured; this needs an NVIDIA GPU and torch with CUDA\n"
    assert capsys.readouterr().out == needs
