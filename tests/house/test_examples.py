"""Every script in examples/ runs to its end; its own assertions hold, and it prints something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


QUICK = ["count_attention", "tour", "lesson_01_first_game"]

LESSONS = [path for path in EXAMPLES if path.name.startswith("lesson_")]


def test_there_are_examples() -> None:
    assert {"count_attention.py", "tour.py"} <= {path.name for path in EXAMPLES}


def test_every_lesson_has_a_number_and_a_page() -> None:
    numbers = [int(path.name[7:9]) for path in LESSONS]
    assert numbers == list(range(1, len(LESSONS) + 1))
    for number, path in zip(numbers, LESSONS, strict=True):
        page = path.parent.parent / "docs" / "tutorials" / f"{path.stem}.md"
        title, rest = page.read_text(encoding="utf-8").split("\n\n", 1)
        assert title.startswith(f"# {number}. ")
        place = f"../../examples/{path.stem}"
        begin = f"[Script]({place}.py) · [notebook]({place}.ipynb)\n\n<!-- run {place}.py -->\n\n"
        assert rest.startswith(begin)
        assert rest.endswith(f"\n\n<!-- end of {place}.py -->\n")
        assert rest.count("<!--") == 2
        assert f"]({page.name})" in page.with_name("index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path",
    [
        # test_lessons runs the lessons too, cell by cell
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
    """The page says that it shows the example; at least the parts that matter must be the same."""
    root = EXAMPLES[0].parent.parent
    page = (root / "docs" / "add-a-schedule.md").read_text(encoding="utf-8")
    example = (root / "examples" / "lesson_09_own_schedule.py").read_text(encoding="utf-8")
    choice = 'return largest(self, problem, M, "rows", high=problem.Nq, guess=M // (problem.d + problem.dv))'
    for line in ('tile_names = ("rows",)', choice, 'rows = self.check_tiles(tiles)["rows"]'):
        assert line in page
        assert line in example
