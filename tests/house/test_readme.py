"""Commands and Python in the README give what is printed there; building the documentation runs every page."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from transcripts import console_faults, consoles, python_faults

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("tutorials/*.md")),
    *sorted((ROOT / "docs").glob("proofs/*.md")),
]
_SHOWN = [ROOT / "README.md"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
_HEADING_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)]*))?\)")


def _ids(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


@pytest.mark.skipif(os.name == "nt", reason="the pages show a POSIX shell")
@pytest.mark.parametrize("page", _SHOWN, ids=lambda path: path.stem)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    assert list(console_faults(page.read_text(encoding="utf-8"), tmp_path)) == []


@pytest.mark.parametrize("page", _SHOWN, ids=lambda path: path.stem)
def test_python_prints_what_the_page_shows(page: Path) -> None:
    assert list(python_faults(page.read_text(encoding="utf-8"), page.name)) == []


def test_readme_is_one_screen() -> None:
    assert len(consoles(README)) == 1
    assert len(consoles(README)[0].splitlines()[1:]) <= 10
    assert len(README.splitlines()) <= 65


def test_readme_has_the_two_commands() -> None:
    """Each does all the set-up by itself; .ci/run executes both as they stand."""
    commands = [
        block.strip() for block in re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    ]
    assert len(commands) == 2
    assert all("\n" not in command and command.startswith("python3 -m venv ") for command in commands)
    assert "pebble count " in commands[0]
    assert commands[1].endswith("-m pytest -n auto")


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_links_work_on_a_code_host(page: Path) -> None:
    """Relative, inside the repository, with the case of the file's name, to headings that exist."""
    for target, heading in _HEADING_LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path = (page.parent / target).resolve() if target else page
        assert not target.startswith("/"), target
        assert path.is_relative_to(ROOT)
        assert path == ROOT or path.name in os.listdir(path.parent), target
        if heading and path.suffix == ".md":
            assert heading in _anchors(path.read_text(encoding="utf-8")), f"{target}#{heading}"


def _anchors(text: str) -> set[str]:
    """The names of a page's headings, as code hosts and Sphinx make them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    return {*plain, *re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_what_is_installed_comes_from_a_checkout(page: Path) -> None:
    """The distribution is on no index, and another one there has a similar name."""
    assert re.findall(r"pip install[^\n`&]*pebble", page.read_text(encoding="utf-8")) == []
