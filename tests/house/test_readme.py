"""Every command and every piece of Python shown in the README and in docs/ gives what is printed there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from transcripts import console_faults, consoles, python_faults

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("tutorials/*.md")),
]
_LINK = re.compile(r"\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


def _ids(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.skipif(os.name == "nt", reason="the pages show a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    assert list(console_faults(page.read_text(encoding="utf-8"), tmp_path)) == []


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_python_prints_what_the_page_shows(page: Path) -> None:
    assert list(python_faults(page.read_text(encoding="utf-8"), page.name)) == []


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_links_lead_somewhere(page: Path) -> None:
    targets = _LINK.findall(page.read_text(encoding="utf-8"))
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert missing == []


def test_readme_shows_commands_and_python() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(consoles(text)) >= 2


def test_readme_has_the_tour_and_what_it_prints(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    tour = ROOT / "examples" / "tour.py"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(tour)],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    code = tour.read_text(encoding="utf-8").split("# %%\n")[1]
    assert f"```python\n{code}```\n\n```text\n{done.stdout}```\n" in text


def test_readme_has_the_two_commands() -> None:
    """Each does all the set-up by itself; .ci/run executes both as they stand."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [block.strip() for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
    assert len(commands) == 2
    assert all("\n" not in command and command.startswith("python3 -m venv ") for command in commands)
    assert "pebble count " in commands[0]
    assert commands[1].endswith("-m pytest -n auto")


def test_readme_warns_of_the_other_pebble() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pebble-io" in text
    assert re.search(r"never\s+install\s+both", text)
