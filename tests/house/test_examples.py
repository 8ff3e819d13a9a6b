"""Every script in examples/ runs to its end; its own assertions hold, and it prints something."""

from __future__ import annotations

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
