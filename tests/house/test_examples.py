"""Every script in examples/ runs to its end; its own assertions hold, and it prints something."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


QUICK = ["count_attention"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else [pytest.mark.slow])
        for path in EXAMPLES
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


def test_own_schedule_is_the_one_of_the_page() -> None:
    """The page says that it shows the lesson's; at least the parts that matter must be the same."""
    root = EXAMPLES[0].parent.parent
    page = (root / "docs" / "add-a-schedule.md").read_text(encoding="utf-8")
    lesson = (root / "docs" / "tutorials" / "lesson_08_own_schedule.md").read_text(encoding="utf-8")
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
