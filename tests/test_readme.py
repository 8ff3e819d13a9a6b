"""Every command and every piece of Python shown in the README and in docs/ gives what is printed there."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^`([\w.-]+)`:\n\n```(?:text|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


def _ids(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def _transcript(commands: list[str], folder: Path) -> str:
    """Run commands as typed at a terminal, and put together what a reader would see, progress left out."""
    tools = folder / ".tools"
    tools.mkdir(exist_ok=True)
    pebble = tools / "pebble"
    pebble.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pebble "$@"\n', encoding="utf-8")
    pebble.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1"}
    lines: list[str] = []
    for command in commands:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        seen = done.stdout if done.returncode == 0 else done.stdout + done.stderr
        lines += [f"$ {command}", *seen.splitlines()]
    return "\n".join(lines)


@pytest.mark.skipif(os.name == "nt", reason="the pages show a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, content in _FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    for block in _CONSOLE.findall(text):
        shown = block.strip("\n")
        commands = [line[2:] for line in shown.splitlines() if line.startswith("$ ")]
        assert commands, f"a console block of {page.name} shows no command"
        assert _transcript(commands, tmp_path) == shown


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_python_prints_what_the_page_shows(page: Path) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_links_lead_somewhere(page: Path) -> None:
    targets = _LINK.findall(page.read_text(encoding="utf-8"))
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert missing == []


def test_readme_shows_commands_and_python() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(_CONSOLE.findall(text)) >= 2
    assert ">>> import pebble" in text


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
